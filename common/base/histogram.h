/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.h - counts values by fixed bounds, as a histogram of Prometheus (pure; no allocation)
 *
 * A value belongs to the first bucket whose bound is not below it. Values above the last bound are in TOTAL
 * alone.
 */
#ifndef CREEL_BASE_HISTOGRAM_H
#define CREEL_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BUCKETS_MAX 24

struct histogram {
    const double *bounds;                    /* borrowed; upper bounds of the buckets, ascending */
    size_t count;                            /* of the bounds; at most HISTOGRAM_BUCKETS_MAX */
    uint64_t buckets[HISTOGRAM_BUCKETS_MAX]; /* values of each bucket alone, not of the buckets below it */
    double sum;                              /* of all values */
    uint64_t total;                          /* number of values */
};

/* Makes HISTOGRAM empty, with the COUNT BOUNDS, which must outlive it. */
void histogram_init(struct histogram *histogram, const double *bounds, size_t count);
void histogram_add(struct histogram *histogram, double value);

#endif
