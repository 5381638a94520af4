/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-admin.h - libcreel: what administrators change in the running cluster
 *
 * Drain and resize nodes, put them into partitions (labels), add and remove labels, stop queues, and have the
 * configuration of queues and hosts read again. These changes survive restarts of the RM. -EPERM: the user is
 * not in yarn.admin.acl. Errors and ownership of results are as in creel.h.
 */
#ifndef CREEL_ADMIN_H
#define CREEL_ADMIN_H

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- nodes ----------------------------------------------------------------- */

/* Nodes are ids, or hosts with one node. All are changed or none. -ENOENT: a node is not known (the error
 * names it); -EBUSY: the change is not possible now (the error has the reason). */
enum creel_node_change_kind {
    CREEL_NODE_DRAIN = 1, CREEL_NODE_UNDRAIN, CREEL_NODE_DECOMMISSION, CREEL_NODE_RECOMMISSION,
};

struct creel_node_order {
    enum creel_node_change_kind change;
    const char *reason;                 /* NULL: an earlier one stays */
    bool deadline_given;                /* else an earlier one stays, or the usual one counts */
    int64_t timeout_ms;                 /* from now; below 0: no deadline */
    bool kill_now;                      /* stop what runs there at once */
};

int creel_node_change(struct creel_client *client, const char *const *nodes, size_t count,
                      const struct creel_node_order *order, struct creel_nodes **ret,
                      struct creel_error *error);
/* How much they count as having. TOTAL NULL: what their agents offer; amounts of 0 stay. FOR_MS 0:
 * until it is set again. What does not fit any more is stopped OVERCOMMIT_MS later; below 0: never. */
int creel_node_resize(struct creel_client *client, const char *const *nodes, size_t count,
                      const struct creel_resource *total, int64_t for_ms, int64_t overcommit_ms,
                      struct creel_nodes **ret, struct creel_error *error);
/* All nodes that are not in service, as soon as something about them differs from KNOWN_VERSION
 * (0: at once), or after WAIT_MS. */
int creel_node_watch(struct creel_client *client, uint64_t known_version, int64_t wait_ms,
                     struct creel_nodes **ret, struct creel_error *error);

enum creel_refresh_kind {
    CREEL_REFRESH_NORMAL,               /* excluded nodes leave at once */
    CREEL_REFRESH_GRACEFUL,             /* when what runs there is over, or their time is */
    CREEL_REFRESH_CLIENT,               /* the same, without a time: the caller forces them */
};

struct creel_node_refresh {
    uint32_t included, excluded;        /* names in the lists */
    uint32_t leaving, left, returned;   /* nodes */
};

/* Have the RM read its lists of hosts again, all or nothing. TIMEOUT_MS NULL: the usual one;
 * below 0: none. */
int creel_refresh_nodes(struct creel_client *client, enum creel_refresh_kind kind,
                        const int64_t *timeout_ms, struct creel_node_refresh *ret,
                        struct creel_error *error);

struct creel_state_accepted {
    const char *const *nodes;           /* that waited */
    size_t node_count;
};

/* What nodes in CREEL_NODE_WAITING have seen, and the RM has not, is lost: they register then, and what it
 * does not know of their containers ends. */
int creel_state_accept(struct creel_client *client, struct creel_state_accepted **ret,
                       struct creel_error *error);
void creel_state_accepted_free(struct creel_state_accepted *accepted);      /* NULL is fine */

/* Have NODE (as for creel_node_list) in the partition LABEL, NULL or "": in none. It holds over restarts;
 * RET is what the node is then. -ENOENT: no such node or label. */
int creel_node_set_label(struct creel_client *client, const char *node, const char *label,
                         struct creel_nodes **ret, struct creel_error *error);

struct creel_labels {
    size_t count;
    struct creel_label *items;
};

struct creel_label_spec {
    const char *name;
    bool shared;                        /* added: who asks for none may have its nodes, too */
};

int creel_label_list(struct creel_client *client, struct creel_labels **ret,
                     struct creel_error *error);
/* Add COUNT labels, or remove them, all or none; it holds over restarts. RET is what there is then. To add
 * what is there, just so, is no error. -ESHUTDOWN: a queue or the
 * configuration uses one that is to go, or one is there as another kind; -ENOENT: there is no such. */
int creel_label_change(struct creel_client *client, bool remove, const struct creel_label_spec *specs,
                       size_t count, struct creel_labels **ret, struct creel_error *error);
void creel_labels_free(struct creel_labels *labels);

/* --- queues ---------------------------------------------------------------- */

/* Accept new applications, or not, until this is called again or the configuration of the queue is changed.
 * Users who may administer the queue may call it, too. */
int creel_queue_set_running(struct creel_client *client, const char *queue, bool running,
                            struct creel_error *error);

struct creel_refresh {
    uint32_t queues;                    /* there are now */
    const char *const *warnings;        /* end with NULL */
};

/* Have the RM read the configuration of its queues again. It is accepted as a whole or not at all: -EBADMSG,
 * with one line for each mistake. */
int creel_refresh_queues(struct creel_client *client, struct creel_refresh **ret,
                         struct creel_error *error);
void creel_refresh_free(struct creel_refresh *refresh);

#ifdef __cplusplus
}
#endif

#endif
