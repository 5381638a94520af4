/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contacts.h - records of the contact with agents
 *
 * A node in service whose agent has sent nothing for several heartbeat intervals is silent: it keeps its
 * state and its containers, and is shown as silent until it is heard of, or lost (liveness.h). Nodes in
 * service are on one of two lists, both in the order of their last heartbeat, so that a heartbeat and
 * the timer cost the same for any number of nodes.
 */
#ifndef CREEL_RM_MASTER_CONTACTS_H
#define CREEL_RM_MASTER_CONTACTS_H

#include <bsd/sys/queue.h>
#include <stdint.h>

#include "rm/master/deadline.h"

struct master;
struct node;

struct ack { /* heartbeat SEQ may be acknowledged when row STORE_SEQ is on disk */
    TAILQ_ENTRY(ack) link;
    uint64_t seq, store_seq;
};

struct contacts {
    TAILQ_HEAD(, node)
    heard, silent; /* nodes in service; the one whose last heartbeat is oldest comes first */
    uint32_t silent_count;
    struct deadline silence; /* timer: the first node of HEARD is silent */
};

void rm_contacts_init(struct master *m);
/* NODE begins, or ends, its service: it has a place in the scheduler. */
void rm_contacts_begin(struct master *m, struct node *node);
void rm_contacts_end(struct master *m, struct node *node);
/* The agent of NODE has sent something now. */
void rm_contacts_heard(struct master *m, struct node *node);
/* Handles the timer of silence. */
void rm_contacts_on_timer(struct master *m);

#endif
