/* SPDX-License-Identifier: Apache-2.0 */
/* am_avoid.c - the blacklist of an application master: nodes on which it gets no containers, pure */
#include "client/am/am_avoid.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

void am_avoid_clear(struct am_avoid *avoid)
{
    for (size_t i = 0; i < avoid->count; i++)
        free(avoid->items[i].node_id);
    free(avoid->items);
    *avoid = (struct am_avoid){ .count = 0 };
}

void am_avoid_add(struct am_avoid *avoid, const char *node_id, int64_t until_ms)
{
    for (size_t i = 0; i < avoid->count; i++) {
        struct am_avoided *item = &avoid->items[i];

        if (strcmp(item->node_id, node_id) != 0)
            continue;
        if (until_ms > item->until_ms)
            item->until_ms = until_ms;
        return;
    }
    mem_grow(avoid->items, avoid->count, avoid->capacity);
    avoid->items[avoid->count++] = (struct am_avoided){ mem_strdup(node_id), until_ms, false };
}

void am_avoid_send_again(struct am_avoid *avoid)
{
    for (size_t i = 0; i < avoid->count; i++)
        avoid->items[i].sent = false;
}

bool am_avoid_is_due(const struct am_avoid *avoid, int64_t now_ms)
{
    for (size_t i = 0; i < avoid->count; i++)
        if (!avoid->items[i].sent || avoid->items[i].until_ms <= now_ms)
            return true;
    return false;
}

void am_avoid_fill(struct am_avoid *avoid, int64_t now_ms, struct arena *arena, Creel__Allocate *body)
{
    size_t kept = 0;

    body->blacklist_add = arena_array0(arena, avoid->count + 1, sizeof(*body->blacklist_add));
    body->blacklist_remove = arena_array0(arena, avoid->count + 1, sizeof(*body->blacklist_remove));
    for (size_t i = 0; i < avoid->count; i++) {
        struct am_avoided *item = &avoid->items[i];

        if (item->until_ms <= now_ms) {
            body->blacklist_remove[body->n_blacklist_remove++] = arena_strdup(arena, item->node_id);
            free(item->node_id);
            continue;
        }
        if (!item->sent)
            body->blacklist_add[body->n_blacklist_add++] = arena_strdup(arena, item->node_id);
        item->sent = true;
        avoid->items[kept++] = *item;
    }
    avoid->count = kept;
}

int64_t am_avoid_next_deadline_ms(const struct am_avoid *avoid)
{
    int64_t next_ms = INT64_MAX;

    for (size_t i = 0; i < avoid->count; i++) {
        int64_t at_ms = avoid->items[i].sent ? avoid->items[i].until_ms : INT64_MIN;

        next_ms = at_ms < next_ms ? at_ms : next_ms;
    }
    return next_ms;
}
