/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_master.h - the built-in application master: N tasks, each run to its end once
 *
 * Asks the resource manager for one container per task, starts each task at
 * the agent of its container, tries again what was lost or preempted, and ends
 * with the highest status. The same core is the first container of an
 * APP_TASKS job, the step of `creel run` inside a job, and an actor of the
 * chaos simulation. Pure: no clock (NOW_MS comes with each event and never goes back), no
 * I/O, no randomness. Messages are the schema's, already checked by the wire.
 *
 * What it promises: a task is bound to at most one container; a container that
 * may have been started is never given up before the resource manager has
 * reported it complete, so no task runs twice at once, and none runs again
 * that ended by itself (unless task_attempts allows it). For that the RM
 * answers every release, also of a container that it does not know, with a
 * completed status; releases are repeated until it does.
 */
#ifndef CREEL_CLIENT_TASK_MASTER_H
#define CREEL_CLIENT_TASK_MASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

struct task_master;                     /* opaque */

struct task_options {                   /* copied; 0 or NULL is the default in brackets */
    const char *app_id;                 /* CREEL_APP_ID of the tasks */
    const char *own_container_id;       /* the AM's own container: never touched; "" outside one */
    const char *host;                   /* for RegisterAm */
    const char *title_prefix;           /* of containers' titles before the task's index [""]; a step has
                                           its own, so that containers of an earlier step of
                                           the same job are not taken for its tasks */
    bool job_files;                     /* tasks get the files of the job that the RM names (a step) */
    uint32_t lost_retries;              /* per task: ends that are not its doing [10]; to be preempted
                                           is none */
    uint32_t task_attempts;             /* per task: tries that end nonzero by themselves [1] */
    int64_t rm_resend_ms;               /* repeat a request to the RM after [2000] */
    int64_t agent_resend_ms;            /* repeat a start after [3000] */
};

/* --- effects --------------------------------------------------------------- */

enum task_effect_kind {
    TASK_SEND_RM,                       /* ENVELOPE (token left to the shell); may be lost */
    TASK_SEND_AGENT,                    /* ENVELOPE to the agent at ADDRESS, AGENT_KEY; may be lost */
    TASK_EVENT,                         /* for output: EVENT */
    TASK_DONE,                          /* all is over: exit with EXIT_STATUS; the last effect ever */
};

enum task_event_kind {
    TASK_EVENT_REGISTERED,              /* nothing else is set */
    TASK_EVENT_RESYNC,                  /* the RM asks for it (it was restarted, or its keys were
                                           rolled): registering again */
    TASK_EVENT_STARTED,                 /* the agent accepted it (or it was found running) */
    TASK_EVENT_ENDED,                   /* for good, with EXIT_STATUS (a shell's: 0 to 255) */
    TASK_EVENT_RENEWED,                 /* it runs on; TOKEN is the one to use from now on */
    TASK_EVENT_REFUSED,                 /* the agent would not start it; RETRY or ENDED follows */
    TASK_EVENT_RETRY,                   /* lost, preempted, refused or failed: waits again */
};

struct task_event {
    enum task_event_kind kind;
    uint32_t task;                      /* from 0 */
    uint32_t try_number;                /* from 1 */
    const char *container_id;           /* "" if it ended without one */
    const char *node_id;
    const char *node_address;
    const char *agent_key;
    ProtobufCBinaryData token;          /* TOKEN_CONTAINER: the right to read its logs */
    int exit_status;
    int yarn_status;                    /* as the RM reported it: -100, -104, 3 ... */
    const char *diagnostics;
};

struct task_effect {
    enum task_effect_kind kind;
    Creel__Envelope *envelope;          /* in the arena, as everything below */
    const char *address;
    const char *agent_key;
    struct task_event event;
    int exit_status;
    const char *diagnostics;
};

/* What one step decided, in order; all memory is in ARENA. The caller owns it
 * and resets it after carrying it out. */
struct task_effects {
    struct arena *arena;
    struct task_effect *items;
    size_t count, capacity;
};

void task_effects_init(struct task_effects *effects);
void task_effects_reset(struct task_effects *effects);
void task_effects_done(struct task_effects *effects);

/* --- life ------------------------------------------------------------------ */

/* JOB is copied: launch, resource and task_count (at least 1) are used.
 * -EINVAL names what is missing. */
int task_master_new(const Creel__JobSpec *job, const struct task_options *options,
                    struct task_master **ret, struct err *err);
void task_master_free(struct task_master *master);      /* NULL is fine */

/* --- events ---------------------------------------------------------------- */

/* Register. Once, first. */
void task_master_on_start(struct task_master *master, int64_t now_ms,
                          struct task_effects *effects);

/* Anything from the RM's AM port: RegisterAmReply, AllocateReply,
 * FinishAmReply, AmWakeup, Error; late and repeated ones are ignored. */
void task_master_on_rm(struct task_master *master, int64_t now_ms,
                       const Creel__Envelope *envelope, struct task_effects *effects);

/* Anything from the agent at ADDRESS: StartContainersReply, Ok, Error. */
void task_master_on_agent(struct task_master *master, int64_t now_ms, const char *address,
                          const Creel__Envelope *envelope, struct task_effects *effects);

/* Stop everything and end with EXIT_STATUS (130 for Ctrl-C), WHY for people. */
void task_master_on_stop(struct task_master *master, int64_t now_ms, int exit_status,
                         const char *why, struct task_effects *effects);

/* Deadlines: call when task_master_next_deadline_ms has come (INT64_MAX: none). */
void task_master_on_timer(struct task_master *master, int64_t now_ms,
                          struct task_effects *effects);
int64_t task_master_next_deadline_ms(const struct task_master *master);

/* --- looking --------------------------------------------------------------- */

struct task_counts {
    uint32_t total, waiting, running, succeeded, failed;
};
struct task_counts task_master_counts(const struct task_master *master);
bool task_master_is_done(const struct task_master *master);

/* YARN's exit status as a shell's: 0-255 stay, memory kills are 137, a command
 * that could not be executed 127, stopped from outside 143, anything else 1. */
int task_exit_code(int yarn_status);

/* Every invariant: each task in exactly one state, bound containers unique and
 * bound both ways, counts equal to what they count, what is asked within
 * bounds. 0, or -EINVAL with the first that is broken. Cost: everything. */
int task_master_check(const struct task_master *master, struct err *err);

#endif
