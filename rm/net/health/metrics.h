/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - what the daemon creel-rm measures about itself, for GetMetrics
 *
 * The master measures applications, preemption and heartbeats (rm/master/state/measure.h). This file has what
 * needs
 * a clock or the system: how long events and transactions take, errors, refused peers, the process. Adding a
 * value reads the monotonic clock twice, and does not allocate.
 */
#ifndef CREEL_RM_METRICS_H
#define CREEL_RM_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/histogram.h"
#include "common/io/channel/channel.h"
#include "common/io/server/gateway_frame.h"
#include "common/proto/creel.pb-c.h"
#include "rm/net/files/blobs.h"
#include "rm/net/health/free_space.h"
#include "rm/net/keys/sign_in.h"
#include "rm/net/parts/request_queue.h"

/* Parts of the configuration that are refreshed, by the words of creel admin refresh. */
enum metrics_part { METRICS_QUEUES, METRICS_NODES, METRICS_ACLS, METRICS_GROUPS, METRICS_PARTS };

struct metrics_reloads { /* refreshes of one part */
    uint64_t succeeded, failed;
    int64_t success_ms; /* last success, the start included */
    bool refused;       /* the last one was refused */
};

struct metrics {
    struct histogram tick; /* seconds of an event that makes the scheduler decide */
    int64_t tick_ms;       /* end of the last one; 0: none */
    struct histogram state_write;
    uint64_t state_errors;
    struct metrics_reloads reloads[METRICS_PARTS];
    uint64_t sign_in_failures; /* but keys, which the gateways count */
};

/* Figures that other parts have when GetMetrics is answered. */
struct metrics_now {
    uint64_t waiting_events, state_bytes, refused_keys, history_lag_ms;
    struct gateway_counts connections;
    struct gateway_unread unread;
    const struct request_queue *const *queues; /* borrowed */
    size_t queue_count;
    struct blobs_uploads uploads;
    uint32_t refused_agents;
    uint64_t gateway_deaths;
    const char *state_backend;
    int64_t backup_ms; /* time of the newest automatic backup of the state; 0: there is none */
    const struct free_space *free_space;
    struct sign_in_state munge;
};

void metrics_start(struct metrics *metrics, int64_t now_ms);

/* Returns the present time for one of the functions below: monotonic, ns. */
int64_t metrics_begin(void);
void metrics_end_tick(struct metrics *metrics, int64_t begun_ns, int64_t now_ms);
void metrics_end_write(struct metrics *metrics, int64_t begun_ns, bool success);
void metrics_note_reload(struct metrics *metrics, enum metrics_part part, bool success, int64_t now_ms);
/* Counts a change of queues over REST that was refused: the last refresh stays what it was. */
void metrics_note_refused_change(struct metrics *metrics);

void metrics_fill(const struct metrics *metrics, const struct metrics_now *now, struct arena *arena,
                  Creel__Metrics *ret);

#endif
