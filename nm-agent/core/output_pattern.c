/* SPDX-License-Identifier: Apache-2.0 */
/* output_pattern.c - the name of the file that a command writes its output to */
#include "nm-agent/core/output_pattern.h"

#include <string.h>

#include "common/base/id.h"

static const char *variable(const Creel__LaunchContext *launch, const char *name, const char *otherwise)
{
    for (size_t i = launch->n_environment; i-- > 0;)
        if (!strcmp(launch->environment[i]->name, name))
            return launch->environment[i]->value;
    return otherwise;
}

static const char *number_of(const char *app_id, struct arena *arena)
{
    struct app_id id;

    return app_id_parse(app_id, &id) ? arena_printf(arena, "%u", id.seq) : app_id;
}

/* What stands for LETTER; NULL: nothing does. */
static const char *value_of(char letter, const Creel__LaunchContext *launch, const struct output_place *place,
                            struct arena *arena)
{
    switch (letter) {
    case 'j':
        return number_of(place->app_id, arena);
    case 'A':
        return number_of(variable(launch, "CREEL_ARRAY_JOB_ID", place->app_id), arena);
    case 'a':
        return variable(launch, "CREEL_ARRAY_TASK_ID", "0");
    case 't':
        return variable(launch, "CREEL_TASK_INDEX", "0");
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

const char *output_pattern_expand(const char *pattern, const Creel__LaunchContext *launch,
                                  const struct output_place *place, struct arena *arena)
{
    const char *expanded = "";

    if (*pattern == '\0')
        return NULL;
    while (*pattern != '\0') {
        size_t plain = strcspn(pattern, "%");
        const char *value = pattern[plain] ? value_of(pattern[plain + 1], launch, place, arena) : NULL;

        expanded = arena_printf(arena, "%s%.*s%s", expanded, (int)plain, pattern, value ? value : "");
        pattern += plain;
        if (value)
            pattern += 2;
        else if (*pattern != '\0')
            expanded = arena_printf(arena, "%s%c", expanded, *pattern++);
    }
    return expanded;
}
