/* SPDX-License-Identifier: Apache-2.0 */
/* resource_types.c - reads the resource types and their limits from a configuration */
#include "common/conf/resource_types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/problems.h"

#define LIST_KEY "yarn.resource-types"
#define OFFER_KEY "yarn.nodemanager.resource-type."
#define UNITS "p n u m k M G T P Ki Mi Gi Ti Pi"

/* --- types ----------------------------------------------------------------- */

/* Returns "<file>:<line>: " of KEY, or "". */
static const char *where(const struct conf *conf, const char *key, char text[CONF_ORIGIN_MAX])
{
    conf_origin(conf, key, text, CONF_ORIGIN_MAX - 2);
    if (strchr(text, ':') == NULL)
        return "";
    memcpy(text + strlen(text), ": ", 3);
    return text;
}

/* The unit of memory is MiB and vcores have no unit; Hadoop also refuses other units for these types. */
static int judge_basic(const struct conf *conf, const struct resource_type *type, struct err *err)
{
    scoped_free char *unit_key = mem_printf("%s.%s.units", LIST_KEY, type->name);
    const char *unit = conf_raw(conf, unit_key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    if (unit == NULL || text_equal(unit, type->unit))
        return 0;
    return err_set(err, EINVAL, "%s%s: \"%s\": the unit of %s is \"%s\", always",
                   where(conf, unit_key, origin), unit_key, problems_show(unit, shown), type->name,
                   type->unit);
}

static int add(const struct conf *conf, struct resource_types *types, const char *name, struct err *err)
{
    scoped_free char *unit_key = mem_printf("%s.%s.units", LIST_KEY, name);
    const char *unit = conf_raw(conf, unit_key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    struct resource_type *type = &types->type[types->count];

    problems_show(name, shown);
    if (!resource_type_name_valid(name))
        return err_set(err, EINVAL,
                       "%s%s: \"%s\": expected a name of less than %d letters, digits "
                       "and ._-/",
                       where(conf, LIST_KEY, origin), LIST_KEY, shown, RESOURCE_TYPE_NAME_MAX);
    /* Hadoop allows users to list the two types that always exist. */
    if (text_equal(name, "memory-mb") || text_equal(name, "vcores"))
        return 0;
    if (resource_types_index(types, name, strlen(name)) >= 0)
        return err_set(err, EINVAL, "%s%s: \"%s\" is named twice", where(conf, LIST_KEY, origin), LIST_KEY,
                       shown);
    if (types->count == RESOURCE_TYPES_MAX)
        return err_set(err, E2BIG,
                       "%s%s: \"%s\" is one too many: at most %d beside memory and "
                       "vcores",
                       where(conf, LIST_KEY, origin), LIST_KEY, shown, RESOURCE_TYPES_MAX - 2);
    if (unit && !resource_unit_valid(unit))
        return err_set(err, EINVAL, "%s%s: \"%s\": expected one of " UNITS, where(conf, unit_key, origin),
                       unit_key, problems_show(unit, shown));
    snprintf(type->name, sizeof(type->name), "%s", name);
    snprintf(type->unit, sizeof(type->unit), "%s", unit ? unit : "");
    types->count++;
    return 0;
}

int resource_types_load(const struct conf *conf, struct resource_types *ret, struct err *err)
{
    struct resource_types types = resource_types_basic();
    scoped_free char *list = mem_strdup(conf_text(conf, CONF_RESOURCE_TYPES));
    char *rest = list, *name;
    int result;

    for (size_t i = 0; i < types.count; i++)
        if ((result = judge_basic(conf, &types.type[i], err)) < 0)
            return result;
    while ((name = text_next_word(&rest)) != NULL)
        if ((result = add(conf, &types, name, err)) < 0)
            return result;
    *ret = types;
    return 0;
}

/* --- limits ---------------------------------------------------------------- */

static int load_limit(const struct conf *conf, const struct resource_types *types, size_t index,
                      const char *which, int64_t *value, struct err *err)
{
    scoped_free char *key = mem_printf("%s.%s.%s", LIST_KEY, types->type[index].name, which);
    const char *text = conf_raw(conf, key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    if (text == NULL || resource_types_amount(types, (int)index, text, value))
        return 0;
    return err_set(err, EINVAL,
                   "%s%s: \"%s\": expected a whole number of at least 0, with or without "
                   "one of " UNITS " behind it",
                   where(conf, key, origin), key, problems_show(text, shown));
}

static int judge_limits(const struct conf *conf, const struct resource_type *type, int64_t least,
                        int64_t most, struct err *err)
{
    scoped_free char *key = mem_printf("%s.%s.minimum-allocation", LIST_KEY, type->name);
    char origin[CONF_ORIGIN_MAX];

    if (least <= most)
        return 0;
    return err_set(err, EINVAL, "%s%s: %lld%s is above the maximum-allocation, %lld%s",
                   where(conf, key, origin), key, (long long)least, type->unit, (long long)most, type->unit);
}

int resource_types_load_limits(const struct conf *conf, const struct resource_types *types,
                               struct resource *minimum, struct resource *maximum, struct err *err)
{
    int r;

    for (size_t i = 2; i < types->count; i++) {
        minimum->value[i] = 0;
        maximum->value[i] = RESOURCE_OTHERS_MAX;
        if ((r = load_limit(conf, types, i, "minimum-allocation", &minimum->value[i], err)) < 0 ||
            (r = load_limit(conf, types, i, "maximum-allocation", &maximum->value[i], err)) < 0 ||
            (r = judge_limits(conf, &types->type[i], minimum->value[i], maximum->value[i], err)) < 0)
            return r;
    }
    return 0;
}

/* --- resources of a node --------------------------------------------------- */

struct offering {
    const struct conf *conf;
    struct resource_offers *offers;
    struct err *err;
    int result;
};

static int judge_offer(struct offering *offering, const char *key, const char *name)
{
    static const struct {
        const char *name, *key;
    } basic[] = {
        { "memory-mb", "yarn.nodemanager.resource.memory-mb" },
        { "memory", "yarn.nodemanager.resource.memory-mb" },
        { "vcores", "yarn.nodemanager.resource.cpu-vcores" },
    };
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];

    problems_show(name, shown);
    for (size_t i = 0; i < sizeof(basic) / sizeof(basic[0]); i++)
        if (text_equal(name, basic[i].name))
            return err_set(offering->err, EINVAL, "%s%s: the node's %s is set by %s",
                           where(offering->conf, key, origin), key, shown, basic[i].key);
    if (!resource_type_name_valid(name))
        return err_set(offering->err, EINVAL,
                       "%s%s\"%s\": expected a name of less than %d letters, "
                       "digits and ._-/",
                       where(offering->conf, key, origin), OFFER_KEY, shown, RESOURCE_TYPE_NAME_MAX);
    if (offering->offers->count == RESOURCE_TYPES_MAX - 2)
        return err_set(offering->err, E2BIG,
                       "%s%s: is one too many: at most %d types beside memory "
                       "and vcores",
                       where(offering->conf, key, origin), key, RESOURCE_TYPES_MAX - 2);
    return 0;
}

static int add_offer(struct offering *offering, const char *key, const char *value)
{
    struct resource_offer *offer = &offering->offers->offer[offering->offers->count];
    const char *name = key + strlen(OFFER_KEY), *unit;
    scoped_free char *unit_key = mem_printf("%s.%s.units", LIST_KEY, name);
    const char *usual = conf_raw(offering->conf, unit_key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    int r = judge_offer(offering, key, name);

    if (r < 0)
        return r;
    if (!resource_amount_split(value, &offer->amount, &unit))
        return err_set(offering->err, EINVAL,
                       "%s%s: \"%s\": expected a whole number of at least 0, "
                       "with or without one of " UNITS " behind it",
                       where(offering->conf, key, origin), key, problems_show(value, shown));
    if (*unit == '\0' && usual && resource_unit_valid(usual))
        unit = usual;
    snprintf(offer->name, sizeof(offer->name), "%s", name);
    snprintf(offer->unit, sizeof(offer->unit), "%s", unit);
    offering->offers->count++;
    return 0;
}

static void visit_property(void *context, const char *name, const char *value, const char *origin)
{
    struct offering *offering = context;

    (void)origin;
    if (offering->result == 0 && text_has_prefix(name, OFFER_KEY))
        offering->result = add_offer(offering, name, value);
}

int resource_types_load_offers(const struct conf *conf, struct resource_offers *ret, struct err *err)
{
    struct resource_offers offers = { .count = 0 };
    struct offering offering = { conf, &offers, err, 0 };

    conf_each(conf, visit_property, &offering);
    if (offering.result == 0)
        *ret = offers;
    return offering.result;
}
