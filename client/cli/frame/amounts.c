/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.c - formats resource amounts for tables, lines and JSON, and parses them from the command line */
#include "client/cli/frame/amounts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/resource_types.h"
#include "common/base/text.h"

#define MB ((int64_t)1 << 20)
#define VCORES_MAX 1000000

/* --- formatting ------------------------------------------------------------ */

const char *record_amounts(const struct creel_resource *amounts, char text[RECORD_AMOUNTS_MAX])
{
    char memory[TEXT_SIZE_MAX];
    size_t used = (size_t)snprintf(text, RECORD_AMOUNTS_MAX, "%s, %lld vcore%s",
                                   text_format_mb(amounts->memory_mb, memory), (long long)amounts->vcores,
                                   amounts->vcores == 1 ? "" : "s");

    for (size_t i = 0; i < amounts->other_count && used < RECORD_AMOUNTS_MAX; i++)
        used += (size_t)snprintf(text + used, RECORD_AMOUNTS_MAX - used, ", %lld%s %s",
                                 (long long)amounts->others[i].amount, amounts->others[i].unit,
                                 amounts->others[i].name);
    return text;
}

void json_others(struct json_writer *json, const struct creel_amount *others, size_t count)
{
    if (count == 0)
        return;
    json_begin_array(json, "others");
    for (size_t i = 0; i < count; i++) {
        json_begin_object(json, NULL);
        json_text(json, "name", others[i].name);
        json_int(json, "amount", others[i].amount);
        json_text_if(json, "unit", others[i].unit);
        json_end_object(json);
    }
    json_end_array(json);
}

void json_amounts(struct json_writer *json, const char *name, const struct creel_resource *amounts)
{
    json_begin_object(json, name);
    json_int(json, "memoryMb", amounts->memory_mb);
    json_int(json, "vcores", amounts->vcores);
    json_others(json, amounts->others, amounts->other_count);
    json_end_object(json);
}

int64_t amount_of_other(const struct creel_resource *amounts, const char *name)
{
    for (size_t i = 0; i < amounts->other_count; i++)
        if (!strcmp(amounts->others[i].name, name))
            return amounts->others[i].amount;
    return 0;
}

void others_cell(struct table *table, const struct creel_resource *used, const struct creel_resource *total)
{
    const struct creel_resource *all = total ? total : used;
    char text[RECORD_AMOUNTS_MAX] = "", most[32] = "";
    size_t length = 0;

    for (size_t i = 0; i < all->other_count && length < sizeof(text); i++) {
        const struct creel_amount *one = &all->others[i];

        if (total)
            snprintf(most, sizeof(most), "/%lld", (long long)one->amount);
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s=%lld%s%s", i ? "," : "",
                                   one->name, (long long)amount_of_other(used, one->name), most, one->unit);
    }
    table_text(table, text);
}

/* --- parsing --------------------------------------------------------------- */

/* Reads a size as --memory does: in whole MB, rounded up. */
static bool read_memory(const char *text, int64_t *memory_mb)
{
    int64_t bytes;

    if (!text_parse_size_bytes(text, MB, &bytes) || bytes <= 0)
        return false;
    *memory_mb = bytes / MB + (bytes % MB != 0);
    return true;
}

struct parsing {
    struct arena *arena;
    struct creel_job *job;
    struct creel_amount *others; /* owned by the arena */
    size_t count;
    struct err *err;
};

static int parse_other(struct parsing *parsing, const char *word, const char *name, const char *value)
{
    struct creel_amount *other = &parsing->others[parsing->count];

    if (!resource_type_name_valid(name))
        return err_set(parsing->err, EINVAL, "--resource %s: expected NAME=AMOUNT, as licence=1", word);
    for (size_t i = 0; i < parsing->count; i++)
        if (!strcmp(parsing->others[i].name, name))
            return err_set(parsing->err, EINVAL, "--resource %s: %s is given twice", word, name);
    if (parsing->count == CREEL_OTHERS_MAX)
        return err_set(parsing->err, EINVAL,
                       "--resource %s: there are at most %d beside memory and "
                       "vcores",
                       word, CREEL_OTHERS_MAX);
    if (!resource_amount_split(value, &other->amount, &other->unit))
        return err_set(parsing->err, EINVAL,
                       "--resource %s: expected a whole number, with or "
                       "without a unit (p n u m k M G T P Ki Mi Gi Ti Pi), as disk=16Gi",
                       word);
    other->name = name;
    parsing->count++;
    return 0;
}

static int parse_word(struct parsing *parsing, const char *word)
{
    char *name = arena_strdup(parsing->arena, word), *value = strchr(name, '=');
    struct resource_types basic = resource_types_basic();
    int64_t number;
    int type;

    if (value == NULL)
        return err_set(parsing->err, EINVAL, "--resource %s: expected NAME=AMOUNT, as licence=1", word);
    *value++ = '\0';
    type = strcmp(name, "mem") == 0 ? RESOURCE_MEMORY_MB : resource_types_index(&basic, name, strlen(name));
    if (type == RESOURCE_MEMORY_MB) {
        if (read_memory(value, &parsing->job->memory_mb))
            return 0;
        return err_set(parsing->err, EINVAL,
                       "--resource %s: expected a size, as 512M, 2g or 2GiB "
                       "(512 is MiB)",
                       word);
    }
    if (type == RESOURCE_VCORES) {
        if (!text_parse_int64(value, &number) || number < 1 || number > VCORES_MAX)
            return err_set(parsing->err, EINVAL, "--resource %s: expected a number from 1 to %d", word,
                           VCORES_MAX);
        parsing->job->vcores = number;
        return 0;
    }
    return parse_other(parsing, word, name, value);
}

int amounts_parse(struct arena *arena, const char *value, struct creel_job *job, struct err *err)
{
    struct creel_job changed = *job;
    struct parsing parsing = { .arena = arena, .job = &changed, .err = err, .count = job->resource_count };
    char *rest = arena_strdup(arena, value), *word;
    int r;

    parsing.others = arena_array0(arena, CREEL_OTHERS_MAX, sizeof(*parsing.others));
    for (size_t i = 0; i < job->resource_count; i++)
        parsing.others[i] = job->resources[i];
    while ((word = strsep(&rest, ",")) != NULL)
        if ((r = parse_word(&parsing, text_trim(word))) < 0)
            return r;
    changed.resources = parsing.others;
    changed.resource_count = parsing.count;
    *job = changed;
    return 0;
}

void memory_cell(struct table *table, int64_t mb)
{
    char text[TEXT_SIZE_MAX];

    table_text(table, text_format_mb(mb, text));
    table_sorted_by(table, mb);
}
