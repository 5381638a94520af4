/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_live.h - fixture: a running capacity scheduler from a few lines of configuration
 *
 * DECISIONS has the decisions of one node's heartbeat until the next call.
 */
#ifndef CREEL_TESTS_UNIT_CAPACITY_LIVE_H
#define CREEL_TESTS_UNIT_CAPACITY_LIVE_H

#include "rm/sched/preempt/preempt.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity/capacity_fixture.h"

struct live {
    struct capacity_fixture file;
    struct sched *sched;
    struct sched_decisions decisions;
    struct preempt_settings preemption;
    uint32_t last_app;
    bool on_demand;
};

/* Starts a scheduler with the configuration LINES (see capacity_try). */
void live_begin(struct live *live, const char *lines);
/* Like live_begin, and places also after each request and each release, not only at heartbeats. */
void live_begin_on_demand(struct live *live, const char *lines);
/* Reloads the configuration from LINES. The test fails if LINES are refused. */
void live_refresh(struct live *live, const char *lines);
void live_end(struct live *live);

struct sched_node *live_node(struct live *live, const char *id, int64_t memory_mb, const char *label);
/* Adds and starts an app without an AM. Returns NULL and fills ERR if the scheduler refuses the app. */
struct sched_app *live_try_app(struct live *live, struct sched_app_spec spec, struct err *err);
struct sched_app *live_app(struct live *live, const char *user, const char *queue);
/* Requests COUNT containers of MEMORY_MB for APP. */
void live_ask(struct live *live, struct sched_app *app, uint32_t count, int64_t memory_mb);
void live_heartbeat(struct live *live, struct sched_node *node, unsigned times);
void live_tick(struct live *live, int64_t now_ms);
/* Returns the number of decisions of KIND. */
size_t live_count(const struct live *live, enum sched_decision_kind kind);
/* Ends the containers of all SCHED_KILL decisions. */
void live_end_killed(struct live *live);
struct sched_app_figures live_figures(const struct live *live, const struct sched_app *app);
struct sched_queue_figures live_queue(const struct live *live, const char *path);
/* Audits the scheduler's accounting. The test fails if the audit finds an error. */
void live_check(const struct live *live);

#endif
