/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orphans.c - kills containers that run but are not in the state directory
 *
 * An agent whose state directory was removed finds none of its containers, and registers without them. The
 * resource manager then starts their tasks on other nodes, so the old containers must end. The control group
 * root belongs to one agent: before the agent registers, it kills each container group below the root that
 * recovery has not adopted, whichever instance created the group.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "nm-agent/linux/runtime_state.h"

#define ORPHANS_END_MS \
    10000 /* a process that exists this long after KILL is blocked in the
             kernel */
#define LOOK_NS 5000000

struct orphan {
    char *id;
    struct leaf leaf;
};

struct orphans {
    const struct runtime *runtime;
    const char *instance; /* instance being examined */
    char *user;           /* owned: an instance used by another agent; NULL: none */
    struct orphan *items; /* owned */
    size_t count, capacity;
};

static bool is_adopted(const struct runtime *runtime, const char *id, const struct leaf *leaf)
{
    const struct container *container = container_find(runtime, id);

    for (int i = 0; i < LEAF_CONTROLLERS && container != NULL; i++)
        if (leaf->directory[i] != NULL && container->meta.leaf.directory[i] != NULL &&
            strcmp(leaf->directory[i], container->meta.leaf.directory[i]) == 0)
            return true;
    return false;
}

static void add_orphan(void *context, const char *id)
{
    struct orphans *orphans = context;
    struct leaf leaf = cgroups_leaf_of(orphans->runtime->cgroups, orphans->instance, id);

    if (is_adopted(orphans->runtime, id, &leaf)) {
        leaf_clear(&leaf);
        return;
    }
    mem_grow(orphans->items, orphans->count, orphans->capacity);
    orphans->items[orphans->count++] = (struct orphan){ mem_strdup(id), leaf };
}

static void check_instance(void *context, const char *instance)
{
    struct orphans *orphans = context;

    if (orphans->user == NULL && cgroups_in_use(orphans->runtime->cgroups, instance))
        orphans->user = mem_strdup(instance);
    if (orphans->user != NULL)
        return;
    orphans->instance = instance;
    cgroups_each(orphans->runtime->cgroups, instance, add_orphan, orphans);
}

static void remove_instance(void *context, const char *instance)
{
    const struct cgroups *cgroups = context;

    if (!cgroups_is_own(cgroups, instance))
        cgroups_remove_instance(cgroups, instance);
}

/* Waits until the orphan's processes have ended. Kills repeatedly, because a process may have been joining
 * the group. */
static int wait_for_end(const struct orphan *orphan, int64_t until_ms, struct err *err)
{
    const struct timespec pause = { .tv_nsec = LOOK_NS };
    char why[512];

    while (leaf_remove(&orphan->leaf) != 0) {
        if (monotonic_ms() >= until_ms) {
            container_describe_stuck(&orphan->leaf, 0, why, sizeof(why));
            return err_set(err, EBUSY, "%s, left by an earlier agent, %s; the agent cannot start before",
                           orphan->id, why);
        }
        nanosleep(&pause, NULL);
        leaf_kill(&orphan->leaf);
    }
    return 0;
}

static void report(struct runtime *runtime, const char *id)
{
    struct runtime_event event = {
        .kind = RUNTIME_GHOST,
        .end.diagnostics = "was left by an agent whose state directory is gone: its processes were ended"
    };

    runtime->counters.orphans_killed++;
    snprintf(event.container_id, sizeof(event.container_id), "%s", id);
    container_push_event(runtime, &event);
}

static int end_all(struct runtime *runtime, const struct orphans *orphans, struct err *err)
{
    int64_t until_ms = monotonic_ms() + ORPHANS_END_MS;
    int result = 0;

    for (size_t i = 0; i < orphans->count; i++)
        if (leaf_kill(&orphans->items[i].leaf) > 0)
            report(runtime, orphans->items[i].id);
    for (size_t i = 0; i < orphans->count && result == 0; i++)
        result = wait_for_end(&orphans->items[i], until_ms, err);
    return result;
}

int orphans_end(struct runtime *runtime, struct err *err)
{
    struct orphans orphans = { .runtime = runtime };
    int result;

    cgroups_each_instance(runtime->cgroups, check_instance, &orphans);
    if (orphans.user != NULL)
        result = err_set(err, EBUSY,
                         "another agent uses the control group root (group %s): end that one, or "
                         "give this one a root of its own "
                         "(yarn.nodemanager.linux-container-executor.cgroups.hierarchy)",
                         orphans.user);
    else
        result = end_all(runtime, &orphans, err);
    if (result == 0)
        cgroups_each_instance(runtime->cgroups, remove_instance, runtime->cgroups);
    for (size_t i = 0; i < orphans.count; i++) {
        free(orphans.items[i].id);
        leaf_clear(&orphans.items[i].leaf);
    }
    free(orphans.items);
    free(orphans.user);
    return result;
}
