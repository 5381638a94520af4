/* SPDX-License-Identifier: Apache-2.0 */
/* app_nodes.h - nodes of an application: those that it used, and those on which it failed */
#ifndef CREEL_RM_MASTER_APP_NODES_H
#define CREEL_RM_MASTER_APP_NODES_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

/* A node on which the application had containers, until the node has cleaned up after the application. */
struct app_node {
    UT_hash_handle hh;
    char *node_id;        /* owned */
    uint32_t live;        /* containers of the application on the node that have not ended */
    uint32_t key_attempt; /* attempt whose key was announced to the node; 0: none */
    bool has_row;         /* the row of an ended container of the application on the node is kept
                             (completed.h) */
};

/* A node on which the first container of an attempt failed (failed_nodes.h). */
struct failed_node {
    UT_hash_handle hh;
    char *node_id;    /* owned */
    uint32_t attempt; /* the first attempt that failed there */
    int32_t exit_status;
};

#endif
