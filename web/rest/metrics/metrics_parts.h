/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_parts.h - the parts of /metrics (private to metrics.c and metrics_*.c) */
#ifndef CREEL_WEB_REST_METRICS_PARTS_H
#define CREEL_WEB_REST_METRICS_PARTS_H

#include "common/base/arena.h"
#include "web/model/view.h"
#include "web/rest/queues/queue_tree.h"
#include "web/text/exposition.h"

struct metrics_writer {
    struct exposition *out;
    const struct web_view *view;
    const Creel__ClusterInfo *cluster;
    const Creel__Metrics *measured; /* NULL: the resource manager has not sent any */
    struct arena *arena;
    struct rest_queue *root; /* NULL: the model has no queues */
};

enum metrics_needs {
    METRICS_NEED_NOTHING,
    METRICS_NEED_MODEL,      /* a complete model */
    METRICS_NEED_FAIR_MODEL, /* the same, of the fair scheduler */
    METRICS_NEED_MEASURED,   /* a complete model, and what the resource manager measures */
};

/* Families that are written together, as one item of the answer (pieces.h). If there is QUEUE or ROW, ADD
 * begins one family, and each queue or series is an item. */
struct metrics_section {
    enum metrics_needs needs;
    void (*add)(struct metrics_writer *to);
    void (*queue)(struct metrics_writer *to, const struct rest_queue *queue);
    void (*row)(struct metrics_writer *to, const void *message);
    enum metrics_series series; /* of ROW */
};

void metrics_gauge(struct metrics_writer *to, const char *name, const char *help);
void metrics_counter(struct metrics_writer *to, const char *name, const char *help);

/* metrics_measured.c: what the resource manager measures. */
extern const struct metrics_section metrics_measured[];
extern const size_t metrics_measured_count;
/* metrics_own.c: what creel-web measures of itself, and counters that both processes have. */
void metrics_add_own(struct metrics_writer *to);

#endif
