/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.c - /prometheus/sd: the agents' /metrics as targets for http_sd_configs of Prometheus
 *
 * A lost node remains a target, so that Prometheus shows that it is down. Until the model is complete, the
 * answer is 503, and Prometheus keeps its last list.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/json_writer.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/lists.h"
#include "web/rest/parts/reply.h"
#include "yarn/node.h"

/* Returns whether NODE is a target. Nodes that are decommissioned or shut down have no agent that could
 * answer. */
static bool is_target(const Creel__NodeReport *node)
{
    return *node->http_address != '\0' && node->state != CREEL__NODE_STATE__NODE_DECOMMISSIONED &&
           node->state != CREEL__NODE_STATE__NODE_SHUT_DOWN;
}

static void add_target(struct json_writer *json, const Creel__NodeReport *node, bool secure)
{
    json_begin_object(json, NULL);
    json_begin_array(json, "targets");
    json_text(json, NULL, node->http_address);
    json_end_array(json);
    json_begin_object(json, "labels");
    if (secure)
        json_text(json, "__scheme__", "https");
    json_text(json, "__meta_creel_node", node->node_id);
    json_text(json, "__meta_creel_rack", node->rack);
    json_text(json, "__meta_creel_label", node->label);
    json_text(json, "__meta_creel_state", yarn_node_state(node->state));
    json_end_object(json);
    json_end_object(json);
}

void servlet_targets(struct exchange *exchange)
{
    const struct web_node_filter all = { .states = 0 };
    const Creel__NodeReport **nodes;
    struct json_writer json;
    char *text = NULL;
    size_t count, size = 0;
    FILE *out;

    if (!rest_model_is_complete(exchange))
        return;
    if ((out = open_memstream(&text, &size)) == NULL)
        abort();
    count = rest_list_nodes(rest_model(exchange), exchange_arena(exchange), &all, &nodes);
    json_init(&json, out, true);
    json_begin_array(&json, NULL);
    for (size_t i = 0; i < count; i++)
        if (is_target(nodes[i]))
            add_target(&json, nodes[i], exchange_is_secure(exchange));
    json_end_array(&json);
    json_finish(&json);
    if (fclose(out) != 0)
        abort();
    exchange_answer(exchange, 200, "application/json", text, size);
    free(text);
}
