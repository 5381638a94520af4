/* SPDX-License-Identifier: Apache-2.0 */
/* fair_fixture.h - fixture: a fair scheduler from the text of its files, with helpers for its tests */
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
    const char *const (*site)[2]; /* names and values of yarn-site.xml; the last name is NULL */
    bool on_demand;
    bool any_size; /* requests may be larger than every node */
    int64_t now_ms;
    uint32_t last_id;
};

/* Site settings that enable preemption. With FIXTURE_STARVING in the allocations, a queue that is below
 * its fair share for 5 s preempts. */
extern const char *const fixture_preemption[][2];
#define FIXTURE_STARVING \
    "<defaultFairSharePreemptionTimeout>5</defaultFairSharePreemptionTimeout>" \
    "<defaultFairSharePreemptionThreshold>1</defaultFairSharePreemptionThreshold>"

/* Starts a scheduler. SITE: see above, or NULL. ALLOCATIONS: the text between <allocations> and
 * </allocations>. */
void fixture_begin(struct fair_fixture *fixture, const char *const (*site)[2], const char *allocations);
void fixture_end(struct fair_fixture *fixture);
/* For cmocka: *STATE is a struct fair_fixture without a scheduler. */
int fixture_setup(void **state);
int fixture_teardown(void **state);
/* Reloads the allocations. Returns 0 or the error of sched_refresh. */
int fixture_reload(struct fair_fixture *fixture, const char *allocations, struct err *err);

struct sched_node *fixture_node(struct fair_fixture *fixture, const char *name, int64_t memory_mb,
                                int64_t vcores);
/* Adds and starts an app of user "u", with an AM of MASTER_MB (0: without an AM). Fails the test if
 * refused. */
struct sched_app *fixture_app(struct fair_fixture *fixture, const char *queue, int64_t master_mb);
int fixture_submit(struct fair_fixture *fixture, const char *user, const char *queue, struct sched_app **ret,
                   struct err *err);
void fixture_ask(struct fair_fixture *fixture, struct sched_app *app, const char *where, uint32_t count,
                 int64_t memory_mb, int64_t vcores);
/* Ends all containers of APP and removes its requests. */
void fixture_end_containers(struct fair_fixture *fixture, struct sched_app *app);
/* Like fixture_end_containers; then removes APP. */
void fixture_finish(struct fair_fixture *fixture, struct sched_app *app);
void fixture_heartbeat(struct fair_fixture *fixture, struct sched_node *node, int times);
void fixture_update(struct fair_fixture *fixture);
void fixture_advance(struct fair_fixture *fixture, int64_t ms);
/* Audits the scheduler's accounting; called by all of the functions above. */
void fixture_audit(struct fair_fixture *fixture);

struct sched_app_figures fixture_app_figures(struct fair_fixture *fixture, struct sched_app *app);
/* Returns the figures of a queue. Fails the test if there is no such queue. */
struct sched_queue_figures fixture_queue(struct fair_fixture *fixture, const char *path);
bool fixture_has(struct fair_fixture *fixture, const char *path);
/* Returns the number of decisions of KIND since the last call (for any kind), and clears all decisions. */
size_t fixture_count(struct fair_fixture *fixture, enum sched_decision_kind kind);

#endif
