/* SPDX-License-Identifier: Apache-2.0 */
/* resource.c - amounts of resources, and sums of them */
#include "yarn/resource.h"

#include <stdbool.h>
#include <string.h>

int64_t yarn_memory_mb(const Creel__Resource *resource)
{
    return resource != NULL ? resource->memory_mb : 0;
}

int64_t yarn_vcores(const Creel__Resource *resource)
{
    return resource != NULL ? resource->vcores : 0;
}

int64_t yarn_amount(const Creel__Resource *resource, const char *name)
{
    if (strcmp(name, "memory-mb") == 0)
        return yarn_memory_mb(resource);
    if (strcmp(name, "vcores") == 0)
        return yarn_vcores(resource);
    for (size_t i = 0; resource != NULL && i < resource->n_others; i++)
        if (strcmp(resource->others[i]->name, name) == 0)
            return resource->others[i]->amount;
    return 0;
}

static size_t others_of(const Creel__Resource *resource)
{
    return resource != NULL ? resource->n_others : 0;
}

static bool has_amount(const Creel__Resource *resource, const char *name)
{
    for (size_t i = 0; i < others_of(resource); i++)
        if (strcmp(resource->others[i]->name, name) == 0)
            return true;
    return false;
}

/* Adds AMOUNT of the type of LIKE, for which RESULT has space. */
static void add_amount(struct arena *arena, Creel__Resource *result, const Creel__NamedAmount *like,
                       int64_t amount)
{
    Creel__NamedAmount *item = arena_new0(arena, Creel__NamedAmount);

    *item = *like;
    item->amount = amount;
    result->others[result->n_others++] = item;
}

/* Returns ONE plus OTHER, multiplied by SIGN. */
static const Creel__Resource *combine(struct arena *arena, const Creel__Resource *one,
                                      const Creel__Resource *other, int sign)
{
    Creel__Resource *result = arena_new0(arena, Creel__Resource);

    creel__resource__init(result);
    result->memory_mb = yarn_memory_mb(one) + sign * yarn_memory_mb(other);
    result->vcores = yarn_vcores(one) + sign * yarn_vcores(other);
    result->others = arena_array0(arena, others_of(one) + others_of(other) + 1, sizeof(*result->others));
    for (size_t i = 0; i < others_of(one); i++)
        add_amount(arena, result, one->others[i],
                   one->others[i]->amount + sign * yarn_amount(other, one->others[i]->name));
    for (size_t i = 0; i < others_of(other); i++)
        if (!has_amount(one, other->others[i]->name)) /* messages leave amounts of 0 out */
            add_amount(arena, result, other->others[i], sign * other->others[i]->amount);
    return result;
}

const Creel__Resource *yarn_sum(struct arena *arena, const Creel__Resource *one, const Creel__Resource *other)
{
    return combine(arena, one, other, 1);
}

const Creel__Resource *yarn_difference(struct arena *arena, const Creel__Resource *one,
                                       const Creel__Resource *other)
{
    return combine(arena, one, other, -1);
}
