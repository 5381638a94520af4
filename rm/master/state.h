/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - the state of the resource manager: applications, attempts, containers, nodes
 *
 * An application owns its attempts and containers. Nodes, applications and containers are each in one tree by
 * id; all other pointers to them are indexes. This file and its parts (state_app.h, state_container.h,
 * state_node.h) declare only data; index.h is the lowest layer of functions.
 */
#ifndef CREEL_RM_MASTER_STATE_H
#define CREEL_RM_MASTER_STATE_H

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <uthash.h>

#include "common/base/job/exit_status.h"
#include "common/base/histogram.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/master/state_app.h"
#include "rm/master/state_container.h"
#include "rm/master/state_node.h"
#include "rm/master/state/account.h"
#include "rm/master/nodes/contacts.h"
#include "rm/master/state/deadline.h"
#include "rm/master/parts/event_ring.h"
#include "rm/master/nodes/certificates.h"
#include "rm/master/master.h"
#include "rm/master/nodes/node_faults.h"
#include "rm/master/parts/series.h"
#include "rm/master/state/turns.h"
#include "rm/master/state/wait_pool.h"
#include "rm/master/nodes/web_services.h"
#include "rm/identity/acl.h"
#include "rm/sched/sched.h"

/* --- settings of administrators -------------------------------------------- */

#define SETTING_QUEUE_STATE "queue-state"
#define SETTING_NODE_LABEL "node-label"
#define SETTING_APP_NUMBER "app-number" /* its name is "last", its value a number: app_numbers.h */
#define SETTING_JOIN_TOKEN "join-token"
#define SETTING_JOINED_HOST "joined-host"
#define SETTING_LABEL "label" /* value: one of the next two */
#define LABEL_EXCLUSIVE "exclusive"
#define LABEL_SHARED "shared"
#define SETTING_ACCESS_TOKEN "access-token" /* name: hash of the token; value: see access_token.c */

struct setting {
    UT_hash_handle hh;                             /* by KEY: kind, blank, name */
    char *key, *kind, *name, *value, *before, *by; /* owned; as in StoredSetting */
    int64_t since_ms;
    uint32_t uses, used; /* of a join token */
    int64_t expires_ms;
    UT_hash_handle by_key; /* of a join token or a joined host: by VALUE, a public key */
};

/* --- the master ------------------------------------------------------------ */

enum saving_kind { SAVING_APP, SAVING_ATTEMPT, SAVING_HELD };

struct master;
/* Removes the object NAME, which a request has made. It may be gone already. */
typedef void undo_fn(struct master *m, const char *name);

/* An action that is performed when row STORE_SEQ is on disk. */
struct saving {
    TAILQ_ENTRY(saving) link;
    uint64_t store_seq;
    enum saving_kind kind;
    struct attempt_id id;        /* id of the application or attempt */
    enum master_channel channel; /* HELD: a message to be sent */
    uint64_t connection;
    uint8_t *packed; /* owned */
    size_t size;
    char *done;    /* owned; the answer if the store fails (rm_send_changed); NULL: none */
    undo_fn *undo; /* removes NAME then (rm_send_created); NULL: what was changed stays */
    char *name;    /* owned */
    uint64_t request_id;
};

/* Counters since the resource manager started; see ClusterCounters. */
struct counters {
    uint64_t apps_submitted;
    uint64_t allocated, resized, launched, succeeded, failed, preempted, out_of_memory, lost, stopped;
    uint64_t heartbeats;
    struct histogram heartbeat_delay; /* seconds */
    uint64_t decided_allocations;     /* also of containers that were not wanted any more */
    uint64_t wasted_ms;               /* that preempted containers had run */
    uint64_t preemption_rounds;       /* of the capacity scheduler */
    uint64_t jobs_over_limit, asks_over_limit, requests_over_limit; /* refused: user_limits.h */
};

struct master {
    struct master_config config; /* its texts are owned; SCHED is cleared */
    Creel__LogLevel log_level;   /* of this resource manager */
    uint32_t accepts;            /* acceptances of missing histories (AcceptState) since the start */
    struct resource minimum, maximum;
    struct resource_types types; /* fixed until the resource manager restarts */
    int64_t cluster_ms, started_ms, now_ms;
    int64_t wall_ahead_ms; /* the machine's wall clock minus now_ms (master_set_wall_ahead) */
    uint32_t epoch;
    uint64_t last_recovered;              /* serial of the container that was recovered last */
    const struct master_ended *forgotten; /* borrowed, from master_set_ended */
    size_t forgotten_count;
    struct sched *sched;
    struct sched_features features; /* features of the scheduler */
    bool memory_only;               /* the scheduler counts memory alone */
    struct deadline tick, preemption, update, batch;
    int64_t refreshed_ms;               /* 0: never */
    char *refreshed_by, *refresh_error; /* owned */
    char *part_errors[MASTER_PARTS]; /* owned; why the last refresh of each was refused; NULL: it was not */
    struct sched_decisions decisions;
    size_t decided;             /* decisions handled so far */
    struct master_effects *out; /* effects of the present step */
    const char *asking_job; /* borrowed; struct master_peer.job of the request that is handled; NULL: none */

    struct setting *settings;                 /* owned */
    struct setting *join_keys;                /* index: settings that have a public key */
    struct rm_app_tree apps;                  /* owned */
    struct app *keys;                         /* index by submission key */
    struct job_name *job_names;               /* owned, uthash by key */
    struct account *accounts;                 /* owned, uthash by user */
    TAILQ_HEAD(, account) changed_accounts;   /* in this step */
    uint32_t apps_shown[APP_STATES_SHOWN];    /* applications by the state that clients see */
    struct app_number *numbers;               /* owned, uthash by number: app_numbers.h */
    struct numbers_of_user *numbers_of_users; /* owned, uthash by user */
    uint32_t last_app_seq;
    uint32_t known_app_seq; /* highest at recovery: others not assigned here are of a missing history */
    struct rm_container_tree containers; /* owned */
    struct rm_node_tree nodes;           /* owned */
    uint64_t last_session;
    struct register_list *register_lists; /* owned, uthash by node id: register_list.h */
    struct rm_deadline_tree deadlines;
    uint64_t last_deadline;

    uint64_t store_seq, stored_seq;
    TAILQ_HEAD(saving_list, saving) savings; /* in order of STORE_SEQ */
    char *store_trouble, *store_lost; /* owned; why the last write failed, why rows do not last; NULL */

    struct event_log events;
    struct changes changes;
    TAILQ_HEAD(, app) changed;
    TAILQ_HEAD(, app) ended; /* oldest first */
    uint32_t ended_count;
    struct contacts contacts;
    struct certificates certificates;
    struct web_services web_services;
    struct node_faults node_faults;
    TAILQ_HEAD(, container) starting;    /* starting.h */
    TAILQ_HEAD(, container) making_room; /* making_room.h, in the order of their notices */
    TAILQ_HEAD(, node) pushes;
    TAILQ_HEAD(, node) to_check;
    uint64_t nodes_version; /* grows with each change that WaitNodes reports */
    uint64_t nodes_seq;     /* with this row all that NODES_VERSION counts is on disk */
    bool nodes_changed;     /* in this step */
    TAILQ_HEAD(, watcher) watchers, expired_watchers; /* owned, oldest first */
    struct wait_pool app_waits, node_waits;
    struct hosts hosts;
    uint64_t total_finished, total_failed, total_killed;
    struct counters counters;
    struct series_table *series; /* owned */
    struct trend *trend;         /* owned; trend.h */
    struct attempt **wakeups;    /* owned array, of the present step */
    size_t wakeup_count, wakeup_capacity;
    struct follow_up *follow_ups; /* owned array, empty between steps */
    size_t follow_up_count, follow_up_capacity;
    struct unwritten_apps unwritten;
    struct turns turns;
};

#endif
