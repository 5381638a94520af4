/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_daemon.c - creel-rm as a process: how it starts, refuses to, serves and stops
 *
 * The program of the build folder is run with a configuration, keys and a state
 * directory of its own, on ports that the system chooses, and is talked to as
 * clients, agents and AMs do.
 */
#include "tests/unit/store_support.h"

#include <arpa/inet.h>
#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sodium.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/rng.h"
#include "common/io/channel.h"

#define PATIENCE_MS 20000

enum port { PORT_CLIENT, PORT_AM, PORT_AGENT, PORT_ADMIN, PORTS };

struct fixture {
    char *directory;                    /* conf/, keys/, state/ in it */
    char output[65536];                 /* of the daemon, since its start */
    size_t length;
    int output_fd;
    pid_t pid;                          /* 0: none runs */
    int ports[PORTS];
};

static const char *program(void)
{
    const char *named = getenv("CREEL_RM_PROGRAM");

    return named != NULL ? named : "./creel-rm";
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- a place to run in ----------------------------------------------------- */

static void write_file(const char *directory, const char *name, const char *text)
{
    scoped_free char *file = mem_printf("%s/%s", directory, name);
    FILE *stream = fopen(file, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* The configuration that works, with MORE properties behind it. */
static void configure(const struct fixture *fixture, const char *more)
{
    const char *directory = fixture->directory;
    scoped_free char *text = mem_printf(
        "<?xml version=\"1.0\"?>\n<configuration>\n"
        "<property><name>creel.resourcemanager.state-dir</name><value>%s/state</value></property>\n"
        "<property><name>creel.security.key-dir</name><value>%s/keys</value></property>\n"
        "<property><name>creel.submit.file-size-max</name><value>2m</value></property>\n"
        "<property><name>yarn.resourcemanager.address</name><value>127.0.0.1:0</value></property>\n"
        "<property><name>yarn.resourcemanager.scheduler.address</name>"
        "<value>127.0.0.1:0</value></property>\n"
        "<property><name>yarn.resourcemanager.resource-tracker.address</name>"
        "<value>127.0.0.1:0</value></property>\n"
        "<property><name>yarn.resourcemanager.admin.address</name>"
        "<value>127.0.0.1:0</value></property>\n%s</configuration>\n", directory, directory, more);

    write_file(directory, "conf/creel-site.xml", text);
}

static int set_up(void **state)
{
    struct fixture *fixture = mem_new0(struct fixture);
    static const char *const folders[] = { "conf", "keys", "state" };
    struct err err = { 0 };

    fixture->directory = scratch_make();
    for (size_t i = 0; i < 3; i++) {
        scoped_free char *folder = mem_printf("%s/%s", fixture->directory, folders[i]);

        assert_int_equal(mkdir(folder, 0700), 0);
        if (i == 1) {
            assert_ok(key_make(folder, KEY_RM, NULL, &err), err);
            assert_ok(key_make(folder, KEY_USER, "ann", &err), err);
            assert_ok(key_make(folder, KEY_AGENT, "default", &err), err);
        }
    }
    configure(fixture, "");
    *state = fixture;
    return 0;
}

static void kill_daemon(struct fixture *fixture, int signal_number)
{
    int status;

    assert_int_equal(kill(fixture->pid, signal_number), 0);
    assert_int_equal(waitpid(fixture->pid, &status, 0), fixture->pid);
    fixture->pid = 0;
    close(fixture->output_fd);
    if (signal_number == SIGTERM || signal_number == SIGINT) {
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *directory = mem_printf("%s/state", fixture->directory);

    if (fixture->pid != 0)
        kill_daemon(fixture, SIGKILL);
    (void)umount2(directory, MNT_DETACH);       /* only one test mounts there */
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

/* --- the process ----------------------------------------------------------- */

static void spawn(struct fixture *fixture, const char *option)
{
    scoped_free char *directory = mem_printf("%s/conf", fixture->directory);
    int channel[2];

    assert_int_equal(pipe2(channel, O_CLOEXEC), 0);
    fixture->length = 0;
    fixture->output[0] = '\0';
    fixture->pid = fork();
    assert_true(fixture->pid >= 0);
    if (fixture->pid == 0) {
        dup2(channel[1], STDOUT_FILENO);
        dup2(channel[1], STDERR_FILENO);
        execl(program(), "creel-rm", "--conf", directory, option, NULL);
        _exit(126);
    }
    close(channel[1]);
    fixture->output_fd = channel[0];
}

/* Read what it says; false at its end. */
static bool read_more(struct fixture *fixture, int64_t deadline_ms)
{
    struct pollfd poll_fd = { .fd = fixture->output_fd, .events = POLLIN };
    int64_t left_ms = deadline_ms - now_ms();
    ssize_t n;

    if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) <= 0)
        fail_msg("creel-rm says nothing more; so far: %s", fixture->output);
    n = read(fixture->output_fd, fixture->output + fixture->length,
             sizeof(fixture->output) - 1 - fixture->length);
    if (n <= 0)
        return false;
    fixture->length += (size_t)n;
    fixture->output[fixture->length] = '\0';
    return true;
}

static void says(struct fixture *fixture, const char *text)
{
    int64_t deadline_ms = now_ms() + PATIENCE_MS;

    while (strstr(fixture->output, text) == NULL)
        if (!read_more(fixture, deadline_ms))
            fail_msg("creel-rm ended without saying \"%s\": %s", text, fixture->output);
}

static void start(struct fixture *fixture)
{
    scoped_free char *file = mem_printf("%s/state/ports", fixture->directory);
    int *ports = fixture->ports;
    FILE *stream;

    spawn(fixture, NULL);
    says(fixture, "ready: ");
    stream = fopen(file, "r");
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "{\"client\": %d, \"am\": %d, \"agent\": %d, \"admin\": %d}",
                            &ports[PORT_CLIENT], &ports[PORT_AM], &ports[PORT_AGENT],
                            &ports[PORT_ADMIN]), 4);
    fclose(stream);
}

/* It ends with STATUS before it serves, saying all of TEXTS (NULL-terminated). */
static void refuses(struct fixture *fixture, const char *option, int status,
                    const char *const *texts)
{
    int64_t deadline_ms = now_ms() + PATIENCE_MS;
    int result;

    spawn(fixture, option);
    while (read_more(fixture, deadline_ms))
        ;
    assert_int_equal(waitpid(fixture->pid, &result, 0), fixture->pid);
    fixture->pid = 0;
    close(fixture->output_fd);
    if (!WIFEXITED(result) || WEXITSTATUS(result) != status)
        fail_msg("wait status 0x%x: %s", (unsigned)result, fixture->output);
    for (; *texts != NULL; texts++)
        assert_contains(fixture->output, *texts);
    assert_null(strstr(fixture->output, "ready: "));
}

#define REFUSES(fixture, option, status, ...) \
    refuses((fixture), (option), (status), (const char *const[]){ __VA_ARGS__, NULL })

/* --- start-up -------------------------------------------------------------- */

static void wrong_usage_is_status_two(void **state)
{
    REFUSES(*state, "--no-such-option", 2, "no-such-option", "--help");
    REFUSES(*state, "argument", 2, "argument", "--help");
}

static void help_and_version_are_given(void **state)
{
    REFUSES(*state, "--help", 0, "Usage: creel-rm", "--conf DIR", "Exit status");
    REFUSES(*state, "--version", 0, "creel-rm ");
}

static void a_wrong_configuration_is_status_seven(void **state)
{
    struct fixture *fixture = *state;

    configure(fixture, "<property><name>yarn.scheduler.minimum-allocation-mb</name>"
                       "<value>plenty</value></property>");
    REFUSES(fixture, NULL, 7, "creel-site.xml:10", "yarn.scheduler.minimum-allocation-mb",
            "plenty");
    configure(fixture, "<property><name>yarn.resourcemanager.scheduler.class</name>"
                       "<value>org.example.CapacityScheduler</value></property>");
    REFUSES(fixture, NULL, 7, "creel-site.xml:10", "org.example.CapacityScheduler",
            "FifoScheduler");
    configure(fixture, "<property>");
    REFUSES(fixture, NULL, 7, "creel-site.xml");
}

static void missing_keys_are_said(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/keys/rm_secret", fixture->directory);

    assert_int_equal(unlink(file), 0);
    REFUSES(fixture, NULL, 1, file, "creel keygen");
}

static void a_state_directory_that_cannot_be_is_said(void **state)
{
    struct fixture *fixture = *state;

    configure(fixture, "<property><name>creel.resourcemanager.state-dir</name>"
                       "<value>/dev/null/creel</value></property>");
    REFUSES(fixture, NULL, 1, "/dev/null/creel", "creel.resourcemanager.state-dir");
}

static void a_state_directory_in_use_is_said(void **state)
{
    struct fixture *fixture = *state;
    struct fixture *second = mem_new0(struct fixture);

    start(fixture);
    second->directory = fixture->directory;
    REFUSES(second, NULL, 1, "another resource manager", fixture->directory);
    free(second);
    kill_daemon(fixture, SIGTERM);
}

static void a_damaged_state_is_said(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *noise = mem_alloc0(8192);

    memset(noise, 'n', 8191);
    write_file(fixture->directory, "state/state.db", noise);
    REFUSES(fixture, NULL, 1, "state.db", "backup");
}

static int listen_somewhere(struct sockaddr_in *address)
{
    socklen_t size = sizeof(*address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memset(address, 0, sizeof(*address));
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)address, sizeof(*address)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)address, &size), 0);
    return fd;
}

static void a_port_in_use_is_said(void **state)
{
    struct fixture *fixture = *state;
    struct sockaddr_in address;
    scoped_fd int fd = listen_somewhere(&address);
    scoped_free char *text = mem_printf("127.0.0.1:%d", ntohs(address.sin_port));
    scoped_free char *property = mem_printf(
        "<property><name>yarn.resourcemanager.admin.address</name><value>%s</value></property>",
        text);

    assert_true(fd >= 0);
    configure(fixture, property);
    REFUSES(fixture, NULL, 1, "yarn.resourcemanager.admin.address", text);
}

static void stopping_is_orderly(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *file = mem_printf("%s/state/ports", fixture->directory);

    for (int i = 0; i < 2; i++) {
        start(fixture);
        for (int port = 0; port < PORTS; port++)
            assert_in_range(fixture->ports[port], 1, 65535);
        kill_daemon(fixture, i == 0 ? SIGTERM : SIGINT);
        assert_int_equal(access(file, F_OK), -1);
    }
}

static void a_hangup_reads_the_log_level_again(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    configure(fixture, "<property><name>creel.log.level</name><value>debug</value></property>");
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    says(fixture, "log level debug");
    configure(fixture, "<property><name>creel.log.level</name><value>loud</value></property>");
    assert_int_equal(kill(fixture->pid, SIGHUP), 0);
    says(fixture, "not read again");
    says(fixture, "loud");
    kill_daemon(fixture, SIGTERM);
}

/* --- talking --------------------------------------------------------------- */

static struct channel_client *connect_as(struct fixture *fixture, enum port port,
                                         const struct key *own)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    scoped_free char *address = mem_printf("127.0.0.1:%d", fixture->ports[port]);
    struct channel_client *client;
    struct err err = { 0 };
    struct key rm;

    assert_ok(key_load_for(keys, KEY_RM, NULL, false, &rm, &err), err);
    assert_ok(channel_client_new(NULL, address, rm.public_text, own, NULL, NULL, &client, &err),
              err);
    return client;
}

static struct channel_client *connect_to(struct fixture *fixture, enum port port)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    struct err err = { 0 };
    struct key own;

    if (port == PORT_AM)
        key_generate(&own);
    else
        assert_ok(key_load_for(keys, port == PORT_AGENT ? KEY_AGENT : KEY_USER,
                               port == PORT_AGENT ? "default" : "ann", true, &own, &err), err);
    return connect_as(fixture, port, &own);
}

static Creel__Envelope *ask(struct channel_client *client, Creel__Envelope *request)
{
    Creel__Envelope *reply = NULL;
    struct err err = { 0 };

    assert_ok(channel_client_call(client, request, PATIENCE_MS, &reply, &err), err);
    return reply;
}

static void expect_error(Creel__Envelope *reply, Creel__ErrorCode code, const char *text)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_contains(reply->error->message, text);
    assert_int_equal(reply->error->code, code);
    wire_free(reply);
}

static Creel__Envelope *put_blob(struct channel_client *client, uint8_t *hash, uint8_t *bytes,
                                 size_t size)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__PutBlob put = CREEL__PUT_BLOB__INIT;

    put.hash.data = hash;
    put.hash.len = 32;
    put.size_bytes = size;
    put.data.data = bytes;
    put.data.len = size < WIRE_CHUNK_MAX ? size : WIRE_CHUNK_MAX;
    request.body_case = CREEL__ENVELOPE__BODY_PUT_BLOB;
    request.put_blob = &put;
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

static void files_go_in_and_come_out(void **state)
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
    expect_error(ask(agent, &request), CREEL__ERROR_CODE__ERROR_NOT_FOUND, "not here");
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
    expect_error(put_blob(admin, hash, bytes, 10), CREEL__ERROR_CODE__ERROR_BAD_REQUEST,
                 "not for this port");
    assert_int_equal(missing(client, hash), 1);
    channel_client_free(admin);
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

/* A submission that is well-formed; with HASH it brings a file. */
static Creel__Envelope *submit(struct channel_client *client, uint8_t *hash)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files = &file;
    char *command = (char[]){ "true" };

    file.name = (char[]){ "input.txt" };
    file.hash.data = hash;
    file.hash.len = 32;
    file.size_bytes = 5;
    file.mode = 0400;
    launch.command = &command;
    launch.n_command = 1;
    launch.files = &files;
    launch.n_files = hash != NULL ? 1 : 0;
    resource.memory_mb = 1024;
    resource.vcores = 1;
    job.name = (char[]){ "test" };
    job.queue = (char[]){ "default" };
    job.launch = &launch;
    job.resource = &resource;
    body.job = &job;
    request.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    request.submit_app = &body;
    return ask(client, &request);
}

static char *submitted_id(Creel__Envelope *reply)
{
    char *id;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("not submitted: %s", reply->error->message);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY);
    id = mem_strdup(reply->submit_app_reply->app_id);
    wire_free(reply);
    return id;
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
    says(fixture, "submitted by ann to queue root.default: test");
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

static void who_is_not_known_is_not_heard(void **state)
{
    struct fixture *fixture = *state;
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__GetClusterInfo info = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__RegisterAm am = CREEL__REGISTER_AM__INIT;
    Creel__Envelope *reply = NULL;
    struct channel_client *client;
    struct err err = { 0 };
    struct key stranger;

    start(fixture);
    key_generate(&stranger);
    request.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    request.get_cluster_info = &info;
    for (enum port port = PORT_CLIENT; port < PORTS; port++) {
        if (port == PORT_AM)
            continue;
        client = connect_as(fixture, port, &stranger);
        assert_int_equal(channel_client_call(client, &request, PATIENCE_MS, &reply, &err),
                         -EACCES);
        channel_client_free(client);
    }

    /* An AM is let in, but every request needs its token. */
    client = connect_as(fixture, PORT_AM, &stranger);
    request.body_case = CREEL__ENVELOPE__BODY_REGISTER_AM;
    request.register_am = &am;
    expect_error(ask(client, &request), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "token");
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

/* --- noise ----------------------------------------------------------------- */

static void send_noise(int port, struct rng *rng)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    scoped_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    uint8_t noise[4096];

    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (uint8_t)rng_next(rng);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    /* It may hang up in the middle: that is its right. */
    (void)send(fd, noise, 1 + rng_below(rng, sizeof(noise)), MSG_NOSIGNAL);
}

/* Random frames behind a handshake that is right: they reach the decoder. */
static void send_noisy_frames(struct fixture *fixture, enum port port, struct rng *rng)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    scoped_free char *name = mem_printf("%s/%s", keys,
                                        port == PORT_AGENT ? "agents/default_secret"
                                                           : "users/ann_secret");
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

/* --- what was acknowledged ------------------------------------------------- */

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
    assert_contains(fixture->output, "start 4, 3 applications to go on with");
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
    /* What is left of the last block may take a few. */
    while ((reply = submit(client, NULL))->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY)
        wire_free(reply);
    expect_error(reply, CREEL__ERROR_CODE__ERROR_STORE, "make room");
    expect_error(submit(client, NULL), CREEL__ERROR_CODE__ERROR_STORE, "");
    says(fixture, "submissions are refused");
    assert_int_equal(unlink(ballast), 0);
    says(fixture, "takes rows again");
    while ((reply = submit(client, NULL))->body_case == CREEL__ENVELOPE__BODY_ERROR) {
        wire_free(reply);
        assert_true(now_ms() < deadline_ms);
    }
    free(submitted_id(reply));
    channel_client_free(client);
    kill_daemon(fixture, SIGTERM);
}

/* Mounts of this test are its own, and go with it. */
static int own_mounts(void **state)
{
    (void)state;
    loop_prepare_process();
    if (unshare(CLONE_NEWNS | (geteuid() != 0 ? CLONE_NEWUSER : 0)) < 0)
        return -1;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(wrong_usage_is_status_two),
        TEST(help_and_version_are_given),
        TEST(a_wrong_configuration_is_status_seven),
        TEST(missing_keys_are_said),
        TEST(a_state_directory_that_cannot_be_is_said),
        TEST(a_state_directory_in_use_is_said),
        TEST(a_damaged_state_is_said),
        TEST(a_port_in_use_is_said),
        TEST(stopping_is_orderly),
        TEST(a_hangup_reads_the_log_level_again),
        TEST(files_go_in_and_come_out),
        TEST(files_that_are_wrong_are_refused),
        TEST(a_submission_needs_its_files),
        TEST(who_is_not_known_is_not_heard),
        TEST(noise_on_every_port_changes_nothing),
        TEST(submissions_survive_kill_nine),
        TEST(a_full_disk_refuses_submissions_until_there_is_room),
    };

    return cmocka_run_group_tests(tests, own_mounts, NULL);
}
