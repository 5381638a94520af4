/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - the core's books, seen by rm/sched alone
 *
 * Every node, app and container belongs to one table (nodes, apps, its app's
 * list); everything else that points at it is an index. Sums are changed in
 * one place each: node_charge, app_charge, demand_set_count. sched_check adds them up again.
 */
#ifndef CREEL_RM_SCHED_INTERNAL_H
#define CREEL_RM_SCHED_INTERNAL_H

#include <sys/queue.h>

#include <bsd/sys/tree.h>
#include <uthash.h>

#include "rm/sched/sched.h"
#include "rm/sched/strategy.h"

struct sched_queue {
    TAILQ_ENTRY(sched_queue) link;
    struct sched_queue *parent;         /* borrowed; NULL for root */
    char *path;                         /* owned */
    const char *name;                   /* last component of PATH */
    bool leaf;
    struct resource used, pending;
    uint32_t apps_running, apps_pending, containers;
};

struct sched_container {
    TAILQ_ENTRY(sched_container) of_node, of_app;
    struct sched_container_info info;
    void *owner;
    bool launched;
    bool manager;                       /* counts among those that are limited */
};

TAILQ_HEAD(container_list, sched_container);

/* A host or rack name and the nodes that bear it. */
struct place {
    UT_hash_handle hh;
    char *name;                         /* owned */
    struct sched_node **nodes;          /* owned array, in order of arrival */
    size_t count, capacity;
};

struct sched_node {
    UT_hash_handle hh;                  /* sched->nodes, by id; iterates in order of arrival */
    RB_ENTRY(sched_node) room;
    char *id, *host, *rack;             /* owned */
    uint64_t serial;                    /* order of arrival */
    struct resource total, used;
    struct container_list containers;   /* index */
    uint32_t container_count;
    bool open, has_room;                /* HAS_ROOM: stands in sched->room */
    bool may_exceed;                    /* total was lowered, or containers were recovered, so
                                           that more is used than there is */
    void *owner;
};

/* One row of an ask for a host, node id or rack. */
struct row {
    UT_hash_handle hh;
    char *name;                         /* owned */
    uint32_t count;                     /* never 0 */
    bool strict;
};

/* What an app wants at one priority and allocation id. */
struct demand {
    RB_ENTRY(demand) link;
    uint32_t priority;
    uint64_t allocation_id;
    struct resource capability;
    uint32_t count;                     /* of "*": how many are still wanted */
    bool strict;                        /* of "*" */
    bool master;
    struct row *rows;                   /* owned; a hash that iterates in order of asking */
};

RB_HEAD(sched_demand_tree, demand);

struct blacklisted {
    UT_hash_handle hh;
    char *name;                         /* owned */
};

struct sched_app {
    UT_hash_handle hh;                  /* sched->apps, by id */
    RB_ENTRY(sched_app) wanting;        /* sched->wanting, while pending_containers > 0 */
    struct sched *sched;                /* borrowed: the comparison needs the strategy */
    struct app_id id;
    char *user;                         /* owned */
    int32_t priority;
    struct sched_queue *queue;          /* borrowed */
    bool manages;
    void *owner;

    struct sched_demand_tree demands;         /* owned */
    size_t row_count;                   /* demands and rows together */
    struct blacklisted *blacklist;      /* owned */
    struct container_list containers;   /* owned */
    uint32_t container_count;
    uint32_t last_number;
    struct resource used, pending;
    uint64_t pending_containers;
};

RB_HEAD(sched_room_tree, sched_node);
RB_HEAD(sched_wanting_tree, sched_app);

struct sched {
    const struct sched_strategy *strategy;
    enum sched_calculator calculator;
    struct resource minimum, step, maximum;
    bool assign_on_demand;
    uint32_t managers_permille;

    TAILQ_HEAD(, sched_queue) queues;   /* owned, parents first */
    struct sched_node *nodes;           /* owned */
    struct place *hosts, *racks;        /* owned */
    struct sched_app *apps;             /* owned */
    struct sched_room_tree room;              /* open nodes with at least the minimum free */
    struct sched_wanting_tree wanting;  /* apps that want something, in the strategy's order */
    uint64_t last_serial;
    struct resource total, open_total, used;
    struct resource managed;            /* of containers that are managers */
    uint32_t managers;
    uint32_t node_count, open_count, container_count;
};

/* config.c */
struct sched_queue *sched_queue_new(struct sched *sched, struct sched_queue *parent,
                                    const char *path, bool leaf);
struct sched_queue *sched_queue_find(const struct sched *sched, const char *name);

/* node.c */
RB_PROTOTYPE(sched_room_tree, sched_node, room, sched_node_compare_room)
int sched_node_compare_room(const struct sched_node *a, const struct sched_node *b);
struct resource sched_node_free(const struct sched_node *node);
/* How many of WANT, at most MOST, go into the free part of NODE. */
uint32_t sched_node_takes(const struct sched *sched, const struct sched_node *node,
                    const struct resource *want, uint32_t most);
/* Is more given out than there is? */
bool sched_node_exceeds(const struct sched *sched, const struct sched_node *node);
void sched_node_charge(struct sched *sched, struct sched_node *node, const struct resource *amount,
                 int sign);
const struct place *sched_place_find(const struct place *places, const char *name);

/* demand.c */
RB_PROTOTYPE(sched_demand_tree, demand, link, sched_demand_compare)
int sched_demand_compare(const struct demand *a, const struct demand *b);
struct demand *sched_demand_get(struct sched_app *app, uint32_t priority, uint64_t allocation_id);
void sched_demand_drop(struct sched_app *app, struct demand *demand);
void sched_demand_drop_all(struct sched_app *app);
void sched_demand_set_count(struct sched_app *app, struct demand *demand, uint32_t count);
void sched_demand_set_capability(struct sched_app *app, struct demand *demand,
                           const struct resource *capability);
struct row *sched_demand_find_row(const struct demand *demand, const char *name);
void sched_demand_set_row(struct sched_app *app, struct demand *demand, const char *name,
                    uint32_t count, bool strict);

/* app.c */
RB_PROTOTYPE(sched_wanting_tree, sched_app, wanting, sched_app_compare)
int sched_app_compare(const struct sched_app *a, const struct sched_app *b);
bool sched_app_avoids(const struct sched_app *app, const struct sched_node *node);
void sched_app_charge(struct sched_app *app, const struct resource *amount, int sign);

/* May another manager be placed? LIMIT (may be NULL) gets what they may hold. */
bool sched_may_manage(const struct sched *sched, const struct demand *demand,
                      const struct sched_app *app, struct resource *limit);

/* place.c: the one way to place something, and to whom nodes are offered on demand */
unsigned sched_place_demand(struct sched *sched, struct sched_node *node, struct sched_app *app,
                            struct demand *demand, unsigned limit,
                            struct sched_decisions *decisions);
void sched_offer_node(struct sched *sched, struct sched_node *node,
                      struct sched_decisions *decisions);
void sched_offer_managers(struct sched *sched, struct sched_decisions *decisions);
void sched_offer_app(struct sched *sched, struct sched_app *app, struct sched_decisions *decisions);

#endif
