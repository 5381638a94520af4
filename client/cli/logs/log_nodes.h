/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_nodes.h - the nodes from which logs are read: those that do not answer cost one time limit for all
 *
 * Connections to all nodes are opened at once. When the first node has not answered within the time limit of
 * the client, every node whose connection is not there by then counts as silent, too, and the others get a
 * short time. Logs of a silent node are not asked for again.
 */
#ifndef CREEL_CLI_LOG_NODES_H
#define CREEL_CLI_LOG_NODES_H

#include <stdbool.h>

#include "client/include/creel.h"

struct log_nodes; /* opaque */

struct log_nodes *log_nodes_new(struct creel_client *client); /* borrows CLIENT */
void log_nodes_free(struct log_nodes *nodes);

/* Begins to connect to the node of CONTAINER. */
void log_nodes_add(struct log_nodes *nodes, const struct creel_container *container);

/* Returns false if the node of CONTAINER is silent, and its logs are not to be read; the container is
 * counted. Else sets the time limit of LOG, a log of CONTAINER. */
bool log_nodes_may_read(struct log_nodes *nodes, const struct creel_container *container,
                        struct creel_log *log);
/* The node of CONTAINER did not answer, or is not connected to the cluster. */
void log_nodes_set_silent(struct log_nodes *nodes, const struct creel_container *container);

/* Calls FN for each silent node of which logs were not asked for, with the number of containers. */
void log_nodes_each_silent(const struct log_nodes *nodes,
                           void (*fn)(void *context, const char *node_id, unsigned containers),
                           void *context);

#endif
