/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched_why.h - why an application waits, for `creel why`
 *
 * A part of the scheduler's interface (sched.h).
 */
#ifndef CREEL_RM_SCHED_WHY_H
#define CREEL_RM_SCHED_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/resource.h"

struct sched;
struct sched_app;

enum sched_reason {
    SCHED_REASON_NONE,                  /* nothing is pending */
    SCHED_REASON_NO_NODES,
    SCHED_REASON_NODE_TOO_SMALL,        /* no node is that big */
    SCHED_REASON_NODE_BLACKLISTED,      /* room only on nodes that it blacklisted */
    SCHED_REASON_PLACEMENT,             /* room only where strict locality forbids */
    SCHED_REASON_CLUSTER_FULL,
    SCHED_REASON_BEHIND_IN_QUEUE,       /* AHEAD other apps come first, without enough room for all */
    SCHED_REASON_QUEUE_LIMIT,           /* its queue is at its maximum */
    SCHED_REASON_AM_LIMIT,              /* AMs use all they may */
    SCHED_REASON_PARENT_LIMIT,          /* a queue above it is at its maximum */
    SCHED_REASON_USER_LIMIT,
    SCHED_REASON_USER_AM_LIMIT,
    SCHED_REASON_QUEUE_MAX_APPS,        /* as many apps are active as may be */
    SCHED_REASON_USER_MAX_APPS,
    SCHED_REASON_QUEUE_STOPPED,
    SCHED_REASON_LOCALITY_DELAY,
    SCHED_REASON_RESERVED_FOR,          /* room is reserved for another request */
    SCHED_REASON_BEHIND_QUEUE,          /* a queue before its own waits for more room, and keeps the rest */
    SCHED_REASON_LABEL_NO_MATCH,
    SCHED_REASON_ABOVE_FAIR_SHARE,
    SCHED_REASON_PREEMPTING,            /* containers of others are being preempted for it */
    SCHED_REASON_NEXT_START,            /* no limit blocks its start any more: limits are checked again when
                                           an app of its queue comes or goes, or the cluster changes */
    SCHED_REASON_NEXT_OFFER,            /* there is room, and no limit: a node is offered when it reports */
    SCHED_REASONS
};

/* One thing that blocks the app, or could block it. */
struct sched_why_item {
    enum sched_reason reason;
    bool blocking;                      /* false: for comparison, it does not block now */
    const char *queue, *user;           /* whose limit; NULL: of none. Valid until the next call
                                           that changes something */
    struct resource used, asked, allowed;
    int64_t since_ms;                   /* 0: not known */
    uint32_t nodes;                     /* skipped for this reason */
};

#define SCHED_WHY_ITEMS_MAX 12
#define SCHED_WHY_AHEAD_MAX 100u        /* applications that are visited to find out why one waits */

struct sched_why {
    enum sched_reason reason;           /* the dominant one */
    struct resource asked;              /* the size of its first request */
    uint64_t count;                     /* containers of it */
    const char *label;                  /* the partition of the request; "" is none */
    struct resource most;               /* NODE_TOO_SMALL: per type, the largest total; full: the
                                           largest free room; limits: what is allowed */
    struct resource used;               /* limits: what counts against MOST */
    uint32_t nodes;                     /* open ones */
    uint32_t ahead;                     /* apps with pending requests that are served before;
                                           SCHED_WHY_AHEAD_MAX: or more */
    const char *queue;                  /* the app's, or whose limit it is */
    const char *user;                   /* whose limit it is; NULL */
    struct sched_why_item items[SCHED_WHY_ITEMS_MAX];   /* the dominant one first */
    size_t item_count;
};

/* O(nodes with room): for reports, not for every step. */
void sched_app_why(const struct sched *sched, const struct sched_app *app, struct sched_why *ret);
const char *sched_reason_name(enum sched_reason reason);        /* "ClusterFull"; NONE is "" */
/* One sentence with the numbers; returns TEXT. */
const char *sched_why_format(const struct sched_why *why, char *text, size_t size);

#endif
