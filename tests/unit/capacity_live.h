/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity_live.h - a capacity scheduler that runs, out of a few lines
 *
 * What the heartbeat of one node decides is in DECISIONS until the next call.
 */
#ifndef CREEL_TESTS_UNIT_CAPACITY_LIVE_H
#define CREEL_TESTS_UNIT_CAPACITY_LIVE_H

#include "rm/sched/preempt/preempt.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity_fixture.h"

struct live {
    struct capacity_fixture file;
    struct sched *sched;
    struct sched_decisions decisions;
    struct preempt_settings preemption;
    uint32_t last_app;
    bool on_demand;
};

/* LINES as of capacity_try. */
void live_begin(struct live *live, const char *lines);
/* One that also places as soon as something is asked or freed. */
void live_begin_on_demand(struct live *live, const char *lines);
/* The same scheduler goes on with LINES, which must be good. */
void live_refresh(struct live *live, const char *lines);
void live_end(struct live *live);

struct sched_node *live_node(struct live *live, const char *id, int64_t memory_mb,
                             const char *label);
/* An app without a master, started; NULL if it was refused, ERR reports why. */
struct sched_app *live_try_app(struct live *live, struct sched_app_spec spec, struct err *err);
struct sched_app *live_app(struct live *live, const char *user, const char *queue);
/* APP wants COUNT containers of MEMORY_MB. */
void live_ask(struct live *live, struct sched_app *app, uint32_t count, int64_t memory_mb);
void live_heartbeat(struct live *live, struct sched_node *node, unsigned times);
void live_tick(struct live *live, int64_t now_ms);
/* How many decisions of KIND there are. */
size_t live_count(const struct live *live, enum sched_decision_kind kind);
/* What SCHED_KILL named is gone. */
void live_end_killed(struct live *live);
struct sched_app_figures live_figures(const struct live *live, const struct sched_app *app);
struct sched_queue_figures live_queue(const struct live *live, const char *path);
/* The audit finds nothing. */
void live_check(const struct live *live);

#endif
