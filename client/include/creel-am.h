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
 * For programs submitted with `creel submit --am`, which run in the application's first
 * container. The library registers at the resource manager (RM), implements the protocol
 * with the RM and the agents, repeats unanswered requests, and registers again after a
 * restart of the RM. Single-threaded: creel_am_run calls the callbacks, which may call
 * every function of this header but creel_am_run and creel_am_close. Strings passed to
 * callbacks live during the call. Errors are as in creel.h.
 */
#ifndef CREEL_AM_H
#define CREEL_AM_H

#include <stdint.h>

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct creel_am; /* opaque */

struct creel_am_container {
    const char *id, *node_id;
    const char *title; /* title given at the start; "" in granted */
    int64_t memory_mb, vcores;
    uint32_t priority;
    struct creel_resource resource; /* total resources of the container */
};

enum creel_am_update { /* YARN's ContainerUpdateType */
                       CREEL_AM_INCREASE = 1,
                       CREEL_AM_DECREASE = 2,
};

struct creel_am_calls { /* callbacks; any may be NULL */
    /* A requested container was allocated. Start or release it. If it is neither started nor released in
     * time, the RM takes the container back, and `completed` is called with -100. */
    void (*granted)(void *context, struct creel_am *am, const struct creel_am_container *container);
    /* The agent has answered a start. ERROR is NULL if the agent accepted it, else the agent's message; then
     * the library releases the container, and `completed` is called later. */
    void (*started)(void *context, struct creel_am *am, const char *id, const char *error);
    /* Called once for each container, with YARN's exit status (-100 lost or released, -102 preempted, -104
     * out of memory, else the command's). A node that could not start one, for a reason that other nodes may
     * not have, gets none of this application for ten minutes, unless half of the nodes are avoided. */
    void (*completed)(void *context, struct creel_am *am, const char *id, int exit_status,
                      const char *diagnostics);
    /* Preemption notice. The RM stops the container at DEADLINE_MS (the RM's clock), or with lazy preemption
     * at any time after it, when another queue can use its room; then `completed` is called with -102. If
     * NEGOTIABLE, the AM can prevent this: it releases other containers of the same total size before the
     * deadline. */
    void (*preempted)(void *context, struct creel_am *am, const char *id, int64_t deadline_ms,
                      bool negotiable);
    /* `registered` is called after each registration. Before that, `found` is called for each running
     * container that was not granted to this process, because the process was restarted. */
    void (*registered)(void *context, struct creel_am *am);
    void (*found)(void *context, struct creel_am *am, const struct creel_am_container *container);
    /* The preemption announced by `preempted` is cancelled. A task that acted on the notice may end
     * nevertheless. */
    void (*spared)(void *context, struct creel_am *am, const char *id);
    /* A container has another size: because of creel_am_update, or because its owner or an administrator
     * changed it. */
    void (*updated)(void *context, struct creel_am *am, const struct creel_am_container *container);
    /* The RM has refused creel_am_update: REASON is YARN's word, as INCORRECT_CONTAINER_VERSION_ERROR,
     * RESOURCE_OUTSIDE_ALLOWED_RANGE; MESSAGE is for a person. */
    void (*update_refused)(void *context, struct creel_am *am, const char *id, const char *reason,
                           const char *message);
};

struct creel_am_launch {
    const char *title;              /* title of the container in lists; NULL: "" */
    const char *const *command;     /* argv, ends with NULL */
    const char *const *environment; /* "NAME=value", ends with NULL; may be NULL */
    const char *directory;          /* NULL: the container's working directory */
    const char *limit_signal;       /* as in struct creel_job */
    const char *limit_signal_to;    /* as in struct creel_job */
    const char *preempt_signal;     /* sent when it is to be preempted, as "USR1"; NULL: none */
    const char *fetch;              /* as in struct creel_job */
    const char *umask;              /* octal, as "027"; NULL: the agent's own */
    const char *limits;             /* as in struct creel_job */
    int nice;                       /* up to 19; below 0: for jobs of root alone; 0: the agent's own */
    const char *out_file;           /* file on the node for standard output and error; NULL: the logs */
    const char *err_file;           /* file on the node for standard error alone */
    const char *in_file;            /* file on the node for standard input; NULL: none */
    const char *open_mode;          /* of both files: "append", "truncate"; NULL: "truncate" */
    const char *script_system;      /* "slurm": sets Slurm's variables, too; NULL: sets none */
};

/* Reads environment and token of this container and prepares the registration. -EINVAL: this process is
 * not in the first container of an application. -EBUSY: another process in this container is the AM. */
int creel_am_open(const struct creel_am_calls *calls, void *context, struct creel_am **ret,
                  struct creel_error *error);
/* Like creel_am_open, for an application whose job has `unmanaged` set: its owner may call this on any
 * host. A process that called it before for the same application, if there is one, is no longer its AM
 * when the new one has registered: its creel_am_run returns -EBUSY. `found` is called for the containers
 * that the application has. CLIENT is not used after the call. -EAGAIN: the application has not been in
 * its queue until the timeout of CLIENT; -EPERM: the user of CLIENT is not its owner; -EBUSY: it has
 * ended; -EINVAL: it is not unmanaged. */
int creel_am_open_unmanaged(struct creel_client *client, const char *app_id,
                            const struct creel_am_calls *calls, void *context, struct creel_am **ret,
                            struct creel_error *error);
void creel_am_close(struct creel_am *am); /* NULL is allowed */

const char *creel_am_app_id(const struct creel_am *am);

/* Requests COUNT containers at PRIORITY (smaller is served first), in addition to those granted so far.
 * Replaces the previous request at that priority. 0 MiB or vcores: the cluster's minimum. */
void creel_am_ask(struct creel_am *am, uint32_t priority, int64_t memory_mb, int64_t vcores, uint32_t count);
/* Like creel_am_ask, for any resource types. Unit NULL: the type's own unit. */
void creel_am_ask_resource(struct creel_am *am, uint32_t priority, const struct creel_resource *each,
                           uint32_t count);
/* Starts a granted container, once. -ENOENT: no such container; -EBUSY: already started; -EINVAL: LAUNCH
 * has no command; -EOPNOTSUPP: an argument, a value of a variable or a path is not UTF-8, and the agent, of
 * 0.2.0, would run other bytes. */
int creel_am_start(struct creel_am *am, const char *id, const struct creel_am_launch *launch);
/* Releases a container in any state; `completed` is called later. -ENOENT: no such container. */
int creel_am_release(struct creel_am *am, const char *id);

/* Requests another size for a running container (YARN: updateContainer). An increase waits until the
 * container's node has room; amounts of SIZE below the present ones are ignored. A decrease counts at once.
 * `updated` or `update_refused` is called later, also if the amounts are rounded to the present size
 * (RESOURCE_OUTSIDE_ALLOWED_RANGE). Requests for one container are sent in the order of the calls. An
 * increase that waits is withdrawn, without a call, when the RM accepts a later request for the container, or
 * when its owner cancels it. The library repeats the request after a restart of the RM. -ENOENT: no such
 * container. */
int creel_am_update(struct creel_am *am, const char *id, enum creel_am_update type,
                    const struct creel_resource *size);

/* Sets the progress for `creel status`: 0 to 1, and the number of tasks (0: unknown). */
void creel_am_progress(struct creel_am *am, double progress, uint32_t tasks_total, uint32_t tasks_running,
                       uint32_t tasks_succeeded, uint32_t tasks_failed);

/* Stores SIZE bytes of DATA at the resource manager for the next attempt of the application, in place of
 * those stored before. The library sends them soon after the call. The resource manager keeps them over its
 * restarts until the application has ended. -EMSGSIZE: more than CREEL_AM_STATE_MAX bytes; the bytes stored
 * before stay. */
#define CREEL_AM_STATE_MAX 131072
int creel_am_set_state(struct creel_am *am, const void *data, size_t size);
/* Returns the bytes that the resource manager had when this process first registered, and their number in
 * *SIZE; NULL: none. An earlier attempt, or an earlier process of this attempt, stored them. Valid from the
 * first call of `registered` or `found` until creel_am_close. */
const void *creel_am_state(const struct creel_am *am, size_t *size);

/* Ends the application with this result; running containers are stopped. creel_am_run returns when the RM
 * has stored the result. */
void creel_am_finish(struct creel_am *am, enum creel_final_status status, int exit_status,
                     const char *diagnostics);

/* Registers the AM and runs the callbacks until the application is finished. Returns 0. -EBUSY: the RM
 * ended this attempt, or refused a request; the error has the reason. */
int creel_am_run(struct creel_am *am, struct creel_error *error);
/* Calls FN once, from creel_am_run, after DELAY_MS. */
void creel_am_after(struct creel_am *am, int64_t delay_ms, void (*fn)(void *context, struct creel_am *am));

#ifdef __cplusplus
}
#endif

#endif
