/* SPDX-License-Identifier: Apache-2.0 */
/* show_node.h - prints nodes, and texts about drained, decommissioned or resized nodes */
#ifndef CREEL_CLI_SHOW_NODE_H
#define CREEL_CLI_SHOW_NODE_H

#include "client/cli/frame/cli.h"
#include "common/base/json_writer.h"
#include "common/base/text.h"

/* Prints NODES in the requested format; only nodes that are also in ONLY, unless ONLY is NULL. */
int show_nodes(struct cli *cli, const struct creel_nodes *nodes, const struct creel_nodes *only);

/* Returns a text for a column: "drained by ann: disk", or the node's health report. */
const char *show_node_report(const struct creel_node *node, char *text, size_t size);
/* Return the time until the deadline of a node that is being drained, at which its containers get a notice,
 * and until the latest end of its containers: "12:03"; "passed"; "stuck": one cannot end; "": there is none.
 * The result is in TEXT or is a constant. */
const char *show_node_time(const struct creel_node *node, char text[TEXT_SIZE_MAX]);
const char *show_node_end(const struct creel_node *node, char text[TEXT_SIZE_MAX]);
/* "3 containers left, notice in 12:03, ended in 12:28 at the latest"; "3 containers left; 1 cannot end, the
 * others end in 00:12 at the latest" */
const char *show_node_left(const struct creel_node *node, char *text, size_t size);

/* Returns the first container that does not end, and the number of the others; "": all end. */
const char *show_node_stuck(const struct creel_node *node, char *text, size_t size);

/* Returns the node's clock minus the resource manager's: "+0.012 s", "-01:00:00"; "" if unknown. */
const char *show_node_skew(const struct creel_node *node, char text[TEXT_SIZE_MAX]);
/* Returns "12.0 s ahead of" or "12.0 s behind". */
const char *show_skew(int64_t skew_ms, char text[TEXT_SIZE_MAX]);

/* Prints lines for `creel node show`; nothing for a node in normal service. */
void show_node_admin_state(const struct creel_node *node);
void show_node_size(const struct creel_node *node);
void show_node_reservation(const struct creel_node *node); /* for which application it is reserved */
/* Writes the fields of the open object. */
void show_node_json(const void *node, struct json_writer *writer);

#endif
