/* SPDX-License-Identifier: Apache-2.0 */
/* node_list.c - a list of nodes that have something in common, with their number */
#include "rm/master/nodes/node_list.h"

#include <stddef.h>

#include "common/base/text_builder.h"
#include "rm/master/parts/format.h"

void rm_node_list_init(struct node_list *list)
{
    TAILQ_INIT(&list->entries);
    list->count = 0;
}

bool rm_node_list_has(const struct node_entry *entry)
{
    return entry->node != NULL;
}

void rm_node_list_set(struct node_list *list, struct node_entry *entry, struct node *node, bool listed)
{
    if (listed == rm_node_list_has(entry))
        return;
    if (listed) {
        entry->node = node;
        TAILQ_INSERT_TAIL(&list->entries, entry, link);
        list->count++;
    } else {
        TAILQ_REMOVE(&list->entries, entry, link);
        entry->node = NULL;
        list->count--;
    }
}

struct node *rm_node_list_first(const struct node_list *list)
{
    return TAILQ_EMPTY(&list->entries) ? NULL : TAILQ_FIRST(&list->entries)->node;
}

const char *rm_node_list_text(const struct node_list *list, struct arena *arena, node_describe_fn *describe)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);
    const struct node_entry *entry;
    uint32_t named = 0;

    TAILQ_FOREACH(entry, &list->entries, link) {
        if (++named > FORMAT_NAMES)
            break;
        text_builder_separate(&text, "; ");
        describe(&text, entry->node);
    }
    return format_names_end(&text, list->count);
}
