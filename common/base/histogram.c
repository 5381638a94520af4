/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c - counts values by fixed bounds, as a histogram of Prometheus */
#include "common/base/histogram.h"

#include <assert.h>

void histogram_init(struct histogram *histogram, const double *bounds, size_t count)
{
    assert(count <= HISTOGRAM_BUCKETS_MAX);
    *histogram = (struct histogram){ .bounds = bounds, .count = count };
}

void histogram_add(struct histogram *histogram, double value)
{
    size_t i = 0;

    while (i < histogram->count && value > histogram->bounds[i])
        i++;
    if (i < histogram->count)
        histogram->buckets[i]++;
    histogram->sum += value;
    histogram->total++;
}
