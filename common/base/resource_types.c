/* SPDX-License-Identifier: Apache-2.0 */
/* resource_types.c - names and units of the resource types; parses and converts amounts */
#include "common/base/resource_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

/* One unit is FACTOR / DIVISOR of the unit "". */
static const struct unit {
    char name[RESOURCE_UNIT_MAX];
    int64_t factor, divisor;
} units[] = {
    { "", 1, 1 },
    { "p", 1, 1000000000000 },
    { "n", 1, 1000000000 },
    { "u", 1, 1000000 },
    { "m", 1, 1000 },
    { "k", 1000, 1 },
    { "M", 1000000, 1 },
    { "G", 1000000000, 1 },
    { "T", 1000000000000, 1 },
    { "P", 1000000000000000, 1 },
    { "Ki", INT64_C(1) << 10, 1 },
    { "Mi", INT64_C(1) << 20, 1 },
    { "Gi", INT64_C(1) << 30, 1 },
    { "Ti", INT64_C(1) << 40, 1 },
    { "Pi", INT64_C(1) << 50, 1 },
};

static const struct unit *unit_find(const char *name)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static bool is(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

/* --- names ----------------------------------------------------------------- */

struct resource_types resource_types_basic(void)
{
    return (struct resource_types){
        .count = 2,
        .type = { { .name = "memory-mb", .unit = "Mi" }, { .name = "vcores", .unit = "" } },
    };
}

bool resource_types_equal(const struct resource_types *a, const struct resource_types *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (strcmp(a->type[i].name, b->type[i].name) != 0 || strcmp(a->type[i].unit, b->type[i].unit) != 0)
            return false;
    return a->count == b->count;
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

bool resource_type_name_valid(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") ==
               strlen(name) &&
           strlen(name) < RESOURCE_TYPE_NAME_MAX && *name;
}

/* --- amounts --------------------------------------------------------------- */

bool resource_unit_valid(const char *unit)
{
    return unit_find(unit) != NULL;
}

bool resource_unit_convert(int64_t amount, const char *from_name, const char *to_name, int64_t *ret)
{
    const struct unit *from = unit_find(from_name), *to = unit_find(to_name);
    __int128 result;

    if (from == NULL || to == NULL || amount < 0 || amount > RESOURCE_AMOUNT_MAX)
        return false;
    result = (__int128)amount * from->factor;
    if (result > ((__int128)1 << 126) / to->divisor)
        return false;
    result = result * to->divisor / ((__int128)from->divisor * to->factor);
    if (result > RESOURCE_AMOUNT_MAX)
        return false;
    *ret = (int64_t)result;
    return true;
}

bool resource_amount_split(const char *text, int64_t *amount, const char **unit)
{
    size_t digits = strspn(text, "0123456789");
    const char *behind = text + digits + (text[digits] == ' ' ? 1 : 0);
    char number[24];
    int64_t value;

    if (digits == 0 || digits >= sizeof(number) || !resource_unit_valid(behind))
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!text_parse_int64(number, &value) || value > RESOURCE_AMOUNT_MAX)
        return false;
    *amount = value;
    *unit = behind;
    return true;
}

bool resource_types_amount(const struct resource_types *types, int index, const char *text, int64_t *amount)
{
    const char *own = types->type[index].unit, *unit;
    int64_t value;

    return strchr(text, ' ') == NULL && resource_amount_split(text, &value, &unit) &&
           resource_unit_convert(value, *unit ? unit : own, own, amount);
}

const char *resource_types_format(const struct resource_types *types, const struct resource *r,
                                  char text[RESOURCE_TYPES_TEXT_MAX])
{
    int used = snprintf(text, RESOURCE_TYPES_TEXT_MAX, "<memory:%" PRId64 ", vCores:%" PRId64,
                        r->value[RESOURCE_MEMORY_MB], r->value[RESOURCE_VCORES]);

    for (size_t i = 2; i < types->count; i++)
        if (r->value[i] != 0 && used < RESOURCE_TYPES_TEXT_MAX)
            used += snprintf(text + used, (size_t)(RESOURCE_TYPES_TEXT_MAX - used), ", %s: %" PRId64 "%s",
                             types->type[i].name, r->value[i], types->type[i].unit);
    if (used < RESOURCE_TYPES_TEXT_MAX)
        snprintf(text + used, (size_t)(RESOURCE_TYPES_TEXT_MAX - used), ">");
    return text;
}
