/* SPDX-License-Identifier: Apache-2.0 */
/* io_daemon.c - fixture: a daemon of three channel servers behind a pool, and clients of the servers */
#include "tests/unit/io/io_daemon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"

static const enum admission_policy policies[PORTS] = { ADMISSION_AGENTS, ADMISSION_USERS, ADMISSION_ANY };

/* --- the daemon ------------------------------------------------------------------ */

static void serve(void *context, const struct peer *peer, const Creel__Envelope *request);

/* Within one process, the old listening socket may outlive the channel server for a moment. */
static void listen_on(struct daemon *daemon, int which)
{
    int64_t end_ms = loop_monotonic_ms() + CALL_MS;
    struct port *port = &daemon->ports[which];
    char address[64];
    int rc;

    port->daemon = daemon;
    snprintf(address, sizeof(address), "127.0.0.1:%d", port->number);
    do
        rc = channel_server_new(daemon->pool, address, policies[which], &daemon->own, serve, port,
                                &port->server, NULL);
    while (rc == -EADDRINUSE && loop_monotonic_ms() < end_ms);
    assert(rc == 0);
    port->number = channel_server_port(port->server);
}

static void restart_users(void *context)
{
    struct daemon *daemon = context;

    channel_server_free(daemon->ports[PORT_USERS].server);
    listen_on(daemon, PORT_USERS);
}

static void serve(void *context, const struct peer *peer, const Creel__Envelope *request)
{
    struct port *port = context;
    struct daemon *daemon = port->daemon;
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    Creel__Ok ok = CREEL__OK__INIT;
    scoped_free char *text = mem_strdup(peer->principal);

    reply.request_id = request->request_id;
    switch (request->body_case) {
    case CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO:
        daemon->connection = peer->connection;
        info.user = text;
        info.nodes_running = (uint32_t)peer->connection;
        reply.body_case = CREEL__ENVELOPE__BODY_CLUSTER_INFO;
        reply.cluster_info = &info;
        break;
    case CREEL__ENVELOPE__BODY_WAIT_APP:
        if (daemon->waits++ == 0) {
            loop_add_timer(daemon->loop, 0, restart_users, daemon);
            return;
        }
        reply.body_case = CREEL__ENVELOPE__BODY_APP_LIST;
        reply.app_list = &list;
        break;
    case CREEL__ENVELOPE__BODY_READ_LOG:
        chunk.data.len = WIRE_CHUNK_MAX;
        chunk.data.data = mem_alloc0(WIRE_CHUNK_MAX);
        reply.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
        reply.log_chunk = &chunk;
        break;
    case CREEL__ENVELOPE__BODY_KILL_APP:
        channel_server_refuse(port->server, peer->connection, request->request_id,
                              CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "%s may not kill %s", peer->principal,
                              request->kill_app->app_id);
        return;
    case CREEL__ENVELOPE__BODY_LIST_QUEUES:
        return; /* sends no answer */
    case CREEL__ENVELOPE__BODY_GET_LOG_ACCESS:
        info.total = NULL; /* makes the reply invalid: out of bounds */
        reply.body_case = CREEL__ENVELOPE__BODY_CLUSTER_INFO;
        info.now_ms = -1;
        reply.cluster_info = &info;
        break;
    default:
        reply.body_case = CREEL__ENVELOPE__BODY_OK;
        reply.ok = &ok;
        break;
    }
    channel_server_send(port->server, peer->connection, &reply);
    if (reply.body_case == CREEL__ENVELOPE__BODY_LOG_CHUNK)
        free(chunk.data.data);
}

static void stop_now(void *context, int fd)
{
    (void)fd;
    loop_stop(((struct daemon *)context)->loop);
}

static void *run(void *context)
{
    struct daemon *daemon = context;

    if (loop_new(&daemon->loop, NULL) < 0 || keys_open(daemon->folder, &daemon->keys, NULL) < 0)
        abort();
    if (gateway_pool_new(daemon->loop, daemon->without_keys ? NULL : daemon->keys, &daemon->limits, 1,
                         &daemon->pool, NULL) < 0)
        abort();
    for (int i = 0; i < PORTS; i++)
        listen_on(daemon, i);
    if (loop_add_fd(daemon->loop, daemon->stop[0], false, stop_now, daemon, NULL) < 0)
        abort();
    if (write(daemon->ready[1], "r", 1) != 1)
        abort();
    loop_run(daemon->loop);
    for (int i = 0; i < PORTS; i++)
        channel_server_free(daemon->ports[i].server);
    gateway_pool_free(daemon->pool);
    keys_free(daemon->keys);
    loop_free(daemon->loop);
    return NULL;
}

void daemon_start(struct daemon *daemon)
{
    char byte;

    daemon->pool = NULL;
    assert_int_equal(pthread_create(&daemon->thread, NULL, run, daemon), 0);
    daemon->running = true;
    assert_int_equal(read(daemon->ready[0], &byte, 1), 1);
}

void daemon_stop(struct daemon *daemon)
{
    char byte;

    assert_int_equal(write(daemon->stop[1], "s", 1), 1);
    assert_int_equal(pthread_join(daemon->thread, NULL), 0);
    daemon->running = false;
    assert_int_equal(read(daemon->stop[0], &byte, 1), 1);
}

int daemon_set_up(void **state)
{
    struct daemon *daemon = mem_new0(struct daemon);

    daemon->limits = GATEWAY_LIMITS_DEFAULT;
    setenv("CREEL_GATEWAY", GATEWAY_PATH, 1);
    snprintf(daemon->folder, sizeof(daemon->folder), "/tmp/creel-channel-XXXXXX");
    assert_non_null(mkdtemp(daemon->folder));
    assert_int_equal(pipe(daemon->stop), 0);
    assert_int_equal(pipe(daemon->ready), 0);
    assert_int_equal(key_make(daemon->folder, KEY_RM, NULL, NULL), 0);
    assert_int_equal(key_make(daemon->folder, KEY_AGENT, "n1", NULL), 0);
    assert_int_equal(key_make(daemon->folder, KEY_USER, "alice", NULL), 0);
    assert_int_equal(key_load_for(daemon->folder, KEY_RM, NULL, true, &daemon->own, NULL), 0);
    *state = daemon;
    return 0;
}

int daemon_tear_down(void **state)
{
    struct daemon *daemon = *state;
    zdir_t *dir;

    if (daemon->running)
        daemon_stop(daemon);
    dir = zdir_new(daemon->folder, NULL);
    zdir_remove(dir, true);
    zdir_destroy(&dir);
    for (int i = 0; i < 2; i++) {
        close(daemon->stop[i]);
        close(daemon->ready[i]);
    }
    free(daemon);
    return 0;
}

/* --- clients ---------------------------------------------------------------------- */

struct key daemon_key(struct daemon *daemon, enum key_owner owner, const char *name)
{
    struct key key;

    assert_int_equal(key_load_for(daemon->folder, owner, name, true, &key, NULL), 0);
    return key;
}

struct channel_client *daemon_connect(struct daemon *daemon, int which, const struct key *key)
{
    struct channel_client *client;
    char address[64];

    snprintf(address, sizeof(address), "127.0.0.1:%d", daemon->ports[which].number);
    assert_int_equal(
        channel_client_new(NULL, address, daemon->own.public_text, key, NULL, NULL, &client, NULL), 0);
    channel_client_name_peer(client, "creel-rm", "--rm HOST:PORT");
    return client;
}

int daemon_ask(struct channel_client *client, int64_t timeout_ms, char who[64], struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    int rc;

    request.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    request.get_cluster_info = &body;
    rc = channel_client_call(client, &request, timeout_ms, &reply, err);
    if (rc < 0)
        return rc;
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_CLUSTER_INFO);
    snprintf(who, 64, "%s", reply->cluster_info->user);
    wire_free(reply);
    return 0;
}

void expect_served(struct channel_client *client, const char *principal)
{
    struct err err = { 0 };
    char who[64];

    if (daemon_ask(client, CALL_MS, who, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(who, principal);
}

void expect_refused(struct channel_client *client, int code, const char *text)
{
    struct err err = { 0 };
    char who[64];

    assert_int_equal(daemon_ask(client, CALL_MS, who, &err), code);
    if (strstr(err.text, text) == NULL)
        fail_msg("expected '%s' in: %s", text, err.text);
}
