/* SPDX-License-Identifier: Apache-2.0 */
/* format.c - formats amounts, durations and names for the texts of the resource manager */
#include "rm/master/parts/format.h"

#include <string.h>

#include "common/base/text.h"
#include "common/base/text_builder.h"

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
    struct text_builder text = TEXT_BUILDER_IN(arena);

    text_builder_printf(&text, "%s, %lld vcore%s", format_memory(arena, amounts->value[RESOURCE_MEMORY_MB]),
                        vcores, vcores == 1 ? "" : "s");
    for (size_t t = RESOURCE_VCORES + 1; t < types->count; t++)
        if (amounts->value[t] != 0 && amounts->value[t] < RESOURCE_OTHERS_MAX)
            text_builder_printf(&text, ", %lld%s %s", (long long)amounts->value[t], types->type[t].unit,
                                types->type[t].name);
    return text_builder_finish(&text);
}

const char *format_duration(struct arena *arena, int64_t ms)
{
    char text[TEXT_SIZE_MAX];

    return arena_strdup(arena, text_format_duration_ms(ms, text));
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

const char *format_names_end(struct text_builder *text, uint32_t count)
{
    if (count > FORMAT_NAMES)
        text_builder_printf(text, "; and %u more", count - FORMAT_NAMES);
    return text_builder_finish(text);
}
