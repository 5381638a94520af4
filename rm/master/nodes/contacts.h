/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contacts.h - records of the contact with agents
 *
 * A node in service whose agent has sent nothing for several heartbeat intervals is silent: it keeps its
 * state and its containers, and is shown as silent until it is heard of, or lost (liveness.h). The nodes that
 * the stored state names are expected, too: a node that does not register is silent since the start of the
 * resource manager, or since its last contact if it was silent before: the row of a node is written when it
 * becomes silent, and when it is heard of again. Expected nodes are on one of two lists, both in the order of
 * their last heartbeat, so that a heartbeat and the timer cost the same for any number of nodes.
 */
#ifndef CREEL_RM_MASTER_CONTACTS_H
#define CREEL_RM_MASTER_CONTACTS_H

#include <bsd/sys/queue.h>
#include <stdint.h>

#include "rm/master/nodes/flapping.h"
#include "rm/master/state/deadline.h"

struct master;
struct node;

struct ack { /* heartbeat SEQ may be acknowledged when row STORE_SEQ is on disk */
    TAILQ_ENTRY(ack) link;
    uint64_t seq, store_seq;
};

struct contacts {
    TAILQ_HEAD(, node)
    heard, silent; /* expected nodes; the one whose last heartbeat is oldest comes first */
    uint32_t silent_count;
    uint64_t silences;         /* since the start: how often a node has become silent */
    struct node_list flapping; /* flapping.h */
    struct deadline silence;   /* timer: the first node of HEARD is silent */
};

void rm_contacts_init(struct master *m);
/* Expects the nodes of the stored state, and sets their expiry timers. */
void rm_contacts_recovered(struct master *m);
/* Heartbeats of NODE are expected from now on, or no longer. The time begins now. */
void rm_contacts_begin(struct master *m, struct node *node);
void rm_contacts_end(struct master *m, struct node *node);
/* The agent of NODE has sent something now. */
void rm_contacts_heard(struct master *m, struct node *node);
/* Handles the timer of silence. */
void rm_contacts_on_timer(struct master *m);

#endif
