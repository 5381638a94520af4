/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_world.h - a small cluster, with which most tests of the master begin
 *
 * A master that runs, agent a (n1:8041, 4096 MB, 4 vcores) that is registered, agent b (n2:8041, as
 * large) that is not registered yet, and room for the id of one application.
 */
#ifndef CREEL_TESTS_MASTER_WORLD_H
#define CREEL_TESTS_MASTER_WORLD_H

#include "tests/unit/master_harness.h"

struct world {
    struct harness h;
    struct fake_agent a, b;
    char app[80];
};

/* CONFIGURE (NULL: nothing) changes h->config before the master starts. */
void world_begin(struct world *w, void (*configure)(struct master_config *config));
void world_end(struct world *w);

/* For cmocka: *STATE is a world until the tear-down. A test that has a CONFIGURE calls the first of these
 * from a set-up of its own. */
int world_set_up_with(void **state, void (*configure)(struct master_config *config));
int world_set_up(void **state);
int world_tear_down(void **state);

#endif
