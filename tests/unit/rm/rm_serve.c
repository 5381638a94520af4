/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_serve.c - test: creel-rm over its sockets: clients, agents, AMs, unknown clients, random bytes
 *
 * Also that acknowledged submissions survive kill -9 and a full disk.
 */
#include "tests/unit/rm/rm_process.h"
#include "common/io/loop/loop_socket.h"

#include <pthread.h>
#include <stdatomic.h>

/* --- files ----------------------------------------------------------------- */

static void fill_put(Creel__Envelope *request, Creel__PutBlob *put, uint8_t *hash, uint8_t *bytes,
                     size_t size)
{
    creel__envelope__init(request);
    creel__put_blob__init(put);
    put->hash.data = hash;
    put->hash.len = 32;
    put->size_bytes = size;
    put->data.data = bytes;
    put->data.len = size < WIRE_CHUNK_MAX ? size : WIRE_CHUNK_MAX;
    request->body_case = CREEL__ENVELOPE__BODY_PUT_BLOB;
    request->put_blob = put;
}

static Creel__Envelope *put_blob(struct channel_client *client, uint8_t *hash, uint8_t *bytes, size_t size)
{
    Creel__Envelope request;
    Creel__PutBlob put;

    fill_put(&request, &put, hash, bytes, size);
    return ask(client, &request);
}

static size_t missing(struct channel_client *client, uint8_t *hash)
{
    ProtobufCBinaryData hashes = { 32, hash };
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__HaveBlobs have = CREEL__HAVE_BLOBS__INIT;
    Creel__Envelope *reply;
    size_t count;

    have.hashes = &hashes;
    have.n_hashes = 1;
    request.body_case = CREEL__ENVELOPE__BODY_HAVE_BLOBS;
    request.have_blobs = &have;
    reply = ask(client, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_HAVE_BLOBS_REPLY);
    count = reply->have_blobs_reply->n_missing;
    wire_free(reply);
    return count;
}

static void files_are_uploaded_and_downloaded(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *client, *agent;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetBlob get = CREEL__GET_BLOB__INIT;
    Creel__Envelope *reply;
    uint8_t hash[32], bytes[] = "echo hello";

    crypto_generichash(hash, sizeof(hash), bytes, sizeof(bytes), NULL, 0);
    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    agent = connect_to(fixture, PORT_AGENT);
    assert_int_equal(missing(client, hash), 1);
    reply = put_blob(client, hash, bytes, sizeof(bytes));
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_OK);
    wire_free(reply);
    assert_int_equal(missing(client, hash), 0);

    get.hash.data = hash;
    get.hash.len = 32;
    get.offset = 5;
    request.body_case = CREEL__ENVELOPE__BODY_GET_BLOB;
    request.get_blob = &get;
    reply = ask(agent, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_BLOB_CHUNK);
    assert_int_equal(reply->blob_chunk->size_bytes, sizeof(bytes));
    assert_int_equal(reply->blob_chunk->offset, 5);
    assert_memory_equal(reply->blob_chunk->data.data, bytes + 5, sizeof(bytes) - 5);
    wire_free(reply);
    hash[0] ^= 1;
    expect_error(ask(agent, &request), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "is not stored");
    channel_client_free(agent);
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

static void files_that_are_wrong_are_refused(void **state)
{
    struct fixture *fixture = *state;
    scoped_free uint8_t *bytes = mem_alloc0(WIRE_CHUNK_MAX);
    struct channel_client *client, *admin;
    uint8_t hash[32] = { 0 };

    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    admin = connect_to(fixture, PORT_ADMIN);
    expect_error(put_blob(client, hash, bytes, 10), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "hash");
    expect_error(put_blob(client, hash, bytes, 3 << 20), CREEL__ERROR_CODE__ERROR_TOO_LARGE,
                 "creel.submit.file-size-max");
    expect_error(put_blob(admin, hash, bytes, 10), CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "not for this port");
    assert_int_equal(missing(client, hash), 1);
    channel_client_free(admin);
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

static void a_submission_needs_its_files(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *client;
    uint8_t hash[32], bytes[5] = "text";

    crypto_generichash(hash, sizeof(hash), bytes, sizeof(bytes), NULL, 0);
    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    expect_error(submit(client, hash), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "\"input.txt\"");
    wire_free(put_blob(client, hash, bytes, sizeof(bytes)));
    free(submitted_id(submit(client, hash)));
    expect_output(fixture, "submitted by ann to queue root.default: test");
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

static void unknown_key_is_refused(void **state)
{
    struct fixture *fixture = *state;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo info = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__Envelope *reply = NULL;
    struct channel_client *client;
    struct err err = { 0 };
    struct key stranger;

    start(fixture);
    key_generate(&stranger);
    request.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    request.get_cluster_info = &info;
    for (enum port port = PORT_CLIENT; port < PORTS; port++) {
        client = connect_as(fixture, port, &stranger);
        assert_int_equal(channel_client_call(client, &request, PATIENCE_MS, &reply, &err), -EACCES);
        channel_client_free(client);
    }
    kill_daemon(fixture, SIGTERM);
}

/* --- nodes ----------------------------------------------------------------- */

static Creel__Envelope *register_as(struct channel_client *agent, const char *node_id)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char key[41];

    memset(key, 'k', 40);
    key[40] = '\0';
    total.memory_mb = 4096;
    total.vcores = 4;
    body.node_id = (char *)(uintptr_t)node_id;
    body.rack = (char[]){ "/r1" };
    body.address = body.node_id;
    body.agent_key = key;
    body.incarnation = 1;
    body.total = &total;
    request.body_case = CREEL__ENVELOPE__BODY_REGISTER_NODE;
    request.register_node = &body;
    return ask(agent, &request);
}

static Creel__Envelope *register_node(struct channel_client *agent)
{
    return register_as(agent, "n1.example:8041");
}

static Creel__Envelope *beat(struct channel_client *agent, uint64_t session, uint64_t seq)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;
    Creel__Envelope *reply;

    body.node_id = (char[]){ "n1.example:8041" };
    body.session = session;
    body.seq = seq;
    request.body_case = CREEL__ENVELOPE__BODY_HEARTBEAT;
    request.heartbeat = &body;
    reply = ask(agent, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
    return reply;
}

/* An agent may register only its own host: a node's orders contain the variables and tokens of its jobs. */
static void an_agent_is_its_own_host_alone(void **state)
{
    static const struct {
        const char *certificate, *node_id;
        bool may;
    } cases[] = {
        { "n1.example", "n1.example:8041", true },
        { "n1.example", "n1.example:8042", false }, /* one node at a time */
        { "n1.example", "n2.example:8041", false },
        { "n1.example", "n1.example.org:8041", false },
        { "default", "n3.example:8041", true },
        { "default", "n3.example:8042", true },
        { "default", "n1.example:8043", false },
    };
    struct fixture *fixture = *state;
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    struct err err = { 0 };

    assert_ok(key_make(keys, KEY_AGENT, "n1.example", &err), err);
    start(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct channel_client *agent;
        Creel__Envelope *reply;
        struct key own;

        assert_ok(key_load_for(keys, KEY_AGENT, cases[i].certificate, true, &own, &err), err);
        agent = connect_as(fixture, PORT_AGENT, &own);
        reply = register_as(agent, cases[i].node_id);
        if (cases[i].may) {
            assert_int_equal(reply->register_node_reply->action, CREEL__NODE_ACTION__NODE_NORMAL);
            wire_free(reply);
        } else {
            expect_error(reply, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, cases[i].certificate);
        }
        channel_client_free(agent);
    }
    kill_daemon(fixture, SIGTERM);
}

/* A node registers, gets new token keys as they change, loses contact and is lost. Its later heartbeat is
 * answered with "register again". */
static void nodes_come_and_go(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *agent;
    Creel__Envelope *reply;
    uint64_t session, seq = 0;
    uint32_t key_id;

    configure(fixture,
              "<property><name>yarn.nm.liveness-monitor.expiry-interval-ms</name>"
              "<value>2500</value></property>"
              "<property><name>yarn.resourcemanager.nodemanagers.heartbeat-interval-ms</name>"
              "<value>100</value></property>"
              "<property><name>yarn.resourcemanager.container-tokens.master-key-rolling-interval-secs"
              "</name><value>1</value></property>");
    start(fixture);
    agent = connect_to(fixture, PORT_AGENT);
    reply = register_node(agent);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE_REPLY);
    assert_int_equal(reply->register_node_reply->action, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_true(reply->register_node_reply->n_token_keys >= 1);
    session = reply->register_node_reply->session;
    key_id = reply->register_node_reply->token_keys[0]->key_id;
    wire_free(reply);
    expect_output(fixture, "node n1.example:8041: registered: 4096 MiB, 4 vcores, 0 containers, rack /r1");

    expect_output(fixture, "key of container tokens was renewed");
    reply = beat(agent, session, ++seq);
    assert_int_equal(reply->heartbeat_reply->action, CREEL__NODE_ACTION__NODE_NORMAL);
    assert_int_equal(reply->heartbeat_reply->n_token_keys, 2);
    assert_true(reply->heartbeat_reply->token_keys[0]->key_id > key_id);
    wire_free(reply);

    expect_output(fixture, "node n1.example:8041: lost");
    reply = beat(agent, session, ++seq);
    assert_int_equal(reply->heartbeat_reply->action, CREEL__NODE_ACTION__NODE_RESYNC);
    wire_free(reply);
    expect_output(fixture, "node n1.example:8041: ordered to register again");
    channel_client_free(agent);
    kill_daemon(fixture, SIGTERM);
}

static void kill_is_logged_with_its_user(void **state)
{
    struct fixture *fixture = *state;
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__KillApp body = CREEL__KILL_APP__INIT;
    scoped_free char *asked = NULL, *killed = NULL;
    struct channel_client *client;

    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    body.app_id = submitted_id(submit(client, NULL));
    body.reason = (char[]){ "not needed" };
    request.body_case = CREEL__ENVELOPE__BODY_KILL_APP;
    request.kill_app = &body;
    reply = ask(client, &request);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_OK);
    wire_free(reply);
    asked = mem_printf("%s: to be killed, requested by ann: not needed", body.app_id);
    killed = mem_printf("%s: KILLED: result KILLED", body.app_id);
    expect_output(fixture, asked);
    expect_output(fixture, killed);
    free(body.app_id);
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

/* --- floods ---------------------------------------------------------------- */

#define FLOODERS 4
#define BEATS 50
/* Files that may be accepted during a heartbeat: it waits for the request that is handled, not for one of
 * each client, which would be FLOODERS. */
#define FILES_OF_BEAT_MAX (FLOODERS / 2)
#define FLOOD_MAX_MS 60000 /* deadline until all clients have uploaded something */

struct flood {
    struct channel_client *client; /* NULL: not connected */
    pthread_t thread;
    bool running;        /* THREAD runs */
    uint8_t fill;        /* different for each client, so that all files differ */
    atomic_size_t count; /* number of files accepted */
};

/* Tear-down stops the threads, so that none of them outlives a test that failed. */
static struct {
    struct flood each[FLOODERS];
    atomic_bool over;
} floods;

/* Uploads one new file of one megabyte after another, until the floods are over or a request fails. */
static void *flood(void *context)
{
    struct flood *self = context;
    uint8_t *bytes = mem_alloc0(WIRE_CHUNK_MAX), hash[32];

    memset(bytes, self->fill, WIRE_CHUNK_MAX);
    while (!atomic_load(&floods.over)) {
        size_t count = atomic_load(&self->count);
        Creel__Envelope request, *reply;
        Creel__PutBlob put;

        memcpy(bytes, &count, sizeof(count));
        crypto_generichash(hash, sizeof(hash), bytes, WIRE_CHUNK_MAX, NULL, 0);
        fill_put(&request, &put, hash, bytes, WIRE_CHUNK_MAX);
        if (channel_client_call(self->client, &request, PATIENCE_MS, &reply, NULL) < 0)
            break;
        wire_free(reply);
        atomic_store(&self->count, count + 1);
    }
    free(bytes);
    return NULL;
}

static void begin_floods(struct fixture *fixture)
{
    for (int i = 0; i < FLOODERS; i++) {
        struct flood *self = &floods.each[i];

        self->client = connect_to(fixture, PORT_CLIENT);
        self->fill = (uint8_t)(i + 1);
        assert_int_equal(pthread_create(&self->thread, NULL, flood, self), 0);
        self->running = true;
    }
}

static void end_floods(void)
{
    atomic_store(&floods.over, true);
    for (int i = 0; i < FLOODERS; i++) {
        struct flood *self = &floods.each[i];

        if (self->running)
            pthread_join(self->thread, NULL);
        self->running = false;
        if (self->client != NULL)
            channel_client_free(self->client);
        self->client = NULL;
    }
}

static int tear_down_floods(void **state)
{
    end_floods();
    return tear_down(state);
}

static bool all_flood(void)
{
    for (int i = 0; i < FLOODERS; i++)
        if (atomic_load(&floods.each[i].count) == 0)
            return false;
    return true;
}

static size_t files_accepted(void)
{
    size_t count = 0;

    for (int i = 0; i < FLOODERS; i++)
        count += atomic_load(&floods.each[i].count);
    return count;
}

/* Counts the files that are accepted during a heartbeat, not its time, which depends on the machine's load.
 * Half of the heartbeats may see more: the thread of the test may lose the processor during any of them. */
static void a_flood_does_not_starve_heartbeats(void **state)
{
    struct fixture *fixture = *state;
    size_t before, files, late = 0;
    struct channel_client *agent;
    Creel__Envelope *reply;
    int64_t deadline_ms;
    uint64_t session, seq = 0;

    start(fixture);
    agent = connect_to(fixture, PORT_AGENT);
    reply = register_node(agent);
    session = reply->register_node_reply->session;
    wire_free(reply);
    begin_floods(fixture);
    deadline_ms = now_ms() + FLOOD_MAX_MS;
    for (int beats = 0; beats < BEATS; beats += all_flood() ? 1 : 0) {
        assert_true(now_ms() < deadline_ms || all_flood());
        before = files_accepted();
        wire_free(beat(agent, session, ++seq));
        files = files_accepted() - before;
        late += files > FILES_OF_BEAT_MAX;
    }
    end_floods();
    print_message("%zu of %zu heartbeats were late\n", late, (size_t)seq);
    assert_in_range(late, 0, seq / 2);
    channel_client_free(agent);
    kill_daemon(fixture, SIGTERM);
}

/* --- random bytes ---------------------------------------------------------- */

static void send_noise(int port, struct rng *rng)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    scoped_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint8_t noise[4096];

    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (uint8_t)rng_next(rng);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    /* The server may close the connection at any time. */
    (void)send(fd, noise, 1 + rng_below(rng, sizeof(noise)), MSG_NOSIGNAL);
}

/* Sends random frames after a valid handshake, so that the frames reach the decoder. */
static void send_noisy_frames(struct fixture *fixture, enum port port, struct rng *rng)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    scoped_free char *name =
        mem_printf("%s/%s", keys, port == PORT_AGENT ? "agents/default_secret" : "users/ann_secret");
    scoped_free char *rm_file = mem_printf("%s/rm", keys);
    scoped_free char *endpoint = mem_printf("tcp://127.0.0.1:%d", fixture->ports[port]);
    zcert_t *own = zcert_load(name), *rm = zcert_load(rm_file);
    zsock_t *socket = zsock_new(ZMQ_DEALER);
    uint8_t noise[300];

    assert_non_null(own);
    assert_non_null(rm);
    zcert_apply(own, socket);
    zsock_set_curve_serverkey(socket, zcert_public_txt(rm));
    zsock_set_linger(socket, 1000);
    zsock_set_sndtimeo(socket, PATIENCE_MS);
    assert_int_equal(zsock_connect(socket, "%s", endpoint), 0);
    for (int i = 0; i < 200; i++) {
        size_t size = rng_below(rng, sizeof(noise));
        zframe_t *frame;

        for (size_t at = 0; at < size; at++)
            noise[at] = (uint8_t)rng_next(rng);
        frame = zframe_new(noise, size);
        assert_int_equal(zframe_send(&frame, socket, rng_chance(rng, 200) ? ZFRAME_MORE : 0), 0);
    }
    zsock_destroy(&socket);
    zcert_destroy(&own);
    zcert_destroy(&rm);
}

static void noise_on_every_port_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct channel_client *client;
    struct rng rng;

    rng_seed(&rng, 7);
    start(fixture);
    for (enum port port = PORT_CLIENT; port < PORTS; port++) {
        for (int i = 0; i < 20; i++)
            send_noise(fixture->ports[port], &rng);
        send_noisy_frames(fixture, port, &rng);
    }
    client = connect_to(fixture, PORT_CLIENT);
    free(submitted_id(submit(client, NULL)));
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

/* --- acknowledged submissions ---------------------------------------------- */

static void submissions_survive_kill_nine(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *directory = mem_printf("%s/state", fixture->directory);

    for (int round = 1; round <= 3; round++) {
        struct channel_client *client;
        scoped_free char *id = NULL, *sql = NULL, *count = mem_printf("%d", round);

        start(fixture);
        client = connect_to(fixture, PORT_CLIENT);
        id = submitted_id(submit(client, NULL));
        kill_daemon(fixture, SIGKILL);
        channel_client_free(client);
        sql = mem_printf("SELECT id FROM apps WHERE id = '%s'", id);
        scratch_expect(directory, sql, id);
        scratch_expect(directory, "SELECT count(*) FROM apps", count);
    }
    start(fixture);
    assert_contains(fixture->output, "start 4, 3 applications from before");
    kill_daemon(fixture, SIGTERM);
}

static void fill(const char *file)
{
    scoped_fd int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char block[4096] = { 0 };

    while (write(fd, block, sizeof(block)) > 0)
        ;
    assert_int_equal(errno, ENOSPC);
}

static void a_full_disk_refuses_submissions_until_there_is_room(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *directory = mem_printf("%s/state", fixture->directory);
    scoped_free char *ballast = mem_printf("%s/ballast", directory);
    int64_t deadline_ms = now_ms() + PATIENCE_MS;
    struct channel_client *client;
    Creel__Envelope *reply;

    assert_int_equal(mount("tmpfs", directory, "tmpfs", 0, "size=2m"), 0);
    start(fixture);
    client = connect_to(fixture, PORT_CLIENT);
    free(submitted_id(submit(client, NULL)));
    fill(ballast);
    /* The rest of the last disk block may hold a few more rows. */
    while ((reply = submit(client, NULL))->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        wire_free(reply);
    expect_error(reply, CREEL__ERROR_CODE__ERROR_STORE, "make room");
    expect_error(submit(client, NULL), CREEL__ERROR_CODE__ERROR_STORE, "state.db");
    expect_output(fixture, "submissions are refused");
    assert_int_equal(unlink(ballast), 0);
    expect_output(fixture, "can be written again");
    while ((reply = submit(client, NULL))->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        wire_free(reply);
        assert_true(now_ms() < deadline_ms);
    }
    free(submitted_id(reply));
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

/* Gives the test a mount namespace of its own; its mounts vanish with the process. */
static int own_mounts(void **state)
{
    (void)state;
    loop_socket_prepare_process();
    if (unshare(CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0)) < 0)
        return -1;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(files_are_uploaded_and_downloaded),
        TEST(files_that_are_wrong_are_refused),
        TEST(a_submission_needs_its_files),
        TEST(unknown_key_is_refused),
        TEST(an_agent_is_its_own_host_alone),
        TEST(nodes_come_and_go),
        TEST(kill_is_logged_with_its_user),
        cmocka_unit_test_setup_teardown(a_flood_does_not_starve_heartbeats, set_up, tear_down_floods),
        TEST(noise_on_every_port_changes_nothing),
        TEST(submissions_survive_kill_nine),
        TEST(a_full_disk_refuses_submissions_until_there_is_room),
    };

    return cmocka_run_group_tests(tests, own_mounts, NULL);
}
