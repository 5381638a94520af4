/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm_world.h - state of a running storm, for the files of sim/storm/storm_*
 *
 * A storm of the capacity scheduler runs twice. In the second run, queues and users that a limit refuses are
 * visited, too (visits_refused in rm/sched/capacity/internal.h). After each event, all decisions and the
 * missed opportunities of each request must be the same as in the first run.
 */
#ifndef CREEL_SIM_STORM_WORLD_H
#define CREEL_SIM_STORM_WORLD_H

#include "rm/sched/capacity/internal.h"
#include "rm/sched/fair/config.h"
#include "rm/sched/capacity/preempt_audit.h"
#include "sim/storm/storm.h"

struct storm_note {
    int app; /* -1: VALUE is the checksum of the decisions so far */
    uint32_t priority;
    uint64_t allocation_id, grows, value;
};

struct storm_notes {
    struct storm_note *items; /* owned */
    size_t count, capacity;
    size_t at; /* second run: index of the next note to compare */
};

enum { NODES = 10, APPS = 24, LIVE_MAX = 4096, USERS = 4, RACKS = 3 };

struct live {
    struct sched_container *handle;
    int app, node;
    int64_t deadline_ms; /* deadline of its PREEMPT; 0: none */
    bool killed;
};

struct storm {
    struct rng rng;
    FILE *story;
    struct sched *sched;
    struct storm_config *config;
    bool capacity, queues; /* QUEUES: the scheduler is capacity or fair */
    int types;             /* number of resource types: 2 or 3 */
    struct sched_decisions decisions;
    struct sched_node *nodes[NODES];
    bool open[NODES];
    struct sched_app *apps[APPS];
    struct resource masters[APPS]; /* size of each attempt's AM; zero: none */
    unsigned avoided[APPS];        /* nodes that the AM avoids, a bit for each */
    double avoided_share[APPS];    /* as in struct sched_avoided */
    struct live live[LIVE_MAX];
    int live_count;
    uint64_t recovered;  /* number of recovered containers */
    struct rng silences; /* decides which nodes become silent, and when */
    struct rng lulls;    /* decides when most applications stop asking, in scarce storms */
    bool scarce;         /* see storm_config_new() */
    struct preempt_audit audit;
    int64_t now_ms;
    uint32_t last_app;
    struct storm_count *count;
    struct storm_notes *notes; /* notes of the first run; NULL for other schedulers than capacity */
    bool second;               /* second run: notes are compared */
    uint64_t decided;          /* checksum of the decisions */
    struct storm_copy *copies; /* owned; uthash by path, see storm_queues.c */
    uint64_t queues_version;   /* of COPIES */
    int r;                     /* first error; ERR describes it */
    struct err *err;
};

/* Writes a line to the story. */
void storm_write(const struct storm *storm, const char *format, ...) __attribute__((format(printf, 2, 3)));
void storm_wrong(struct storm *storm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Creates a storm of the shape STORM_PERCENT and makes EVENTS events, for tests that examine the resulting
 * state. -EINVAL: ERR has the error, and the storm is freed. */
int storm_until(const char *scheduler, uint64_t seed, int events, struct storm_count *count,
                struct storm **ret, struct err *err);
/* Frees STORM. Declared for tests. */
void storm_free(struct storm *storm);
void storm_event(struct storm *storm); /* makes one random event */
/* Now and then in a scarce storm: all applications outside of one leaf withdraw their requests, and rounds of
 * preemption follow. */
void storm_lull(struct storm *storm);
/* Now and then: a node becomes silent, or is heard again. */
void storm_silence(struct storm *storm);
void storm_hear(struct storm *storm, int i); /* node I sends a heartbeat: it is not silent */
/* Checks that the node on which DECISION gives room is not silent. */
void storm_check_heard(struct storm *storm, const struct sched_decision *decision);
void storm_absorb(struct storm *storm); /* processes the decisions of the core */
void storm_offer_nodes(struct storm *storm);
/* Ends all containers of APP. Declared for tests. */
void storm_end_containers(struct storm *storm, int app);
void storm_end_app(struct storm *storm, int app);

/* storm_look.c: storm_check reads figures and explanations; storm_check_empty checks that nothing is left
 * after all apps have ended; storm_note records the state after an event, or compares it in the second
 * run. */
void storm_check(struct storm *storm);
void storm_check_empty(struct storm *storm);
void storm_note(struct storm *storm);

/* storm_queues.c: checks that queues whose figures have changed since the last call are in the scheduler's
 * list of changed queues. */
void storm_check_queues(struct storm *storm);
void storm_free_copies(struct storm *storm);

#endif
