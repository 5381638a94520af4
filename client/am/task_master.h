/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_master.h - the built-in application master: runs N tasks, each once until it ends
 *
 * Requests one container per task from the resource manager, starts each task at the agent of its container,
 * retries lost or preempted tasks, and exits with the highest exit status. The same core is the first
 * container of an APP_TASKS job, the step of `creel run` inside a job, and an actor of the chaos simulation.
 * Pure: no clock (NOW_MS comes with each event and never decreases), no I/O, no randomness. Messages have
 * already been validated by the wire decoder.
 *
 * Guarantees: a task is bound to at most one container. The master does not give up a container that may have
 * been started before the resource manager has reported it complete. So no task runs twice at the same time,
 * and no task that ended by itself runs again (unless task_attempts allows it); with JobSpec.no_requeue, no
 * task that may have been started. With keep_results the next
 * attempt does not run a task again either, if the RM stored the end of the task before this attempt ended.
 * These guarantees need an RM that answers every release, also of an unknown container, with a completed
 * status. Releases are repeated until that status arrives.
 */
#ifndef CREEL_CLIENT_TASK_MASTER_H
#define CREEL_CLIENT_TASK_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

struct task_master; /* opaque */

struct task_options {             /* copied; 0 or NULL is the default in brackets */
    const char *app_id;           /* value of CREEL_APP_ID for the tasks */
    const char *own_container_id; /* the AM's own container, never changed; "": none */
    const char *host;             /* host for RegisterAm */
    uint64_t session;             /* of AmAccess, for an unmanaged AM [none] */
    const char *title_prefix;     /* prefix of container titles, before the task's index [""]; each
                                     step has its own prefix, to distinguish its containers from
                                     those of an earlier step of the same job */
    bool keep_results;            /* stores which tasks have ended at the RM, so that the next attempt
                                     does not run them again */
    bool job_files;               /* of a step: tasks get the files of the job, which the RM lists */
    uint32_t lost_retries;        /* retries per task after ends that are not the task's fault [10];
                                     preemption does not count */
    uint32_t task_attempts;       /* tries per task that may exit nonzero [1] */
    int64_t rm_resend_ms;         /* time until a request to the RM is repeated [2000] */
    int64_t agent_resend_ms;      /* time until a start request is repeated [3000] */
};

/* --- effects --------------------------------------------------------------- */

enum task_effect_kind {
    TASK_SEND_RM,    /* ENVELOPE (the caller sets the token); may be lost */
    TASK_SEND_AGENT, /* ENVELOPE to the agent at ADDRESS, AGENT_KEY; may be lost */
    TASK_EVENT,      /* EVENT: something to be printed */
    TASK_DONE,       /* all tasks have ended: exit with EXIT_STATUS; the last effect */
};

enum task_event_kind {
    TASK_EVENT_REGISTERED, /* no other field is set */
    TASK_EVENT_RESYNC,     /* the RM requested RESYNC (after a restart or a change of keys):
                              the master registers again */
    TASK_EVENT_STARTED,    /* the agent accepted the start (or the task was found running) */
    TASK_EVENT_ENDED,      /* final end, with EXIT_STATUS (as in a shell: 0 to 255) */
    TASK_EVENT_RENEWED,    /* the task still runs; TOKEN replaces the earlier token */
    TASK_EVENT_REFUSED,    /* the agent refused the start; RETRY or ENDED follows */
    TASK_EVENT_RESTORED,   /* TASK is the number of tasks that ended in earlier attempts. If their
                              results cannot be read, DIAGNOSTICS is set and all tasks run again */
    TASK_EVENT_AVOIDED,    /* a new container was released, and NODE_ID is avoided, for the reason in
                              DIAGNOSTICS; its task, which is not set, waits for another container */
    TASK_EVENT_RETRY,      /* lost, preempted, refused or failed: waits for a container again */
};

struct task_event {
    enum task_event_kind kind;
    uint32_t task;            /* index from 0 */
    uint32_t try_number;      /* counted from 1 */
    const char *container_id; /* "" if the task ended without a container */
    const char *node_id;
    const char *node_address;
    const char *agent_key;
    ProtobufCBinaryData token; /* TOKEN_CONTAINER: permits reading the container's logs */
    int exit_status;
    int yarn_status; /* status reported by the RM: -100, -104, 3 ... */
    const char *diagnostics;
};

struct task_effect {
    enum task_effect_kind kind;
    Creel__Envelope *envelope; /* in ARENA, as all fields below */
    const char *address;
    const char *agent_key;
    struct task_event event;
    int exit_status;
    const char *diagnostics;
};

/* Effects of one step, in order; all memory is in ARENA. The caller owns the struct and resets it after
 * carrying out the effects. */
struct task_effects {
    struct arena *arena;
    struct task_effect *items;
    size_t count, capacity;
};

void task_effects_init(struct task_effects *effects);
void task_effects_reset(struct task_effects *effects);
void task_effects_done(struct task_effects *effects);

/* --- creation -------------------------------------------------------------- */

/* Makes a task master. Copies JOB: launch, resource and task_count (at least 1) are used. -EINVAL: ERR
 * names the missing field. */
int task_master_new(const Creel__JobSpec *job, const struct task_options *options, struct task_master **ret,
                    struct err *err);
void task_master_free(struct task_master *master); /* NULL is allowed */

/* --- events ---------------------------------------------------------------- */

/* Starts the registration. Must be the first event, once. */
void task_master_on_start(struct task_master *master, int64_t now_ms, struct task_effects *effects);

/* Handles a message of the RM's AM port: RegisterAmReply, AllocateReply, FinishAmReply, AmWakeup, Error;
 * late and repeated messages are ignored. */
void task_master_on_rm(struct task_master *master, int64_t now_ms, const Creel__Envelope *envelope,
                       struct task_effects *effects);

/* Handles a message of the agent at ADDRESS: StartContainersReply, Ok, Error. */
void task_master_on_agent(struct task_master *master, int64_t now_ms, const char *address,
                          const Creel__Envelope *envelope, struct task_effects *effects);

/* Stops all tasks and ends with EXIT_STATUS (130 for Ctrl-C); WHY is a message for the user. */
void task_master_on_stop(struct task_master *master, int64_t now_ms, int exit_status, const char *why,
                         struct task_effects *effects);

/* Handles timeouts: to be called at task_master_next_deadline_ms (INT64_MAX: none). */
void task_master_on_timer(struct task_master *master, int64_t now_ms, struct task_effects *effects);
int64_t task_master_next_deadline_ms(const struct task_master *master);

/* --- state ----------------------------------------------------------------- */

struct task_counts {
    uint32_t total, waiting, running, succeeded, failed;
};
/* Counts the tasks by state. Declared for tests. */
struct task_counts task_master_counts(const struct task_master *master);

/* Converts YARN's exit status to a shell's: 0-255 unchanged, memory kills 137, a command that could not be
 * executed 127, stopped from outside 143, anything else 1. */
int task_exit_code(int yarn_status);

/* Checks all invariants: each task in exactly one state, bound containers unique and bound in both
 * directions, counters correct, requests within bounds. Returns 0, or -EINVAL with the first violation.
 * Scans everything. */
int task_master_check(const struct task_master *master, struct err *err);

#endif
