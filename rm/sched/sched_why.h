/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_why.h - explains why an application waits, for `creel why`
 *
 * A part of the scheduler's interface (sched.h).
 */
#ifndef CREEL_RM_SCHED_WHY_H
#define CREEL_RM_SCHED_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/resource.h"
#include "common/base/resource_types.h"
#include "rm/sched/sched_queues.h"

struct sched;
struct sched_app;
struct sched_container;

enum sched_reason {
    SCHED_REASON_NONE, /* nothing is pending */
    SCHED_REASON_NO_NODES,
    SCHED_REASON_NODE_TOO_SMALL,   /* the request is larger than any node */
    SCHED_REASON_NODE_BLACKLISTED, /* only nodes that the application blacklisted have room */
    SCHED_REASON_PLACEMENT,        /* only nodes that strict locality excludes have room */
    SCHED_REASON_CLUSTER_FULL,
    SCHED_REASON_BEHIND_IN_QUEUE, /* AHEAD other applications are served first, and the room is not
                                     enough for all */
    SCHED_REASON_QUEUE_LIMIT,     /* its queue is at its maximum */
    SCHED_REASON_AM_LIMIT,        /* the queue's limit on AMs is reached */
    SCHED_REASON_PARENT_LIMIT,    /* a queue above its queue is at its maximum */
    SCHED_REASON_USER_LIMIT,
    SCHED_REASON_USER_AM_LIMIT,
    SCHED_REASON_QUEUE_MAX_APPS, /* the limit on active applications is reached */
    SCHED_REASON_USER_MAX_APPS,
    SCHED_REASON_QUEUE_STOPPED,
    SCHED_REASON_LOCALITY_DELAY,
    SCHED_REASON_RESERVED_FOR, /* room is reserved for another request */
    SCHED_REASON_NODE_FULL,    /* an increase of a container: its node has only MOST free */
    SCHED_REASON_BEHIND_QUEUE, /* a queue served first waits for more room, and blocks the rest */
    SCHED_REASON_LABEL_NO_MATCH,
    SCHED_REASON_ABOVE_FAIR_SHARE,
    SCHED_REASON_PREEMPTING, /* containers of other applications are being preempted for this
                                application */
    SCHED_REASON_NEXT_START, /* no limit blocks its start any more; limits are checked again
                                when an application of its queue is added or removed, or the
                                cluster changes */
    SCHED_REASON_NEXT_OFFER, /* there is room, and no limit blocks: a node is offered at its
                                next heartbeat */
    SCHED_REASONS
};

/* One reason that blocks the application, or could block it. */
struct sched_why_item {
    enum sched_reason reason;
    bool blocking;            /* false: shown for comparison, does not block now */
    const char *queue, *user; /* the queue or user with the limit; NULL: none. Valid until the
                                 next call that changes the scheduler's state */
    struct resource used, asked, allowed;
    int64_t since_ms;        /* 0: not known */
    uint32_t nodes;          /* number of nodes skipped for this reason */
    int64_t apps, most_apps; /* QUEUE_MAX_APPS, USER_MAX_APPS: applications that count, and the limit */
};

#define SCHED_WHY_ITEMS_MAX 12
#define SCHED_WHY_AHEAD_MAX 100u /* maximum number of applications visited to explain why one waits */

/* Free room that would be enough for a request, but not on any one node. */
struct sched_why_spread {
    const char *node;          /* id of the node on which the request comes closest to fitting; NULL: the free
                                  room of all nodes is not enough either */
    struct resource free, all; /* free of NODE, of all nodes that the application may use */
    uint32_t nodes;            /* number of these with room for the smallest container */
};

struct sched_why {
    enum sched_reason reason;           /* the main reason */
    const struct resource_types *names; /* of the scheduler, for texts; NULL: none was asked */
    struct resource asked;              /* the size of its first request */
    uint64_t count;                     /* number of containers in that request */
    const char *label;                  /* partition of the request; "" is none */
    struct resource most;               /* NODE_TOO_SMALL: largest total, per type; CLUSTER_FULL: largest
                                 free room; limits: the limit */
    struct resource used;               /* limits: use that counts against MOST */
    struct sched_why_spread spread;     /* set by sched_app_why_spread */
    uint32_t nodes;                     /* number of open nodes that it may use, by their labels */
    bool unshared;                      /* it names no label, and may not use nodes with a shared label: it is
                                           for an AM */
    uint32_t ahead;                     /* applications with pending requests that are served first;
                                 SCHED_WHY_AHEAD_MAX: this many or more */
    const char *queue;                  /* the application's queue, or the queue with the limit */
    const char *user;                   /* the user with the limit; NULL: none */
    const char *grows_on; /* the request is an increase of a container on this node; NULL: it is not */
    struct sched_why_item items[SCHED_WHY_ITEMS_MAX]; /* the main reason first */
    size_t item_count;
};

/* Finds the reasons why APP waits. Cost: O(nodes with room), so for reports, not for every scheduling
 * step. */
void sched_app_why(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
/* Finds out, if RET of sched_app_why has CLUSTER_FULL, whether the free room of all nodes is enough for the
 * request and that of no node: sets RET->spread and RET->most. Visits all nodes with room: for the report of
 * one application, not for lists. */
void sched_app_why_spread(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
/* Finds the reasons why the increase of CONTAINER waits. Returns false if none is pending. */
bool sched_container_why(const struct sched *sched, const struct sched_container *container,
                         struct sched_why *ret);
/* Calls EACH with the ids of the applications that count against the limit of ITEM, QUEUE_MAX_APPS or
 * USER_MAX_APPS, in the order of submission. Visits all applications: for the report of one application. */
void sched_why_counted(const struct sched *sched, const struct sched_why_item *item, sched_name_fn *each,
                       void *context);
const char *sched_reason_name(enum sched_reason reason); /* "ClusterFull"; NONE is "" */
/* Writes one sentence with the numbers into TEXT, and returns TEXT. */
const char *sched_why_format(const struct sched_why *why, char *text, size_t size);

#endif
