/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - one simulated cluster: a clock, a network, a master, agents, AMs, clients
 *
 * A world is drawn from a seed and runs the production cores (rm/master, rm/sched,
 * nm-agent/core, client/master) as its actors. Everything that happens is an
 * event in one queue, ordered by virtual time and then by the order in which it was made;
 * nothing else decides. Messages are packed and unpacked by common/io/wire as
 * on the real network.
 *
 * Faults (none in some seeds): messages lost, repeated, late, overtaking each
 * other; links cut for a while; the master and the agents killed between any
 * two effects and started again; AMs that die; disks that refuse; an administrator who
 * drains, decommissions and resizes nodes, and who changes the allocation file. After
 * WORLD_FAULTS_END_MS they stop, and everything must come to rest.
 */
#ifndef CREEL_SIM_WORLD_H
#define CREEL_SIM_WORLD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/rng.h"
#include "common/proto/creel.pb-c.h"
#include "sim/ledger.h"

#define WORLD_NODES_MAX 5
#define WORLD_CLIENTS_MAX 3
#define WORLD_RESIZED_MB_MAX 6144        /* the most that an administrator makes of a node */
#define WORLD_FAULTS_END_MS 90000
#define WORLD_END_MS 3600000            /* by then it must be at rest */
/* So many events are enough for every life that comes to rest. A life with more is a livelock, also where
 * each of them takes no virtual time. */
#define WORLD_STEPS_MAX 500000

struct sim_rm;
struct sim_node;
struct sim_am;
struct sim_client;
struct sim_admin;
struct world;

/* One queue, or queues of a scheduler that has them, which preempt each other. */
enum world_queues { WORLD_FIFO, WORLD_CAPACITY, WORLD_FAIR };

/* What does not follow from the seed. */
struct world_options {
    enum world_queues queues;
    bool broken;                        /* a defect: agents forget their containers at a restart */
    bool endless;                       /* a defect: an event that makes itself anew at the same moment */
    bool verbose;
    uint64_t steps_max;                 /* events, before a life counts as a livelock */
};

/* What a seed draws. Chances are per thousand. */
struct world_plan {
    unsigned nodes, clients, jobs;
    unsigned lose, repeat;              /* of a message */
    int64_t delay_min_ms, delay_max_ms;
    unsigned rm_crash, node_crash, am_crash;    /* each second */
    unsigned crash_between;             /* after any one effect */
    unsigned cut;                       /* each second, of one node's link to the RM */
    unsigned disk_refuses;              /* of a save or commit */
    unsigned reload;                    /* each second, fair: the allocation file is changed */
    enum world_queues queues;
    unsigned drain;                     /* each second: an administrator changes a node */
    bool broken;                        /* agents forget their containers at a restart */
};

enum sim_kind { SIM_RM, SIM_NODE, SIM_AM, SIM_CLIENT, SIM_ADMIN };

/* Who sent, as a receiver sees it. */
struct sim_sender {
    enum sim_kind kind;
    void *actor;                        /* borrowed; may be dead when a reply arrives */
    uint64_t life;                      /* of the actor when it sent: replies go to that life only */
};

/* What the network asks of actors. */
struct world_actors {
    uint64_t (*life)(enum sim_kind kind, const void *actor);    /* 0: it is dead */
    void (*receive)(enum sim_kind kind, void *receiver, struct sim_sender from,
                    const Creel__Envelope *envelope);
    /* The link between an agent and the RM may be cut. */
    bool (*is_cut)(const struct sim_sender *from, enum sim_kind to, const void *receiver);
};

typedef void world_fn(struct world *world, void *actor, void *data);

struct world {
    struct world_plan plan;
    struct rng rng;
    uint64_t seed;
    int64_t now_ms;                     /* virtual; from WORLD_EPOCH_MS */
    uint64_t steps, steps_max;          /* events: that there were, that there may be */
    struct world_queue *events;         /* owned */
    const struct world_actors *actors;
    struct sim_rm *rm;                  /* owned, as the arrays below */
    struct sim_node *nodes[WORLD_NODES_MAX];
    struct sim_client *clients[WORLD_CLIENTS_MAX];
    struct sim_admin *admin;
    struct ledger *ledger;
    bool verbose;
    struct err failure;                 /* the first broken invariant; code 0: none */
};

#define WORLD_EPOCH_MS 1700000000000

/* The wall clock of NODE minus that of the resource manager: right, an hour ahead, or a day behind. */
static inline int64_t world_skew_ms(unsigned node)
{
    return node % 3 == 0 ? 0 : node % 3 == 1 ? 3600000 : -86400000;
}

/* The most that may be placed on a node of TOTAL: more, if an administrator sets it. */
struct resource world_most(const struct world *world, struct resource total);

/* What a node has. With two queues: room for a master of each, and a task. */
struct resource world_draw_total(struct world *world);

/* --- world_run.c: the life of a world ----------------------------------------- */

/* Draw a world; run it to its end or its first failure. 0, or -EINVAL with the
 * failure in ERR. */
struct world *world_new(uint64_t seed, const struct world_options *options);
int world_run(struct world *world, struct err *err);
void world_free(struct world *world);

/* --- world.c, for the actors ------------------------------------------------- */

struct world_queue *world_queue_new(void);
void world_queue_free(struct world_queue *queue);
/* The next event happens, and time goes on to it. False: there is none. */
bool world_next(struct world *world);
/* Call FN(world, actor, data) DELAY_MS from now. DATA is free()d after the call (or
 * at the end of the world). */
void world_after(struct world *world, int64_t delay_ms, world_fn *fn, void *actor, void *data);

bool world_faulty(const struct world *world);               /* faults still happen */
bool world_chance(struct world *world, unsigned permille);  /* false once faults have ended */
void world_note(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Record a broken invariant: the first one ends the run. */
void world_fail(struct world *world, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- the network ----------------------------------------------------------- */

/* Pack ENVELOPE and deliver it to RECEIVER (sim_*_receive), perhaps; dropped if the
 * receiver's life is not RECEIVER_LIFE any more (0: any). */
void world_send(struct world *world, struct sim_sender from, enum sim_kind to, void *receiver,
                uint64_t receiver_life, Creel__Envelope *envelope);

#endif
