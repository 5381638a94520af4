/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starting.h - containers that their agents have begun to start, and that do not run yet
 *
 * The list is in the order of the first reports, so that slow starts are found without a walk over all
 * containers. A start may hang for long: its directory is on a mount that does not answer, or
 * its process is stopped.
 */
#ifndef CREEL_RM_MASTER_STARTING_H
#define CREEL_RM_MASTER_STARTING_H

#include <stdint.h>

#define STARTING_SHOWN_MS 30000 /* creel why has the age of a start that takes longer */
#define STARTING_SLOW_MS 120000 /* the check slow-starts has those that take longer */

struct master;
struct container;
struct master_node_faults;

void rm_starting_init(struct master *m);
/* The agent of CONTAINER has reported it. */
void rm_starting_begin(struct master *m, struct container *container);
/* The agent of CONTAINER has reported another state of it. */
void rm_starting_shown(struct master *m, struct container *container);
/* CONTAINER is being stopped, or has ended. Does nothing if it is not on the list. */
void rm_starting_end(struct master *m, struct container *container);
/* Sets the number of slow starts, and a text with the first of them, in the arena of the step. */
void rm_starting_find(const struct master *m, struct master_node_faults *ret);

#endif
