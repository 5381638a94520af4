/* SPDX-License-Identifier: Apache-2.0 */
/* fair_duel.h - two fair schedulers of the same random settings, and random asks of both */
#ifndef CREEL_TESTS_UNIT_FAIR_DUEL_H
#define CREEL_TESTS_UNIT_FAIR_DUEL_H

#include "common/base/rng.h"
#include "tests/reference/fair.h"

#define FAIR_PATH_MAX 256

struct duel {
    struct rng rng;
    uint64_t seed;
    int event;
    struct slow slow;
    struct sched *sched;
    struct sched_decisions decisions;
    struct sched_node *nodes[SLOW_NODES];
    struct sched_app *apps[SLOW_APPS];
    struct sched_container *containers[SLOW_CONTAINERS];
    uint32_t last_id;
    uint64_t count[5];                  /* decisions by kind, over all runs */
};

/* Settings out of SEED; no nodes, no apps. */
void duel_begin(struct duel *duel, uint64_t seed);
void duel_end(struct duel *duel);
/* The same queues with other figures. */
void duel_reload(struct duel *duel);

/* LEAST to MOST steps of 512 MiB, some vcores, and more types if there are. */
struct resource duel_amount(struct duel *duel, int64_t least, int64_t most);
int duel_leaf(struct duel *duel);       /* any */
void duel_path(const struct slow_config *config, int queue, char path[FAIR_PATH_MAX]);
/* APP asks for something anew at one priority; or blacklists a node, or takes that back. */
void duel_ask(struct duel *duel, int app);
void duel_avoid(struct duel *duel, int app, int node);

#endif
