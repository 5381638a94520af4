/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_world.h - fixture: the small cluster that most tests of the resource manager's core start from
 *
 * A running master, agent a (n1:8041, 4096 MB, 4 vcores), which is registered, agent b (n2:8041, same size),
 * which is not registered yet, and space for the id of one application.
 */
#ifndef CREEL_TESTS_MASTER_WORLD_H
#define CREEL_TESTS_MASTER_WORLD_H

#include "tests/unit/master/master_harness.h"

struct world {
    struct harness h;
    struct fake_agent a, b;
    char app[80];
};

/* Starts the world. CONFIGURE (NULL: none) changes h->config before the master starts. */
void world_begin(struct world *w, void (*configure)(struct master_config *config));
void world_end(struct world *w);

/* For cmocka: *STATE is a world until the tear-down. A test with a CONFIGURE function calls
 * world_set_up_with from its own set-up. */
int world_set_up_with(void **state, void (*configure)(struct master_config *config));
int world_set_up(void **state);
int world_tear_down(void **state);

/* Lets four milliseconds pass, in which the agent reports and carries out its orders. */
void world_settle(struct world *w);

#endif
