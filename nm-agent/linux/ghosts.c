/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ghosts.c - kills containers that run but are not in the state directory
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

#define GHOSTS_END_MS 10000             /* a process that exists so long after KILL is blocked in the
                                           kernel */
#define LOOK_NS 5000000

struct ghost {
    char *id;
    struct leaf leaf;
};

struct ghosts {
    const struct runtime *runtime;
    const char *instance;               /* instance being examined */
    char *user;                         /* owned: an instance used by another agent; NULL: none */
    struct ghost *items;                /* owned */
    size_t count, capacity;
};

static bool is_taken_up(const struct runtime *runtime, const char *id, const struct leaf *leaf)
{
    const struct container *container = container_find(runtime, id);

    for (int i = 0; i < LEAF_CONTROLLERS && container != NULL; i++)
        if (leaf->directory[i] != NULL && container->meta.leaf.directory[i] != NULL &&
            strcmp(leaf->directory[i], container->meta.leaf.directory[i]) == 0)
            return true;
    return false;
}

static void add_ghost(void *context, const char *id)
{
    struct ghosts *ghosts = context;
    struct leaf leaf = cgroups_leaf_of(ghosts->runtime->cgroups, ghosts->instance, id);

    if (is_taken_up(ghosts->runtime, id, &leaf)) {
        leaf_clear(&leaf);
        return;
    }
    mem_grow(ghosts->items, ghosts->count, ghosts->capacity);
    ghosts->items[ghosts->count++] = (struct ghost){ mem_strdup(id), leaf };
}

static void look_at_instance(void *context, const char *instance)
{
    struct ghosts *ghosts = context;

    if (ghosts->user == NULL && cgroups_in_use(ghosts->runtime->cgroups, instance))
        ghosts->user = mem_strdup(instance);
    if (ghosts->user != NULL)
        return;
    ghosts->instance = instance;
    cgroups_each(ghosts->runtime->cgroups, instance, add_ghost, ghosts);
}

static void remove_instance(void *context, const char *instance)
{
    const struct cgroups *cgroups = context;

    if (!cgroups_is_own(cgroups, instance))
        cgroups_remove_instance(cgroups, instance);
}

/* Waits until the ghost's processes have ended. Kills repeatedly, because a process may have been joining the
 * group. */
static int wait_for_end(const struct ghost *ghost, int64_t until_ms, struct err *err)
{
    const struct timespec pause = { .tv_nsec = LOOK_NS };
    char why[512];

    while (leaf_remove(&ghost->leaf) != 0) {
        if (monotonic_ms() >= until_ms) {
            container_describe_stuck(&ghost->leaf, why, sizeof(why));
            return err_set(err, EBUSY, "%s, left by an earlier agent, %s; the agent cannot start before",
                           ghost->id, why);
        }
        nanosleep(&pause, NULL);
        leaf_kill(&ghost->leaf);
    }
    return 0;
}

static void report(struct runtime *runtime, const char *id)
{
    struct runtime_event event = { .kind = RUNTIME_GHOST,
        .diagnostics = "was left by an agent whose state directory is gone: its processes were ended" };

    snprintf(event.container_id, sizeof(event.container_id), "%s", id);
    container_push_event(runtime, &event);
}

static int end_all(struct runtime *runtime, const struct ghosts *ghosts, struct err *err)
{
    int64_t until_ms = monotonic_ms() + GHOSTS_END_MS;
    int result = 0;

    for (size_t i = 0; i < ghosts->count; i++)
        if (leaf_kill(&ghosts->items[i].leaf) > 0)
            report(runtime, ghosts->items[i].id);
    for (size_t i = 0; i < ghosts->count && result == 0; i++)
        result = wait_for_end(&ghosts->items[i], until_ms, err);
    return result;
}

int ghosts_end(struct runtime *runtime, struct err *err)
{
    struct ghosts ghosts = { .runtime = runtime };
    int result;

    cgroups_each_instance(runtime->cgroups, look_at_instance, &ghosts);
    if (ghosts.user != NULL)
        result = err_set(err, EBUSY, "another agent uses the control group root (group %s): end that one, or "
                         "give this one a root of its own "
                         "(yarn.nodemanager.linux-container-executor.cgroups.hierarchy)", ghosts.user);
    else
        result = end_all(runtime, &ghosts, err);
    if (result == 0)
        cgroups_each_instance(runtime->cgroups, remove_instance, runtime->cgroups);
    for (size_t i = 0; i < ghosts.count; i++) {
        free(ghosts.items[i].id);
        leaf_clear(&ghosts.items[i].leaf);
    }
    free(ghosts.items);
    free(ghosts.user);
    return result;
}
