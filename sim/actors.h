/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actors.h - the inhabitants of a world: each a production core in a virtual shell
 *
 * An actor has lives: a crash ends one, a start begins the next, with a number
 * of its own. What was on its way to an earlier life is dropped, as a
 * connection that broke; what is on its disk stays.
 */
#ifndef CREEL_SIM_ACTORS_H
#define CREEL_SIM_ACTORS_H

#include "common/base/resource.h"
#include "sim/world.h"

/* --- the resource manager: rm/master over a disk of rows ------------------- */

struct sim_rm *sim_rm_new(struct world *world);
void sim_rm_free(struct sim_rm *rm);
uint64_t sim_rm_life(const struct sim_rm *rm);      /* 0 while it is down */
void sim_rm_crash(struct sim_rm *rm);               /* and start again after a while */
void sim_rm_receive(struct sim_rm *rm, struct sim_sender from, const Creel__Envelope *envelope);
/* The allocation file is another, and is read: FILE of sim_queues_new. A broken one is there for long enough
 * to be read, and changes nothing. */
void sim_rm_reload(struct sim_rm *rm, unsigned file);
/* Every accepted application is known and, with AT_REST, over. -EINVAL: ERR names one that is not. */
int sim_rm_check_apps(struct sim_rm *rm, bool at_rest, struct err *err);

/* --- its queues, if it has a scheduler of queues ---------------------------- */

struct sched_config;
struct sim_queues;                      /* outlives the master that was made with it */

/* FILE: of fair, which of some allocation files there is. */
int sim_queues_new(enum world_queues kind, uint64_t seed, unsigned file, struct sim_queues **ret,
                   struct err *err);
const struct sched_config *sim_queues_config(const struct sim_queues *queues);
/* FILE read anew. -EINVAL: it is broken. */
int sim_queues_read(const struct sim_queues *queues, unsigned file, struct sched_config *ret,
                    struct err *err);
/* Any file, and the weight that it has for root.a; 0: it is broken. */
unsigned sim_queues_file_draw(struct rng *rng);
double sim_queues_file_weight(unsigned file);
void sim_queues_free(struct sim_queues *queues);        /* NULL is fine */

/* --- a node: nm-agent/core over a virtual machine -------------------------- */

struct sim_node *sim_node_new(struct world *world, unsigned index);
void sim_node_free(struct sim_node *node);
uint64_t sim_node_life(const struct sim_node *node);
void sim_node_crash(struct sim_node *node);         /* the agent; its containers run on */
void sim_node_receive(struct sim_node *node, struct sim_sender from,
                      const Creel__Envelope *envelope);
const char *sim_node_address(const struct sim_node *node);
bool sim_node_cut(const struct sim_node *node);     /* its link to the RM is down */
void sim_node_set_cut(struct sim_node *node, bool cut);
/* Kill one AM that runs there, if any. */
void sim_node_kill_am(struct sim_node *node);
/* A container's process (an AM) ends by itself. */
void sim_node_process_exit(struct sim_node *node, const char *container_id, int status);
/* Nothing runs and nothing waits to be reported. -EINVAL: ERR names what does. */
int sim_node_check_rest(const struct sim_node *node, struct err *err);

/* --- an AM: client/master in a container ----------------------------------- */

struct sim_am *sim_am_new(struct world *world, struct sim_node *host, const char *container_id,
                          const Creel__JobSpec *job);
void sim_am_kill(struct sim_am *am);                /* its process is gone; free it later */
void sim_am_free(struct sim_am *am);
uint64_t sim_am_life(const struct sim_am *am);      /* 0 once it is dead */
const char *sim_am_attempt(const struct sim_am *am);
void sim_am_receive(struct sim_am *am, struct sim_sender from, const Creel__Envelope *envelope);

/* --- an administrator: drains, takes out, resizes ----------------------------- */

struct sim_admin *sim_admin_new(struct world *world);
void sim_admin_free(struct sim_admin *admin);
void sim_admin_receive(struct sim_admin *admin, const Creel__Envelope *envelope);
bool sim_admin_done(const struct sim_admin *admin);     /* all nodes serve again, as they are */

/* --- a client: submits, kills, asks again ---------------------------------- */

struct sim_client *sim_client_new(struct world *world, unsigned index, unsigned jobs);
void sim_client_free(struct sim_client *client);
void sim_client_receive(struct sim_client *client, const Creel__Envelope *envelope);
bool sim_client_done(const struct sim_client *client);      /* all submissions are answered */

#endif
