/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - the lists and reports of YARN's commands
 *
 * Order and separators of columns, names of lines and the lines before a list are those of Hadoop 3.4. What
 * creel does not have is printed as YARN prints it when it is off: "N/A", -1, DISABLED.
 */
#ifndef CREEL_YARN_PRINT_H
#define CREEL_YARN_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "client/include/creel-admin.h"

/* --- applications ---------------------------------------------------------- */

struct print_app_list {
    const char *types, *states, *tags; /* of the filter, as "RUNNING, FINISHED" */
    const struct creel_app *const *apps;
    size_t count;
};

void print_app_list(FILE *out, const struct print_app_list *list);
/* NOW_MS: by the clock of the resource manager. */
void print_app(FILE *out, const struct creel_app *app, int64_t now_ms);

/* --- attempts and containers ------------------------------------------------ */

/* CONTAINERS: all containers of APP that the resource manager knows. */
void print_attempt_list(FILE *out, const struct creel_app *app, const struct creel_containers *containers);
void print_attempt(FILE *out, const struct creel_app *app, uint32_t number,
                   const struct creel_containers *containers);

/* Prints those CONTAINERS that are of attempt NUMBER. NODES: all nodes, for the addresses in the columns.
 * SECURE: the agents serve HTTPS. */
void print_container_list(FILE *out, const struct creel_containers *containers, uint32_t number,
                          const struct creel_nodes *nodes, bool secure);
void print_container(FILE *out, const struct creel_container *container, const struct creel_nodes *nodes,
                     bool secure);

/* --- nodes and queues -------------------------------------------------------- */

/* DETAILS: with the lines of -showDetails. */
void print_node_list(FILE *out, const struct creel_node *const *nodes, size_t count, bool details);
void print_node(FILE *out, const struct creel_node *node);

void print_queue(FILE *out, const struct creel_queue *queue);
/* The boxed table of `queue -list`. */
void print_queue_list(FILE *out, const struct creel_queue *const *queues, size_t count);

/* --- properties --------------------------------------------------------------- */

/* Prints a configuration file of Hadoop with the COUNT properties ENTRIES. */
void print_properties(FILE *out, const struct creel_conf_entry *entries, size_t count);

#endif
