/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exposition.h - writes metrics in Prometheus' text format 0.0.4 or in OpenMetrics 1.0 (pure)
 *
 * The caller begins a metric family with exposition_family and then adds samples. The name of a counter
 * ends in "_total".
 */
#ifndef CREEL_WEB_TEXT_EXPOSITION_H
#define CREEL_WEB_TEXT_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/histogram.h"
#include "common/base/text_builder.h"

struct exposition;

enum exposition_type {
    EXPOSITION_GAUGE,
    EXPOSITION_COUNTER,
    EXPOSITION_INFO,
    EXPOSITION_COUNTER_BESIDE, /* a counter X_total if there is a gauge X; in OpenMetrics its type is
                                  unknown, since the family of the counter would be X, too */
    EXPOSITION_HISTOGRAM,
};

struct exposition *exposition_new(bool open_metrics);
/* Frees EXPOSITION. Returns the text, owned by the caller. */
char *exposition_finish(struct exposition *exposition, size_t *size);
/* Adds what was written since the last call to OUT, and forgets it: for a text that is sent a piece at a
 * time. What exposition_finish returns follows. */
void exposition_take(struct exposition *exposition, struct text_builder *out);

void exposition_free(struct exposition *exposition); /* without the text; NULL is fine */

/* Begins a family. NAME and HELP are string constants. The sample value of an INFO is 1. */
void exposition_family(struct exposition *exposition, const char *name, enum exposition_type type,
                       const char *help);
/* Adds a sample to the current family. The variable arguments are pairs of label name and value, then NULL.
 * Label values are escaped. */
void exposition_sample(struct exposition *exposition, double value, ...) __attribute__((sentinel));
/* Adds the samples of HISTOGRAM to the current family, an EXPOSITION_HISTOGRAM: its buckets with the label
 * "le", its sum and its count. The variable arguments are as above. */
void exposition_histogram(struct exposition *exposition, const struct histogram *histogram, ...)
    __attribute__((sentinel));

#endif
