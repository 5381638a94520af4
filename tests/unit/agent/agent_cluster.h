/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent_cluster.h - fixture: the real creel-nm as a process on this machine, and a fake resource manager (RM)
 *
 * Keys, configuration, state directory and cgroups belong to the test. cluster_close checks that no process
 * and no cgroup is left.
 */
#ifndef CREEL_TEST_AGENT_CLUSTER_H
#define CREEL_TEST_AGENT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/io/channel/channel.h"
#include "common/io/wire/token.h"

#define SEEN_MAX 32

struct seen { /* last reported state of one container */
    char id[80];
    Creel__ContainerState state;
    int exit_status;
    char diagnostics[300];
};

struct cluster {
    char base[96], root[64];
    int port; /* port of the agent */
    struct loop *loop;
    struct keys *keys;
    struct gateway_pool *pool;
    struct channel_server *rm;
    struct token_ring ring;
    pid_t agent;

    Creel__RegisterNode *node; /* newest registration request; NULL: this agent has not registered
                                  yet */
    int registrations;
    uint64_t session, seq, connection;
    bool deaf;   /* the RM answers no request */
    bool refuse; /* the RM refuses the registration of the node */
    struct seen seen[SEEN_MAX];
    size_t seen_count;
    Creel__NodeOrders orders; /* orders that the RM repeats in every heartbeat reply */
    char cleaned[80];         /* id of the application whose cleanup the agent confirmed last */
    const uint8_t *blob;      /* content that GetBlob returns, whatever the hash */
    size_t blob_size;
    int blob_requests;
    bool no_keys; /* FindKeys finds no key; false: FindKeys finds every key */
    bool old_rm;  /* the RM does not implement FindKeys */
    int key_requests;
    struct channel_client *client; /* connection over which REQUEST is to be sent */
    Creel__Envelope *request;      /* request to be sent; NULL: already sent */
    Creel__Envelope *reply;
    uint64_t request_id;
};

int cluster_open(void **state); /* for cmocka; does not start the agent */
int cluster_close(void **state);

/* Starts creel-nm and waits until creel-nm has registered. */
void cluster_start_agent(struct cluster *cluster);
/* Sends SIGNAL_NUMBER to the agent and waits for the agent's end. Returns the wait status. */
int cluster_end_agent(struct cluster *cluster, int signal_number);
/* Runs creel-nm with ARGS (ends with NULL) until exit. Returns the exit status; OUTPUT gets the text
 * printed. */
int cluster_run_agent(struct cluster *cluster, const char *const *args, char output[4096]);
/* Rewrites the configuration with the properties EXTRA added. */
void cluster_configure(struct cluster *cluster, const char *extra);

/* Runs the RM's loop until CONDITION holds. The test fails after 30 s. */
void cluster_until(struct cluster *cluster, const char *what,
                   bool (*condition)(struct cluster *cluster, const char *argument), const char *argument);
bool cluster_is_running(struct cluster *cluster, const char *container_id);
bool cluster_is_complete(struct cluster *cluster, const char *container_id);
bool cluster_is_cleaned(struct cluster *cluster, const char *app_id);
bool cluster_is_gone(struct cluster *cluster, const char *path);
bool cluster_is_there(struct cluster *cluster, const char *path);
bool cluster_logged(struct cluster *cluster, const char *text);
const struct seen *cluster_seen(struct cluster *cluster, const char *container_id);

/* Returns a grant of 64 MB on the agent for user root; valid until the next call. */
Creel__ContainerGrant *cluster_grant(struct cluster *cluster, const char *container_id);
/* Returns PAYLOAD as a token of KIND, signed with the RM's current key. The caller frees the token. */
ProtobufCBinaryData cluster_sign(struct cluster *cluster, Creel__TokenKind kind,
                                 const ProtobufCMessage *payload);
/* Sends REQUEST to the agent as an AM with a new key would. Returns the reply, which the caller frees. */
Creel__Envelope *cluster_ask(struct cluster *cluster, Creel__Envelope *request);
/* Opens a connection to the agent with the key OWN. The caller closes the connection. */
struct channel_client *cluster_connect(struct cluster *cluster, const struct key *own);
/* Like cluster_ask, over the connection CLIENT. */
Creel__Envelope *cluster_ask_over(struct cluster *cluster, struct channel_client *client,
                                  Creel__Envelope *request);
/* Starts SCRIPT in a container, as an AM. Returns a copy of the error in the reply (code 0: accepted). */
struct err cluster_ask_start(struct cluster *cluster, const char *container_id, const char *script,
                             const uint8_t *hash);
/* Returns the log from OFFSET on, after waiting up to WAIT_MS for new output. The caller frees the reply. */
Creel__Envelope *cluster_read_log(struct cluster *cluster, const char *container_id, uint64_t offset,
                                  uint32_t wait_ms);

#endif
