/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_channel.c - test: who is served over real sockets, and what the others hear
 *
 * The servers run in a thread of their own with its own loop, as a daemon would;
 * that thread asserts with abort(), since cmocka's asserts belong to the first one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <assert.h>
#include <czmq.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/channel.h"

#define CALL_MS 20000                   /* a deadline: nothing takes so long */
#define SILENCE_MS 300                  /* what must not come has this long to come */

enum { PORT_AGENTS, PORT_USERS, PORT_ANY, PORTS };

struct daemon;

struct port {
    struct daemon *daemon;
    struct channel_server *server;
    int number;                         /* 0: any; kept over a restart */
};

struct daemon {
    pthread_t thread;
    char folder[64];
    int stop[2], ready[2];
    struct loop *loop;
    struct keys *keys;
    struct gate *gate;
    struct port ports[PORTS];
    struct key own;
    bool without_gate;
    /* What the last GetClusterInfo came over; WaitApps that were heard. */
    uint64_t connection;
    unsigned waits;
};

static const enum gate_policy policies[PORTS] = { GATE_AGENTS, GATE_USERS, GATE_ANY };

/* --- the daemon ------------------------------------------------------------------ */

static void serve(void *context, const struct peer *peer, const Creel__Envelope *request);

/* In one process the old listener may live a moment longer than its socket. */
static void listen_on(struct daemon *daemon, int which)
{
    int64_t end_ms = loop_monotonic_ms() + CALL_MS;
    struct port *port = &daemon->ports[which];
    char address[64];
    int rc;

    port->daemon = daemon;
    snprintf(address, sizeof(address), "127.0.0.1:%d", port->number);
    do
        rc = channel_server_new(daemon->loop, address, policies[which], &daemon->own, serve, port,
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
    case CREEL__ENVELOPE__BODY_LIST_QUEUES:
        return;                         /* says nothing */
    case CREEL__ENVELOPE__BODY_GET_LOG_ACCESS:
        info.total = NULL;              /* a reply that is out of bounds */
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
    if (!daemon->without_gate && gate_new(daemon->loop, daemon->keys, &daemon->gate, NULL) < 0)
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
    gate_free(daemon->gate);
    keys_free(daemon->keys);
    loop_free(daemon->loop);
    return NULL;
}

static void start(struct daemon *daemon)
{
    char byte;

    daemon->gate = NULL;
    assert_int_equal(pthread_create(&daemon->thread, NULL, run, daemon), 0);
    assert_int_equal(read(daemon->ready[0], &byte, 1), 1);
}

static void stop(struct daemon *daemon)
{
    char byte;

    assert_int_equal(write(daemon->stop[1], "s", 1), 1);
    assert_int_equal(pthread_join(daemon->thread, NULL), 0);
    assert_int_equal(read(daemon->stop[0], &byte, 1), 1);
}

static int set_up(void **state)
{
    struct daemon *daemon = mem_new0(struct daemon);

    strcpy(daemon->folder, "/tmp/creel-channel-XXXXXX");
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

static int tear_down(void **state)
{
    struct daemon *daemon = *state;
    zdir_t *dir = zdir_new(daemon->folder, NULL);

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

static struct key key_of(struct daemon *daemon, enum key_owner owner, const char *name)
{
    struct key key;

    assert_int_equal(key_load_for(daemon->folder, owner, name, true, &key, NULL), 0);
    return key;
}

static struct channel_client *connect_to(struct daemon *daemon, int which, const struct key *key)
{
    struct channel_client *client;
    char address[64];

    snprintf(address, sizeof(address), "127.0.0.1:%d", daemon->ports[which].number);
    assert_int_equal(channel_client_new(NULL, address, daemon->own.public_text, key, NULL, NULL,
                                        &client, NULL), 0);
    channel_client_name_peer(client, "creel-rm", "--rm HOST:PORT");
    return client;
}

/* Ask who we are; "" under GATE_ANY. The name is copied to WHO. */
static int ask(struct channel_client *client, int64_t timeout_ms, char who[64], struct err *err)
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

static void expect_served(struct channel_client *client, const char *principal)
{
    struct err err = { 0 };
    char who[64];

    if (ask(client, CALL_MS, who, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(who, principal);
}

static void expect_refused(struct channel_client *client, int code, const char *text)
{
    struct err err = { 0 };
    char who[64];

    assert_int_equal(ask(client, CALL_MS, who, &err), code);
    if (strstr(err.text, text) == NULL)
        fail_msg("expected '%s' in: %s", text, err.text);
}

static void known_keys_are_served_by_their_name(void **state)
{
    struct daemon *daemon = *state;
    struct key agent = key_of(daemon, KEY_AGENT, "n1"), user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct key any;

    start(daemon);
    client = connect_to(daemon, PORT_AGENTS, &agent);
    expect_served(client, "n1");
    expect_served(client, "n1");
    channel_client_free(client);
    client = connect_to(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    channel_client_free(client);
    key_generate(&any);
    client = connect_to(daemon, PORT_ANY, &any);
    expect_served(client, "");
    channel_client_free(client);
    stop(daemon);
}

static void keys_of_others_are_refused_at_once(void **state)
{
    struct daemon *daemon = *state;
    struct key agent = key_of(daemon, KEY_AGENT, "n1"), user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    int64_t start_ms;

    start(daemon);
    start_ms = loop_monotonic_ms();
    client = connect_to(daemon, PORT_AGENTS, &user);
    expect_refused(client, -EACCES, "creel-rm refused our key");
    channel_client_free(client);
    client = connect_to(daemon, PORT_USERS, &agent);
    expect_refused(client, -EACCES, "is our public certificate in its key directory?");
    channel_client_free(client);
    assert_true(loop_monotonic_ms() - start_ms < CALL_MS / 2);
    stop(daemon);
}

static void a_wrong_server_key_is_told(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice"), other, right = daemon->own;
    struct channel_client *client;

    start(daemon);
    key_generate(&other);
    daemon->own = other;                /* what connect_to expects; the server has the right one */
    client = connect_to(daemon, PORT_USERS, &user);
    expect_refused(client, -EACCES, "does not have the key expected of creel-rm");
    channel_client_free(client);
    daemon->own = right;
    stop(daemon);
}

static void certificates_come_and_go_while_it_runs(void **state)
{
    struct daemon *daemon = *state;
    struct key bob;
    struct channel_client *client, *late;
    char path[128];

    start(daemon);
    assert_int_equal(key_make(daemon->folder, KEY_USER, "bob", NULL), 0);
    bob = key_of(daemon, KEY_USER, "bob");
    snprintf(path, sizeof(path), "%s/users/bob", daemon->folder);
    assert_int_equal(unlink(path), 0);
    client = connect_to(daemon, PORT_USERS, &bob);
    expect_refused(client, -EACCES, "refused our key");
    /* The secret stayed, so this makes the same certificate again. */
    assert_int_equal(key_make(daemon->folder, KEY_USER, "bob", NULL), 0);
    expect_served(client, "bob");
    assert_int_equal(unlink(path), 0);
    late = connect_to(daemon, PORT_USERS, &bob);
    expect_refused(late, -EACCES, "refused our key");
    expect_served(client, "bob");       /* who is in stays in */
    channel_client_free(late);
    channel_client_free(client);
    stop(daemon);
}

static void without_a_gate_nobody_gets_in(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct err err = { 0 };
    char who[64];

    daemon->without_gate = true;
    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    assert_true(ask(client, SILENCE_MS, who, &err) < 0);
    channel_client_free(client);
    stop(daemon);
}

/* --- when things are not there ------------------------------------------------------ */

static void nobody_there_is_told(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct err err = { 0 };
    char who[64];

    start(daemon);
    stop(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    assert_int_equal(ask(client, SILENCE_MS, who, &err), -ETIMEDOUT);
    assert_int_equal(err.code, ETIMEDOUT);
    assert_non_null(strstr(err.text, "Connection refused: is creel-rm running there?, or choose "
                           "another with --rm HOST:PORT"));
    assert_int_equal(channel_client_state(client, &err), -ENOTCONN);
    channel_client_free(client);
}

static void silence_is_told(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;
    struct err err = { 0 };

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    assert_int_equal(channel_client_state(client, &err), 0);
    request.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    request.list_queues = &body;
    assert_int_equal(channel_client_call(client, &request, SILENCE_MS, &reply, &err), -ETIMEDOUT);
    assert_non_null(strstr(err.text, "connected, but no answer to ListQueues within 0.3 s"));
    channel_client_free(client);
    stop(daemon);
}

static void a_client_may_come_before_its_server(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    struct err err;
    char who[64];

    start(daemon);
    stop(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    assert_int_equal(ask(client, 50, who, &err), -ETIMEDOUT);
    start(daemon);
    expect_served(client, "alice");
    channel_client_free(client);
    stop(daemon);
}

static void clients_reconnect_to_a_server_that_was_restarted(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    uint64_t connection;

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    expect_served(client, "alice");
    connection = daemon->connection;
    assert_int_equal(connection, 1);
    stop(daemon);
    start(daemon);
    expect_served(client, "alice");
    channel_client_free(client);
    stop(daemon);
}

static void a_request_survives_a_restart_of_the_server(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__WaitApp body = CREEL__WAIT_APP__INIT;
    struct err err = { 0 };

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    body.app_id = (char *)(uintptr_t)"application_1_0001";
    request.body_case = CREEL__ENVELOPE__BODY_WAIT_APP;
    request.wait_app = &body;
    if (channel_client_call(client, &request, CALL_MS, &reply, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    wire_free(reply);
    channel_client_free(client);
    stop(daemon);
    assert_true(daemon->waits >= 2);
}

static void a_port_in_use_is_named_with_its_owner(void **state)
{
    struct daemon *daemon = *state;
    struct channel_server *server;
    struct loop *loop;
    char address[64], expected[64];
    struct err err;

    start(daemon);
    assert_int_equal(loop_new(&loop, NULL), 0);
    snprintf(address, sizeof(address), "127.0.0.1:%d", daemon->ports[PORT_USERS].number);
    assert_int_equal(channel_server_new(loop, address, GATE_USERS, &daemon->own, serve, daemon,
                                        &server, &err), -EADDRINUSE);
    snprintf(expected, sizeof(expected), "process %d: stop it or choose another port",
             (int)getpid());
    assert_true(strncmp(err.text, address, strlen(address)) == 0);
    assert_non_null(strstr(err.text, expected));
    assert_int_equal(channel_server_new(loop, "no.such.host.invalid:1", GATE_USERS, &daemon->own,
                                        serve, daemon, &server, &err), -EADDRNOTAVAIL);
    assert_int_equal(channel_server_new(loop, "8032", GATE_USERS, &daemon->own, serve, daemon,
                                        &server, &err), -EINVAL);
    loop_free(loop);
    stop(daemon);
}

/* --- strangers and nonsense ----------------------------------------------------------- */

static void *raw_dealer(struct daemon *daemon, const struct key *key, const char *routing_id,
                        zsock_t **sock)
{
    char endpoint[64];

    *sock = zsock_new(ZMQ_DEALER);
    if (key != NULL) {
        zsock_set_curve_serverkey(*sock, daemon->own.public_text);
        zsock_set_curve_publickey(*sock, key->public_text);
        zsock_set_curve_secretkey(*sock, key->secret_text);
    }
    if (routing_id != NULL)
        zsock_set_identity(*sock, routing_id);
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", daemon->ports[PORT_USERS].number);
    assert_int_equal(zmq_connect(zsock_resolve(*sock), endpoint), 0);
    return zsock_resolve(*sock);
}

static void expect_error(void *raw, Creel__ErrorCode code, const char *text)
{
    zmq_pollitem_t item = { raw, -1, ZMQ_POLLIN, 0 };
    Creel__Envelope *reply;
    zmq_msg_t message;

    assert_int_equal(zmq_poll(&item, 1, CALL_MS), 1);
    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, raw, 0) >= 0);
    assert_int_equal(wire_decode(zmq_msg_data(&message), zmq_msg_size(&message), &reply, NULL,
                                 NULL), 0);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, text) == NULL)
        fail_msg("expected '%s' in: %s", text, reply->error->message);
    wire_free(reply);
    zmq_msg_close(&message);
}

static void expect_silence(void *raw)
{
    zmq_pollitem_t item = { raw, -1, ZMQ_POLLIN, 0 };

    assert_int_equal(zmq_poll(&item, 1, SILENCE_MS), 0);
}

static void nonsense_gets_an_error_and_does_no_harm(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    static const uint8_t unknown[] = { 0x08, 1, 0x10, 9, 0xea, 0x04, 0 };
    static const uint8_t old[] = { 0x08, 0, 0x10, 9, 0x5a, 0 };
    struct channel_client *client;
    zsock_t *sock;
    void *raw;

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    raw = raw_dealer(daemon, &user, NULL, &sock);
    zmq_send(raw, "\xde\xad\xbe\xef random bytes", 17, 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "not a message (17 bytes)");
    zmq_send(raw, "", 0, 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "protocol version 0");
    zmq_send(raw, "two", 3, ZMQ_SNDMORE);
    zmq_send(raw, "frames", 6, 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "message of 2 frames");
    zmq_send(raw, unknown, sizeof(unknown), 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "message type 77 is not known");
    zmq_send(raw, old, sizeof(old), 0);
    expect_error(raw, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "protocol version 0 is too old");
    expect_served(client, "alice");
    zsock_destroy(&sock);
    channel_client_free(client);
    stop(daemon);
}

static void a_flood_of_nonsense_starves_nobody(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    zsock_t *sock;
    void *raw;

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    raw = raw_dealer(daemon, &user, NULL, &sock);
    for (int i = 0; i < 900; i++)       /* what its own queue takes; it reads no answer */
        zmq_send(raw, "nonsense", 8, ZMQ_DONTWAIT);
    for (int i = 0; i < 20; i++)
        expect_served(client, "alice");
    zsock_destroy(&sock);
    channel_client_free(client);
    stop(daemon);
}

static void peers_without_curve_are_not_heard(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    zsock_t *sock;
    void *raw;

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    raw = raw_dealer(daemon, NULL, NULL, &sock);
    zmq_send(raw, "\x08\x01\x5a", 4, 0);
    expect_silence(raw);
    expect_served(client, "alice");
    zsock_destroy(&sock);
    channel_client_free(client);
    stop(daemon);
}

static void a_peer_cannot_choose_its_routing_id(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    struct channel_client *client;
    zsock_t *sock;
    void *raw;

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    raw = raw_dealer(daemon, &user, "thief", &sock);
    zmq_send(raw, "nonsense", 8, 0);
    expect_silence(raw);
    expect_served(client, "alice");
    zsock_destroy(&sock);
    channel_client_free(client);
    stop(daemon);
}

/* --- messages --------------------------------------------------------------------------- */

static void large_and_unsendable_messages(void **state)
{
    struct daemon *daemon = *state;
    struct key user = key_of(daemon, KEY_USER, "alice");
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__ReadLog read_log = CREEL__READ_LOG__INIT;
    Creel__GetLogAccess access = CREEL__GET_LOG_ACCESS__INIT;
    struct channel_client *client;
    struct err err = { 0 };

    start(daemon);
    client = connect_to(daemon, PORT_USERS, &user);
    read_log.container_id = (char *)(uintptr_t)"container_1_0001_01_000001";
    read_log.file = (char *)(uintptr_t)"stdout";
    request.body_case = CREEL__ENVELOPE__BODY_READ_LOG;
    request.read_log = &read_log;
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), 0);
    assert_int_equal(reply->log_chunk->data.len, WIRE_CHUNK_MAX);
    wire_free(reply);

    /* Ours is refused here, theirs is answered with an error: nobody waits in vain. */
    read_log.file = (char *)(uintptr_t)"../stdout";
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "read_log.file"));
    access.app_id = (char *)(uintptr_t)"application_1_0001";
    request.body_case = CREEL__ENVELOPE__BODY_GET_LOG_ACCESS;
    request.get_log_access = &access;
    assert_int_equal(channel_client_call(client, &request, CALL_MS, &reply, &err), 0);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_non_null(strstr(reply->error->message, "now_ms"));
    wire_free(reply);
    channel_client_free(client);
    stop(daemon);
}

/* A client driven by a loop: what an agent and an AM are. */
struct driven {
    struct daemon *daemon;
    struct loop *loop;
    struct channel_client *client;
    int replies, unsent;
    bool restarted;
};

static void send_request(void *context)
{
    struct driven *driven = context;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    request.request_id = 5;
    request.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    request.get_cluster_info = &body;
    if (!channel_client_send(driven->client, &request))
        driven->unsent++;
    loop_add_timer(driven->loop, 20, send_request, driven);
}

static void on_reply(void *context, const Creel__Envelope *reply)
{
    struct driven *driven = context;

    assert_int_equal(reply->request_id, 5);
    assert_string_equal(reply->cluster_info->user, "n1");
    driven->replies++;
    if (driven->replies == 3 && !driven->restarted) {
        driven->restarted = true;
        stop(driven->daemon);
        start(driven->daemon);
    }
    if (driven->replies == 6)
        loop_stop(driven->loop);
}

static void too_late(void *context)
{
    struct driven *driven = context;

    fail_msg("%d replies within %d ms", driven->replies, CALL_MS);
}

static void a_driven_client_reconnects_and_keeps_nothing_for_later(void **state)
{
    struct driven driven = { .daemon = *state };
    struct key agent = key_of(driven.daemon, KEY_AGENT, "n1");
    char address[64];

    start(driven.daemon);
    stop(driven.daemon);
    assert_int_equal(loop_new(&driven.loop, NULL), 0);
    snprintf(address, sizeof(address), "127.0.0.1:%d", driven.daemon->ports[PORT_AGENTS].number);
    assert_int_equal(channel_client_new(driven.loop, address, driven.daemon->own.public_text,
                                        &agent, on_reply, &driven, &driven.client, NULL), 0);
    send_request(&driven);
    assert_int_equal(driven.unsent, 1); /* nobody there yet */
    start(driven.daemon);
    loop_add_timer(driven.loop, CALL_MS, too_late, &driven);
    loop_run(driven.loop);
    channel_client_free(driven.client);
    loop_free(driven.loop);
    stop(driven.daemon);
}

static void add_certificate(void *context)
{
    struct driven *driven = context;

    assert_int_equal(key_make(driven->daemon->folder, KEY_AGENT, "n1", NULL), 0);
}

static void note_refusal(void *context)
{
    struct driven *driven = context;

    if (channel_client_state(driven->client, NULL) == -EACCES)
        add_certificate(driven);
    else
        loop_add_timer(driven->loop, 10, note_refusal, driven);
}

static void a_driven_client_tries_again_after_a_refusal(void **state)
{
    struct driven driven = { .daemon = *state, .restarted = true };
    struct key agent = key_of(driven.daemon, KEY_AGENT, "n1");
    char text[128];

    snprintf(text, sizeof(text), "%s/agents/n1", driven.daemon->folder);
    assert_int_equal(unlink(text), 0);
    start(driven.daemon);
    assert_int_equal(loop_new(&driven.loop, NULL), 0);
    snprintf(text, sizeof(text), "127.0.0.1:%d", driven.daemon->ports[PORT_AGENTS].number);
    assert_int_equal(channel_client_new(driven.loop, text, driven.daemon->own.public_text, &agent,
                                        on_reply, &driven, &driven.client, NULL), 0);
    send_request(&driven);
    note_refusal(&driven);
    loop_add_timer(driven.loop, CALL_MS, too_late, &driven);
    loop_run(driven.loop);
    channel_client_free(driven.client);
    loop_free(driven.loop);
    stop(driven.daemon);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(known_keys_are_served_by_their_name),
        TEST(keys_of_others_are_refused_at_once),
        TEST(a_wrong_server_key_is_told),
        TEST(certificates_come_and_go_while_it_runs),
        TEST(without_a_gate_nobody_gets_in),
        TEST(nobody_there_is_told),
        TEST(silence_is_told),
        TEST(a_client_may_come_before_its_server),
        TEST(clients_reconnect_to_a_server_that_was_restarted),
        TEST(a_request_survives_a_restart_of_the_server),
        TEST(a_port_in_use_is_named_with_its_owner),
        TEST(nonsense_gets_an_error_and_does_no_harm),
        TEST(a_flood_of_nonsense_starves_nobody),
        TEST(peers_without_curve_are_not_heard),
        TEST(a_peer_cannot_choose_its_routing_id),
        TEST(large_and_unsendable_messages),
        TEST(a_driven_client_reconnects_and_keeps_nothing_for_later),
        TEST(a_driven_client_tries_again_after_a_refusal),
    };

    loop_prepare_process();
    return cmocka_run_group_tests_name("io_channel", tests, NULL, NULL);
}
