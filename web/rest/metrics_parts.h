/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_parts.h - the parts of /metrics (private to metrics.c and metrics_*.c) */
#ifndef CREEL_WEB_REST_METRICS_PARTS_H
#define CREEL_WEB_REST_METRICS_PARTS_H

#include "common/base/arena.h"
#include "web/model/view.h"
#include "web/rest/queue_tree.h"
#include "web/text/exposition.h"

struct metrics_writer {
    struct exposition *out;
    const struct web_view *view;
    const Creel__ClusterInfo *cluster;
    struct arena *arena;
    struct rest_queue *root; /* NULL: the model has no queues */
};

void metrics_gauge(struct metrics_writer *to, const char *name, const char *help);
void metrics_counter(struct metrics_writer *to, const char *name, const char *help);

/* metrics_measured.c: what the resource manager measures. The view has a copy of it. */
void metrics_add_measured(struct metrics_writer *to);
/* metrics_own.c: what creel-web measures of itself, and counters that both processes have. */
void metrics_add_own(struct metrics_writer *to);

#endif
