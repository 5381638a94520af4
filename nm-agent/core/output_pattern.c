/* SPDX-License-Identifier: Apache-2.0 */
/* output_pattern.c - expands the % sequences in the name of a command's output file */
#include "nm-agent/core/output_pattern.h"

#include <limits.h>
#include <string.h>

#include "common/base/job_field.h"
#include "common/base/text_builder.h"

static const char *or_else(const char *value, const char *otherwise)
{
    return value ? value : otherwise;
}

/* The texts that replace the items, by their letters: found once for a pattern, since a launch may have
 * thousands of variables. */
struct values {
    const char *of[UCHAR_MAX + 1]; /* NULL: the letter is unknown */
};

static struct values find_values(const Creel__LaunchContext *launch, const struct launch_place *place,
                                 struct arena *arena)
{
    const char *array = or_else(launch_variable(launch, "CREEL_ARRAY_JOB_ID"), place->app_id);

    return (struct values){ .of = {
                                ['j'] = launch_app_number(arena, place->app_id),
                                ['A'] = launch_app_number(arena, array),
                                ['a'] = or_else(launch_variable(launch, "CREEL_ARRAY_TASK_ID"), "0"),
                                ['t'] = or_else(launch_variable(launch, "CREEL_TASK_INDEX"), "0"),
                                ['u'] = place->user,
                                ['N'] = place->host,
                                ['%'] = "%",
                            } };
}

/* Adds the item of LENGTH bytes at ITEM, or its value with leading zeros up to WIDTH. */
static void add_item(struct text_builder *name, const char *value, int width, const char *item, size_t length)
{
    if (value == NULL) {
        text_builder_add_bytes(name, item, length);
        return;
    }
    for (size_t digits = strlen(value); digits < (size_t)width; digits++)
        text_builder_add(name, "0");
    text_builder_add(name, value);
}

const char *output_pattern_expand(const char *pattern, const Creel__LaunchContext *launch,
                                  const struct launch_place *place, struct arena *arena)
{
    struct text_builder name = TEXT_BUILDER_IN(arena);
    struct values values;

    if (*pattern == '\0')
        return NULL;
    values = find_values(launch, place, arena);
    while (*pattern != '\0' && name.length <= JOB_PATH_MAX) {
        size_t length = strcspn(pattern, "%");
        char letter = '\0';
        int width = 0;

        text_builder_add_bytes(&name, pattern, length);
        pattern += length;
        if (*pattern == '\0')
            break;
        length = job_field_pattern_item(pattern, &letter, &width);
        add_item(&name, length > 0 ? values.of[(unsigned char)letter] : NULL, width, pattern,
                 length > 0 ? length : 1);
        pattern += length > 0 ? length : 1;
    }
    return name.length > 0 && name.length <= JOB_PATH_MAX ? text_builder_finish(&name) : NULL;
}
