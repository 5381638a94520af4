/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_book.h - inside the task master: its tables of tasks and containers, and their states
 *
 * A task is WAITING for a container (or RESTING after a refusal, until it may request a container again),
 * STARTING or RUNNING in a container, LEAVING a container that is being released, or over. A container is
 * bound to one task, or is surplus: then the master only waits for the report that the container is complete.
 */
#ifndef CREEL_CLIENT_TASK_BOOK_H
#define CREEL_CLIENT_TASK_BOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uthash.h>

#include "client/am/am_link.h"
#include "client/am/am_start.h"
#include "client/am/task_master.h"
#include "common/base/job/task_retry.h"

#define ASK_PRIORITY 1u
#define ASK_MAX 4000 /* maximum of containers requested at a time */
#define REST_MS 3000 /* time until a refused task requests a container again */
#define SILENT_RESENDS \
    4                          /* unanswered start requests after which the agent counts as
                           unreachable */
#define AVOID_MS 600000        /* time for which the node of an unreachable agent is on the blacklist */
#define UNTITLED_AGAIN_MS 2000 /* time until the RM is asked again about untitled containers */
#define UNTITLED_MS 10000      /* for which they are kept; longer than agents take to report a start */
#define RECHECK_MS \
    720000 /* after an RM restart, a container that the RM has not listed for this
              time is released; longer than the expiry time of lost nodes */

enum task_state {
    TASK_WAITING,
    TASK_RESTING,
    TASK_STARTING,
    TASK_RUNNING,
    TASK_LEAVING,
    TASK_SUCCEEDED,
    TASK_FAILED,
    TASK_STATES,
};

struct held_container;

struct task {
    uint32_t index;
    enum task_state state;
    uint32_t tries;              /* number of containers that the task was bound to */
    struct task_end_counts ends; /* of the containers that it was bound to */
    bool start_unanswered;       /* no agent answered the last start, so the command may have started */
    int exit_code;               /* valid in states SUCCEEDED and FAILED */
    int64_t rest_until_ms;
    struct held_container *held; /* in states STARTING, RUNNING, LEAVING; else NULL */
    TAILQ_ENTRY(task) link;      /* in the queue waiting or resting */
};

TAILQ_HEAD(task_queue, task);

struct held_container {
    char *container_id;
    char *node_id, *node_address, *agent_key;
    ProtobufCBinaryData token;
    struct task *task;            /* task bound to the container; NULL: surplus */
    int64_t untitled_since_ms;    /* of an earlier process of this attempt, which may have started any task
                                     in it; no task starts until the RM knows its title or its end; 0: no */
    bool complete;                /* end was reported; kept to recognize repeated reports */
    uint64_t seen;                /* number of the last registration whose reply listed the container */
    int64_t unconfirmed_since_ms; /* since then the RM's lists lack the container; 0: the last list has it */
    TAILQ_ENTRY(held_container) link; /* in the queue live, unless complete */
    UT_hash_handle hh;
};

struct task_master {
    Creel__JobSpec *job;
    struct task_options options; /* owns its strings */
    uint32_t count;
    struct task *tasks;
    uint32_t in_state[TASK_STATES];
    struct task_queue waiting, resting;
    struct held_container *held; /* uthash by id: all containers ever allocated */
    TAILQ_HEAD(, held_container) live;
    struct am_link *link;
    struct am_starts *starts;
    uint32_t ended_noted;         /* number of ended tasks in the results sent, or to be sent, to the RM */
    struct task_effects *effects; /* effects of the current step; else NULL */
    int64_t now_ms;

    uint64_t registrations;
    uint32_t untitled;  /* number of live containers with untitled_since_ms */
    int64_t recheck_ms; /* time to register again for a list of containers; INT64_MAX: none */
    bool finishing, done;
    int exit_code;          /* highest exit code of the ended tasks and of step_give_up */
    char *worst;            /* message about EXIT_CODE */
    char *remark;           /* message of the first task that succeeded with one; NULL: there was none */
    uint32_t remark_task;   /* index of that task */
    uint32_t remarks;       /* number of such tasks */
    bool stopped, given_up; /* by task_master_on_stop; by step_give_up */
};

/* Functions of task_book.c. */
void book_move(struct task_master *master, struct task *task, enum task_state state);
struct held_container *book_find(const struct task_master *master, const char *container_id);
struct held_container *book_add(struct task_master *master, const Creel__Container *container);
/* Adds a container that has ended, to recognize repeated reports. */
void book_add_ended(struct task_master *master, const char *container_id);
/* Replaces the container's token, and the address and key of its agent, which are "" until the node has
 * registered with a restarted resource manager. The old token must not be used any more. */
void book_renew(struct held_container *held, const Creel__Container *container);
void book_bind(struct task_master *master, struct held_container *held, struct task *task,
               enum task_state state);
/* Marks HELD as complete and unbinds its task, which is in no queue until book_move. */
void book_complete(struct task_master *master, struct held_container *held);
void book_free(struct task_master *master);
/* Returns the task that TITLE names, or NULL if TITLE is not of this master. */
struct task *book_task_of_title(const struct task_master *master, const char *title);

/* Functions of task_effects.c. */
void effect_send_rm(struct task_effects *effects, Creel__Envelope *envelope);
void effect_send_agent(struct task_effects *effects, const char *address, const char *agent_key,
                       Creel__Envelope *envelope);
void effect_event(struct task_effects *effects, const struct task_event *event);
void effect_finished(struct task_effects *effects, int exit_status, const char *diagnostics);

/* Functions of task_stored.c. */
/* Returns the results of the ended tasks for the next attempt (an am_state_fn). */
ProtobufCBinaryData stored_results(void *context, struct arena *arena);
/* Reads the results of an earlier attempt into RESULTS, an element for each task. -EINVAL: invalid bytes. */
int stored_results_read(const struct task_master *master, const ProtobufCBinaryData *state, int16_t *results,
                        struct err *err);

/* Functions of task_launch.c. */
Creel__LaunchContext *task_launch(const struct task_master *master, const struct task *task,
                                  struct arena *arena);

#endif
