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

/* Reads the script of Slurm that an application of the user was submitted with. The caller frees *TEXT, of
 * *SIZE bytes, with free(). -ENOENT: it has none, or it is no longer kept (those of ended applications are,
 * up to 1 MiB, if the application did not succeed). */
int creel_app_script(struct creel_client *client, const char *id, char **text, size_t *size,
                     struct creel_error *error);

#endif
