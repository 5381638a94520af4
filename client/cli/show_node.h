/* SPDX-License-Identifier: Apache-2.0 */
/* show_node.h - text about a node that is drained, decommissioned or resized */
#ifndef CREEL_CLI_SHOW_NODE_H
#define CREEL_CLI_SHOW_NODE_H

#include "client/cli/cli.h"
#include "common/base/json_writer.h"
#include "common/base/text.h"

/* NODES in the format that was asked for; those that are in ONLY, too, if that is not NULL. */
int show_nodes(struct cli *cli, const struct creel_nodes *nodes, const struct creel_nodes *only);

/* For a column: "drained by ann: disk", or its health report. */
const char *show_node_report(const struct creel_node *node, char *text, size_t size);
/* How long what runs there has: "12:03", "over", ""; a text that TEXT may hold. */
const char *show_node_time(const struct creel_node *node, char text[TEXT_SIZE_MAX]);
/* "3 containers left, they end in 12:03" */
const char *show_node_left(const struct creel_node *node, char *text, size_t size);

/* "+0.012 s", "-01:00:00": its clock minus the resource manager's; "" if that was not measured. */
const char *show_node_skew(const struct creel_node *node, char text[TEXT_SIZE_MAX]);
/* "12.0 s ahead of", "12.0 s behind" */
const char *show_skew(int64_t skew_ms, char text[TEXT_SIZE_MAX]);

/* Lines of `creel node show`; nothing of a node that is as usual. */
void show_node_admin_state(const struct creel_node *node);
void show_node_size(const struct creel_node *node);
/* Fields of the open object. */
void show_node_json(const struct creel_node *node, struct json_writer *json);

#endif
