/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_process.h - fixture: one creel-rm process per test, with clients of the process
 *
 * Runs the program of the build folder with a configuration, keys and a state directory of its own, on ports
 * that the system chooses.
 */
#ifndef CREEL_TEST_RM_PROCESS_H
#define CREEL_TEST_RM_PROCESS_H

#include "tests/unit/store/store_support.h"

#include <arpa/inet.h>
#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sodium.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/rng.h"
#include "common/io/channel/channel.h"

#define PATIENCE_MS 20000

enum port { PORT_CLIENT, PORT_AM, PORT_AGENT, PORT_ADMIN, PORTS };

struct fixture {
    char *directory;    /* contains conf/, keys/ and state/ */
    char output[65536]; /* output of the daemon since its start */
    size_t length;
    int output_fd;
    pid_t pid; /* 0: not running */
    int ports[PORTS];
};

static inline const char *program(void)
{
    const char *named = getenv("CREEL_RM_PROGRAM");

    return named != NULL ? named : "./creel-rm";
}

static inline int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- directories and configuration ----------------------------------------- */

static inline void write_file(const char *directory, const char *name, const char *text)
{
    scoped_free char *file = mem_printf("%s/%s", directory, name);
    FILE *stream = fopen(file, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

/* Writes a valid configuration, followed by the properties MORE. */
static inline void configure(const struct fixture *fixture, const char *more)
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
        "<value>127.0.0.1:0</value></property>\n%s</configuration>\n",
        directory, directory, more);

    write_file(directory, "conf/creel-site.xml", text);
}

static inline int set_up(void **state)
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

static inline void kill_daemon(struct fixture *fixture, int signal_number)
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

static inline int tear_down(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *directory = mem_printf("%s/state", fixture->directory);

    if (fixture->pid != 0)
        kill_daemon(fixture, SIGKILL);
    (void)umount2(directory, MNT_DETACH); /* only one test mounts a file system there */
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

/* --- the process ----------------------------------------------------------- */

static inline void spawn(struct fixture *fixture, const char *option)
{
    scoped_free char *directory = mem_printf("%s/conf", fixture->directory);
    int channel[2];

    assert_int_equal(pipe2(channel, O_CLOEXEC), 0);
    fixture->length = 0;
    fixture->output[0] = '\0';
    fixture->pid = fork();
    assert_true(fixture->pid >= 0);
    if (fixture->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* the daemon ends if the test crashes */
        dup2(channel[1], STDOUT_FILENO);
        dup2(channel[1], STDERR_FILENO);
        execl(program(), "creel-rm", "--conf", directory, option, NULL);
        _exit(126);
    }
    close(channel[1]);
    fixture->output_fd = channel[0];
}

/* Reads more output of the daemon. Returns false at the end of the output. */
static inline bool read_more(struct fixture *fixture, int64_t deadline_ms)
{
    struct pollfd poll_fd = { .fd = fixture->output_fd, .events = POLLIN };
    int64_t left_ms = deadline_ms - now_ms();
    ssize_t n;

    if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) <= 0)
        fail_msg("creel-rm prints nothing more; so far: %s", fixture->output);
    n = read(fixture->output_fd, fixture->output + fixture->length,
             sizeof(fixture->output) - 1 - fixture->length);
    if (n <= 0)
        return false;
    fixture->length += (size_t)n;
    fixture->output[fixture->length] = '\0';
    return true;
}

static inline void expect_output(struct fixture *fixture, const char *text)
{
    int64_t deadline_ms = now_ms() + PATIENCE_MS;

    while (strstr(fixture->output, text) == NULL)
        if (!read_more(fixture, deadline_ms))
            fail_msg("creel-rm ended without saying \"%s\": %s", text, fixture->output);
}

static inline void start(struct fixture *fixture)
{
    scoped_free char *file = mem_printf("%s/state/ports", fixture->directory);
    int *ports = fixture->ports;
    FILE *stream;

    spawn(fixture, NULL);
    expect_output(fixture, "ready: ");
    stream = fopen(file, "r");
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "{\"client\": %d, \"am\": %d, \"agent\": %d, \"admin\": %d}",
                            &ports[PORT_CLIENT], &ports[PORT_AM], &ports[PORT_AGENT], &ports[PORT_ADMIN]),
                     4);
    fclose(stream);
}

/* Checks that the daemon exits with STATUS before it serves, and prints all of TEXTS (NULL-terminated). */
static inline void refuses(struct fixture *fixture, const char *option, int status, const char *const *texts)
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

/* --- requests -------------------------------------------------------------- */

static inline struct channel_client *connect_as(struct fixture *fixture, enum port port,
                                                const struct key *own)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    scoped_free char *address = mem_printf("127.0.0.1:%d", fixture->ports[port]);
    struct channel_client *client;
    struct err err = { 0 };
    struct key rm;

    assert_ok(key_load_for(keys, KEY_RM, NULL, false, &rm, &err), err);
    assert_ok(channel_client_new(NULL, address, rm.public_text, own, NULL, NULL, &client, &err), err);
    return client;
}

static inline struct channel_client *connect_to(struct fixture *fixture, enum port port)
{
    scoped_free char *keys = mem_printf("%s/keys", fixture->directory);
    struct err err = { 0 };
    struct key own;

    assert_ok(key_load_for(keys, port == PORT_AGENT ? KEY_AGENT : KEY_USER,
                           port == PORT_AGENT ? "default" : "ann", true, &own, &err),
              err);
    return connect_as(fixture, port, &own);
}

static inline Creel__Envelope *ask(struct channel_client *client, Creel__Envelope *request)
{
    Creel__Envelope *reply = NULL;
    struct err err = { 0 };

    assert_ok(channel_client_call(client, request, PATIENCE_MS, &reply, &err), err);
    return reply;
}

static inline void expect_error(Creel__Envelope *reply, Creel__ErrorCode code, const char *text)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_contains(reply->error->message, text);
    assert_int_equal(reply->error->code, code);
    wire_free(reply);
}

/* Returns a valid submission of COMMAND, which has COUNT words; with HASH, the submission has a file. */
static inline Creel__Envelope *submit_command(struct channel_client *client, char **command, size_t count,
                                              uint8_t *hash)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__JobSpec job = CREEL__JOB_SPEC__INIT;
    Creel__LaunchContext launch = CREEL__LAUNCH_CONTEXT__INIT;
    Creel__Resource resource = CREEL__RESOURCE__INIT;
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files = &file;

    file.name = (char[]){ "input.txt" };
    file.hash.data = hash;
    file.hash.len = 32;
    file.size_bytes = 5;
    file.mode = 0400;
    launch.command = command;
    launch.n_command = count;
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

static inline Creel__Envelope *submit(struct channel_client *client, uint8_t *hash)
{
    char *command = (char[]){ "true" };

    return submit_command(client, &command, 1, hash);
}

static inline char *submitted_id(Creel__Envelope *reply)
{
    char *id;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("not submitted: %s", reply->error->message);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_SUBMIT_APP_REPLY);
    id = mem_strdup(reply->submit_app_reply->app_id);
    wire_free(reply);
    return id;
}

#endif
