/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - one simulated cluster: a clock, a network, a resource manager, agents, AMs, clients
 *
 * A seed determines a world, which runs the production cores (rm/master, rm/sched, nm-agent/core,
 * client/am) as its actors. Everything that happens is an event in one queue, ordered by virtual time and
 * then by order of creation; nothing else affects the run. Messages are packed and unpacked by common/io/wire
 * as on the real network.
 *
 * Faults (none in some seeds): messages lost, repeated, late, reordered; links cut for a time; the resource
 * manager and the agents killed between any two effects and restarted; AMs that die; disks that refuse
 * writes; an administrator who drains, decommissions and resizes nodes, and who changes the allocation file.
 * After WORLD_FAULTS_END_MS there are no more faults, and all activity must end.
 */
#ifndef CREEL_SIM_WORLD_H
#define CREEL_SIM_WORLD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/proto/creel.pb-c.h"
#include "sim/world/attempts.h"
#include "sim/world/ledger.h"

#define WORLD_NODES_MAX 5
#define WORLD_CLIENTS_MAX 3
#define WORLD_RESIZED_MB_MAX 6144 /* largest node size that an administrator sets */
#define WORLD_FAULTS_END_MS 90000
#define WORLD_END_MS 3600000 /* the world must be at rest by this time */
/* Maximum number of events. Every world that comes to rest needs fewer. More events mean a livelock, even if
 * they take no virtual time. */
#define WORLD_STEPS_MAX 500000

struct sim_rm;
struct sim_node;
struct sim_am;
struct sim_client;
struct sim_admin;
struct world;

/* One FIFO queue, or the queues of a scheduler, which preempt each other. */
enum world_queues { WORLD_FIFO, WORLD_CAPACITY, WORLD_FAIR };

/* Options that do not follow from the seed. */
struct world_options {
    enum world_queues queues;
    bool broken;  /* defect: agents forget their containers at a restart */
    bool endless; /* defect: an event that creates itself again at the same time */
    bool verbose;
    uint64_t steps_max; /* events after which a run counts as a livelock */
};

/* Parameters drawn from the seed. Probabilities are per mille. */
struct world_plan {
    unsigned nodes, clients, jobs;
    unsigned lose, repeat; /* for each message */
    int64_t delay_min_ms, delay_max_ms;
    unsigned rm_crash, node_crash, am_crash; /* for each second */
    unsigned crash_between;                  /* after each effect */
    unsigned cut;                            /* for each second: cut of one node's link to the RM */
    unsigned disk_refuses;                   /* for each save or commit */
    unsigned reload;                         /* for each second (fair): change of the allocation file */
    enum world_queues queues;
    size_t message_bytes;  /* agent_config.message_bytes: size of about two containers, or 0 */
    size_t am_reply_bytes; /* master_config.am_reply_bytes: size of about two containers, or 0 */
    unsigned drain;        /* for each second: an administrator changes a node */
    bool broken;           /* defect: agents forget their containers at a restart */
};

enum sim_kind { SIM_RM, SIM_NODE, SIM_AM, SIM_CLIENT, SIM_ADMIN };

/* Sender of a message. */
struct sim_sender {
    enum sim_kind kind;
    void *actor;   /* borrowed; may be dead when a reply arrives */
    uint64_t life; /* life of the actor at the time of sending; only that life gets replies */
};

/* Functions of the actors that the network calls, and functions of nodes for the AMs that run on them. */
struct world_actors {
    uint64_t (*life)(enum sim_kind kind, const void *actor); /* 0: the actor is dead */
    void (*receive)(enum sim_kind kind, void *receiver, struct sim_sender from,
                    const Creel__Envelope *envelope);
    /* Returns true if the link is cut. Only links between an agent and the RM can be cut. */
    bool (*is_cut)(const struct sim_sender *from, enum sim_kind to, const void *receiver);
    const char *(*node_address)(const struct sim_node *node);
    /* The process of the AM in a container of NODE exits with STATUS by itself. */
    void (*am_exits)(struct sim_node *node, const char *container_id, int status);
};

typedef void world_fn(struct world *world, void *actor, void *data);

struct world {
    struct world_plan plan;
    struct rng rng;
    uint64_t seed;
    int64_t now_ms;             /* virtual time; starts at WORLD_EPOCH_MS */
    uint64_t steps, steps_max;  /* number of events so far, and its maximum */
    struct world_queue *events; /* owned */
    const struct world_actors *actors;
    struct sim_rm *rm; /* owned, as the arrays below */
    struct sim_node *nodes[WORLD_NODES_MAX];
    struct sim_client *clients[WORLD_CLIENTS_MAX];
    struct sim_admin *admin;
    struct ledger *ledger;
    struct attempts *attempts;
    bool verbose;
    struct err failure; /* first violated invariant; code 0: none */
};

#define WORLD_EPOCH_MS 1700000000000

/* Returns the wall clock of NODE minus that of the resource manager: 0, an hour ahead, or a day behind. */
static inline int64_t world_skew_ms(unsigned node)
{
    return node % 3 == 0 ? 0 : node % 3 == 1 ? 3600000 : -86400000;
}

/* Returns the most that may run on a node of size TOTAL: more than TOTAL if an administrator may enlarge
 * it. */
struct resource world_most(const struct world *world, struct resource total);

/* Draws the size of a node. If the scheduler has queues, the node has room for the AMs of two queues and a
 * task. */
struct resource world_draw_total(struct world *world);

/* --- world_run.c: a whole run of a world -------------------------------------- */

/* Create a world from SEED; run it to its end or its first failure. world_run returns 0, or -EINVAL with the
 * failure in ERR. */
struct world *world_new(uint64_t seed, const struct world_options *options);
int world_run(struct world *world, struct err *err);
void world_free(struct world *world);

/* --- world.c: functions for the actors --------------------------------------- */

struct world_queue *world_queue_new(void);
void world_queue_free(struct world_queue *queue);
/* Advances the time to the next event, and runs it. Returns false if there is none. */
bool world_next(struct world *world);
/* Calls FN(world, actor, data) DELAY_MS from now. DATA is freed with free() after the call (or at the end of
 * the world). */
void world_after(struct world *world, int64_t delay_ms, world_fn *fn, void *actor, void *data);

bool world_faulty(const struct world *world);              /* faults still occur */
bool world_chance(struct world *world, unsigned permille); /* always false after the end of the faults */
void world_note(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Records a violated invariant: the first one ends the run. */
void world_fail(struct world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- the network ----------------------------------------------------------- */

/* Packs ENVELOPE and delivers it to RECEIVER (sim_*_receive) after a delay. Faults may lose or repeat it. It
 * is dropped if the receiver's life is no longer RECEIVER_LIFE (0: any). */
void world_send(struct world *world, struct sim_sender from, enum sim_kind to, void *receiver,
                uint64_t receiver_life, Creel__Envelope *envelope);

#endif
