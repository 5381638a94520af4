/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duty.h - what nodes are there for: drained, decommissioned, excluded, larger or smaller
 *
 * (yarn-behaviour 15.) A part of internal.h. People and the lists of hosts say what a node's duty
 * is; the table is in states.c. What runs on a node that has to go, or does not fit on it any
 * more, is pressed: told a time, and stopped then. What was told holds, even if the node is to
 * serve again meanwhile: a container may have begun to end because of it.
 */
#ifndef CREEL_RM_MASTER_DUTY_H
#define CREEL_RM_MASTER_DUTY_H

#include <bsd/sys/queue.h>
#include <uthash.h>

#include "rm/master/deadline.h"
#include "rm/master/master.h"
#include "rm/master/states.h"

struct container;
struct node;

/* Is the node to serve, and who says so (duty.c)? */
struct duty {
    enum duty_state state;
    bool by_file;                       /* the lists of hosts say so, not a person */
    bool forced;                        /* what runs is stopped without a notice */
    char *by, *reason;                  /* owned; NULL while it serves */
    int64_t since_ms;
    int64_t deadline_ms;                /* what runs is told to go then; 0: never */
};

/* Its size as set by hand (size.c). */
struct size {
    struct resource set;                /* amounts above 0 count instead of what it offers */
    char *by;                           /* owned; NULL: nothing is set */
    int64_t until_ms;                   /* 0: for ever */
    int64_t overcommit_ms;              /* what does not fit is stopped then; 0: never */
};

struct watcher {                        /* of WaitNodes */
    TAILQ_ENTRY(watcher) link;
    struct deadline deadline;
    enum master_channel channel;
    uint64_t connection, request_id;
};

/* The lists of hosts (hosts.c). */
struct host {
    UT_hash_handle hh;
    char *name;                         /* owned */
    bool timed;
    int64_t timeout_ms;                 /* if TIMED; below 0: none */
};

struct hosts {
    struct host *include, *exclude;     /* owned */
    bool has_addresses;                 /* some names are IP addresses */
    int64_t timeout_ms;                 /* of graceful decommissioning, if nobody says */
};

/* duty.c: draining and decommissioning */
bool rm_duty_serves(const struct node *node);
struct duty_order {                     /* texts are copied */
    enum duty_event event;
    const char *by, *reason;            /* REASON NULL or "": an earlier one stays */
    bool by_file, forced;
    bool deadline_said;                 /* else an earlier one stays */
    int64_t deadline_ms;                /* 0: none */
};
/* Could ORDER be carried out? -EINVAL: ERR says why not. */
int rm_duty_judge(const struct node *node, const struct duty_order *order, struct err *err);
void rm_duty_order(struct master *m, struct node *node, const struct duty_order *order);
/* A person's sentence: "is drained by ann: disk". In the step's arena. */
const char *rm_duty_words(struct master *m, const struct node *node);
/* Something of NODE went or came: look at the end of the step whether it is empty. */
void rm_duty_mark(struct master *m, struct node *node);
void rm_duty_look(struct master *m);
/* How many applications that are not over had something on NODE. */
uint32_t rm_duty_apps(const struct master *m, const struct node *node);
/* NODE is about to go for good: so does its row. */
void rm_duty_forget(struct master *m, struct node *node);
void rm_duty_recovered(struct master *m, struct node *node);
Creel__NodeDuty *rm_duty_message(struct master *m, const struct node *node);
Creel__StoredDuty rm_duty_stored(enum duty_state state);

/* press.c: what runs on a node and has to go; and how large a node counts */
void rm_press(struct master *m, struct node *node);
/* The node's share in the cluster's total: what is used, if it takes nothing new. */
void rm_press_total(struct master *m, struct node *node);
/* TOTAL follows from what its agent offers and what was set. */
void rm_press_resize(struct master *m, struct node *node);
int rm_press_judge(struct master *m, const struct node *node, const Creel__SetNodeResources *body,
                   struct err *err);
void rm_press_set(struct master *m, struct node *node, const Creel__SetNodeResources *body,
                  const char *user);

/* hosts.c: lists of hosts that may, and may not, be part of the cluster */
void rm_hosts_done(struct hosts *hosts);
/* Why NODE_ID at ADDRESS may not, in the step's arena; NULL: it may. *TIMEOUT (may be NULL): of its
 * entry, if it has one with a time. */
const char *rm_hosts_refusal(struct master *m, const char *node_id, const char *address,
                             const struct host **ret);
/* Names in the exclude list that fit no node, for the list of nodes. */
void rm_hosts_each_unknown(struct master *m, void (*each)(void *context, const char *name),
                           void *context);
void rm_hosts_recovered(struct master *m);
/* NODE has come or gone, or the lists are new: a node that is gone, and stands in neither list
 * although there is one of who may be here, is forgotten a while later. */
void rm_hosts_watch(struct master *m, struct node *node);
void rm_hosts_forget(struct master *m, struct node *node);

/* master_duty.c: requests */
void rm_on_change_nodes(struct master *m, const struct master_peer *peer,
                        const Creel__Envelope *in);
void rm_on_set_node_resources(struct master *m, const struct master_peer *peer,
                              const Creel__Envelope *in);
void rm_on_wait_nodes(struct master *m, const struct master_peer *peer, const Creel__Envelope *in);
void rm_on_refresh_nodes(struct master *m, const struct master_peer *peer,
                         const Creel__Envelope *in);
void rm_watchers_answer(struct master *m);
void rm_watcher_answer(struct master *m, struct watcher *watcher);
void rm_watchers_free(struct master *m);

#endif
