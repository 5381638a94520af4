/* SPDX-License-Identifier: Apache-2.0 */
/* histogram_message.h - histograms of durations as messages of the schema (pure) */
#ifndef CREEL_PROTO_HISTOGRAM_MESSAGE_H
#define CREEL_PROTO_HISTOGRAM_MESSAGE_H

#include "common/base/arena.h"
#include "common/base/histogram.h"
#include "common/proto/creel.pb-c.h"

/* A histogram from a message, with its bounds. It must not be copied: HISTOGRAM points to BOUNDS. */
struct received_histogram {
    double bounds[HISTOGRAM_BUCKETS_MAX];
    struct histogram histogram;
};

/* Returns HISTOGRAM, whose values are seconds, as a message in ARENA. */
static inline Creel__Histogram *histogram_to_message(struct arena *arena, const struct histogram *histogram)
{
    Creel__Histogram *message = arena_new0(arena, Creel__Histogram);

    creel__histogram__init(message);
    message->buckets = arena_array0(arena, histogram->count + 1, sizeof(*message->buckets));
    for (size_t i = 0; i < histogram->count; i++) {
        Creel__HistogramBucket *bucket = arena_new0(arena, Creel__HistogramBucket);

        creel__histogram_bucket__init(bucket);
        bucket->bound_us = (uint64_t)(histogram->bounds[i] * 1e6 + 0.5);
        bucket->count = histogram->buckets[i];
        message->buckets[message->n_buckets++] = bucket;
    }
    message->sum_us = (uint64_t)(histogram->sum * 1e6 + 0.5);
    message->total = histogram->total;
    return message;
}

/* Fills in RECEIVED from MESSAGE, and returns its histogram. MESSAGE NULL: an empty one. Buckets beyond
 * HISTOGRAM_BUCKETS_MAX are ignored. */
static inline const struct histogram *histogram_from_message(const Creel__Histogram *message,
                                                             struct received_histogram *received)
{
    size_t count = message != NULL ? message->n_buckets : 0;

    *received = (struct received_histogram){ .bounds = { 0 } };
    if (count > HISTOGRAM_BUCKETS_MAX)
        count = HISTOGRAM_BUCKETS_MAX;
    for (size_t i = 0; i < count; i++)
        received->bounds[i] = (double)message->buckets[i]->bound_us / 1e6;
    histogram_init(&received->histogram, received->bounds, count);
    for (size_t i = 0; i < count; i++)
        received->histogram.buckets[i] = message->buckets[i]->count;
    if (message != NULL) {
        received->histogram.sum = (double)message->sum_us / 1e6;
        received->histogram.total = message->total;
    }
    return &received->histogram;
}

#endif
