/* SPDX-License-Identifier: Apache-2.0 */
/* output_pattern.c - expands the % sequences in the name of a command's output file */
#include "nm-agent/core/output_pattern.h"

#include <string.h>

#include "common/base/job_field.h"

static const char *or_else(const char *value, const char *otherwise)
{
    return value ? value : otherwise;
}

/* Returns the text that replaces %LETTER; NULL: LETTER is unknown. */
static const char *value_of(char letter, const Creel__LaunchContext *launch, const struct launch_place *place,
                            struct arena *arena)
{
    switch (letter) {
    case 'j':
        return launch_app_number(arena, place->app_id);
    case 'A':
        return launch_app_number(arena,
                                 or_else(launch_variable(launch, "CREEL_ARRAY_JOB_ID"), place->app_id));
    case 'a':
        return or_else(launch_variable(launch, "CREEL_ARRAY_TASK_ID"), "0");
    case 't':
        return or_else(launch_variable(launch, "CREEL_TASK_INDEX"), "0");
    case 'u':
        return place->user;
    case 'N':
        return place->host;
    case '%':
        return "%";
    default:
        return NULL;
    }
}

/* Returns NUMBER with leading zeros, if it has less than WIDTH digits. */
static const char *widen(const char *number, int width, struct arena *arena)
{
    int missing = width - (int)strlen(number);

    return missing > 0 ? arena_printf(arena, "%0*d%s", missing, 0, number) : number;
}

const char *output_pattern_expand(const char *pattern, const Creel__LaunchContext *launch,
                                  const struct launch_place *place, struct arena *arena)
{
    const char *expanded = "";

    if (*pattern == '\0')
        return NULL;
    while (*pattern != '\0') {
        size_t plain = strcspn(pattern, "%");
        char letter = '\0';
        int width = 0;
        size_t item = pattern[plain] ? job_field_pattern_item(pattern + plain, &letter, &width) : 0;
        const char *value = item > 0 ? value_of(letter, launch, place, arena) : NULL;

        if (value)
            value = widen(value, width, arena);
        expanded = arena_printf(arena, "%s%.*s%s", expanded, (int)plain, pattern, value ? value : "");
        pattern += plain;
        if (value)
            pattern += item;
        else if (*pattern != '\0')
            expanded = arena_printf(arena, "%s%c", expanded, *pattern++);
    }
    return expanded;
}
