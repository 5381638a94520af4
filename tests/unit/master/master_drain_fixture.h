/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_drain_fixture.h - fixture: a resource manager's core with two nodes that an administrator drains and
 * resizes
 *
 * Shared by the tests of draining and of decommissioning. The nodes are n1:8041, where the application runs,
 * and n2:8041.
 */
#ifndef CREEL_TESTS_MASTER_DRAIN_FIXTURE_H
#define CREEL_TESTS_MASTER_DRAIN_FIXTURE_H

#include "tests/unit/master/master_harness.h"

#define DRAIN CREEL__NODE_CHANGE__NODE_DRAIN
#define UNDRAIN CREEL__NODE_CHANGE__NODE_UNDRAIN
#define DECOMMISSION CREEL__NODE_CHANGE__NODE_DECOMMISSION
#define RECOMMISSION CREEL__NODE_CHANGE__NODE_RECOMMISSION
#define STATE(name) CREEL__NODE_STATE__NODE_##name
#define FOREVER (-1)
#define UNSAID (-2)
#define NOW (-3)
#define PREEMPTED (-102)
#define ABORTED (-100)

struct world {
    struct harness h;
    struct fake_agent a, b;
    struct fake_am am;
    char app[80], tasks[8][80];
};

/* Starts one node with COUNT tasks of a running application, then registers a second node. */
void begin(struct world *w, int count);
void end(struct world *w);
void beat(struct world *w);
/* Advances the clock by SECONDS; both agents send a heartbeat each second. */
void pass(struct world *w, int seconds);
const Creel__Envelope *change(struct world *w, const char *user, const char *name, Creel__NodeChange what,
                              const char *reason, int64_t timeout_ms);
const Creel__NodeReport *done(const Creel__Envelope *reply);
void refused(const Creel__Envelope *reply, Creel__ErrorCode code, const char *part);
const Creel__NodeReport *show(struct world *w, const char *id);
const Creel__Envelope *resize(struct world *w, int64_t memory_mb, int64_t for_ms, int64_t overcommit_ms);
int status_of(struct world *w, int task);

#endif
