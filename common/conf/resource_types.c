/* SPDX-License-Identifier: Apache-2.0 */
/* resource_types.c - which index of a struct resource is called what */
#include "common/conf/resource_types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/conf/problems.h"

#define LIST_KEY "yarn.resource-types"

/* One of it is FACTOR / DIVISOR. */
static const struct unit {
    char name[3];
    int64_t factor, divisor;
} units[] = {
    { "", 1, 1 },
    { "p", 1, 1000000000000 }, { "n", 1, 1000000000 }, { "u", 1, 1000000 }, { "m", 1, 1000 },
    { "k", 1000, 1 }, { "M", 1000000, 1 }, { "G", 1000000000, 1 }, { "T", 1000000000000, 1 },
    { "P", 1000000000000000, 1 },
    { "Ki", INT64_C(1) << 10, 1 }, { "Mi", INT64_C(1) << 20, 1 }, { "Gi", INT64_C(1) << 30, 1 },
    { "Ti", INT64_C(1) << 40, 1 }, { "Pi", INT64_C(1) << 50, 1 },
};

static const struct unit *unit_find(const char *name)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

struct resource_types resource_types_basic(void)
{
    return (struct resource_types){
        .count = 2,
        .type = { { .name = "memory-mb", .unit = "Mi" }, { .name = "vcores", .unit = "" } },
    };
}

static bool is(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

int resource_types_index(const struct resource_types *types, const char *name, size_t length)
{
    if (is(name, length, "memory") || is(name, length, "memory_mb"))
        return RESOURCE_MEMORY_MB;
    if (is(name, length, "vcore"))
        return RESOURCE_VCORES;
    for (size_t i = 0; i < types->count; i++)
        if (is(name, length, types->type[i].name))
            return (int)i;
    if (is(name, length, "gpu"))
        return resource_types_index(types, "yarn.io/gpu", strlen("yarn.io/gpu"));
    return -1;
}

bool resource_types_amount(const struct resource_types *types, int index, const char *text,
                           int64_t *amount)
{
    size_t digits = strspn(text, "0123456789");
    const struct unit *from = unit_find(text + digits);
    const struct unit *to = unit_find(types->type[index].unit);
    char number[24];
    int64_t value;
    __int128 result;

    if (digits == 0 || digits >= sizeof(number) || from == NULL || to == NULL)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!text_parse_int64(number, &value))
        return false;
    if (text[digits] == '\0')
        from = to;
    if (value > RESOURCE_AMOUNT_MAX)
        return false;
    result = (__int128)value * from->factor;
    if (result > ((__int128)1 << 126) / to->divisor)
        return false;
    result = result * to->divisor / ((__int128)from->divisor * to->factor);
    if (result > RESOURCE_AMOUNT_MAX)
        return false;
    *amount = (int64_t)result;
    return true;
}

/* --- out of a configuration -------------------------------------------------- */

/* "<file>:<line>: " of KEY, or nothing. */
static const char *where(const struct conf *conf, const char *key, char text[CONF_ORIGIN_MAX])
{
    conf_origin(conf, key, text, CONF_ORIGIN_MAX - 2);
    if (strchr(text, ':') == NULL)
        return "";
    memcpy(text + strlen(text), ": ", 3);
    return text;
}

static bool good_name(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") ==
           strlen(name) && strlen(name) < RESOURCE_TYPE_NAME_MAX && *name;
}

static int add(const struct conf *conf, struct resource_types *types, const char *name,
               struct err *err)
{
    scoped_free char *unit_key = mem_printf("%s.%s.units", LIST_KEY, name);
    const char *unit = conf_raw(conf, unit_key);
    char origin[CONF_ORIGIN_MAX], shown[PROBLEMS_SHOWN_MAX];
    struct resource_type *type = &types->type[types->count];

    problems_show(name, shown);
    if (!good_name(name))
        return err_set(err, EINVAL, "%s%s: \"%s\": expected a name of less than %d letters, digits "
                       "and ._-/", where(conf, LIST_KEY, origin), LIST_KEY, shown,
                       RESOURCE_TYPE_NAME_MAX);
    /* Hadoop lets people name the two that are always there. */
    if (is(name, strlen(name), "memory-mb") || is(name, strlen(name), "vcores"))
        return 0;
    if (resource_types_index(types, name, strlen(name)) >= 0)
        return err_set(err, EINVAL, "%s%s: \"%s\" is named twice", where(conf, LIST_KEY, origin),
                       LIST_KEY, shown);
    if (types->count == RESOURCE_TYPES_MAX)
        return err_set(err, E2BIG, "%s%s: \"%s\" is one too many: at most %d beside memory and "
                       "vcores", where(conf, LIST_KEY, origin), LIST_KEY, shown,
                       RESOURCE_TYPES_MAX - 2);
    if (unit && unit_find(unit) == NULL)
        return err_set(err, EINVAL, "%s%s: \"%s\": expected one of p n u m k M G T P Ki Mi Gi Ti Pi",
                       where(conf, unit_key, origin), unit_key, problems_show(unit, shown));
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

    while ((name = strsep(&rest, ",")) != NULL) {
        name = text_trim(name);
        if (*name && (result = add(conf, &types, name, err)) < 0)
            return result;
    }
    *ret = types;
    return 0;
}
