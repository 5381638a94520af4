/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_harness.h - a master with a scripted world around it: a store, agents, AMs, people
 *
 * Every event goes through harness functions, which audit the master
 * (master_check) after each and keep what it sent. Nothing here decides: tests do.
 */
#ifndef CREEL_TESTS_MASTER_HARNESS_H
#define CREEL_TESTS_MASTER_HARNESS_H

#include "common/conf/conf.h"
#include "rm/master/master.h"
#include "rm/sched/sched.h"

#define CLUSTER_MS 1700000000000

struct sent {                           /* what the master sent, in order */
    enum master_channel channel;
    uint64_t connection;
    Creel__Envelope *envelope;          /* owned */
};

struct row {                            /* what is on disk, or waits to be */
    enum master_effect_kind kind;
    uint64_t seq;
    char id[128];
    uint8_t *packed;                    /* owned; NULL: forgotten */
    size_t size;
};

struct harness {
    struct master *master;
    struct master_config config;
    struct master_effects effects;
    int64_t now;
    uint32_t epoch;
    uint64_t next_request;
    bool hold_store;                    /* rows wait for harness_commit */
    struct sent *sent;
    size_t sent_count, sent_capacity;
    struct row *disk, *waiting;
    size_t disk_count, disk_capacity, waiting_count, waiting_capacity;
    uint32_t last_seq;
    int reloads;                        /* that the master asked for */
    int host_reloads;                   /* of the lists of hosts */
    const struct master_hosts *hosts;   /* at each start; NULL: none */
    struct master_reload host_reload;   /* the last of them */
};

void harness_init(struct harness *h);   /* the usual configuration: on demand, 1 s heartbeats */
void harness_start(struct harness *h);  /* the master, configured by h->config */
void harness_done(struct harness *h);
void harness_commit(struct harness *h);
/* The RM dies and comes up again with what is on disk; messages of before are gone. */
void harness_restart(struct harness *h);
void harness_tick(struct harness *h, int64_t ms);       /* time passes, timers run when due */

Creel__Envelope *harness_envelope(struct harness *h, Creel__Envelope__BodyCase body);
/* Send ENVELOPE; the reply to it (borrowed until the next harness_forget), or NULL. */
const Creel__Envelope *harness_ask(struct harness *h, enum master_channel channel,
                                   uint64_t connection, const char *principal,
                                   Creel__Envelope *envelope);
const Creel__Envelope *harness_find_reply(struct harness *h, uint64_t connection,
                                          uint64_t request_id);
void harness_forget(struct harness *h); /* drop what was sent */
/* Carry out what a step outside of these functions left in h->effects. */
void harness_take(struct harness *h);

/* --- a configuration -------------------------------------------------------- */

/* Defaults and COUNT settings; to be freed. What is wrong fails the test. */
struct conf *conf_of(const char *const settings[][2], size_t count);
/* What the scheduler is built from, of the queues in CONF, which must outlive it. */
struct sched_config capacity_of(const struct conf *conf);

/* --- people ---------------------------------------------------------------- */

/* A job of KIND that would run `true`; static storage, valid until the next call. */
Creel__JobSpec *job_of(Creel__AppKind kind, int64_t memory_mb, uint32_t tasks);
/* The app's id in TEXT, "" if it was refused; the error then is in *ERROR (may be NULL). */
void people_submit(struct harness *h, const Creel__JobSpec *job, const char *key, char text[80],
                   const Creel__Error **error);
/* The reply as it came; TEXT as before. */
const Creel__Envelope *people_submit_as(struct harness *h, const char *user, const Creel__JobSpec *job,
                                        const char *key, char text[80]);
const Creel__AppReport *people_show(struct harness *h, const char *app_id);
const Creel__Envelope *people_kill(struct harness *h, const char *app_id);

/* --- agents ---------------------------------------------------------------- */

#define AGENT_CONTAINERS_MAX 512

struct fake_container {
    char id[80];
    Creel__ContainerState state;
    int exit_status;
    uint64_t said_seq;                  /* heartbeat that first reported COMPLETE */
    bool acked;                         /* a tombstone: not reported any more, never run again */
    bool ran;
    int64_t preempt_ms;                 /* notified of its preemption */
    int64_t spared_ms;                  /* notified that it stays after all */
    int preempt_notices;                /* so often */
    uint8_t *grant;                     /* owned, packed */
    size_t grant_size;
};

struct fake_agent {
    char node_id[64];
    char principal[64];
    uint64_t connection, session, seq, incarnation;
    int64_t memory_mb, vcores;
    Creel__NamedAmount **others;        /* borrowed: what it offers beside them */
    size_t other_count;
    bool unhealthy, shut_down;
    int64_t told_total_mb;              /* to take so much; 0: what it offers */
    bool lose_reply;                    /* the next reply does not arrive */
    struct fake_container containers[AGENT_CONTAINERS_MAX];
    size_t count;
    char finished[64][80];
    size_t finished_count;
    size_t next_sent;                   /* pushes up to here were read */
};

void agent_init(struct fake_agent *a, const char *node_id, int64_t memory_mb, int64_t vcores);
void agent_done(struct fake_agent *a);
void agent_register(struct harness *h, struct fake_agent *a);
void agent_heartbeat(struct harness *h, struct fake_agent *a);
/* Take the orders that were pushed. */
void agent_listen(struct harness *h, struct fake_agent *a);
void agent_start(struct fake_agent *a, const char *container_id, const ProtobufCBinaryData *token);
struct fake_container *agent_find(struct fake_agent *a, const char *container_id);
void agent_exit(struct fake_agent *a, const char *container_id, int exit_status);
int agent_running(const struct fake_agent *a);
int agent_unacked(const struct fake_agent *a);

/* --- application masters ---------------------------------------------------- */

struct fake_am {
    char attempt_id[80];
    uint64_t connection, response_id;
    uint32_t tasks[4];                  /* reported at the end unless the first, all of them, is 0 */
};

void am_init(struct fake_am *am, const char *app_id, unsigned attempt);
const Creel__Envelope *am_register(struct harness *h, struct fake_am *am);
/* COUNT containers of MEMORY_MB at priority 1 (count -1: no ask), releases of RELEASE (or NULL). */
const Creel__AllocateReply *am_allocate(struct harness *h, struct fake_am *am, int count,
                                        int64_t memory_mb, const char *release);
const Creel__Envelope *am_finish(struct harness *h, struct fake_am *am, Creel__FinalStatus status,
                                 int exit_status);

#endif
