/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm_world.h - one storm on its way, for the files of sim/storm_*
 *
 * A storm of the capacity scheduler runs twice. The second time, queues and users that a limit refuses are
 * visited all the same (visits_refused in rm/sched/capacity/internal.h). After each event it must have
 * decided the same, and each request must have counted as many missed opportunities, as the first time.
 */
#ifndef CREEL_SIM_STORM_WORLD_H
#define CREEL_SIM_STORM_WORLD_H

#include "rm/sched/capacity/internal.h"
#include "rm/sched/fair/config.h"
#include "sim/storm.h"

struct storm_note {
    int app;                            /* -1: VALUE is what was decided until then */
    uint32_t priority;
    uint64_t allocation_id, value;
};

struct storm_notes {
    struct storm_note *items;           /* owned */
    size_t count, capacity;
    size_t at;                          /* the second time: the next to be compared */
};

enum { NODES = 10, APPS = 24, LIVE_MAX = 4096, USERS = 4, RACKS = 3 };

struct live {
    struct sched_container *handle;
    int app, node;
    int64_t deadline_ms;                /* of its PREEMPT; 0: none */
    bool killed;
};

struct storm {
    struct rng rng;
    FILE *story;
    struct sched *sched;
    struct storm_config *config;
    bool capacity, queues;              /* QUEUES: capacity or fair */
    int types;                          /* of resources: 2 or 3 */
    struct sched_decisions decisions;
    struct sched_node *nodes[NODES];
    bool open[NODES];
    struct sched_app *apps[APPS];
    struct resource masters[APPS];      /* of each attempt; zero: none */
    struct live live[LIVE_MAX];
    int live_count;
    int64_t now_ms;
    uint32_t last_app;
    struct storm_count *count;
    struct storm_notes *notes;          /* of capacity; NULL: none are taken */
    bool second;                        /* they are compared */
    uint64_t decided;                   /* a checksum */
    int r;                              /* the first thing that was wrong; ERR has it */
    struct err *err;
};

void storm_wrong(struct storm *storm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* EVENTS of a storm, for tests that look at what they left. -EINVAL: ERR has what was wrong. */
int storm_until(const char *scheduler, uint64_t seed, int events, struct storm_count *count,
                struct storm **ret, struct err *err);
void storm_free(struct storm *storm);
void storm_event(struct storm *storm);          /* one random event */
void storm_absorb(struct storm *storm);         /* its decisions */
void storm_offer_nodes(struct storm *storm);
void storm_end_containers(struct storm *storm, int app);
void storm_end_app(struct storm *storm, int app);

/* storm_look.c: ask for figures and reasons; nothing is left of all apps; the notes of an event. */
void storm_look(struct storm *storm);
void storm_look_empty(struct storm *storm);
void storm_note(struct storm *storm);

#endif
