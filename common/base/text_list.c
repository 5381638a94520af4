/* SPDX-License-Identifier: Apache-2.0 */
/* text_list.c - a list of at most 100 sentences */
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text_list.h"

void text_list_add(struct text_list *list, char *text)
{
    if (list->count < TEXT_LIST_MAX) {
        list->items[list->count++] = text;
        return;
    }
    list->dropped++;
    free(text);
}

void text_list_end(struct text_list *list, const char *what)
{
    if (list->dropped == 0)
        return;
    free(list->items[TEXT_LIST_MAX - 1]);
    list->items[TEXT_LIST_MAX - 1] = mem_printf("... and %zu more %s", list->dropped + 1, what);
}

void text_list_clear(struct text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    list->count = list->dropped = 0;
}
