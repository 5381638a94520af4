/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing_accounts.h - nodes that lack the UNIX accounts of users who have them on other nodes
 *
 * A container whose user has no account on its node does not start there (ContainerStatus.no_account). That
 * is no fault of the node if the account is nowhere: one user could mark all nodes. So a node is faulty
 * only if a container of the user has started on another node since. The node keeps its state; its reports
 * name the accounts. An account is forgotten when a container of its user starts on the node, or
 * MISSING_SHOWN_MS after the last failure. Nothing of this is stored.
 */
#ifndef CREEL_RM_MASTER_MISSING_ACCOUNTS_H
#define CREEL_RM_MASTER_MISSING_ACCOUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define MISSING_ACCOUNTS_MAX 8   /* of a node; further ones are not counted */
#define MISSING_SHOWN_MS 1800000 /* half an hour */

struct container;
struct master;
struct node;
struct text_builder;

struct missing_account {
    char *user; /* owned */
    int64_t first_ms, last_ms;
};

struct missing_accounts { /* of a node */
    struct missing_account items[MISSING_ACCOUNTS_MAX];
    size_t count;
    char *text; /* owned; names those that other nodes have; NULL: none */
};

/* Takes the start, or the failure of the start, in STATUS. Called before CONTAINER is updated from STATUS.
 * */
void rm_missing_accounts_count(struct master *m, const struct container *container,
                               const Creel__ContainerStatus *status);
/* Sets the text of NODE, which has reported, or does not serve any more. */
void rm_missing_accounts_update(struct master *m, struct node *node);
/* Adds the health report of NODE, and that text, to TEXT; nothing: it has neither. */
void rm_missing_accounts_add_report(struct text_builder *text, const struct node *node);
/* Returns the same, in the arena of the step. */
const char *rm_missing_accounts_report(const struct master *m, const struct node *node);
/* Frees what MISSING owns. */
void rm_missing_accounts_done(struct missing_accounts *missing);

#endif
