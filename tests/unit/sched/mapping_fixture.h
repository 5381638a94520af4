/* SPDX-License-Identifier: Apache-2.0 */
/* mapping_fixture.h - fixture: queue mappings over a small tree of queues */
#ifndef CREEL_TESTS_MAPPING_FIXTURE_H
#define CREEL_TESTS_MAPPING_FIXTURE_H

#include "rm/sched/capacity/placement/placement.h"

/*
 * The tree of queues:
 *
 * root.default, root.q1, root.q2
 * root.dev (a parent): root.dev.ml, root.dev.alice
 * root.groups (a parent): root.groups.staff, root.groups.ops
 * root.twin.q2: a second q2
 * root.auto: auto-queue-creation-v2, 2 levels
 * root.old: auto-create-child-queue
 */
struct mapping_world {
    struct capacity_config *config;
    struct conf *conf;
    struct capacity_placement *placement; /* NULL: none loaded */
    char warnings[4096];                  /* warnings of the last load, one per line */
};

void mapping_world_begin(struct mapping_world *world);
/* Without root.default, but with PROPERTIES, which start at line 2 of capacity-scheduler.xml. */
void mapping_world_begin_file(struct mapping_world *world, const char *properties);
void mapping_world_end(struct mapping_world *world);

/* Creates the queue PATH as a submission would. */
void mapping_create(struct mapping_world *world, const char *path);
void mapping_set(struct mapping_world *world, const char *key, const char *value);
/* Loads the mappings that were set; the test fails if refused. FILE_TEXT may be NULL. */
void mapping_load(struct mapping_world *world, const char *file_text);
/* Loads the mappings that were set; the test fails unless refused with a message that contains TEXT. */
void mapping_refused(struct mapping_world *world, const char *file_text, const char *text);

/* Returns the queue for an app of USER: "root.q1", "root.auto.bob (created)", or the error's text. GROUPS
 * are comma-separated. Valid until the next call. */
const char *mapping_place(struct mapping_world *world, const char *user, const char *groups,
                          const char *queue, const char *app_name);

#endif
