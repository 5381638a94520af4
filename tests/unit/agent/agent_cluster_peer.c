/* SPDX-License-Identifier: Apache-2.0 */
/* agent_cluster_peer.c - fixture: requests that AMs and users send to the agent of agent_cluster.c */
#include "tests/unit/agent/agent_cluster.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"

Creel__ContainerGrant *cluster_grant(struct cluster *cluster, const char *container_id)
{
    static Creel__ContainerGrant grant;
    static Creel__Resource resource;
    static char id[80], node[300], user[] = "root";

    creel__container_grant__init(&grant);
    creel__resource__init(&resource);
    snprintf(id, sizeof(id), "%s", container_id);
    snprintf(node, sizeof(node), "%s", cluster->node->node_id);
    resource.memory_mb = 64;
    resource.vcores = 1;
    grant.container_id = id;
    grant.node_id = node;
    grant.user = user;
    grant.resource = &resource;
    grant.expires_ms = loop_now_ms() + 600000;
    return &grant;
}

ProtobufCBinaryData cluster_sign(struct cluster *cluster, Creel__TokenKind kind,
                                 const ProtobufCMessage *payload)
{
    ProtobufCBinaryData token;

    token_sign(&cluster->ring, kind, payload, &token.data, &token.len);
    return token;
}

static void on_reply(void *context, const Creel__Envelope *envelope)
{
    Creel__Envelope copy = *envelope;
    struct cluster *cluster = context;
    scoped_free uint8_t *bytes = NULL;
    size_t size;

    wire_encode(&copy, &bytes, &size);
    if (cluster->reply == NULL)
        assert_int_equal(wire_decode(bytes, size, &cluster->reply, NULL, NULL), 0);
}

struct channel_client *cluster_connect(struct cluster *cluster, const struct key *own)
{
    struct channel_client *client;
    struct err err = { 0 };

    if (channel_client_new(cluster->loop, cluster->node->address, cluster->node->agent_key, own, on_reply,
                           cluster, &client, &err) < 0)
        fail_msg("%s", err.text);
    return client;
}

static bool is_answered(struct cluster *cluster, const char *argument)
{
    (void)argument;
    if (cluster->request != NULL && channel_client_send(cluster->client, cluster->request))
        cluster->request = NULL;
    return cluster->reply != NULL;
}

Creel__Envelope *cluster_ask_over(struct cluster *cluster, struct channel_client *client,
                                  Creel__Envelope *request)
{
    Creel__Envelope *reply;

    request->request_id = ++cluster->request_id;
    cluster->client = client;
    cluster->request = request;
    cluster_until(cluster, "the agent answers", is_answered, NULL);
    reply = cluster->reply;
    cluster->reply = NULL;
    return reply;
}

Creel__Envelope *cluster_ask(struct cluster *cluster, Creel__Envelope *request)
{
    struct channel_client *client;
    Creel__Envelope *reply;
    struct key own;

    key_generate(&own);
    client = cluster_connect(cluster, &own);
    reply = cluster_ask_over(cluster, client, request);
    channel_client_free(client);
    return reply;
}

struct err cluster_ask_start(struct cluster *cluster, const char *container_id, const char *script,
                             const uint8_t *hash)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__StartContainers body = CREEL__START_CONTAINERS__INIT;
    Creel__StartRequest start = CREEL__START_REQUEST__INIT, *starts[] = { &start };
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files[] = { &file };
    char shell[] = "/bin/sh", option[] = "-c", name[] = "data", *text = mem_strdup(script);
    char *command[] = { shell, option, text };
    uint8_t bytes[32] = { 0 };
    struct err err = { 0 };

    launch.command = command;
    launch.n_command = 3;
    launch.files = files;
    launch.n_files = hash != NULL;
    if (hash != NULL)
        memcpy(bytes, hash, sizeof(bytes));
    file.name = name;
    file.mode = 0400;
    file.hash = (ProtobufCBinaryData){ sizeof(bytes), bytes };
    start.launch = &launch;
    start.token = cluster_sign(cluster, CREEL__TOKEN_KIND__TOKEN_CONTAINER,
                               &cluster_grant(cluster, container_id)->base);
    body.containers = starts;
    body.n_containers = 1;
    request.body_case = CREEL__ENVELOPE__BODY_START_CONTAINERS;
    request.start_containers = &body;
    reply = cluster_ask(cluster, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_START_CONTAINERS_REPLY);
    assert_int_equal(reply->start_containers_reply->n_results, 1);
    if (reply->start_containers_reply->results[0]->error != NULL) {
        err.code = (int)reply->start_containers_reply->results[0]->error->code;
        snprintf(err.text, sizeof(err.text), "%s", reply->start_containers_reply->results[0]->error->message);
    }
    wire_free(reply);
    free(start.token.data);
    free(text);
    return err;
}

Creel__Envelope *cluster_read_log(struct cluster *cluster, const char *container_id, uint64_t offset,
                                  uint32_t wait_ms)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ReadLog body = CREEL__READ_LOG__INIT;
    Creel__LogGrant grant = CREEL__LOG_GRANT__INIT;
    char id[80], app[80], file[] = "stdout";

    snprintf(id, sizeof(id), "%s", container_id);
    snprintf(app, sizeof(app), "application_1700000000000_0001");
    grant.app_id = app;
    body.container_id = id;
    body.file = file;
    body.offset = offset;
    body.wait_ms = wait_ms;
    request.token = cluster_sign(cluster, CREEL__TOKEN_KIND__TOKEN_LOG, &grant.base);
    request.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    request.read_log = &body;
    reply = cluster_ask(cluster, &request);
    free(request.token.data);
    return reply;
}
