/* SPDX-License-Identifier: Apache-2.0 */
/*
 * creel-admin.h - libcreel: API for administrators to change the running cluster
 *
 * Drain and resize nodes, put nodes into partitions (labels), add and remove labels, stop queues, and reload
 * the configuration of queues and hosts. These changes persist over restarts of the RM. -EPERM: the user is
 * not in yarn.admin.acl. Errors and ownership of results are as in creel.h.
 */
#ifndef CREEL_ADMIN_H
#define CREEL_ADMIN_H

#include "creel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- nodes ----------------------------------------------------------------- */

/* Changes of nodes. A node is named by its id, or by its host if the host has only one node. All nodes are
 * changed or none. -ENOENT: a node is not known (the error names the node); -EBUSY: the change is not
 * possible now (the error has the reason). */
enum creel_node_change_kind {
    CREEL_NODE_DRAIN = 1,
    CREEL_NODE_UNDRAIN,
    CREEL_NODE_DECOMMISSION,
    CREEL_NODE_RECOMMISSION,
};

struct creel_node_order {
    enum creel_node_change_kind change;
    const char *reason;  /* NULL: keeps an earlier reason */
    bool deadline_given; /* false: keeps an earlier deadline, else uses the default */
    int64_t timeout_ms;  /* ms from now; below 0: no deadline */
    bool kill_now;       /* stop the node's containers at once */
};

int creel_node_change(struct creel_client *client, const char *const *nodes, size_t count,
                      const struct creel_node_order *order, struct creel_nodes **ret,
                      struct creel_error *error);
/* Sets the size of nodes for the scheduler. TOTAL NULL: the size that the agents offer. Of TOTAL only memory
 * and vcores are used; an amount of 0 stays unchanged. FOR_MS: time until the offered size applies again; 0:
 * no end. OVERCOMMIT_MS: time after which containers that no longer fit are stopped; below 0: never. */
int creel_node_resize(struct creel_client *client, const char *const *nodes, size_t count,
                      const struct creel_resource *total, int64_t for_ms, int64_t overcommit_ms,
                      struct creel_nodes **ret, struct creel_error *error);
/* Returns all nodes that are not in service, as soon as their version differs from KNOWN_VERSION (0: at
 * once), or after WAIT_MS (at most 10 s). */
int creel_node_watch(struct creel_client *client, uint64_t known_version, int64_t wait_ms,
                     struct creel_nodes **ret, struct creel_error *error);

enum creel_refresh_kind {
    CREEL_REFRESH_NORMAL,   /* excluded nodes are decommissioned at once */
    CREEL_REFRESH_GRACEFUL, /* decommissioned when their containers have ended, or at the deadline */
    CREEL_REFRESH_CLIENT,   /* like GRACEFUL, without a deadline: the caller decommissions them */
};

struct creel_node_refresh {
    uint32_t included, excluded;      /* number of names in the lists */
    uint32_t leaving, left, returned; /* nodes: being decommissioned, decommissioned, allowed again */
};

/* Makes the RM reload its lists of hosts, all or nothing. TIMEOUT_MS NULL: the default; below 0: no
 * deadline. */
int creel_refresh_nodes(struct creel_client *client, enum creel_refresh_kind kind, const int64_t *timeout_ms,
                        struct creel_node_refresh *ret, struct creel_error *error);

struct creel_host_refresh {
    struct creel_node_refresh counts;
    const char *const *changes; /* "<host, node or key>: <old> -> <new>"; ends with NULL */
    bool compared;              /* false: an RM of 0.2.0, which does not report changes */
};

/* The same, and returns each change. */
int creel_refresh_hosts(struct creel_client *client, enum creel_refresh_kind kind, const int64_t *timeout_ms,
                        struct creel_host_refresh **ret, struct creel_error *error);
void creel_host_refresh_free(struct creel_host_refresh *refresh);

struct creel_state_accepted {
    const char *const *nodes; /* ids of the nodes that were waiting */
    size_t node_count;
};

/* Accepts that the RM has lost state. Nodes in CREEL_NODE_WAITING have seen a newer state of the RM's store
 * than the RM has. After this call these nodes register, and their containers that the RM does not know are
 * stopped. */
int creel_state_accept(struct creel_client *client, struct creel_state_accepted **ret,
                       struct creel_error *error);
void creel_state_accepted_free(struct creel_state_accepted *accepted); /* NULL is allowed */

/* Puts NODE (as for creel_node_list) into the partition LABEL; NULL or "": none. Persists over restarts.
 * RET is the changed node. -ENOENT: no such node or label. */
int creel_node_set_label(struct creel_client *client, const char *node, const char *label,
                         struct creel_nodes **ret, struct creel_error *error);

struct creel_labels {
    size_t count;
    struct creel_label *items;
};

struct creel_label_spec {
    const char *name;
    bool shared; /* when added: requests without a label may use idle nodes, too */
};

int creel_label_list(struct creel_client *client, struct creel_labels **ret, struct creel_error *error);
/* Adds or removes COUNT labels, all or none. Persists over restarts. RET lists all labels afterwards.
 * Adding an existing label of the same kind is no error. -EBUSY: the configuration, a queue or a node uses a
 * label to be removed, or a label to be added exists as the other kind; -ENOENT: no such label. */
int creel_label_change(struct creel_client *client, bool remove, const struct creel_label_spec *specs,
                       size_t count, struct creel_labels **ret, struct creel_error *error);
void creel_labels_free(struct creel_labels *labels);

/* --- access tokens ----------------------------------------------------------- */

/* The rights of a token. A token never permits more than its user may do. */
enum creel_token_scope {
    CREEL_TOKEN_READ,
    CREEL_TOKEN_SUBMIT, /* and to change applications */
    CREEL_TOKEN_ADMIN,  /* and to change nodes, labels and queues */
};

struct creel_token {
    const char *id; /* the beginning of its hash */
    const char *user, *note;
    enum creel_token_scope scope;
    int64_t created_ms, expires_ms;
    const char *secret; /* the token itself, only from creel_token_create; else NULL */
};

struct creel_tokens {
    size_t count;
    struct creel_token *items;
};

const char *creel_token_scope_name(enum creel_token_scope scope); /* "read" */
/* Creates a token of the user of CLIENT that is valid for VALID_MS. Only RET has the token itself, since the
 * RM stores its hash. -EBUSY: the user, or the cluster, has too many tokens. */
int creel_token_create(struct creel_client *client, enum creel_token_scope scope, int64_t valid_ms,
                       const char *note, struct creel_tokens **ret, struct creel_error *error);
/* Lists the tokens of the user, or of ALL users (for administrators), the newest first. */
int creel_token_list(struct creel_client *client, bool all, struct creel_tokens **ret,
                     struct creel_error *error);
/* Revokes the token with ID, at least 8 digits of it. RET is the revoked token. -ENOENT: no such token. */
int creel_token_revoke(struct creel_client *client, const char *id, struct creel_tokens **ret,
                       struct creel_error *error);
void creel_tokens_free(struct creel_tokens *tokens); /* NULL is allowed */

/* --- hosts that join -------------------------------------------------------- */

/* A token with which hosts join the cluster (creel setup node --token). The RM has its public key alone. */
struct creel_join_token {
    const char *id, *by; /* BY: the user who made it */
    uint32_t uses, used; /* hosts that may join, and have joined */
    int64_t created_ms, expires_ms;
};

struct creel_joined_host {
    const char *host, *token; /* TOKEN: its id */
    int64_t since_ms;
};

struct creel_joins {
    size_t token_count, host_count;
    struct creel_join_token *tokens;
    struct creel_joined_host *hosts;
};

struct creel_join_token_spec {
    const char *id;         /* new, eight hexadecimal digits */
    const char *public_key; /* Z85, of a new CURVE key pair */
    uint32_t uses;
    int64_t valid_ms;
};

/* The next three functions are for administrators. creel_join_token_create returns the new token alone,
 * creel_join_revoke the tokens and hosts that remain. */
int creel_join_token_create(struct creel_client *client, const struct creel_join_token_spec *spec,
                            struct creel_joins **ret, struct creel_error *error);
int creel_join_list(struct creel_client *client, struct creel_joins **ret, struct creel_error *error);
/* Revokes the token with the id NAME, or the host NAME, which has joined: the RM then refuses its agent.
 * -ENOENT: NAME is neither. */
int creel_join_revoke(struct creel_client *client, const char *name, struct creel_joins **ret,
                      struct creel_error *error);
void creel_joins_free(struct creel_joins *joins); /* NULL is allowed */

/* --- queues ---------------------------------------------------------------- */

/* Starts or stops a queue. A stopped queue accepts no new applications. Applies until the next call or
 * until the queue's configuration changes. Administrators of the queue may call it, too. */
int creel_queue_set_running(struct creel_client *client, const char *queue, bool running,
                            struct creel_error *error);

struct creel_refresh {
    uint32_t queues;             /* number of queues after the reload */
    const char *const *warnings; /* ends with NULL */
    const char *const *changes;  /* "<key>: <old value> -> <new value>", or a file that changed; ends with
                                    NULL */
    bool compared;               /* false: an RM of 0.2.0, which does not report changes */
};

/* Makes the RM reload the configuration of its queues, completely or not at all. -EBADMSG: the configuration
 * is invalid, with one line for each error. */
int creel_refresh_queues(struct creel_client *client, struct creel_refresh **ret, struct creel_error *error);
void creel_refresh_free(struct creel_refresh *refresh);

/* --- configuration --------------------------------------------------------- */

struct creel_conf_entry {
    const char *key;
    const char *value;  /* in force; "" if hidden */
    const char *origin; /* "FILE:LINE" of the RM's host, or "default" */
    bool refreshed;     /* a refresh applies it; else only a restart of the RM does */
    bool hidden;        /* a password, which the RM does not send */
    const char *before; /* of creel_refresh_access: the value before, which it changed; NULL: it did not */
};

struct creel_conf {
    struct creel_conf_entry *entries; /* the known keys, then other keys that a file sets */
    size_t count;
};

/* Returns the configuration that the RM uses. */
int creel_conf_get(struct creel_client *client, struct creel_conf **ret, struct creel_error *error);
void creel_conf_free(struct creel_conf *conf); /* NULL is allowed */

/* A property that differs between a version of the configuration of queues and the version before. */
struct creel_conf_change {
    const char *key;
    const char *value; /* the new value; NULL: the property was removed, or AS_FILE */
    bool as_file;      /* the value in the file applies again */
};

/* A version of the configuration of queues, made by creel conf set or over REST (scheduler-conf). */
struct creel_conf_version {
    uint64_t version;    /* 1: the files alone */
    const char *by;      /* the user who made it; version 1: "" */
    int64_t at_ms;       /* version 1: 0 */
    const char *summary; /* "update-queue root.a" */
    bool in_force;
    struct creel_conf_change *changes;
    size_t change_count;
};

struct creel_conf_versions {
    struct creel_conf_version *items; /* oldest first; only the newest hundred are kept */
    size_t count;
};

/* Returns the versions that the RM keeps. -EOPNOTSUPP: queues are configured in files alone
 * (yarn.scheduler.configuration.store.class). */
int creel_conf_version_list(struct creel_client *client, struct creel_conf_versions **ret,
                            struct creel_error *error);
void creel_conf_versions_free(struct creel_conf_versions *versions); /* NULL is allowed */

/* A property to be set. The key of a queue's property may lack "yarn.scheduler.capacity.QUEUE.". */
struct creel_conf_setting {
    const char *key;
    const char *value; /* NULL or "": the property is removed */
};

enum creel_conf_edit_kind {
    CREEL_CONF_SET_SCHEDULER = 1,
    CREEL_CONF_SET_QUEUE,
    CREEL_CONF_ADD_QUEUE, /* to the list of its parent, with its properties */
    CREEL_CONF_REMOVE_QUEUE,
};

struct creel_conf_edit {
    enum creel_conf_edit_kind kind;
    const char *queue;                         /* its path; not used by CREEL_CONF_SET_SCHEDULER */
    const struct creel_conf_setting *settings; /* not used by CREEL_CONF_REMOVE_QUEUE */
    size_t setting_count;
};

/* The properties of capacity-scheduler.xml. */
struct creel_scheduler_conf {
    uint64_t version;                 /* in force */
    struct creel_conf_entry *entries; /* in force; of a check: as they would be; of a change: none */
    size_t count;
    const char *const *warnings; /* sentences; ends with NULL */
};

/* Returns the properties of queues and of the scheduler that are in force. -EOPNOTSUPP: as for
 * creel_conf_version_list. */
int creel_scheduler_conf_get(struct creel_client *client, struct creel_scheduler_conf **ret,
                             struct creel_error *error);
/* Changes the configuration of queues by COUNT edits, in their order: all of them or none. The change makes a
 * new version, which overrides the files, and is applied as by a refresh. VALIDATE: the change is only
 * checked. -ENOENT: a queue to be removed does not exist; -EBUSY: a queue to be added exists; -EINVAL: a
 * queue, key or value cannot be changed by this function; -EBADMSG: the queues would be invalid;
 * -EOPNOTSUPP: as for creel_conf_version_list. */
int creel_scheduler_conf_change(struct creel_client *client, const struct creel_conf_edit *edits,
                                size_t count, bool validate, struct creel_scheduler_conf **ret,
                                struct creel_error *error);
void creel_scheduler_conf_free(struct creel_scheduler_conf *conf); /* NULL is allowed */

enum creel_access_part {
    CREEL_ACCESS_ACLS = 1, /* yarn.acl.enable, yarn.admin.acl, creel.security.proxy-users */
    CREEL_ACCESS_GROUPS,   /* hadoop.user.group.static.mapping.overrides, and the groups of all users */
};

/* Makes the resource manager read this part of its configuration again: all of it, or nothing if it is
 * invalid (-EBADMSG). RET has the keys of the part, freed with creel_conf_free. -EOPNOTSUPP: an earlier
 * version. */
int creel_refresh_access(struct creel_client *client, enum creel_access_part part, struct creel_conf **ret,
                         struct creel_error *error);

enum creel_log_level {
    CREEL_LOG_LEVEL_UNKNOWN,
    CREEL_LOG_LEVEL_ERROR,
    CREEL_LOG_LEVEL_WARN,
    CREEL_LOG_LEVEL_INFO,
    CREEL_LOG_LEVEL_DEBUG,
};

struct creel_log_order {      /* of which daemons; nothing set: of all */
    bool rm, all_nodes;       /* the resource manager; the agents of all nodes */
    const char *const *nodes; /* agents of these nodes: ids, or hosts with exactly one node */
    size_t node_count;
    enum creel_log_level level; /* to be set; CREEL_LOG_LEVEL_UNKNOWN: no change */
};

struct creel_node_log_level {
    const char *node_id;
    enum creel_log_level level;  /* CREEL_LOG_LEVEL_UNKNOWN: not connected, or an earlier version */
    enum creel_log_level wanted; /* to be set with its next heartbeat; CREEL_LOG_LEVEL_UNKNOWN: no change */
};

struct creel_log_levels {
    enum creel_log_level rm; /* CREEL_LOG_LEVEL_UNKNOWN: was not requested */
    struct creel_node_log_level *nodes;
    size_t node_count;
};

const char *
creel_log_level_name(enum creel_log_level level); /* "error", "warn", "info", "debug", "unknown" */
/* Shows the log levels of daemons, and sets them if ORDER has a level, until a daemon starts again or
 * reads its configuration again. For administrators. -ENOENT: a node is not known; -EBUSY: its agent is
 * not connected. */
int creel_log_level(struct creel_client *client, const struct creel_log_order *order,
                    struct creel_log_levels **ret, struct creel_error *error);
void creel_log_levels_free(struct creel_log_levels *levels); /* NULL is allowed */

/* Makes a new version with the changes of VERSION, and applies it as a refresh does. RET is the number of the
 * new version. -ENOENT: there is no such version; -EBADMSG: VERSION and the present files together are not
 * valid, and nothing has changed. */
int creel_conf_roll_back(struct creel_client *client, uint64_t version, uint64_t *ret,
                         struct creel_error *error);

#ifdef __cplusplus
}
#endif

#endif
