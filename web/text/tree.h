/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - parses a client's JSON or XML into the same kind of tree (pure)
 *
 * A JSON list becomes several children of one name, like repeated elements in XML. So a client may send an
 * object instead of a list of one. Numbers and truth values are texts. Attributes of XML are
 * ignored. Depth and number of nodes are bounded, documents with a DTD are refused.
 */
#ifndef CREEL_WEB_TEXT_TREE_H
#define CREEL_WEB_TEXT_TREE_H

#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

#define TREE_DEPTH_MAX 32
#define TREE_NODES_MAX 100000

struct tree {
    const char *name;
    const char *text; /* "": the node has children, or is empty */
    struct tree *first, *last, *next;
};

/* Reads BYTES into memory of ARENA: RET becomes the outermost object. If its only
 * member is an object named ROOT, RET becomes that member: {"ROOT": {...}} and {...} are the same.
 * -EINVAL: ERR has the error and its position. */
int tree_read_json(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                   struct err *err);
/* Like tree_read_json, for XML; the root element must be called ROOT. */
int tree_read_xml(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                  struct err *err);

/* Returns the first child called NAME; NULL: no such child. TREE may be NULL. */
const struct tree *tree_find(const struct tree *tree, const char *name);
/* Returns the next sibling with the same name; NULL: none. */
const struct tree *tree_next(const struct tree *tree);
/* Returns the text of the child NAME; NULL: no such child. */
const char *tree_text(const struct tree *tree, const char *name);

#endif
