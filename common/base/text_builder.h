/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_builder.h - makes one text of many parts, in time and memory proportional to its length
 *
 *     struct text_builder names = TEXT_BUILDER_IN(arena);
 *
 *     for (size_t i = 0; i < count; i++) {
 *         text_builder_separate(&names, ", ");
 *         text_builder_add(&names, node[i].name);
 *     }
 *     return text_builder_finish(&names);
 *
 * A text that is joined in a loop uses a builder: `text = arena_printf(arena, "%s...", text, ...)` would copy
 * all earlier parts for each new one (tools/check-joins refuses it). The space doubles when it is full. In an
 * arena the former spaces remain until the arena is reset: at most four times the length of the text.
 * Allocation never fails (mem.h). A builder that is filled with zeros is empty and has memory of malloc.
 */
#ifndef CREEL_BASE_TEXT_BUILDER_H
#define CREEL_BASE_TEXT_BUILDER_H

#include <stddef.h>

#include "common/base/arena.h"

struct text_builder {
    struct arena *arena; /* NULL: memory of malloc */
    char *text;          /* ends with '\0'; NULL: nothing was added */
    size_t length, capacity;
};

/* An empty builder, with memory of an arena or of malloc. */
#define TEXT_BUILDER_IN(from) ((struct text_builder){ .arena = (from) })
#define TEXT_BUILDER_MALLOC ((struct text_builder){ .arena = NULL })

void text_builder_add(struct text_builder *builder, const char *text);
/* Adds LENGTH bytes, none of which is '\0'. */
void text_builder_add_bytes(struct text_builder *builder, const char *bytes, size_t length);
void text_builder_printf(struct text_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds TEXT, of LENGTH bytes and a '\0' behind them in memory of malloc, which the builder takes over. If it
 * is long, there are not two copies of it at any time, unless the builder has memory of an arena. */
void text_builder_adopt(struct text_builder *builder, char *text, size_t length);
/* Adds SEPARATOR, unless the builder is empty. */
void text_builder_separate(struct text_builder *builder, const char *separator);

/* Returns the text, "" if nothing was added, and empties the builder. The arena owns the text; without an
 * arena the caller frees it. */
char *text_builder_finish(struct text_builder *builder);
/* Empties the builder. With memory of malloc, the text is freed. */
void text_builder_clear(struct text_builder *builder);
/* Returns the text so far, "" if nothing was added. The builder owns it; the next change may free it. */
const char *text_builder_text(const struct text_builder *builder);

/* `scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;` is cleared when it goes out of
 * scope. */
#define scoped_text_builder __attribute__((cleanup(text_builder_clear)))

/* Returns the COUNT texts with SEPARATOR between them, in ARENA. Without an arena (NULL) the caller frees
 * it. */
char *text_builder_join(struct arena *arena, const char *const *texts, size_t count, const char *separator);

#endif
