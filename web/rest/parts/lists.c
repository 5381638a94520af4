/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - collects all nodes or applications that match a filter, in the request's arena */
#include "web/rest/parts/lists.h"

#include <stdint.h>

#include "web/rest/parts/reply.h"

size_t rest_list_nodes(const struct web_model *model, struct arena *arena,
                       const struct web_node_filter *filter, const Creel__NodeReport ***ret)
{
    struct web_page page = { .limit = 0 };
    size_t total = 0;

    web_model_list_nodes(model, filter, WEB_NODE_BY_ID, &page, NULL, &total);
    *ret = arena_array0(arena, total + 1, sizeof(**ret));
    page.limit = total;
    return web_model_list_nodes(model, filter, WEB_NODE_BY_ID, &page, *ret, &total);
}

static const char *id_of(const void *report)
{
    return ((const Creel__NodeReport *)report)->node_id;
}

struct rest_names rest_list_node_ids(struct exchange *exchange, const struct web_node_filter *filter)
{
    struct arena *arena = arena_new();
    const Creel__NodeReport **nodes;
    size_t count = rest_list_nodes(rest_model(exchange), arena, filter, &nodes);
    struct rest_names ids = rest_names_of(exchange_arena(exchange), (const void *const *)nodes, count, id_of);

    arena_free(arena);
    return ids;
}

size_t rest_list_apps(const struct web_model *model, struct arena *arena, const struct web_app_filter *filter,
                      enum web_app_order order, bool descending, size_t most, const Creel__AppReport ***ret)
{
    size_t count = web_model_count_apps(model, filter), total = 0;
    struct web_page page = { .descending = descending, .limit = count < most ? count : most };

    *ret = arena_array0(arena, page.limit + 1, sizeof(**ret));
    return web_model_list_apps(model, filter, order, &page, *ret, &total);
}

size_t rest_list_active_apps(const struct web_model *model, struct arena *arena,
                             const Creel__AppReport ***ret)
{
    struct web_app_filter filter = {
        .states = 1u << CREEL__APP_STATE__APP_ACCEPTED | 1u << CREEL__APP_STATE__APP_RUNNING,
    };

    return rest_list_apps(model, arena, &filter, WEB_APP_BY_AGE, false, SIZE_MAX, ret);
}
