/* SPDX-License-Identifier: Apache-2.0 */
/* mapping_fixture.h - queue mappings over a small tree of queues */
#ifndef CREEL_TESTS_MAPPING_FIXTURE_H
#define CREEL_TESTS_MAPPING_FIXTURE_H

#include "rm/sched/capacity/placement/placement.h"

/*
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
    struct capacity_placement *placement;       /* NULL: none loaded */
    char warnings[4096];                        /* one line each, of the last load */
};

void mapping_world_begin(struct mapping_world *world);
/* Without root.default, but with PROPERTIES, which begin in line 2 of capacity-scheduler.xml. */
void mapping_world_begin_file(struct mapping_world *world, const char *properties);
void mapping_world_end(struct mapping_world *world);

/* As a submission makes it. */
void mapping_create(struct mapping_world *world, const char *path);
void mapping_set(struct mapping_world *world, const char *key, const char *value);
/* Load what was set; it must be right. FILE_TEXT may be NULL. */
void mapping_load(struct mapping_world *world, const char *file_text);
/* Load what was set; it must be refused with a message that contains TEXT. */
void mapping_refused(struct mapping_world *world, const char *file_text, const char *text);

/* Where USER's app goes: "root.q1", "root.auto.bob (created)", or the error's text. Groups are
 * comma-separated. Valid until the next call. */
const char *mapping_place(struct mapping_world *world, const char *user, const char *groups,
                          const char *queue, const char *app_name);

#endif
