/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-rerun.h - libcreel: applications that run again, and other changes
 *
 * creel.h includes this header behind the types that it uses; programs include creel.h. Conventions for
 * errors, memory and times are those of creel.h.
 */
#ifndef CREEL_RERUN_H
#define CREEL_RERUN_H

/* Ends the present attempt of an application. A new attempt starts when the containers have ended. -EBUSY:
 * the application has not begun, or is about to end; -EINVAL: it never starts a second time (no_requeue of
 * struct creel_job). REASON may be NULL. */
int creel_app_requeue(struct creel_client *client, const char *id, const char *reason,
                      struct creel_apps **ret, struct creel_error *error);
/* The same, and the application is held before its new attempt begins. -EOPNOTSUPP: it was requeued, but the
 * resource manager is older and does not hold it. */
int creel_app_requeue_held(struct creel_client *client, const char *id, const char *reason,
                           struct creel_apps **ret, struct creel_error *error);

/* A submission that repeats an application. */
struct creel_rerun {
    char id[CREEL_ID_MAX];       /* the new application */
    char rerun_of[CREEL_ID_MAX]; /* the ended one */
    uint32_t tasks;              /* tasks that run again; 0: it has no tasks */
    bool no_deadline;            /* its deadline has passed: the new application has none */
};

/* Submits an ended application of the user again, as it was submitted, but without its dependencies on other
 * applications; FAILED: only the tasks of an array or
 * of a job of tasks that did not succeed, also while an array runs. -EBUSY: it has not ended, or nothing has
 * failed; -EPERM: it is of another user; -ENOENT: its submission, or one of its files, is no longer kept;
 * -EINVAL: it cannot run again; others as of creel_submit. */
int creel_app_rerun(struct creel_client *client, const char *id, bool failed, struct creel_rerun *ret,
                    struct creel_error *error);
/* The same, and the new application is held. */
int creel_app_rerun_held(struct creel_client *client, const char *id, bool failed, struct creel_rerun *ret,
                         struct creel_error *error);

/* Sets the priority: higher is served first; reduced to the maximum of the cluster. */
int creel_app_set_priority(struct creel_client *client, const char *id, int priority, struct creel_apps **ret,
                           struct creel_error *error);
/* Changes the name of an application that has not ended. Tasks of an array that have begun keep theirs. */
int creel_app_set_name(struct creel_client *client, const char *id, const char *name, struct creel_apps **ret,
                       struct creel_error *error);

/* Changes of an application; all zero: none. */
struct creel_app_change {
    const char *name, *queue; /* NULL: as it is */
    bool set_priority, set_at_once, set_time_limit;
    int priority;         /* as of creel_app_set_priority */
    uint32_t at_once;     /* as of creel_app_set_at_once */
    int64_t time_limit_s; /* as of creel_app_set_time_limit */
    int64_t expires_ms;   /* as of creel_app_set_expiry, without set_time_limit; 0: as it is */
    bool release;         /* as creel_app_release */
    bool hold_next;       /* as creel_app_hold_next */
};

/* Makes all changes of CHANGE, or none if one of them is refused, with the errors of the functions above and
 * in creel.h. The priority is judged for the new queue. APP is from creel_app_get. -EOPNOTSUPP: there are
 * several, and the resource manager is older. */
int creel_app_change(struct creel_client *client, const struct creel_app *app,
                     const struct creel_app_change *change, struct creel_apps **ret,
                     struct creel_error *error);

/* Reads the script of Slurm that an application of the user was submitted with. The caller frees *TEXT, of
 * *SIZE bytes, with free(). -ENOENT: it has none, or it is no longer kept (those of ended applications are,
 * up to 1 MiB, if the application did not succeed). */
int creel_app_script(struct creel_client *client, const char *id, char **text, size_t *size,
                     struct creel_error *error);

#endif
