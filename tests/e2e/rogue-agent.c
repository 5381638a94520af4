/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rogue-agent.c - program: uses the secrets of one agent against another node
 *
 *   rogue-agent NODE-ID KEYS RM-ADDRESS VICTIM-ADDRESS VICTIM-KEY VICTIM-NODE CONTAINER
 *               [MEMORY-MB [PROTOCOL]]
 *
 * Registers the node NODE-ID, of 1024 or MEMORY-MB, as an agent that accepts version PROTOCOL of the protocol
 * alone (by default it gives none), at the RM with the certificate of its host in the
 * directory KEYS, or agents/default. With the token keys of the reply it forges tokens for CONTAINER on the
 * node VICTIM-NODE, and sends requests with the certificate users/root to VICTIM-ADDRESS: a signal, a command
 * by exec, the container's log, a stop, and the start of another container as root. Prints a line for
 * each, "REQUEST: accepted" or the error. Exits with 0 if all were refused, with 1 if one was accepted,
 * with 2 if it could not try; a refused registration is printed, and exits with 3.
 */
#include <czmq.h>
#include <stdio.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"
#include "common/io/loop/loop_socket.h"
#include "common/io/wire/token.h"

#define ANSWER_MS 20000
#define HOUR_MS 3600000

struct rogue {
    const char *node_id, *keys, *rm_address, *victim_address, *victim_key, *victim_node, *container;
    int64_t memory_mb;
    uint32_t protocol;      /* 0: not given */
    struct token_ring ring; /* of its own node */
    struct channel_client *victim;
    bool accepted;
};

static char *plain(const char *text)
{
    return (char *)(uintptr_t)text; /* the generated message structs have no const fields */
}

static struct channel_client *connect_to(const struct rogue *rogue, const char *address, const char *peer_key,
                                         enum key_owner owner, const char *name)
{
    struct channel_client *client;
    struct err err = { 0 };
    struct key own;

    if (key_load_for(rogue->keys, owner, name, true, &own, &err) < 0 ||
        channel_client_new(NULL, address, peer_key, &own, NULL, NULL, &client, &err) < 0) {
        fprintf(stderr, "rogue-agent: %s\n", err.text);
        exit(2);
    }
    return client;
}

static Creel__Envelope *call(struct channel_client *client, Creel__Envelope *request)
{
    struct err err = { 0 };
    Creel__Envelope *reply;

    if (channel_client_call(client, request, ANSWER_MS, &reply, &err) == 0)
        return reply;
    fprintf(stderr, "rogue-agent: %s\n", err.text);
    exit(2);
}

/* --- the registration ------------------------------------------------------------ */

static void register_node(struct rogue *rogue, const char *certificate)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    struct channel_client *client;
    struct err err = { 0 };
    struct key rm;

    if (key_load_for(rogue->keys, KEY_RM, NULL, false, &rm, &err) < 0) {
        fprintf(stderr, "rogue-agent: %s\n", err.text);
        exit(2);
    }
    client = connect_to(rogue, rogue->rm_address, rm.public_text, KEY_AGENT, certificate);
    total.memory_mb = rogue->memory_mb;
    total.vcores = 1;
    body.node_id = body.address = plain(rogue->node_id);
    body.agent_key = rm.public_text; /* any valid key */
    body.version = plain("rogue");
    body.total = &total;
    body.protocol_oldest = body.protocol_newest = rogue->protocol;
    body.incarnation = (uint64_t)loop_now_ms();
    request.request_id = 1;
    request.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE;
    request.register_node = &body;
    reply = call(client, &request);
    if (reply->body_case != CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY ||
        reply->register_node_reply->action != CREEL__NODE_ACTION__NODE_NORMAL) {
        printf("registration refused: %s\n", reply->body_case == CREEL__ENVELOPE__BODY_ERROR
                                                 ? reply->error->message
                                                 : reply->register_node_reply->diagnostics);
        exit(3);
    }
    token_ring_replace(&rogue->ring, reply->register_node_reply->token_keys,
                       reply->register_node_reply->n_token_keys);
    wire_free(reply);
    channel_client_free(client);
}

/* --- forged requests -------------------------------------------------------------- */

static void attempt(struct rogue *rogue, const char *name, Creel__Envelope *request)
{
    Creel__Envelope *reply = call(rogue->victim, request);
    const char *error = NULL;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        error = reply->error->message;
    else if (reply->body_case == CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY &&
             reply->start_containers_reply->results[0]->error != NULL)
        error = reply->start_containers_reply->results[0]->error->message;
    printf("%s: %s\n", name, error ? error : "accepted");
    if (error == NULL)
        rogue->accepted = true;
    wire_free(reply);
}

static ProtobufCBinaryData log_token(const struct rogue *rogue)
{
    Creel__LogGrant grant = CREEL__LOG_GRANT__INIT;
    char app[ID_TEXT_MAX];
    struct container_id id;
    ProtobufCBinaryData token;

    if (!container_id_parse(rogue->container, &id))
        exit(2);
    app_id_format(&id.attempt.app, app);
    grant.app_id = app;
    grant.control = true;
    grant.user = plain("root");
    grant.expires_ms = loop_now_ms() + HOUR_MS;
    token_sign(&rogue->ring, CREEL__TOKEN_KIND__TOKEN_LOG, &grant.base, &token.data, &token.len);
    return token;
}

static ProtobufCBinaryData container_token(const struct rogue *rogue, const char *container)
{
    Creel__ContainerGrant grant = CREEL__CONTAINER_GRANT__INIT;
    Creel__Resource size = CREEL__RESOURCE__INIT;
    ProtobufCBinaryData token;

    size.memory_mb = 64;
    size.vcores = 1;
    grant.container_id = plain(container);
    grant.node_id = plain(rogue->victim_node);
    grant.user = plain("root");
    grant.resource = &size;
    grant.expires_ms = loop_now_ms() + HOUR_MS;
    grant.session = 1ULL << 32 | 1;
    token_sign(&rogue->ring, CREEL__TOKEN_KIND__TOKEN_CONTAINER, &grant.base, &token.data, &token.len);
    return token;
}

static void signal_and_read(struct rogue *rogue)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SignalContainer signal = CREEL__SIGNAL_CONTAINER__INIT;
    Creel__StartExec exec = CREEL__START_EXEC__INIT;
    Creel__ReadLog read = CREEL__READ_LOG__INIT;
    char *command[] = { plain("id") };
    uint8_t key[16] = { 1 };

    request.token = log_token(rogue);
    signal.container_id = exec.container_id = read.container_id = plain(rogue->container);
    signal.signal = 9;
    request.request_id = 2;
    request.body_case = CREEL__ENVELOPE__BODY_SIGNAL_CONTAINER;
    request.signal_container = &signal;
    attempt(rogue, "signal", &request);
    exec.command = command;
    exec.n_command = 1;
    exec.key = (ProtobufCBinaryData){ sizeof(key), key };
    request.request_id = 3;
    request.body_case = CREEL__ENVELOPE__BODY_START_EXEC;
    request.start_exec = &exec;
    attempt(rogue, "exec", &request);
    read.file = plain("stdout");
    request.request_id = 4;
    request.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    request.read_log = &read;
    attempt(rogue, "log", &request);
    free(request.token.data);
}

static void stop_and_start(struct rogue *rogue)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__StopContainers stop = CREEL__STOP_CONTAINERS__INIT;
    Creel__StartContainers start = CREEL__START_CONTAINERS__INIT;
    Creel__StartRequest one = CREEL__START_REQUEST__INIT, *all[] = { &one };
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    ProtobufCBinaryData token = container_token(rogue, rogue->container);
    scoped_free char *other = mem_strdup(rogue->container);
    char *command[] = { plain("true") };

    stop.tokens = &token;
    stop.n_tokens = 1;
    request.request_id = 5;
    request.body_case = CREEL__ENVELOPE__BODY_STOP_CONTAINERS;
    request.stop_containers = &stop;
    attempt(rogue, "stop", &request);
    free(token.data);
    other[strlen(other) - 1] = '9';
    launch.command = command;
    launch.n_command = 1;
    one.token = container_token(rogue, other);
    one.launch = &launch;
    start.containers = all;
    start.n_containers = 1;
    request.request_id = 6;
    request.body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS;
    request.start_containers = &start;
    attempt(rogue, "start", &request);
    free(one.token.data);
}

int main(int argc, char **argv)
{
    struct rogue rogue = { 0 };
    scoped_free char *certificate = NULL;

    if (argc < 8 || argc > 10) {
        fputs("rogue-agent: its comment describes the arguments\n", stderr);
        return 2;
    }
    rogue.node_id = argv[1];
    rogue.keys = argv[2];
    rogue.rm_address = argv[3];
    rogue.victim_address = argv[4];
    rogue.victim_key = argv[5];
    rogue.victim_node = argv[6];
    rogue.container = argv[7];
    rogue.memory_mb = argc > 8 ? strtoll(argv[8], NULL, 10) : 1024;
    rogue.protocol = argc > 9 ? (uint32_t)strtoul(argv[9], NULL, 10) : 0;
    loop_socket_prepare_process();
    certificate = mem_strdup(rogue.node_id);
    certificate[strcspn(certificate, ":")] = '\0';
    register_node(&rogue, strncmp(certificate, "127.", 4) == 0 ? "default" : certificate);
    rogue.victim = connect_to(&rogue, rogue.victim_address, rogue.victim_key, KEY_USER, "root");
    signal_and_read(&rogue);
    stop_and_start(&rogue);
    channel_client_free(rogue.victim);
    return rogue.accepted ? 1 : 0;
}
