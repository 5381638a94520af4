/* SPDX-License-Identifier: Apache-2.0 */
/* fair_duel.h - two fair schedulers (creel's and a simple reference) that get the same random settings and
 * requests */
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
    uint64_t count[5]; /* number of decisions by kind, over all runs */
};

/* Creates both schedulers with random settings from SEED, without nodes and apps. */
void duel_begin(struct duel *duel, uint64_t seed);
void duel_end(struct duel *duel);
/* Reloads the same queues with other random weights and limits. */
void duel_reload(struct duel *duel);

/* Returns LEAST to MOST units of 512 MiB, with random vcores and amounts of the further types, if any. */
struct resource duel_amount(struct duel *duel, int64_t least, int64_t most);
int duel_leaf(struct duel *duel); /* any leaf */
void duel_path(const struct slow_config *config, int queue, char path[FAIR_PATH_MAX]);
/* duel_ask: APP replaces its requests at one priority. duel_avoid: APP adds a node to its blacklist, or
 * removes the node. */
void duel_ask(struct duel *duel, int app);
void duel_avoid(struct duel *duel, int app, int node);

#endif
