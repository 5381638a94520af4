/* SPDX-License-Identifier: Apache-2.0 */
/* io_gateway.c - test: restrictions of the gateway process, and recovery when a gateway process dies */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/loop/loop_socket.h"
#include "common/io/server/gateway_process.h"
#include "tests/unit/io/io_daemon.h"

/* Returns the pid of a gateway process that is a child of this process and is not OTHER; 0: none. */
static pid_t find_gateway(pid_t other)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    pid_t found = 0;

    assert_non_null(processes);
    while (found == 0 && (entry = readdir(processes)) != NULL) {
        char path[300], name[64];
        int pid, parent;
        FILE *file;

        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
        file = fopen(path, "re");
        if (file == NULL)
            continue;
        if (fscanf(file, "%d (%63[^)]) %*c %d", &pid, name, &parent) == 3 && parent == getpid() &&
            strcmp(name, "creel-gateway") == 0 && pid != other)
            found = pid;
        fclose(file);
    }
    closedir(processes);
    return found;
}

/* Reads the value of FIELD in /proc/PID/NAME, for example "Seccomp:" in "status". */
static void read_field(pid_t pid, const char *name, const char *field, char value[128])
{
    char path[64], line[256];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    file = fopen(path, "re");
    assert_non_null(file);
    value[0] = '\0';
    while (fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, field, strlen(field)) == 0)
            snprintf(value, 128, "%s", line + strlen(field) + strspn(line + strlen(field), " \t"));
    value[strcspn(value, "\n")] = '\0';
    fclose(file);
}

static void expect_field(pid_t pid, const char *name, const char *field, const char *start)
{
    char value[128];

    read_field(pid, name, field, value);
    if (strncmp(value, start, strlen(start)) != 0)
        fail_msg("%s %s is '%s', expected '%s'", name, field, value, start);
}

static void a_gateway_has_no_rights(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    char value[128];
    pid_t gateway;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    gateway = find_gateway(0);
    assert_true(gateway > 0);
    expect_field(gateway, "status", "CapPrm:", "0000000000000000");
    expect_field(gateway, "status", "CapEff:", "0000000000000000");
    expect_field(gateway, "status", "CapInh:", "0000000000000000");
    expect_field(gateway, "status", "CapAmb:", "0000000000000000");
    expect_field(gateway, "status", "NoNewPrivs:", "1");
    expect_field(gateway, "limits", "Max core file size", "0 ");
    expect_field(gateway, "limits", "Max file size", "0 ");
    if (geteuid() == 0) {
        expect_field(gateway, "status", "CapBnd:", "0000000000000000");
        expect_field(gateway, "status", "Groups:", "");
        read_field(gateway, "status", "Uid:", value);
        assert_true(strtol(value, NULL, 10) > 0);
        read_field(gateway, "status", "Gid:", value);
        assert_true(strtol(value, NULL, 10) > 0);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    expect_field(gateway, "status", "Seccomp:", "2");
    read_field(gateway, "limits", "Max data size", value);
    assert_true(strtol(value, NULL, 10) > 0);
#endif
    channel_client_free(client);
    daemon_stop(daemon);
    assert_int_equal(find_gateway(0), 0);
}

/* Waits for the gateway that replaces OLD. Returns its pid. */
static pid_t wait_for_next(pid_t old)
{
    int64_t end_ms = loop_monotonic_ms() + CALL_MS;
    pid_t found;

    while ((found = find_gateway(old)) == 0)
        if (loop_monotonic_ms() > end_ms)
            fail_msg("no new gateway within %d ms", CALL_MS);
    return found;
}

static void a_gateway_that_dies_is_replaced(void **state)
{
    static const int signals[] = { SIGKILL, SIGABRT, SIGSEGV, SIGTERM, SIGKILL, SIGKILL, SIGKILL, SIGKILL };
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    pid_t gateway;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    gateway = find_gateway(0);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        expect_served(client, "alice");
        assert_int_equal(kill(gateway, signals[i]), 0);
        gateway = wait_for_next(gateway);
        expect_served(client, "alice");
        assert_int_equal(daemon->connection, 2 + i); /* a new connection each time */
    }
    channel_client_free(client);
    daemon_stop(daemon);
}

static void a_gateway_that_hangs_is_replaced(void **state)
{
    struct daemon *daemon = *state;
    struct key user = daemon_key(daemon, KEY_USER, "alice");
    struct channel_client *client;
    pid_t gateway;

    daemon_start(daemon);
    client = daemon_connect(daemon, PORT_USERS, &user);
    expect_served(client, "alice");
    gateway = find_gateway(0);
    assert_int_equal(kill(gateway, SIGSTOP), 0);
    wait_for_next(gateway);
    expect_served(client, "alice");
    assert_int_equal(kill(gateway, 0), -1);
    channel_client_free(client);
    daemon_stop(daemon);
}

/* --- a gateway alone, in the loop of the test -------------------------------------- */

struct alone {
    struct loop *loop;
    struct gateway_process *process;
    char program[128]; /* link to the gateway's program */
    unsigned starts, ends;
};

static void note_start(void *context, unsigned number)
{
    struct alone *alone = context;

    assert_int_equal(number, 3);
    alone->starts++;
    loop_stop(alone->loop);
}

static bool accept_frame(void *context, unsigned number, const struct gateway_header *header,
                         const uint8_t *payload)
{
    (void)context;
    (void)number;
    (void)header;
    (void)payload;
    return true;
}

static void note_end(void *context, unsigned number, int64_t hung_ms)
{
    struct alone *alone = context;

    assert_int_equal(number, 3);
    assert_int_equal(hung_ms, 0);
    alone->ends++;
    loop_stop(alone->loop);
}

static void stop(void *context)
{
    loop_stop(context);
}

/* Runs the loop until a start or an end of the gateway, but not longer than MS. */
static void run_for(struct alone *alone, int64_t ms)
{
    int timer = loop_add_timer(alone->loop, ms, stop, alone->loop);

    loop_run(alone->loop);
    loop_cancel_timer(alone->loop, timer);
}

static void link_program(const struct alone *alone)
{
    scoped_free char *path = realpath(GATEWAY_PATH, NULL);

    assert_non_null(path);
    assert_int_equal(symlink(path, alone->program), 0);
}

/* Starts a gateway, removes its program, and ends it: it waits for its next start, which will fail. */
static void begin_without_program(struct alone *alone, struct daemon *daemon)
{
    static const struct gateway_events events = { note_start, accept_frame, note_end };
    pid_t gateway;

    *alone = (struct alone){ .loop = NULL };
    assert_int_equal(loop_new(&alone->loop, NULL), 0);
    snprintf(alone->program, sizeof(alone->program), "%s/creel-gateway", daemon->folder);
    link_program(alone);
    setenv("CREEL_GATEWAY", alone->program, 1);
    assert_int_equal(gateway_process_new(alone->loop, &gateway_program, 3, &daemon->limits, &events, alone,
                                         &alone->process, NULL),
                     0);
    assert_int_equal(alone->starts, 1);
    assert_int_equal(unlink(alone->program), 0);
    gateway = find_gateway(0);
    assert_true(gateway > 0);
    assert_int_equal(kill(gateway, SIGKILL), 0);
    run_for(alone, CALL_MS);
    assert_int_equal(alone->ends, 1);
}

/* The program is missing for a moment, as while a package is installed. */
static void a_start_that_fails_is_tried_again(void **state)
{
    struct alone alone;

    begin_without_program(&alone, *state);
    run_for(&alone, SILENCE_MS); /* the next start is at most 100 ms after the end */
    assert_int_equal(alone.starts, 1);
    link_program(&alone);
    run_for(&alone, CALL_MS);
    assert_int_equal(alone.starts, 2);
    assert_true(find_gateway(0) > 0);
    gateway_process_free(alone.process);
    loop_free(alone.loop);
    assert_int_equal(find_gateway(0), 0);
}

static void a_gateway_that_is_freed_before_its_next_start_is_not_started(void **state)
{
    struct alone alone;

    begin_without_program(&alone, *state);
    link_program(&alone);
    gateway_process_free(alone.process);
    run_for(&alone, SILENCE_MS);
    assert_int_equal(alone.starts, 1);
    assert_int_equal(find_gateway(0), 0);
    loop_free(alone.loop);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, daemon_set_up, daemon_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_gateway_has_no_rights),
        TEST(a_gateway_that_dies_is_replaced),
        TEST(a_gateway_that_hangs_is_replaced),
        TEST(a_start_that_fails_is_tried_again),
        TEST(a_gateway_that_is_freed_before_its_next_start_is_not_started),
    };

    loop_socket_prepare_process();
    return cmocka_run_group_tests_name("io_gateway", tests, NULL, NULL);
}
