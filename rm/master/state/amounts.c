/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amounts.c - converts resources between messages, the scheduler's vectors and text
 *
 * In messages further resource types have names, and amounts may have a unit chosen by the sender; the
 * accounting uses the unit of yarn.resource-types.<name>.units. The set of types is fixed at start, as in
 * YARN.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rm/master/parts/format.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"

#define NAMES_SHOWN_MAX 500

/* --- from messages -------------------------------------------------------------------- */

/* Converts NAMED into the unit of TYPE; false if that is impossible. */
static bool amount_of(const struct master *m, int type, const Creel__NamedAmount *named, int64_t *amount)
{
    const char *own = m->types.type[type].unit;

    return resource_unit_convert(named->amount, rm_text_is_empty(named->unit) ? own : named->unit, own,
                                 amount);
}

struct resource rm_resource_from(const struct master *m, const Creel__Resource *resource)
{
    struct resource ret = resource_of(0, 0);

    if (resource == NULL)
        return ret;
    ret = resource_of(resource->memory_mb, resource->vcores);
    for (size_t i = 0; i < resource->n_others; i++) {
        const Creel__NamedAmount *named = resource->others[i];
        int type = resource_types_index(&m->types, named->name, strlen(named->name));

        if (type > RESOURCE_VCORES)
            (void)amount_of(m, type, named, &ret.value[type]);
    }
    return ret;
}

static const char *known_types(const struct master *m, char text[NAMES_SHOWN_MAX])
{
    size_t used = 0;

    *text = '\0';
    for (size_t t = 0; t < m->types.count && used < NAMES_SHOWN_MAX; t++)
        used += (size_t)snprintf(text + used, NAMES_SHOWN_MAX - used, "%s%s", t ? ", " : "",
                                 m->types.type[t].name);
    return text;
}

static int judge_amount(const struct master *m, int type, const Creel__NamedAmount *named, struct err *err)
{
    const struct resource_type *known = &m->types.type[type];
    int64_t amount;

    if (named->amount < 0)
        return err_set(err, ERANGE, "asks for %lld%s of %s: an amount is negative", (long long)named->amount,
                       named->unit, named->name);
    if (!resource_unit_valid(named->unit))
        return err_set(err, EINVAL,
                       "asks for %lld%s of %s: there is no unit %s (p n u m k M G T P Ki "
                       "Mi Gi Ti Pi)",
                       (long long)named->amount, named->unit, named->name, named->unit);
    if (!amount_of(m, type, named, &amount))
        return err_set(err, ERANGE, "asks for %lld%s of %s: that is more than there can be",
                       (long long)named->amount, named->unit, named->name);
    /* Differs: YARN cuts it off; a request would be granted nothing. */
    if (amount == 0 && named->amount != 0)
        return err_set(err, EINVAL, "asks for %lld%s of %s, which is less than one %s of it",
                       (long long)named->amount, named->unit, named->name,
                       *known->unit ? known->unit : "whole");
    return 0;
}

int rm_resource_judge(const struct master *m, const Creel__Resource *resource, struct err *err)
{
    bool named[RESOURCE_TYPES_MAX] = { false };
    char names[NAMES_SHOWN_MAX];

    for (size_t i = 0; resource && i < resource->n_others; i++) {
        const Creel__NamedAmount *one = resource->others[i];
        int type = resource_types_index(&m->types, one->name, strlen(one->name)), r;

        if (type < 0)
            return err_set(err, EINVAL,
                           "asks for %s: there is no such resource here, only %s "
                           "(yarn.resource-types names others)",
                           one->name, known_types(m, names));
        if (type <= RESOURCE_VCORES || named[type])
            return err_set(err, EINVAL, "asks for %s twice", one->name);
        named[type] = true;
        if ((r = judge_amount(m, type, one, err)) < 0)
            return r;
    }
    return 0;
}

/* --- to messages and text ------------------------------------------------------------------- */

#define MEMORY_MB_SENT_MAX ((int64_t)1 << 40)
#define VCORES_SENT_MAX INT32_MAX

/* Clips a configured limit, which may be larger than the schema allows. */
static int64_t sendable(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

Creel__Resource *rm_resource_message(struct master *m, const struct resource *resource)
{
    struct arena *arena = m->out->arena;
    Creel__Resource *message = arena_new0(arena, Creel__Resource);

    creel__resource__init(message);
    message->memory_mb = sendable(resource->value[RESOURCE_MEMORY_MB], MEMORY_MB_SENT_MAX);
    message->vcores = sendable(resource->value[RESOURCE_VCORES], VCORES_SENT_MAX);
    if (m->types.count > RESOURCE_VCORES + 1)
        message->others = arena_array0(arena, m->types.count, sizeof(*message->others));
    for (size_t t = RESOURCE_VCORES + 1; t < m->types.count; t++) {
        Creel__NamedAmount *named;

        if (resource->value[t] == 0 || resource->value[t] >= RESOURCE_OTHERS_MAX)
            continue; /* zero, or no limit */
        named = arena_new0(arena, Creel__NamedAmount);
        creel__named_amount__init(named);
        named->name = arena_strdup(arena, m->types.type[t].name);
        named->unit = arena_strdup(arena, m->types.type[t].unit);
        named->amount = resource->value[t];
        message->others[message->n_others++] = named;
    }
    return message;
}

const char *rm_format_amount(struct master *m, const struct resource *amounts)
{
    return format_amounts(m->out->arena, &m->types, amounts);
}

bool rm_limits_memory_only(const struct master *m)
{
    return m->memory_only;
}

const char *rm_format_limit(struct master *m, const struct resource *amounts)
{
    if (rm_limits_memory_only(m))
        return format_memory(m->out->arena, amounts->value[RESOURCE_MEMORY_MB]);
    return rm_format_amount(m, amounts);
}

/* If the scheduler shares only memory, the vcores of a share are 0 and are left out. */
const char *rm_format_share(struct master *m, const struct resource *share)
{
    return share->value[RESOURCE_VCORES] == 0 ? format_memory(m->out->arena, share->value[RESOURCE_MEMORY_MB])
                                              : format_amounts(m->out->arena, &m->types, share);
}
