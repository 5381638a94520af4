/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - the agent's state for a handler, or an error */
#include "nm-agent/web/handlers.h"
#include "web/rest/format.h"

const Creel__AgentSnapshot *node_state(struct exchange *exchange)
{
    const struct node_view *view = exchange_application(exchange);

    if (view->snapshot != NULL)
        return view->snapshot;
    exchange_add_header(exchange, "Retry-After", "1");
    rest_refuse(exchange, 503, "the agent did not answer in time");
    return NULL;
}
