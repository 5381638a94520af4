/* SPDX-License-Identifier: Apache-2.0 */
/* am_updates.c - other sizes that an application master has requested for its containers */
#include "client/master/am_updates.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

#define PER_ALLOCATE_MAX 1000 /* the limit of the RM (common/io/wire_rules.c) */

static void free_update(struct am_update *update)
{
    free(update->container_id);
    creel__resource__free_unpacked(update->capability, NULL);
}

static void drop(struct am_updates *updates, size_t index)
{
    free_update(&updates->items[index]);
    updates->items[index] = updates->items[--updates->count];
}

void am_updates_clear(struct am_updates *updates)
{
    while (updates->count > 0)
        drop(updates, updates->count - 1);
    free(updates->items);
    *updates = (struct am_updates){ NULL, 0, 0 };
}

/* Returns the index of the update of CONTAINER_ID; the number of updates: there is none. */
static size_t find(const struct am_updates *updates, const char *container_id)
{
    size_t i = 0;

    while (i < updates->count && strcmp(updates->items[i].container_id, container_id) != 0)
        i++;
    return i;
}

static void drop_of(struct am_updates *updates, const char *container_id)
{
    size_t i = find(updates, container_id);

    if (i < updates->count)
        drop(updates, i);
}

void am_updates_add(struct am_updates *updates, const char *container_id, uint32_t version,
                    Creel__ContainerUpdateType type, Creel__Resource *capability)
{
    drop_of(updates, container_id);
    mem_grow(updates->items, updates->count, updates->capacity);
    updates->items[updates->count++] = (struct am_update){
        .container_id = mem_strdup(container_id),
        .version = version,
        .type = type,
        .capability = capability,
    };
}

void am_updates_send_again(struct am_updates *updates)
{
    for (size_t i = 0; i < updates->count; i++)
        updates->items[i].sent = false;
}

/* Drops the update of CONTAINER if the container has a newer version. */
static void note(struct am_updates *updates, const Creel__Container *container)
{
    size_t i = find(updates, container->container_id);

    if (i < updates->count && container->version > updates->items[i].version)
        drop(updates, i);
}

void am_updates_note_registered(struct am_updates *updates, const Creel__RegisterAmReply *reply)
{
    for (size_t i = 0; updates->count > 0 && i < reply->n_running; i++)
        note(updates, reply->running[i]);
    for (size_t i = 0; updates->count > 0 && i < reply->n_completed; i++)
        drop_of(updates, reply->completed[i]->container_id);
}

void am_updates_note_allocated(struct am_updates *updates, const Creel__AllocateReply *reply)
{
    for (size_t i = 0; updates->count > 0 && i < reply->n_updated; i++)
        note(updates, reply->updated[i]);
    for (size_t i = 0; updates->count > 0 && i < reply->n_update_errors; i++)
        drop_of(updates, reply->update_errors[i]->container_id);
    for (size_t i = 0; updates->count > 0 && i < reply->n_completed; i++)
        drop_of(updates, reply->completed[i]->container_id);
}

bool am_updates_is_due(const struct am_updates *updates)
{
    for (size_t i = 0; i < updates->count; i++)
        if (!updates->items[i].sent)
            return true;
    return false;
}

void am_updates_fill(struct am_updates *updates, struct arena *arena, Creel__Allocate *body)
{
    body->updates = arena_array0(arena, updates->count + 1, sizeof(*body->updates));
    for (size_t i = 0; i < updates->count && body->n_updates < PER_ALLOCATE_MAX; i++) {
        Creel__ContainerUpdate *update;

        if (updates->items[i].sent)
            continue;
        update = arena_new0(arena, Creel__ContainerUpdate);
        creel__container_update__init(update);
        update->container_id = updates->items[i].container_id;
        update->version = updates->items[i].version;
        update->type = updates->items[i].type;
        update->capability = updates->items[i].capability;
        body->updates[body->n_updates++] = update;
        updates->items[i].sent = true;
    }
}
