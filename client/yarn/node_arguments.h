/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_arguments.h - parses the arguments of `yarn rmadmin` about labels and sizes of nodes
 *
 * The functions modify the text that they parse; results point into it. -EINVAL, with a message, if the text
 * is invalid.
 */
#ifndef CREEL_YARN_NODE_ARGUMENTS_H
#define CREEL_YARN_NODE_ARGUMENTS_H

#include <stddef.h>

#include "client/include/creel-admin.h"
#include "common/base/err.h"

#define NODE_ARGUMENTS_MAX 1024 /* labels or nodes of one command */

/* Parses "gpu,fast(exclusive=false)". */
int node_arguments_labels(char *text, struct creel_label_spec specs[NODE_ARGUMENTS_MAX], size_t *count,
                          struct err *err);

struct node_label_change {
    const char *node;  /* host or host:port */
    const char *label; /* "": none */
};

/* Parses "n1:8041=gpu n2,fast n3", also with commas instead of "=", as YARN reads it. */
int node_arguments_changes(char *text, struct node_label_change changes[NODE_ARGUMENTS_MAX], size_t *count,
                           struct err *err);

/* Parses "memory-mb=8192Mi,vcores=4". Other types are refused. */
int node_arguments_amounts(char *text, struct creel_resource *ret, struct err *err);

#endif
