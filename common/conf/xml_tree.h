/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_tree.h - parses a whole XML document into memory, for formats other than a list of properties
 *
 * fair-scheduler.xml is such a format. Expat parses the document. External entities are not read. Entity
 * bombs, documents over 16 MiB and elements nested deeper than 100 are errors. Comments are ignored.
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

struct xml_node { /* owned by the tree, with all members */
    STAILQ_ENTRY(xml_node) link;
    STAILQ_HEAD(, xml_node) children; /* child elements, in document order */
    const char *name;
    const char *text; /* text of the element without that of its children; as written */
    struct xml_attribute *attributes;
    size_t attribute_count;
    size_t line; /* line on which the element begins, from 1 */
};

struct xml_tree;

/* Parses SIZE bytes of DATA, the content of the file NAME. -EINVAL: DATA is not XML; ERR is
 *   <name>:<line>:<column>: <reason>: <the line itself> */
int xml_tree_parse(const char *name, const char *data, size_t size, struct xml_tree **ret, struct err *err);
void xml_tree_free(struct xml_tree *tree); /* TREE may be NULL */

const struct xml_node *xml_tree_root(const struct xml_tree *tree);

/* Returns the value of the attribute NAME, or NULL. */
const char *xml_node_attribute(const struct xml_node *node, const char *name);

#endif
