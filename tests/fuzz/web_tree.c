/* SPDX-License-Identifier: Apache-2.0 */
/* web_tree.c - fuzz target: bodies of REST requests, as JSON and as XML */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "web/text/tree.h"

/* Returns the number of nodes. Checks that the depth is within its limit, and that no name or text is
 * NULL. */
static size_t count(const struct tree *tree, size_t depth)
{
    size_t nodes = 1;

    if (depth > TREE_DEPTH_MAX + 1 || tree->name == NULL || tree->text == NULL)
        abort();
    for (const struct tree *child = tree->first; child != NULL; child = child->next)
        nodes += count(child, depth + 1);
    return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct tree *tree = NULL;
    struct err err;

    if (tree_read_json(arena, (const char *)data, size, "x", &tree, &err) == 0 &&
        count(tree, 0) > TREE_NODES_MAX + 1)
        abort();
    if (tree_read_xml(arena, (const char *)data, size, "x", &tree, &err) == 0 &&
        count(tree, 0) > TREE_NODES_MAX + 1)
        abort();
    arena_free(arena);
    return 0;
}
