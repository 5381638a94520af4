/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_node.h - a node, and the lists of hosts, as the resource manager keeps them
 *
 * state.h includes this.
 */
#ifndef CREEL_RM_MASTER_STATE_NODE_H
#define CREEL_RM_MASTER_STATE_NODE_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/id.h"
#include "common/base/resource.h"
#include "rm/master/state_container.h"
#include "rm/master/master.h"
#include "rm/master/nodes/node_faults.h"
#include "rm/master/parts/change.h"
#include "rm/master/parts/states.h"
#include "rm/master/state/deadline.h"
#include "rm/master/state/wait_pool.h"

#define AVOID_FAULTS 3

/* The administrative state of a node, and the user that set it (drain.c). */
struct admin {
    enum admin_state state;
    bool by_file;      /* set by the lists of hosts, not by an administrator */
    bool forced;       /* running containers are stopped without notice */
    int64_t forced_ms; /* since when; after a restart: since then */
    char *by, *reason; /* owned; NULL while the node serves */
    int64_t since_ms;
    int64_t deadline_ms; /* time at which containers are evicted; 0: never */
};

/* The size of a node as set by an administrator (node_total.c). */
struct size {
    struct resource set;   /* amounts above 0 replace the amounts that the agent offers */
    char *by;              /* owned; NULL: nothing is set */
    int64_t until_ms;      /* 0: no time limit */
    int64_t overcommit_ms; /* time at which containers that do not fit are stopped; 0: never */
};

struct watcher { /* a waiting WaitNodes request */
    TAILQ_ENTRY(watcher) link;
    bool expired; /* is on master->expired_watchers: it is answered without a change */
    struct wait wait;
};

/* The lists of hosts (hosts.c). */
struct host {
    UT_hash_handle hh;
    char *name; /* owned */
    bool timed;
    int64_t timeout_ms; /* if TIMED: timeout of its decommissioning; below 0: none */
};

struct hosts {
    struct host *include, *exclude; /* owned */
    bool has_addresses;             /* some names are IP addresses */
    int64_t timeout_ms;             /* default timeout of graceful decommissioning */
};

struct orphan;   /* node_orders.h */
struct finished; /* there, too */

struct node {
    RB_ENTRY(node) link;
    char *id, *host; /* owned, as all text here */
    char *rack, *address, *http_address, *agent_key, *version, *cgroup_mode, *principal, *health_report;
    char *warning;   /* of its agent, about the configuration; NULL: none */
    char *label;     /* its partition; NULL: none */
    char *own_label; /* label that its agent reports */
    enum node_state state;
    Creel__NodeState event_state; /* in its last event (rm_event_node_state) */
    int64_t kill_delay_ms;        /* of its agent: RegisterNode.kill_delay_ms */
    bool unpacks, restores;       /* its agent unpacks archives (FileRef.unpack); RegisterNode.restores */
    bool resizes;                 /* its agent carries out ResizeOrder */
    struct sched_node *sched;     /* NULL unless registered */
    struct resource offered;      /* resources that its agent offers */
    struct resource total;        /* effective resources: amounts of SIZE.SET above 0, else of OFFERED */
    struct resource grown, grown_sent; /* total that its agent has accepted; total that was sent to it last */
    struct admin admin;
    struct size size;
    uint32_t oversized;    /* how many of its containers are OVERSIZED */
    struct deadline evict; /* timer: the next container to announce or stop, or the end of SIZE */
    bool to_check;         /* is on master->to_check: the end of the step checks whether it is empty */
    TAILQ_ENTRY(node) in_to_check;
    uint64_t session, incarnation, connection;
    uint64_t register_request;  /* the latest registration of this incarnation */
    uint64_t heartbeat_request; /* request id of the heartbeats of this session; 0: none yet */
    uint64_t seq;               /* sequence number of the latest heartbeat */
    TAILQ_HEAD(, ack) acks;
    TAILQ_ENTRY(node) in_contact; /* if EXPECTED: on a list of master->contacts */
    bool expected, silent;
    int64_t seen_ms, registered_ms;
    bool registered; /* as in its row: it is neither lost nor retired, and expected after a restart */
    struct deadline expiry;
    uint64_t used_memory_bytes, node_memory_bytes; /* of its containers; of all processes */
    uint32_t cpu_millicores, node_cpu_millicores;  /* as above, thousandths of a processor */
    struct {
        bool measured, differs;    /* DIFFERS: in its last event */
        int64_t skew_ms, error_ms; /* the node's clock minus the resource manager's, and the maximum
                                      error of that */
    } clock;
    Creel__LogLevel log_level;          /* that its agent reported last */
    Creel__LogLevel log_level_wanted;   /* to be sent until the agent reports it; UNKNOWN: none */
    int64_t certificate_expires_ms;     /* of its REST interface, as its agent reported last; 0: none */
    bool keys_due, keys_sent;           /* new token keys have to be sent; were sent in the reply to heartbeat
                                           SEQ */
    TAILQ_HEAD(, container) containers; /* containers that have not ended */
    uint32_t container_count;
    uint32_t stuck_count; /* of CONTAINERS and ORPHANS: those with STUCK */
    struct faulty faulty;
    struct rm_node_container_tree live, ended; /* all its containers: those in CONTAINERS; the others */
    struct {
        struct app_id apps[AVOID_FAULTS]; /* applications whose launches failed one after another */
        size_t count;
        int64_t until_ms;      /* end of the time in which the node is avoided; 0: was never avoided */
        char *reason;          /* owned; kept after UNTIL_MS; NULL: was never avoided */
    } faults;                  /* avoid.h */
    uint32_t references;       /* containers that point to the node, including ended ones */
    bool forgotten;            /* removed from the master's tree, freed with its last reference */
    struct deadline untracked; /* timer: forgets the node, which is not connected and in no list of hosts */
    TAILQ_HEAD(, container) orders;
    TAILQ_HEAD(, container) preempt_notices; /* containers whose PreemptOrder the node has not confirmed */
    TAILQ_HEAD(, container) limits;          /* containers whose LimitOrder the node has not confirmed */
    TAILQ_HEAD(, container) resizes_due;     /* containers whose ResizeOrder the node has not confirmed */
    struct orphan *orphans;                  /* owned */
    struct finished *finished;               /* owned */
    TAILQ_HEAD(, orphan) orphan_turns;       /* those of ORPHANS, the one whose order is due first is first */
    TAILQ_HEAD(, finished) finished_turns;   /* likewise */
    uint32_t ignored; /* unknown containers in reports since the last reply, beyond the most that are kept */
    Creel__History *waiting; /* owned: history of its agent, if an operator has to accept the loss of that
                                history (history.c); else NULL */
    uint32_t waiting_containers;
    uint32_t accepted;     /* number of the acceptance (master->accepts) that it waited with; 0: none */
    uint64_t history_sent; /* number of the commit that was sent to the agent last */
    struct change change;
    bool push; /* is on master->pushes, since it has new orders */
    TAILQ_ENTRY(node) in_pushes;
};

RB_HEAD(rm_node_tree, node);

#endif
