/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flapping.h - finds nodes that become silent again and again (contacts.h)
 *
 * Such a node is heard of between two silences, so that it never counts as lost, and each silence is short. A
 * node flaps when it has become silent FLAPPING_SILENCES times, each time within FLAPPING_MS of the last. It
 * does so until it has been heard of for FLAPPING_MS, or is not in service any more. Flapping nodes are on a
 * list in the order of their last silence, so that the check of health costs the same for any number of
 * nodes.
 */
#ifndef CREEL_RM_MASTER_FLAPPING_H
#define CREEL_RM_MASTER_FLAPPING_H

#include <stdint.h>

#include "rm/master/nodes/node_list.h"

#define FLAPPING_SILENCES 3
#define FLAPPING_MS 900000

struct master;
struct master_node_faults;
struct node;

struct flaps {                     /* of a node */
    struct node_entry in_flapping; /* contacts.flapping, in the order of the begins of the last silences */
    uint32_t silences;             /* each began within FLAPPING_MS of the one before */
    int64_t last_ms;               /* begin of the last one */
};

void rm_flapping_init(struct master *m);
/* NODE has become silent now. */
void rm_flapping_note(struct master *m, struct node *node);
/* NODE is not in service any more: its silences are forgotten. */
void rm_flapping_forget(struct master *m, struct node *node);
/* Sets the flapping nodes of RET, with their text in the arena of the step. */
void rm_flapping_find(struct master *m, struct master_node_faults *ret);

#endif
