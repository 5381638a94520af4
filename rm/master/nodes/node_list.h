/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_list.h - a list of nodes that have something in common, with their number
 *
 * A node is on a list by an entry of its own, which is a member of the node. Adding, removing and finding out
 * whether a node is on the list take the same time for any number of nodes.
 */
#ifndef CREEL_RM_MASTER_NODE_LIST_H
#define CREEL_RM_MASTER_NODE_LIST_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct node;
struct text_builder;

struct node_entry { /* zeros: it is on no list */
    TAILQ_ENTRY(node_entry) link;
    struct node *node; /* NULL: it is on no list */
};

struct node_list {
    TAILQ_HEAD(, node_entry) entries; /* in the order in which they were added */
    uint32_t count;
};

void rm_node_list_init(struct node_list *list);
/* Returns true if the node of ENTRY is on its list. */
bool rm_node_list_has(const struct node_entry *entry);
/* Adds NODE, whose entry of LIST is ENTRY, as the last one, or removes it. Nothing changes if NODE is on the
 * list, or is not, already. */
void rm_node_list_set(struct node_list *list, struct node_entry *entry, struct node *node, bool listed);
/* Returns the node that was added first; NULL: the list is empty. */
struct node *rm_node_list_first(const struct node_list *list);

/* Adds a text about NODE to TEXT. */
typedef void node_describe_fn(struct text_builder *text, const struct node *node);
/* Returns the texts of the first FORMAT_NAMES nodes (format.h) and the number of the others, in ARENA. */
const char *rm_node_list_text(const struct node_list *list, struct arena *arena, node_describe_fn *describe);

#endif
