/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - filters, sorts and pages the nodes of the model */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/model/pick.h"
#include "web/model/rows.h"

static bool fits(const Creel__NodeReport *node, const struct web_node_filter *filter)
{
    return (filter->states == 0 || (filter->states & 1u << node->state) != 0) &&
           (filter->rack == NULL || strcmp(node->rack, filter->rack) == 0) &&
           (filter->label == NULL || strcmp(node->label, filter->label) == 0) &&
           (filter->text == NULL || strcasestr(node->node_id, filter->text) != NULL);
}

struct sorting {
    enum web_node_order order;
    bool descending;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int64_t used_mb(const Creel__NodeReport *node)
{
    return node->used != NULL ? node->used->memory_mb : 0;
}

static int compare_by(enum web_node_order order, const Creel__NodeReport *a, const Creel__NodeReport *b)
{
    switch (order) {
    case WEB_NODE_BY_STATE:
        return compare_numbers(a->state, b->state);
    case WEB_NODE_BY_MEMORY:
        return compare_numbers(used_mb(a), used_mb(b));
    case WEB_NODE_BY_CONTAINERS:
        return compare_numbers(a->containers, b->containers);
    case WEB_NODE_BY_HEARTBEAT:
        return compare_numbers(a->last_heartbeat_ms, b->last_heartbeat_ms);
    case WEB_NODE_BY_ID:
        break;
    }
    return 0;
}

static int compare_nodes(const void *context, const void *a, const void *b)
{
    const struct sorting *sorting = context;
    const Creel__NodeReport *x = a, *y = b;
    int result = compare_by(sorting->order, x, y);

    if (result == 0)
        result = strcmp(x->node_id, y->node_id);
    return sorting->descending ? -result : result;
}

static int compare_ids(const void *a, const void *b)
{
    const struct node_entry *const *x = a, *const *y = b;

    return strcmp((*x)->report->node_id, (*y)->report->node_id);
}

void nodes_sort(struct web_model *model)
{
    struct node_entry *entry, *next;
    size_t count = 0;

    if (model->sorted != NULL)
        return;
    model->sorted = mem_array0(HASH_COUNT(model->nodes) + 1, sizeof(struct node_entry *));
    HASH_ITER(hh, model->nodes, entry, next)
        model->sorted[count++] = entry;
    qsort(model->sorted, count, sizeof(struct node_entry *), compare_ids);
}

static size_t list_in_order(struct node_entry *const *all, size_t count, const struct web_node_filter *filter,
                            const Creel__NodeReport *after, size_t limit, const Creel__NodeReport **ret,
                            size_t *total)
{
    bool begun = after == NULL;
    size_t shown = 0;

    for (size_t i = 0; i < count; i++) {
        if (fits(all[i]->report, filter)) {
            ++*total;
            if (begun && shown < limit)
                ret[shown++] = all[i]->report;
        }
        begun = begun || all[i]->report == after;
    }
    return shown;
}

size_t web_model_list_nodes(const struct web_model *model, const struct web_node_filter *filter,
                            enum web_node_order order, const struct web_page *page,
                            const Creel__NodeReport **ret, size_t *total)
{
    struct sorting sorting = { order, page->descending };
    size_t count = HASH_COUNT(model->nodes), limit = page->limit < count ? page->limit : count;
    scoped_free const void **rows = mem_array0(limit + 1, sizeof(*rows));
    struct pick pick = {
        .compare = compare_nodes,
        .context = &sorting,
        .limit = limit,
        .rows = rows,
        .after = page->after != NULL ? web_model_node(model, page->after) : NULL,
    };
    struct node_entry *const *all = model->sorted;

    *total = 0;
    if (order == WEB_NODE_BY_ID && !page->descending)
        return list_in_order(all, count, filter, pick.after, page->limit, ret, total);
    for (size_t i = 0; i < count; i++) {
        if (!fits(all[i]->report, filter))
            continue;
        ++*total;
        pick_add(&pick, all[i]->report);
    }
    pick_sort(&pick);
    for (size_t i = 0; i < pick.count; i++)
        ret[i] = rows[i];
    return pick.count;
}
