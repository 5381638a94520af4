/* SPDX-License-Identifier: Apache-2.0 */
/*
 * series.h - figures by queue and by user, for the metrics of the resource manager (pure)
 *
 * The number of series of each kind is limited. When a kind is full, series that are of no use any more make
 * room; else the figures are added to the series whose names are both SERIES_OTHER. All series are in one
 * list in the order of their last change, so that a reader who knows an earlier version finds what has
 * changed without looking at the rest.
 */
#ifndef CREEL_RM_MASTER_SERIES_H
#define CREEL_RM_MASTER_SERIES_H

#include <stdbool.h>
#include <stdint.h>
#include <bsd/sys/queue.h>
#include <uthash.h>

#include "common/base/histogram.h"

#define SERIES_OTHER "other" /* the path of a queue begins with root */
#define SERIES_QUEUES_MAX 256
#define SERIES_USERS_MAX 1000
#define SERIES_PREEMPTIONS_MAX 256
#define SERIES_ROOM_MS 10000 /* least time between two searches for series that are of no use */

enum series_kind {
    SERIES_QUEUE,      /* applications of QUEUE; NAME is "" */
    SERIES_USER,       /* use of QUEUE by the user NAME */
    SERIES_PREEMPTION, /* containers of the queue NAME that were preempted for QUEUE */
    SERIES_KINDS
};

struct series { /* figures are read and changed by the owner of the table, who then calls series_changed */
    UT_hash_handle hh;
    TAILQ_ENTRY(series) in_order;
    enum series_kind kind;
    uint64_t version; /* of the table when the series changed last */
    uint32_t holders; /* SERIES_USER: applications with a pointer to the series */
    char *key;        /* owned */
    char *queue, *name;
    union {
        struct {
            struct histogram wait, run; /* seconds */
        } apps;                         /* SERIES_QUEUE */
        int64_t memory_mb;              /* SERIES_USER */
        uint64_t preempted;             /* SERIES_PREEMPTION */
    };
};

struct series_table; /* opaque */

/* Returns true if SERIES is of no use any more, and may be removed. */
typedef bool series_useless_fn(void *context, const struct series *series);

/* SESSION is not 0, and differs from that of an earlier start. */
struct series_table *series_table_new(uint64_t session, series_useless_fn *useless, void *context);
void series_table_free(struct series_table *table); /* NULL is fine */

/* Returns the series, new or known, or the one of SERIES_OTHER. Valid until the next call of series_get; a
 * SERIES_USER with holders also after that. Constant time, but for a search every SERIES_ROOM_MS at most. */
struct series *series_get(struct series_table *table, enum series_kind kind, const char *queue,
                          const char *name, int64_t now_ms);
/* Gives SERIES a new version. */
void series_changed(struct series_table *table, struct series *series);

/* The session changes when a series was removed: a reader then forgets all series. */
uint64_t series_session(const struct series_table *table);
uint64_t series_version(const struct series_table *table);
/* Return the series that changed last, and the one that changed before SERIES; NULL: none. */
const struct series *series_last(const struct series_table *table);
const struct series *series_before(const struct series *series);

#endif
