/* SPDX-License-Identifier: Apache-2.0 */
/* text_builder.c - makes one text of many parts, in time and memory proportional to its length */
#include "common/base/text_builder.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"

#define CAPACITY_LEAST ((size_t)64)

/* Makes space for LENGTH more bytes and the '\0'. */
static void reserve(struct text_builder *builder, size_t length)
{
    size_t capacity = builder->capacity > 0 ? builder->capacity : CAPACITY_LEAST;
    char *grown;

    if (length >= SIZE_MAX / 4 - builder->length)
        abort();
    if (builder->capacity - builder->length > length)
        return;
    while (capacity - builder->length <= length)
        capacity *= 2;
    if (builder->arena == NULL) {
        builder->text = mem_resize(builder->text, capacity, 1);
    } else {
        grown = arena_alloc0(builder->arena, capacity);
        if (builder->length > 0)
            memcpy(grown, builder->text, builder->length);
        builder->text = grown;
    }
    builder->capacity = capacity;
}

void text_builder_add_bytes(struct text_builder *builder, const char *bytes, size_t length)
{
    reserve(builder, length);
    if (length > 0)
        memcpy(builder->text + builder->length, bytes, length);
    builder->length += length;
    builder->text[builder->length] = '\0';
}

void text_builder_adopt(struct text_builder *builder, char *text, size_t length)
{
    size_t before = builder->length;

    if (builder->arena != NULL || length < before) {
        text_builder_add_bytes(builder, text, length);
        free(text);
        return;
    }
    if (before > 0) {
        text = mem_resize(text, before + length + 1, 1);
        memmove(text + before, text, length + 1);
        memcpy(text, builder->text, before);
    }
    free(builder->text);
    *builder = (struct text_builder){ .text = text, .length = before + length };
    builder->capacity = before + length + 1;
}

void text_builder_add(struct text_builder *builder, const char *text)
{
    text_builder_add_bytes(builder, text, strlen(text));
}

void text_builder_printf(struct text_builder *builder, const char *format, ...)
{
    va_list args, again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        abort();
    reserve(builder, (size_t)length);
    vsnprintf(builder->text + builder->length, (size_t)length + 1, format, again);
    va_end(again);
    builder->length += (size_t)length;
}

void text_builder_separate(struct text_builder *builder, const char *separator)
{
    if (builder->length > 0)
        text_builder_add(builder, separator);
}

char *text_builder_finish(struct text_builder *builder)
{
    char *text;

    text_builder_add_bytes(builder, "", 0);
    text = builder->text;
    *builder = TEXT_BUILDER_IN(builder->arena);
    return text;
}

void text_builder_clear(struct text_builder *builder)
{
    if (builder->arena == NULL)
        free(builder->text);
    *builder = TEXT_BUILDER_IN(builder->arena);
}

const char *text_builder_text(const struct text_builder *builder)
{
    return builder->text ? builder->text : "";
}

char *text_builder_join(struct arena *arena, const char *const *texts, size_t count, const char *separator)
{
    struct text_builder builder = TEXT_BUILDER_IN(arena);

    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_builder_add(&builder, separator);
        text_builder_add(&builder, texts[i]);
    }
    return text_builder_finish(&builder);
}
