/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - JSON or XML of a client, read into one form (pure)
 *
 * A member that is a list in JSON is as many children of one name, as repeated elements in XML are: a client
 * may send an object where it means a list of one. Numbers and truth values are texts. Attributes of XML are
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
    const char *text;                   /* "": it has children, or is empty */
    struct tree *first, *last, *next;
};

/* Reads BYTES into memory of ARENA: RET is the root object, whatever its name. A JSON object whose only
 * member is the object ROOT is that object. -EINVAL: ERR has the problem and its place. */
int tree_read_json(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                   struct err *err);
/* The root element must be called ROOT. */
int tree_read_xml(struct arena *arena, const char *bytes, size_t size, const char *root, struct tree **ret,
                  struct err *err);

/* The first child of that name; NULL: there is none. TREE may be NULL. */
const struct tree *tree_find(const struct tree *tree, const char *name);
/* The next sibling of the same name. */
const struct tree *tree_next(const struct tree *tree);
/* The text of a child; NULL: there is none. */
const char *tree_text(const struct tree *tree, const char *name);

#endif
