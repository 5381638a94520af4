/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_copy.h - creel-web's copy of what the resource manager measures (pure)
 *
 * Series by queue and user come only when they have changed: the copy keeps them.
 */
#ifndef CREEL_WEB_MODEL_METRICS_COPY_H
#define CREEL_WEB_MODEL_METRICS_COPY_H

#include "common/proto/creel.pb-c.h"

struct metrics_copy; /* opaque */

struct metrics_copy *metrics_copy_new(void);
void metrics_copy_free(struct metrics_copy *copy); /* NULL is fine */
void metrics_copy_put(struct metrics_copy *copy, const Creel__Metrics *metrics);

/* Returns the newest reply, valid until the next metrics_copy_put; NULL: none yet, or no COPY. Its lists have
 * only what had changed: use the functions below. */
const Creel__Metrics *metrics_copy_last(const struct metrics_copy *copy);

enum metrics_series {
    METRICS_QUEUES,      /* Creel__QueueMetrics */
    METRICS_USERS,       /* Creel__UserMetrics */
    METRICS_PREEMPTIONS, /* Creel__PreemptionMetrics */
    METRICS_SERIES
};

/* Returns the message of the series of KIND that comes after the one with the key AFTER (NULL: the first),
 * and its key, both valid until the next metrics_copy_put. NULL: there is none, or AFTER was forgotten. */
const void *metrics_copy_next(const struct metrics_copy *copy, enum metrics_series kind, const char *after,
                              const char **key);

#endif
