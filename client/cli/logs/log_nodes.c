/* SPDX-License-Identifier: Apache-2.0 */
/* log_nodes.c - the nodes from which logs are read */
#include "client/cli/logs/log_nodes.h"

#include <stdlib.h>
#include <string.h>

#ifndef HASH_FUNCTION
#define HASH_FUNCTION HASH_OAT /* the default one has fall-through cases without a mark */
#endif
#include <uthash.h>

#include "client/libcreel/client.h"
#include "common/base/mem.h"

#define SHORT_TIMEOUT_MS 1000 /* for a connected node, after another one was silent */

struct node {
    char *id;              /* owned */
    struct creel_log *log; /* owned; holds the connection; NULL: not connected to the cluster */
    bool silent;
    unsigned skipped;           /* containers whose logs were not asked for */
    const char *last_container; /* of them; borrowed */
    UT_hash_handle hh;
};

struct log_nodes {
    struct creel_client *client;
    struct node *all;
    bool one_was_silent;
};

struct log_nodes *log_nodes_new(struct creel_client *client)
{
    struct log_nodes *nodes = mem_new0(struct log_nodes);

    nodes->client = client;
    return nodes;
}

void log_nodes_free(struct log_nodes *nodes)
{
    struct node *node, *next;

    if (nodes == NULL)
        return;
    HASH_ITER(hh, nodes->all, node, next) {
        HASH_DEL(nodes->all, node);
        creel_log_close(node->log);
        free(node->id);
        free(node);
    }
    free(nodes);
}

static struct node *find(const struct log_nodes *nodes, const char *id)
{
    struct node *node;

    HASH_FIND_STR(nodes->all, id, node);
    return node;
}

void log_nodes_add(struct log_nodes *nodes, const struct creel_container *container)
{
    struct node *node;

    if (find(nodes, container->node_id) != NULL)
        return;
    node = mem_new0(struct node);
    node->id = mem_strdup(container->node_id);
    if (creel_log_open(nodes->client, container, "stdout", &node->log, NULL) < 0)
        node->log = NULL;
    HASH_ADD_KEYPTR(hh, nodes->all, node->id, strlen(node->id), node);
}

bool log_nodes_may_read(struct log_nodes *nodes, const struct creel_container *container,
                        struct creel_log *log)
{
    struct node *node = find(nodes, container->node_id);

    if (node == NULL)
        return true;
    if (nodes->one_was_silent && !node->silent)
        node->silent = node->log != NULL && !log_is_connected(node->log);
    if (node->silent) {
        node->skipped += node->last_container == NULL || strcmp(node->last_container, container->id) != 0;
        node->last_container = container->id;
        return false;
    }
    if (nodes->one_was_silent && log != NULL)
        log_set_timeout(log, SHORT_TIMEOUT_MS);
    return true;
}

void log_nodes_set_silent(struct log_nodes *nodes, const struct creel_container *container)
{
    struct node *node = find(nodes, container->node_id);

    if (node == NULL)
        return;
    nodes->one_was_silent = nodes->one_was_silent || node->log != NULL;
    node->silent = true;
}

void log_nodes_each_silent(const struct log_nodes *nodes,
                           void (*fn)(void *context, const char *node_id, unsigned containers), void *context)
{
    const struct node *node;

    for (node = nodes->all; node != NULL; node = node->hh.next)
        if (node->skipped > 0)
            fn(context, node->id, node->skipped);
}
