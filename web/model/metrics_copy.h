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

typedef void metrics_copy_queue_fn(void *context, const Creel__QueueMetrics *queue);
typedef void metrics_copy_user_fn(void *context, const Creel__UserMetrics *user);
typedef void metrics_copy_preemption_fn(void *context, const Creel__PreemptionMetrics *preemption);

void metrics_copy_each_queue(const struct metrics_copy *copy, metrics_copy_queue_fn *each, void *context);
void metrics_copy_each_user(const struct metrics_copy *copy, metrics_copy_user_fn *each, void *context);
void metrics_copy_each_preemption(const struct metrics_copy *copy, metrics_copy_preemption_fn *each,
                                  void *context);

#endif
