/* SPDX-License-Identifier: Apache-2.0 */
/* lists.h - collects all nodes or applications that match a filter, in the request's arena */
#ifndef CREEL_WEB_REST_LISTS_H
#define CREEL_WEB_REST_LISTS_H

#include <stdbool.h>

#include "common/base/arena.h"
#include "web/model/model.h"
#include "web/rest/parts/pieces.h"

/* Each returns the number of rows, and the rows in *RET, an array in ARENA. MODEL owns the reports. */
size_t rest_list_nodes(const struct web_model *model, struct arena *arena,
                       const struct web_node_filter *filter, const Creel__NodeReport ***ret);
/* Returns the ids of these nodes, in the arena of the exchange. */
struct rest_names rest_list_node_ids(struct exchange *exchange, const struct web_node_filter *filter);
/* Returns at most the first MOST applications in ORDER. */
size_t rest_list_apps(const struct web_model *model, struct arena *arena, const struct web_app_filter *filter,
                      enum web_app_order order, bool descending, size_t most, const Creel__AppReport ***ret);
/* Returns the applications that are accepted or running, the oldest first. */
size_t rest_list_active_apps(const struct web_model *model, struct arena *arena,
                             const Creel__AppReport ***ret);

#endif
