/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_faults.h - what the agents of nodes in service report and an operator has to repair
 *
 * That is containers that do not end, other versions than the resource manager's, problems that healthy nodes
 * report, agents that end again and again, and TLS certificates (certificates.h). Nodes are on lists
 * (node_list.h) that change with each report, so that the checks of health cost the same for any number of
 * nodes.
 */
#ifndef CREEL_RM_MASTER_NODE_FAULTS_H
#define CREEL_RM_MASTER_NODE_FAULTS_H

#include <stdint.h>

#include "rm/master/nodes/certificates.h"
#include "rm/master/nodes/common_faults.h"
#include "rm/master/nodes/failing.h"
#include "rm/master/nodes/flapping.h"
#include "rm/master/nodes/missing_accounts.h"
#include "rm/master/nodes/node_list.h"

/* Number of ends in an hour, without a stop, from which an agent counts as one that ends again and again. */
#define NODE_FAULTS_CRASHES 3

struct app;
struct master;
struct master_node_faults;
struct node;

struct faulty { /* of a node */
    struct failing failing;
    struct failed_start start;
    struct counted_faults counted;
    struct node_entry in_stuck, in_versions, in_reports, in_crashing;
    uint32_t stuck;   /* containers that are counted; above 0: is on the list */
    uint32_t crashes; /* ends of its agent in the last hour that were no stops, as reported */
    struct certificate certificate;
    struct flaps flaps;
    struct missing_accounts missing;
};

struct node_faults {
    struct node_list failing; /* failing.h */
    struct node_list stuck, versions, reports, crashing;
    uint32_t stuck_containers;
    struct common_fault *common; /* owned, uthash by key: common_faults.h */
    uint32_t registered;         /* nodes that have a session */
};

void rm_node_faults_init(struct master *m);
/* NODE has changed: its session, version, certificate, health or the number of its stuck containers. */
void rm_node_faults_update(struct master *m, struct node *node);
/* Returns a sentence about a container of APP that does not end, in the arena of the step; NULL: none. Reads
 * only nodes that have such containers. */
const char *rm_node_faults_of_app(const struct master *m, const struct app *app);
/* The texts of RET are in the arena of the step. */
void rm_node_faults_find(struct master *m, struct master_node_faults *ret);

#endif
