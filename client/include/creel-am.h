/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-am.h - libcreel: write an application master
 *
 *     static void granted(void *context, struct creel_am *am,
 *                         const struct creel_am_container *container)
 *     {
 *             struct creel_am_launch launch = {
 *                     .title = "worker", .command = (const char *[]){ "./worker", NULL },
 *             };
 *             creel_am_start(am, container->id, &launch);
 *     }
 *     ...
 *     struct creel_am_calls calls = { .granted = granted, .completed = completed };
 *
 *     if (creel_am_open(&calls, NULL, &am, &error) < 0)
 *             errx(1, "%s", error.text);
 *     creel_am_ask(am, 1, 512, 1, 10);
 *     if (creel_am_run(am, &error) < 0)          returns after creel_am_finish
 *             errx(1, "%s", error.text);
 *     creel_am_close(am);
 *
 * For programs submitted with `creel submit --am`, in the application's first
 * container. The library registers, keeps the protocol with the resource manager (RM) and
 * the agents, repeats what is not answered, and registers again after a restart of the
 * RM. One thread; the callbacks are called by creel_am_run, and may call
 * everything here but creel_am_run and creel_am_close. Strings in what is handed
 * out live during the call. Errors are as in creel.h.
 */
#ifndef CREEL_AM_H
#define CREEL_AM_H

#include <stdint.h>

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct creel_am;                        /* opaque */

struct creel_am_container {
    const char *id, *node_id;
    const char *title;                  /* as it was started; "" in granted */
    int64_t memory_mb, vcores;
    uint32_t priority;
    struct creel_resource resource;     /* all of what it has */
};

struct creel_am_calls {                 /* any may be NULL */
    /* A container that was asked for. Start it or release it: a grant that is neither
     * started nor released in time is taken back (completed, -100). */
    void (*granted)(void *context, struct creel_am *am, const struct creel_am_container *container);
    /* The agent accepted the start; or, with ERROR (its words), refused it: the
     * container is given back, completed follows. */
    void (*started)(void *context, struct creel_am *am, const char *id, const char *error);
    /* Once for each container: YARN's exit status (-100 lost or released, -102 preempted,
     * -104 out of memory, else the command's). */
    void (*completed)(void *context, struct creel_am *am, const char *id, int exit_status,
                      const char *diagnostics);
    /* It is stopped at DEADLINE_MS (the RM's clock), to serve somebody else; completed follows then,
     * with -102. NEGOTIABLE: unless as much is released instead. */
    void (*preempted)(void *context, struct creel_am *am, const char *id, int64_t deadline_ms,
                      bool negotiable);
    /* After the first registration and each later one. RUNNING containers of this attempt that
     * this process was not granted (it was restarted) were reported to `found` before. */
    void (*registered)(void *context, struct creel_am *am);
    void (*found)(void *context, struct creel_am *am, const struct creel_am_container *container);
    /* `preempted` announced its end, which is cancelled. A task that acted on the notice may end
     * nevertheless. */
    void (*spared)(void *context, struct creel_am *am, const char *id);
};

struct creel_am_launch {
    const char *title;                  /* shown in lists; NULL: "" */
    const char *const *command;         /* argv, ends with NULL */
    const char *const *environment;     /* "NAME=value", ends with NULL; may be NULL */
    const char *directory;              /* NULL: the container's working directory */
    const char *preempt_signal;         /* sent when it is to be preempted, as "USR1"; NULL: none */
    const char *umask;                  /* octal, as "027"; NULL: the agent's own */
    int nice;                           /* up to 19; below 0: for jobs of root alone; 0: the agent's own */
    const char *out_file;               /* of the node, for standard output and error; NULL: its logs */
    const char *err_file;               /* the same for standard error alone */
    const char *open_mode;              /* of both: "append", "truncate"; NULL: "truncate" */
    const char *script_system;          /* "slurm": Slurm's variables, too; NULL: not */
};

/* Read what the agent gave this container, and prepare to register. -EINVAL: this process is not in
 * the first container of an application. -EBUSY: another process there is its AM now. */
int creel_am_open(const struct creel_am_calls *calls, void *context, struct creel_am **ret,
                  struct creel_error *error);
void creel_am_close(struct creel_am *am);       /* NULL is fine */

const char *creel_am_app_id(const struct creel_am *am);

/* Request COUNT containers at PRIORITY (smaller is served first), in addition to those granted so far. It
 * replaces the previous request at that priority. 0 MiB or vcores: the cluster's minimum. */
void creel_am_ask(struct creel_am *am, uint32_t priority, int64_t memory_mb, int64_t vcores,
                  uint32_t count);
/* The same, of any types of resources. A unit of NULL is the type's own. */
void creel_am_ask_resource(struct creel_am *am, uint32_t priority,
                           const struct creel_resource *each, uint32_t count);
/* Start a granted container, once. -ENOENT: no such container; -EBUSY: started before. */
int creel_am_start(struct creel_am *am, const char *id, const struct creel_am_launch *launch);
/* Give it back, whatever it is doing; completed follows. -ENOENT: no such container. */
int creel_am_release(struct creel_am *am, const char *id);

/* For `creel status`: 0 to 1, and the number of tasks (0: unknown). */
void creel_am_progress(struct creel_am *am, double progress, uint32_t tasks_total,
                       uint32_t tasks_running, uint32_t tasks_succeeded, uint32_t tasks_failed);

/* End the application with this result; what still runs is stopped. creel_am_run
 * returns when the RM has it on disk. */
void creel_am_finish(struct creel_am *am, enum creel_final_status status, int exit_status,
                     const char *diagnostics);

/* Register and serve until finished: 0. -EBUSY: the RM ended this attempt, or refused a request; the error
 * has the reason. */
int creel_am_run(struct creel_am *am, struct creel_error *error);
/* Call FN once, from creel_am_run, after DELAY_MS. */
void creel_am_after(struct creel_am *am, int64_t delay_ms,
                    void (*fn)(void *context, struct creel_am *am));

#ifdef __cplusplus
}
#endif

#endif
