/* SPDX-License-Identifier: Apache-2.0 */
/* result.c - what a request returns: a public struct, and before it what it owns */
#include "client/libcreel/result.h"

#include <stdalign.h>
#include <stdlib.h>

#include "common/base/mem.h"

struct result {
    struct pages pages;
    void **arrays; /* owned, with its elements */
    size_t count;
    alignas(max_align_t) unsigned char shown[];
};

static struct result *result_of(const void *shown)
{
    return (struct result *)(void *)((unsigned char *)(uintptr_t)shown - offsetof(struct result, shown));
}

void *result_new(size_t size, struct pages *pages)
{
    struct result *result = mem_array0(1, sizeof(*result) + size);

    if (pages != NULL)
        pages_move(&result->pages, pages);
    return result->shown;
}

void result_take(void *shown, struct pages *pages)
{
    pages_move(&result_of(shown)->pages, pages);
}

/* Makes SHOWN the owner of ARRAY. The capacity is the next power of two. */
static void *own(void *shown, void *array)
{
    struct result *result = result_of(shown);

    if ((result->count & (result->count - 1)) == 0)
        result->arrays = mem_resize(result->arrays, 2 * result->count + 1, sizeof(*result->arrays));
    result->arrays[result->count++] = array;
    return array;
}

void *result_array(void *shown, size_t count, size_t size)
{
    return own(shown, mem_array0(count + 1, size));
}

void *result_array_try(void *shown, size_t count, size_t size)
{
    void *array = calloc(count + 1, size);

    return array == NULL ? NULL : own(shown, array);
}

const char *const *result_texts(void *shown, char **texts, size_t count)
{
    const char **list = RESULT_ARRAY(shown, count, const char *);

    for (size_t i = 0; i < count; i++)
        list[i] = texts[i];
    return list;
}

const struct pages *result_pages(const void *shown)
{
    return &result_of(shown)->pages;
}

void result_free(void *shown)
{
    struct result *result;

    if (shown == NULL)
        return;
    result = result_of(shown);
    for (size_t i = 0; i < result->count; i++)
        free(result->arrays[i]);
    free(result->arrays);
    pages_done(&result->pages);
    free(result);
}
