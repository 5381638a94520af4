/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing.h - nodes on which most containers fail soon after their start
 *
 * Something that all containers need may be broken on such a node, as a limit of processes, a file system
 * or a library, although its agent starts them. The last FAILING_ENDS ends of containers of each node count.
 * Ends that the cluster or the application ordered do not. A node is failing if most of these ends were
 * failures within FAILING_SOON_MS, and
 *   - those of several applications, of several users: the broken jobs of one user, or one broken array, make
 *     no node failing; or
 *   - starts that failed by a fault of the node, as its agent reports (ContainerStatus.node_fault).
 * The node keeps its state, since a fault of the jobs may look the same: the check failing-nodes names it.
 * Nothing of this is stored.
 */
#ifndef CREEL_RM_MASTER_FAILING_H
#define CREEL_RM_MASTER_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/id.h"
#include "common/proto/creel.pb-c.h"
#include "rm/master/nodes/node_list.h"

#define FAILING_ENDS 10
#define FAILING_LEAST 5          /* least number of failures among them */
#define FAILING_APPS 3           /* least number of applications of these; an array is one */
#define FAILING_USERS 2          /* least number of their users */
#define FAILING_SOON_MS 10000    /* time between start and end */
#define FAILING_SHOWN_MS 1800000 /* a node is named for this time after its last failure */

struct container;
struct master;
struct master_node_faults;
struct node;

struct failing_end {   /* of a container */
    struct app_id app; /* of a task of an array: the array */
    char *user;        /* owned */
    bool failed;       /* soon after its start */
    bool node_fault;   /* it was not started, by a fault of the node */
};

struct failing {                           /* of a node; zeros: no container has ended there */
    struct node_entry in_failing;          /* node_faults.failing, in the order of the last failures */
    struct failing_end ends[FAILING_ENDS]; /* a ring: the next one replaces the oldest */
    size_t count, next;
    int64_t last_ms; /* of the last failure; valid while the node is on the list */
    char *last;      /* owned; that container, and how it ended; NULL: none */
};

void rm_failing_init(struct master *m);
/* Counts the end in STATUS. Called before CONTAINER is updated from STATUS. */
void rm_failing_count(struct master *m, const struct container *container,
                      const Creel__ContainerStatus *status);
/* NODE does not serve any more: its ends are forgotten. */
void rm_failing_forget(struct master *m, struct node *node);
/* Frees what FAILING owns, of a node that was forgotten before. */
void rm_failing_done(struct failing *failing);
/* Sets the number of failing nodes, and a text with the first of them, in the arena of the step. */
void rm_failing_find(struct master *m, struct master_node_faults *ret);

#endif
