/* SPDX-License-Identifier: Apache-2.0 */
/* change.h - what has changed since when, for those who keep a copy of the state (changes.h) */
#ifndef CREEL_RM_MASTER_CHANGE_H
#define CREEL_RM_MASTER_CHANGE_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

enum change_kind { CHANGE_APP, CHANGE_NODE, CHANGE_QUEUE, CHANGE_APP_GONE, CHANGE_NODE_GONE };

struct change {
    RB_ENTRY(change) link;
    enum change_kind kind;
    void *owner; /* struct app, struct node, struct queue_change or struct gone, by KIND */
    uint64_t version;
    uint64_t session; /* recording session whose tree contains the change */
};

RB_HEAD(rm_change_tree, change);

struct gone {
    struct change change;
    TAILQ_ENTRY(gone) link;
    char id[];
};

struct queue_change { /* uthash by path */
    UT_hash_handle hh;
    struct change change;
    char path[];
};

struct changes {
    uint64_t session; /* 0: changes are not recorded */
    uint64_t last_session;
    uint64_t version;   /* number of the last change */
    uint64_t forgotten; /* number of the newest removal that was dropped from GONE */
    int64_t asked_ms;
    struct rm_change_tree tree;
    TAILQ_HEAD(, gone) gone; /* owned, the oldest first */
    size_t gone_count;
    struct queue_change *queues; /* owned; queues that have changed in this session */
};

#endif
