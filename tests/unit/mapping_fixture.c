/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/mapping_fixture.h"
#include "tests/unit/queue_tree.h"

#define GROUPS_MAX 8

void mapping_world_begin(struct mapping_world *world)
{
    static const char *const paths[] = {
        "root.default", "root.q1", "root.q2", "root.dev", "root.dev.ml", "root.dev.alice",
        "root.groups", "root.groups.staff", "root.groups.ops", "root.twin", "root.twin.q2",
    };
    struct capacity_queue *old;

    memset(world, 0, sizeof(*world));
    world->conf = conf_new_defaults();
    world->config = queue_tree_new();
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        queue_tree_add(world->config, paths[i]);
    queue_tree_add_maker(world->config, "root.auto", 2);
    old = queue_tree_add(world->config, "root.old");
    old->leaf = false;
    old->auto_create_legacy = true;
}

void mapping_world_end(struct mapping_world *world)
{
    capacity_placement_free(world->placement);
    queue_tree_free(world->config);
    conf_free(world->conf);
}

void mapping_set(struct mapping_world *world, const char *key, const char *value)
{
    struct err err;

    if (conf_set(world->conf, key, value, &err) < 0)
        fail_msg("%s", err.text);
}

static void keep_warning(void *context, const char *text)
{
    struct mapping_world *world = context;
    size_t used = strlen(world->warnings);

    snprintf(world->warnings + used, sizeof(world->warnings) - used, "%s\n", text);
}

static int load(struct mapping_world *world, const char *file_text, struct err *err)
{
    capacity_placement_free(world->placement);
    world->placement = NULL;
    world->warnings[0] = '\0';
    return capacity_placement_load(world->conf, file_text, world->config, keep_warning, world,
                                   &world->placement, err);
}

void mapping_load(struct mapping_world *world, const char *file_text)
{
    struct err err;

    if (load(world, file_text, &err) < 0)
        fail_msg("%s", err.text);
}

void mapping_refused(struct mapping_world *world, const char *file_text, const char *text)
{
    struct err err;

    assert_true(load(world, file_text, &err) < 0);
    assert_null(world->placement);
    if (strstr(err.text, text) == NULL)
        fail_msg("\"%s\" is not in: %s", text, err.text);
}

const char *mapping_place(struct mapping_world *world, const char *user, const char *groups,
                          const char *queue, const char *app_name)
{
    static char text[5000];
    char names[256];
    const char *list[GROUPS_MAX];
    struct placement_request request = {
        .person = { .user = user, .groups = list }, .queue = queue, .app_name = app_name,
    };
    struct placement_result result = { .queue = NULL };
    struct err err;
    char *rest = names;

    snprintf(names, sizeof(names), "%s", groups ? groups : "");
    for (char *group; (group = strsep(&rest, ",")) != NULL;)
        if (*group != '\0' && request.person.group_count < GROUPS_MAX)
            list[request.person.group_count++] = group;
    if (capacity_placement_decide(world->placement, world->config, &request, NULL, NULL, &result,
                                  &err) < 0) {
        assert_null(result.queue);
        snprintf(text, sizeof(text), "%s", err.text);
        return text;
    }
    snprintf(text, sizeof(text), "%s%s", result.queue, result.create ? " (created)" : "");
    placement_result_clear(&result);
    return text;
}
