/* SPDX-License-Identifier: Apache-2.0 */
/* node_places.c - the index of nodes by host and by rack */
#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/sched/policy.h"

const struct place *sched_place_find(const struct place *places, const char *name)
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
