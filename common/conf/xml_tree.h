/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_tree.h - a whole XML document in memory, for formats that are no list of properties
 *
 * (fair-scheduler.xml.) Expat reads it; external entities are not read, entity bombs, documents
 * over 16 MiB and elements nested deeper than 100 are errors. Comments are passed over.
 */
#ifndef CREEL_CONF_XML_TREE_H
#define CREEL_CONF_XML_TREE_H

#include <stddef.h>

#include <bsd/sys/queue.h>

#include "common/base/err.h"

#define XML_TREE_BYTES_MAX ((size_t)16 << 20)
#define XML_TREE_DEPTH_MAX 100

struct xml_attribute {
    const char *name, *value;
};

struct xml_node {                       /* all of it belongs to the tree */
    STAILQ_ENTRY(xml_node) link;
    STAILQ_HEAD(, xml_node) children;   /* elements, in their order */
    const char *name;
    const char *text;                   /* its own, without that of elements in it; as written */
    struct xml_attribute *attributes;
    size_t attribute_count;
    size_t line;                        /* where it begins, from 1 */
};

struct xml_tree;

/* Read SIZE bytes of DATA, the content of the file NAME. -EINVAL: it is not XML; ERR is
 *   <name>:<line>:<column>: <reason>: <the line itself> */
int xml_tree_parse(const char *name, const char *data, size_t size, struct xml_tree **ret,
                   struct err *err);
void xml_tree_free(struct xml_tree *tree);              /* NULL is fine */

const struct xml_node *xml_tree_root(const struct xml_tree *tree);

/* The value of the attribute NAME, or NULL. */
const char *xml_node_attribute(const struct xml_node *node, const char *name);

#endif
