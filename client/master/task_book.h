/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_book.h - inside the task master: its tasks, its containers, their states
 *
 * A task is WAITING for a container (or RESTING after a refusal), STARTING or
 * RUNNING in one, LEAVING one that is being given back, or over. A container
 * is bound to one task, or surplus: then it only waits to be reported complete.
 */
#ifndef CREEL_CLIENT_TASK_BOOK_H
#define CREEL_CLIENT_TASK_BOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uthash.h>

#include "client/master/am_link.h"
#include "client/master/am_start.h"
#include "client/master/task_master.h"

#define ASK_PRIORITY 1u
#define ASK_MAX 4000                    /* containers asked for at a time */
#define REST_MS 3000                    /* a refused task waits so long before it asks again */
#define SILENT_RESENDS 4                /* a start that was sent so often without an answer: the agent cannot
                                           be reached from here */
#define AVOID_MS 600000                 /* then the RM is asked for other nodes, so long */
#define RECHECK_MS 720000               /* a container that the RM has not confirmed after its restart: the
                                           time in which a lost node is found out, and some */

enum task_state {
    TASK_WAITING, TASK_RESTING, TASK_STARTING, TASK_RUNNING, TASK_LEAVING,
    TASK_SUCCEEDED, TASK_FAILED,
    TASK_STATES,
};

struct held;

struct task {
    uint32_t index;
    enum task_state state;
    uint32_t tries;                     /* containers it was bound to */
    uint32_t lost, failures;            /* ends that were not, and were its doing */
    int exit_code;                      /* once it is over */
    int64_t rest_until_ms;
    struct held *held;                  /* STARTING, RUNNING, LEAVING */
    TAILQ_ENTRY(task) link;             /* in waiting or resting */
};

TAILQ_HEAD(task_queue, task);

struct held {
    char *container_id;
    char *node_id, *node_address, *agent_key;
    ProtobufCBinaryData token;
    struct task *task;                  /* NULL: surplus */
    bool complete;                      /* reported; kept so that a repeated report is known */
    uint64_t seen;                      /* the registration whose reply named it last */
    int64_t unconfirmed_since_ms;       /* 0: the RM has named it since its restart */
    TAILQ_ENTRY(held) link;             /* in live, unless complete */
    UT_hash_handle hh;
};

struct task_master {
    Creel__JobSpec *job;
    struct task_options options;        /* strings owned */
    uint32_t count;
    struct task *tasks;
    uint32_t in_state[TASK_STATES];
    struct task_queue waiting, resting;
    struct held *held;                  /* uthash by id: all that ever were */
    TAILQ_HEAD(, held) live;
    struct am_link *link;
    struct am_starts *starts;
    struct task_effects *effects;       /* of the step that runs; else NULL */
    int64_t now_ms;

    uint64_t registrations;
    int64_t recheck_ms;                 /* ask the RM again then; INT64_MAX: nothing to ask */
    bool finishing, done;
    int exit_code;                      /* highest of the tasks so far, or that of on_stop */
    char *worst;                        /* about the task that has it */
    bool stopped;
};

/* task_book.c */
void book_move(struct task_master *master, struct task *task, enum task_state state);
struct held *book_find(const struct task_master *master, const char *container_id);
struct held *book_add(struct task_master *master, const Creel__Container *container);
/* Replace its token. The old one must not be used any more. */
void book_renew(struct held *held, const ProtobufCBinaryData *token);
void book_bind(struct task_master *master, struct held *held, struct task *task,
               enum task_state state);
/* Set HELD complete and unbind it; its task is in no queue until moved. */
void book_complete(struct task_master *master, struct held *held);
void book_free(struct task_master *master);
/* The task that TITLE names, or NULL if it is not one of ours. */
struct task *book_task_of_title(const struct task_master *master, const char *title);

/* task_effects.c */
void effect_send_rm(struct task_effects *effects, Creel__Envelope *envelope);
void effect_send_agent(struct task_effects *effects, const char *address, const char *agent_key,
                       Creel__Envelope *envelope);
void effect_event(struct task_effects *effects, const struct task_event *event);
void effect_finished(struct task_effects *effects, int exit_status, const char *diagnostics);
/* A container ended through no fault of its task. */
bool task_status_is_lost(int yarn_status);

/* task_launch.c */
Creel__LaunchContext *task_launch(const struct task_master *master, const struct task *task,
                                  struct arena *arena);

#endif
