/* SPDX-License-Identifier: Apache-2.0 */
/* node_places.c - the index of nodes by host and by rack, and the places of requests */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

struct place *sched_place_find(const struct place *places, const char *name)
{
    struct place *place;

    HASH_FIND(hh, places, name, strlen(name), place);
    return place;
}

void sched_place_add(struct place **places, struct sched_node *node, const char *name)
{
    struct place *place;
    size_t length = strlen(name);

    HASH_FIND(hh, *places, name, length, place);
    if (place == NULL) {
        place = mem_new0(struct place);
        place->name = mem_strdup(name);
        HASH_ADD_KEYPTR(hh, *places, place->name, length, place);
    }
    mem_grow(place->nodes, place->count, place->capacity);
    place->nodes[place->count++] = node;
}

void sched_place_remove(struct place **places, struct sched_node *node, const char *name)
{
    struct place *place;
    size_t i = 0;

    HASH_FIND(hh, *places, name, strlen(name), place);
    assert(place);
    while (place->nodes[i] != node)
        i++;
    memmove(&place->nodes[i], &place->nodes[i + 1], (place->count - i - 1) * sizeof(place->nodes[0]));
    if (--place->count > 0)
        return;
    HASH_DEL(*places, place);
    free(place->nodes);
    free(place->name);
    free(place);
}

/* --- places of requests with strict locality --------------------------------- */

static bool is_usable(const struct demand *demand, const struct sched_node *node)
{
    return sched_node_is_offered(node) && !sched_app_avoids(demand->app, node);
}

static bool is_any_usable(const struct demand *demand, const struct place *place)
{
    for (size_t i = 0; place && i < place->count; i++)
        if (is_usable(demand, place->nodes[i]))
            return true;
    return false;
}

/* Returns true if some node that ROW of DEMAND allows is usable. */
static bool is_open(const struct demand *demand, const struct row *row)
{
    const struct sched *sched = demand->app->sched;
    const struct sched_node *node;

    HASH_FIND_STR(sched->nodes, row->name, node);
    return (node && is_usable(demand, node)) ||
           is_any_usable(demand, sched_place_find(sched->hosts, row->name)) ||
           (!row->strict && is_any_usable(demand, sched_place_find(sched->racks, row->name)));
}

uint32_t sched_demand_count_open(const struct demand *demand)
{
    struct sched_row_tree rows = demand->rows; /* a copy, since RB_FOREACH takes no const */
    struct row *row;
    uint64_t count = 0;

    if (!demand->strict)
        return demand->count;
    RB_FOREACH(row, sched_row_tree, &rows)
        if (count < demand->count && sched_row_has_pending(row) && is_open(demand, row))
            count += row->count;
    return count < demand->count ? (uint32_t)count : demand->count;
}
