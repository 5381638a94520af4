/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actors.h - the actors of a simulated world: each is a production core in a virtual shell
 *
 * An actor has several lives, each with a number: a crash ends a life, and a start begins the next one.
 * Messages to an earlier life are dropped, as if the connection had broken; the actor's disk is kept.
 */
#ifndef CREEL_SIM_ACTORS_H
#define CREEL_SIM_ACTORS_H

#include "common/base/resource.h"
#include "sim/world/world.h"

/* --- the resource manager: rm/master over a simulated disk of rows --------- */

struct sim_rm *sim_rm_new(struct world *world);
void sim_rm_free(struct sim_rm *rm);
uint64_t sim_rm_life(const struct sim_rm *rm); /* number of the life; 0 while it is down */
void sim_rm_crash(struct sim_rm *rm);          /* ends the life; the RM starts again after a delay */
void sim_rm_receive(struct sim_rm *rm, struct sim_sender from, const Creel__Envelope *envelope);
/* Makes the RM read allocation file FILE (see sim_queues_new). A valid file is also the one that the next
 * life reads; a broken file must change nothing. */
void sim_rm_reload(struct sim_rm *rm, unsigned file);
/* Checks that the RM has every accepted application and, if AT_REST, that all have ended. -EINVAL: ERR names
 * an application that violates this, or the RM is down and AT_REST is set. */
int sim_rm_check_apps(struct sim_rm *rm, bool at_rest, struct err *err);

/* --- the queues of the RM, if its scheduler has queues ---------------------- */

struct sched;
struct sched_config;
struct sim_queues; /* must outlive the master created with it */

/* Creates the queues of a world. FILE: for the fair scheduler, number of the allocation file. */
int sim_queues_new(enum world_queues kind, uint64_t seed, unsigned file, struct sim_queues **ret,
                   struct err *err);
const struct sched_config *sim_queues_config(const struct sim_queues *queues);
/* Checks all rounds of preemption of SCHED, see preempt_audit.h. sim_queues_check returns -EINVAL if a
 * container was preempted without a request. QUEUES may be NULL. */
void sim_queues_audit(struct sim_queues *queues, const struct sched *sched);
int sim_queues_check(const struct sim_queues *queues, struct err *err);
/* Reads FILE again into *RET. -EINVAL: the file is broken. */
int sim_queues_read(const struct sim_queues *queues, unsigned file, struct sched_config *ret,
                    struct err *err);
/* Draw a file number; return the weight of root.a in a file (0: the file is broken). */
unsigned sim_queues_file_draw(struct rng *rng);
double sim_queues_file_weight(unsigned file);
void sim_queues_free(struct sim_queues *queues); /* QUEUES may be NULL */

/* --- a node: nm-agent/core over a virtual machine -------------------------- */

struct sim_node *sim_node_new(struct world *world, unsigned index);
void sim_node_free(struct sim_node *node);
uint64_t sim_node_life(const struct sim_node *node);
void sim_node_crash(struct sim_node *node); /* kills the agent; its containers continue */
void sim_node_receive(struct sim_node *node, struct sim_sender from, const Creel__Envelope *envelope);
const char *sim_node_address(const struct sim_node *node);
bool sim_node_cut(const struct sim_node *node); /* true if its link to the RM is down */
void sim_node_set_cut(struct sim_node *node, bool cut);
/* Kills one AM that runs on NODE, if any. */
void sim_node_kill_am(struct sim_node *node);
/* Makes the process of a container (an AM) exit with STATUS a little later. */
void sim_node_process_exit(struct sim_node *node, const char *container_id, int status);
/* Checks that the agent is registered, and that no container, unreported exit or file of a container is left.
 * -EINVAL: ERR has the node and the reason. */
int sim_node_check_rest(const struct sim_node *node, struct err *err);

/* --- an AM: client/am in a container ----------------------------------- */

struct sim_am *sim_am_new(struct world *world, struct sim_node *host, const char *container_id,
                          const Creel__JobSpec *job);
/* Makes the AM of the unmanaged application APP_ID, which runs on no node of the world. */
struct sim_am *sim_am_new_unmanaged(struct world *world, const char *app_id, uint64_t session,
                                    const Creel__JobSpec *job);
void sim_am_kill(struct sim_am *am); /* kills its process; free the AM later */
void sim_am_free(struct sim_am *am);
uint64_t sim_am_life(const struct sim_am *am); /* number of the life; 0 when it is dead */
const char *sim_am_attempt(const struct sim_am *am);
void sim_am_receive(struct sim_am *am, struct sim_sender from, const Creel__Envelope *envelope);

/* --- an administrator: drains, decommissions and resizes nodes ---------------- */

struct sim_admin *sim_admin_new(struct world *world);
void sim_admin_free(struct sim_admin *admin);
void sim_admin_receive(struct sim_admin *admin, const Creel__Envelope *envelope);
bool sim_admin_done(const struct sim_admin *admin); /* all nodes are in service again, with the size that
                                                       their agents offer */

/* --- a client: submits and kills jobs, repeats requests -------------------- */

struct sim_client *sim_client_new(struct world *world, unsigned index, unsigned jobs);
void sim_client_free(struct sim_client *client);
void sim_client_receive(struct sim_client *client, const Creel__Envelope *envelope);
bool sim_client_done(const struct sim_client *client); /* all submissions are answered */

#endif
