/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - formats amounts, durations and names for the texts of the resource manager */
#include "rm/master/format.h"

#include <string.h>

#include "common/base/text.h"

const char *format_memory(struct arena *arena, int64_t mb)
{
    if (mb != 0 && mb % 1024 == 0)
        return arena_printf(arena, "%lld GiB", (long long)(mb / 1024));
    if (mb > 10240)
        return arena_printf(arena, "%.1f GiB", (double)mb / 1024);
    return arena_printf(arena, "%lld MiB", (long long)mb);
}

const char *format_amounts(struct arena *arena, const struct resource_types *types,
                           const struct resource *amounts)
{
    long long vcores = amounts->value[RESOURCE_VCORES];
    const char *text =
        arena_printf(arena, "%s, %lld vcore%s", format_memory(arena, amounts->value[RESOURCE_MEMORY_MB]),
                     vcores, vcores == 1 ? "" : "s");

    for (size_t t = RESOURCE_VCORES + 1; t < types->count; t++)
        if (amounts->value[t] != 0 && amounts->value[t] < RESOURCE_OTHERS_MAX)
            text = arena_printf(arena, "%s, %lld%s %s", text, (long long)amounts->value[t],
                                types->type[t].unit, types->type[t].name);
    return text;
}

const char *format_duration(struct arena *arena, int64_t ms)
{
    long long seconds = ms > 0 ? ms / 1000 : 0;

    if (seconds < 60)
        return arena_printf(arena, "%llds", seconds);
    if (seconds < 3600)
        return arena_printf(arena, "%lldm", seconds / 60);
    if (seconds < 86400)
        return arena_printf(arena, "%lldh%02lldm", seconds / 3600, seconds / 60 % 60);
    return arena_printf(arena, "%lldd%02lldh", seconds / 86400, seconds / 3600 % 24);
}

const char *format_queue(const char *path)
{
    return text_has_prefix(path, "root.") ? path + 5 : path;
}

const char *format_app_id(const char *app_id)
{
    const char *end = strrchr(app_id, '_');

    return end ? end : app_id;
}
