/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/sched/mapping_fixture.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GROUPS_MAX 8
#define FILE_NAME "capacity-scheduler.xml"
#define PROPERTY(key, value) \
    "<property><name>yarn.scheduler.capacity." key "</name><value>" value "</value></property>\n"
#define LEAF(path) PROPERTY(path ".capacity", "1w")

static const char tree[] = LEAF("root.q1") LEAF("root.q2") PROPERTY("root.dev.queues", "ml,alice")
    LEAF("root.dev") LEAF("root.dev.ml") LEAF("root.dev.alice") PROPERTY("root.groups.queues", "staff,ops")
        LEAF("root.groups") LEAF("root.groups.staff") LEAF("root.groups.ops")
            PROPERTY("root.twin.queues", "q2") LEAF("root.twin") LEAF("root.twin.q2") LEAF("root.auto")
                PROPERTY("root.auto.auto-queue-creation-v2.enabled", "true") LEAF("root.old")
                    PROPERTY("root.old.auto-create-child-queue.enabled", "true")
                        PROPERTY("root.old.leaf-queue-template.capacity", "10");

static void begin(struct mapping_world *world, const char *queues, const char *properties)
{
    char text[8000];
    struct err err;

    memset(world, 0, sizeof(*world));
    snprintf(text, sizeof(text),
             "<configuration>\n%s" PROPERTY("root.queues", "%s") "%s"
                                                                 "</configuration>\n",
             properties, queues, tree);
    if (conf_load_buffer(FILE_NAME, text, strlen(text), NULL, NULL, &world->conf, &err) < 0 ||
        capacity_config_load(world->conf, NULL, NULL, &world->config, &err) < 0)
        fail_msg("%s", err.text);
}

void mapping_world_begin(struct mapping_world *world)
{
    begin(world, "default,q1,q2,dev,groups,twin,auto,old", LEAF("root.default"));
}

void mapping_world_begin_file(struct mapping_world *world, const char *properties)
{
    begin(world, "q1,q2,dev,groups,twin,auto,old", properties);
}

void mapping_world_end(struct mapping_world *world)
{
    capacity_placement_free(world->placement);
    capacity_config_free(world->config);
    conf_free(world->conf);
}

void mapping_create(struct mapping_world *world, const char *path)
{
    struct capacity_queue *queue;
    struct err err;

    if (capacity_config_create(world->config, path, &queue, &err) < 0)
        fail_msg("%s", err.text);
}

void mapping_set(struct mapping_world *world, const char *key, const char *value)
{
    struct err err;

    if (conf_set(world->conf, key, value, &err) < 0)
        fail_msg("%s", err.text);
}

static void append_warning(void *context, enum conf_effect effect, const char *text)
{
    struct mapping_world *world = context;
    size_t used = strlen(world->warnings);

    if (!conf_effect_matters(effect))
        return;
    snprintf(world->warnings + used, sizeof(world->warnings) - used, "%s\n", text);
}

static int load(struct mapping_world *world, const char *file_text, struct err *err)
{
    capacity_placement_free(world->placement);
    world->placement = NULL;
    world->warnings[0] = '\0';
    return capacity_placement_load(world->conf, file_text, world->config, append_warning, world,
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
        .person = { .user = user, .groups = list },
        .queue = queue,
        .app_name = app_name,
    };
    struct placement_result result = { .queue = NULL };
    struct err err;
    char *rest = names;

    snprintf(names, sizeof(names), "%s", groups ? groups : "");
    for (char *group; (group = strsep(&rest, ",")) != NULL;)
        if (*group != '\0' && request.person.group_count < GROUPS_MAX)
            list[request.person.group_count++] = group;
    if (capacity_placement_decide(world->placement, world->config, &request, NULL, NULL, &result, &err) < 0) {
        assert_null(result.queue);
        snprintf(text, sizeof(text), "%s", err.text);
        return text;
    }
    snprintf(text, sizeof(text), "%s%s", result.queue, result.create ? " (created)" : "");
    placement_result_clear(&result);
    return text;
}
