/* SPDX-License-Identifier: Apache-2.0 */
/* fair_fixture.h - a fair scheduler out of the text of its files, and short words for its tests */
#ifndef CREEL_TESTS_UNIT_FAIR_FIXTURE_H
#define CREEL_TESTS_UNIT_FAIR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/sched/fair/config.h"
#include "rm/sched/sched.h"

struct fair_fixture {
    struct sched *sched;
    struct sched_decisions decisions;
    const char *const (*site)[2];       /* names and values, the last name NULL */
    bool on_demand;
    bool any_size;                      /* a request may be larger than every node */
    int64_t now_ms;
    uint32_t last_id;
};

/* A site that preempts after 5 s below the fair share, with FIXTURE_STARVING in its allocations. */
extern const char *const fixture_preemption[][2];
#define FIXTURE_STARVING \
    "<defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout>" \
    "<defaultFairSharePreemptionThreshold>1</defaultFairSharePreemptionThreshold>"

/* SITE as above, or NULL; ALLOCATIONS what is between <allocations> and </allocations>. */
void fixture_begin(struct fair_fixture *fixture, const char *const (*site)[2],
                   const char *allocations);
void fixture_end(struct fair_fixture *fixture);
/* For cmocka: *STATE is a struct fair_fixture without a scheduler. */
int fixture_setup(void **state);
int fixture_teardown(void **state);
/* 0, or what sched_refresh returns. */
int fixture_reload(struct fair_fixture *fixture, const char *allocations, struct err *err);

struct sched_node *fixture_node(struct fair_fixture *fixture, const char *name, int64_t memory_mb,
                                int64_t vcores);
/* Of user "u"; started, without a master unless MASTER_MB is above 0. Fails the test if refused. */
struct sched_app *fixture_app(struct fair_fixture *fixture, const char *queue, int64_t master_mb);
int fixture_submit(struct fair_fixture *fixture, const char *user, const char *queue,
                   struct sched_app **ret, struct err *err);
void fixture_ask(struct fair_fixture *fixture, struct sched_app *app, const char *where,
                 uint32_t count, int64_t memory_mb, int64_t vcores);
/* All its containers end, and it requests nothing any more. */
void fixture_end_containers(struct fair_fixture *fixture, struct sched_app *app);
/* The same, and it goes. */
void fixture_finish(struct fair_fixture *fixture, struct sched_app *app);
void fixture_heartbeat(struct fair_fixture *fixture, struct sched_node *node, int times);
void fixture_update(struct fair_fixture *fixture);
void fixture_advance(struct fair_fixture *fixture, int64_t ms);
/* Audit the books; called by all of the above. */
void fixture_audit(struct fair_fixture *fixture);

struct sched_app_figures fixture_look(struct fair_fixture *fixture, struct sched_app *app);
/* Fails the test if there is no such queue. */
struct sched_queue_figures fixture_queue(struct fair_fixture *fixture, const char *path);
bool fixture_has(struct fair_fixture *fixture, const char *path);
/* How many decisions of KIND there were since the last call of this for any kind; forgets all. */
size_t fixture_count(struct fair_fixture *fixture, enum sched_decision_kind kind);

#endif
