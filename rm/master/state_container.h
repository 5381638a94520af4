/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_container.h - a container, as the resource manager keeps it
 *
 * Its application owns it; all other pointers to it are indexes. state.h includes this.
 */
#ifndef CREEL_RM_MASTER_STATE_CONTAINER_H
#define CREEL_RM_MASTER_STATE_CONTAINER_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#include "common/base/id.h"
#include "common/base/resource.h"
#include "common/record/container_totals.h"
#include "rm/master/master.h"
#include "rm/master/parts/states.h"
#include "rm/master/state/deadline.h"

enum order_kind { ORDER_NONE, ORDER_START, ORDER_STOP };

struct container {
    RB_ENTRY(container) link;
    RB_ENTRY(container) by_node; /* in node->live or node->ended */
    struct container_id id;
    char text[ID_TEXT_MAX];
    struct app *app;
    struct attempt *attempt;
    struct node *node;             /* never NULL */
    struct sched_container *sched; /* NULL: ended, or its node has not registered since the start */
    enum container_state state;
    bool is_am;
    bool seen;             /* its node has reported it */
    bool retry_elsewhere;  /* as in ContainerStatus; not stored */
    bool stored;           /* has a row in the store */
    bool am_news;          /* is on attempt->newly_allocated or ->completed */
    bool am_confirms;      /* is on attempt->unstarted */
    bool may_be_forgotten; /* is on app->completed */
    bool keeps_row;        /* its row is kept until its application is forgotten (completed.h) */
    uint64_t end_seq;      /* its AM gets the end after this commit; 0: stored before the start */
    uint64_t end_sent;     /* response id of the reply with its end; 0: not sent since the start */
    struct resource resource;
    uint32_t priority;
    uint64_t allocation_id, serial; /* SERIAL: its age, for the scheduler (sched_container_info) */
    int64_t stop_after_ms;          /* it ends after this time without contact; 0: it continues */
    int64_t expires_ms;             /* end of the validity of the grant */
    struct deadline expiry;
    uint32_t step;
    Creel__ContainerState shown;
    int64_t allocated_ms, started_ms, finished_ms;
    int32_t exit_status;
    TAILQ_ENTRY(container) in_starting;
    int64_t starting_ms;               /* since when it starts (starting.h); 0: it is not on that list */
    char *diagnostics, *title, *stuck; /* owned, may be NULL; STUCK: ContainerStatus.stuck */
    uint64_t memory_bytes;             /* present use, as PIDS */
    uint32_t pids;
    struct container_totals totals;
    int64_t figures_ms;    /* time at which the figures were received; 0: never */
    enum order_kind order; /* if not NONE: the container is on node->orders */
    bool order_sent;
    bool command_ended;     /* its agent reported that its command has ended, and what it left has not: */
    int32_t command_status; /* exit status of the command */
    int32_t stop_status;
    char *stop_reason;             /* owned */
    bool stopped;                  /* stopped because its attempt was ending or over */
    int64_t stopping_ms;           /* when its agent first reported that it is STOPPING; 0: never */
    int64_t preempt_ms;            /* it is stopped then, to serve others; 0: it is not preempted */
    char *preempt_reason;          /* owned; NULL: the scheduler needs its resources */
    bool evicting;                 /* preempted because of its node, whatever the scheduler decides */
    bool oversized;                /* EVICTING only while its node is smaller than its use (evict.h) */
    int64_t sched_preempt_ms;      /* time at which the scheduler will kill it; 0: never */
    char *gainer;                  /* owned: queue of its last notice or kill (making_room.h); NULL: none */
    bool makes_room;               /* is on m->making_room */
    int64_t announced_deadline_ms; /* the PREEMPT_MS that its node reported last */
    int64_t spare_ms;              /* deadline of a revoked notice that node or AM have not confirmed */
    bool notice_pending, notice_sent; /* is on node->preempt_notices */
    int64_t reported_limit_ms;        /* time limit that its agent reported last */
    bool limit_pending, limit_sent;   /* is on node->limits: its agent does not have the present limit */
    uint32_t version;                 /* how often RESOURCE has changed (resize.h) */
    int64_t resized_ms;               /* when it changed last; 0: never */
    uint64_t resize_seq;              /* number of the row with the last change; 0: none since the start */
    bool resize_pending;              /* is on node->resizes_due: its agent has not reported VERSION */
    bool am_resized;                  /* is on attempt->resized */
    struct resource asked;            /* size of an increase that waits, if a user asked for it; else 0 */
    TAILQ_ENTRY(container) in_resizes, in_am_resized, in_room;
    bool am_preempting; /* is on attempt->preempting */
    bool am_notified;   /* the AM received PREEMPT_MS */
    TAILQ_ENTRY(container) of_node, in_completed, in_orders, in_am_news, in_notices, in_preempting, in_limits;
};

RB_HEAD(rm_container_tree, container);
RB_HEAD(rm_node_container_tree, container); /* in the order of their ids too */

#endif
