/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_cluster.h - a creel-nm on this machine, with a resource manager played by the test
 *
 * Keys, configuration, state and cgroups are the test's own; the agent is the real
 * program. cluster_close checks that no process and no cgroup is left.
 */
#ifndef CREEL_TEST_AGENT_CLUSTER_H
#define CREEL_TEST_AGENT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/io/channel.h"
#include "common/io/token.h"

#define SEEN_MAX 32

struct seen {                           /* what the agent reported last of a container */
    char id[80];
    Creel__ContainerState state;
    int exit_status;
    char diagnostics[300];
};

struct cluster {
    char base[96], root[64];
    int port;                           /* of the agent */
    struct loop *loop;
    struct keys *keys;
    struct gate *gate;
    struct channel_server *rm;
    struct token_ring ring;
    pid_t agent;

    Creel__RegisterNode *node;          /* the newest registration; NULL: none of this agent yet */
    int registrations;
    uint64_t session, seq, connection;
    bool deaf;                          /* the RM does not answer */
    bool refuse;                        /* it refuses the node */
    struct seen seen[SEEN_MAX];
    size_t seen_count;
    Creel__NodeOrders orders;           /* repeated with every heartbeat */
    char cleaned[80];                   /* the application that was confirmed last */
    const uint8_t *blob;                /* what GetBlob gives, whatever the hash */
    size_t blob_size;
    int blob_requests;
    bool no_keys;                       /* FindKeys: no key is known; else all are */
    bool old_rm;                        /* FindKeys is not known to it */
    int key_requests;
    struct channel_client *client;      /* that REQUEST is to leave by */
    Creel__Envelope *request;           /* NULL: it has left */
    Creel__Envelope *reply;
    uint64_t request_id;
};

int cluster_open(void **state);         /* for cmocka; the agent is not started */
int cluster_close(void **state);

/* Start creel-nm and wait until it has registered. */
void cluster_start_agent(struct cluster *cluster);
/* SIGNAL it and wait until it is gone: its wait status. */
int cluster_end_agent(struct cluster *cluster, int signal_number);
/* Run creel-nm with ARGS (up to a NULL) to its end: its exit status; what it wrote is in OUTPUT. */
int cluster_run_agent(struct cluster *cluster, const char *const *args, char output[4096]);
/* Write the configuration again, with EXTRA properties. */
void cluster_configure(struct cluster *cluster, const char *extra);

/* Let the RM work until CONDITION holds; fails the test after 30 s. */
void cluster_until(struct cluster *cluster, const char *what,
                   bool (*condition)(struct cluster *cluster, const char *argument),
                   const char *argument);
bool cluster_is_running(struct cluster *cluster, const char *container_id);
bool cluster_is_complete(struct cluster *cluster, const char *container_id);
bool cluster_is_cleaned(struct cluster *cluster, const char *app_id);
bool cluster_is_gone(struct cluster *cluster, const char *path);
bool cluster_is_there(struct cluster *cluster, const char *path);
bool cluster_logged(struct cluster *cluster, const char *text);
const struct seen *cluster_seen(struct cluster *cluster, const char *container_id);

/* A grant of 64 MB on the agent for root; valid until the next call. */
Creel__ContainerGrant *cluster_grant(struct cluster *cluster, const char *container_id);
/* KIND signed with the RM's present key; the caller's. */
ProtobufCBinaryData cluster_sign(struct cluster *cluster, Creel__TokenKind kind,
                                 const ProtobufCMessage *payload);
/* Ask the agent, as an AM with a key of its own would; the reply is the caller's. */
Creel__Envelope *cluster_ask(struct cluster *cluster, Creel__Envelope *request);
/* A connection to the agent as the holder of OWN; the caller's. */
struct channel_client *cluster_connect(struct cluster *cluster, const struct key *own);
/* The same as cluster_ask, over a connection. */
Creel__Envelope *cluster_ask_over(struct cluster *cluster, struct channel_client *client,
                                  Creel__Envelope *request);
/* As an AM, start SCRIPT in a container; the error of the reply, copied (code 0: accepted). */
struct err cluster_ask_start(struct cluster *cluster, const char *container_id,
                             const char *script, const uint8_t *hash);
/* All of a log so far, or what came within WAIT_MS behind OFFSET; the caller's chunk. */
Creel__Envelope *cluster_read_log(struct cluster *cluster, const char *container_id,
                                  uint64_t offset, uint32_t wait_ms);

#endif
