/* SPDX-License-Identifier: Apache-2.0 */
/* http_connections.c - test: which connection is closed when there are too many */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/http/http_scene.h"

#define HALF "GET /show/never HTTP/1.1\r\nHost: h\r\nX-Slow: "
#define OPEN_MAX_HERE 8

static char noted[256];

static void note(void *context, const char *line)
{
    (void)context;
    snprintf(noted, sizeof(noted), "%s", line);
}

/* Starts a server with places for MAX connections, SHARE of them for one address. */
static void start(struct http_scene *scene, unsigned max, unsigned share)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;

    limits.connections_max = max;
    limits.address_connections_max = share;
    *noted = '\0';
    scene->site.note = note;
    scene->site.traffic = traffic_new(scene->site.tables, scene->site.table_count);
    http_start(scene, &limits);
}

static bool is_open(struct http_scene *scene, int fd)
{
    http_turn(scene);
    return http_receive(scene, fd);
}

static void until_used(struct http_scene *scene, unsigned count)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (shares_used(traffic_connections(scene->site.traffic)) != count) {
        if (loop_monotonic_ms() > deadline_ms)
            fail_msg("not %u connections", count);
        http_turn(scene);
    }
}

static int64_t resident_kb(void)
{
    char line[128];
    int64_t found = 0;
    FILE *file = fopen("/proc/self/status", "r");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            found = strtoll(line + 6, NULL, 10);
    fclose(file);
    return found;
}

/* Connections that are kept need about the memory that the largest request needs. */
static void kept_connections_need_little_memory(void **state)
{
    enum { KEPT = 1000, EACH_MAX_KB = 128 };
    static const char request[] = "GET /show/a HTTP/1.1\r\nHost: h\r\n\r\n";
    struct rlimit files;
    struct http_scene *scene = *state;
    int64_t before_kb;
    int fds[KEPT];

    getrlimit(RLIMIT_NOFILE, &files);
    assert_true(files.rlim_max >= 2 * KEPT + 100);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    start(scene, KEPT + 10, KEPT + 10);
    before_kb = resident_kb();
    for (int i = 0; i < KEPT; i++) {
        fds[i] = http_dial_from(scene, "127.0.0.1", request);
        http_until_text(scene, fds[i], "GET /show/a");
    }
    assert_int_equal(shares_used(traffic_connections(scene->site.traffic)), KEPT);
    assert_in_range(resident_kb() - before_kb, 0, KEPT * EACH_MAX_KB);
    for (int i = 0; i < KEPT; i++)
        close(fds[i]);
}

static void half_requests_of_many_addresses_do_not_shut_others_out(void **state)
{
    struct http_scene *scene = *state;
    int fds[OPEN_MAX_HERE];
    char source[32];

    start(scene, OPEN_MAX_HERE, 4);
    for (unsigned i = 0; i < OPEN_MAX_HERE; i++) {
        snprintf(source, sizeof(source), "127.0.1.%u", i + 1);
        fds[i] = http_dial_from(scene, source, HALF);
    }
    until_used(scene, OPEN_MAX_HERE);
    http_ask(scene, "GET /show/other HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/other"));
    http_until_closed(scene, fds[0]); /* the oldest */
    for (unsigned i = 1; i < OPEN_MAX_HERE; i++) {
        assert_true(is_open(scene, fds[i]));
        close(fds[i]);
    }
    assert_string_equal(noted, "HTTP connection from 127.0.1.1: closed, all 8 connections are in use");
    assert_int_equal(shares_refused(traffic_connections(scene->site.traffic), SHARES_FULL), 1);
}

static void an_address_has_its_share_and_its_oldest_connection_goes_first(void **state)
{
    struct http_scene *scene = *state;
    int fds[3];

    start(scene, OPEN_MAX_HERE, 2);
    fds[0] = http_dial_from(scene, "127.0.1.1", HALF);
    fds[1] = http_dial_from(scene, "127.0.1.2", HALF);
    fds[2] = http_dial_from(scene, "127.0.1.2", HALF);
    until_used(scene, 3);
    close(http_dial_from(scene, "127.0.1.2", HALF));
    http_until_closed(scene, fds[1]);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    assert_non_null(strstr(scene->received, "The server has no free connection for 127.0.1.2."));
    assert_true(is_open(scene, fds[0]));
    assert_true(is_open(scene, fds[2]));
    assert_string_equal(noted,
                        "HTTP connection from 127.0.1.2: closed, this address has 2 connections, its share");
    assert_int_equal(shares_refused(traffic_connections(scene->site.traffic), SHARES_OWNER_FULL), 1);
    close(fds[0]);
    close(fds[2]);
}

/* A connection whose request is complete is not closed for a new one. */
static void complete_requests_are_served(void **state)
{
    struct http_scene *scene = *state;
    int fd, late;

    start(scene, 1, 1);
    fd = http_dial_from(scene, "127.0.1.1", "GET /ask HTTP/1.1\r\n" HTTP_CLOSE);
    while (scene->upstream.reply == NULL)
        http_turn(scene);
    late = http_dial_from(scene, "127.0.1.3", "");
    http_until_closed(scene, late);
    assert_non_null(strstr(scene->received, "The server has no free connection for 127.0.1.3."));
    fake_upstream_reply(&scene->upstream, "done");
    http_until_closed(scene, fd);
    assert_non_null(strstr(scene->received, "done"));
}

static void a_connection_that_was_answered_waits_again(void **state)
{
    struct http_scene *scene = *state;
    int idle, half;

    start(scene, 2, 2);
    idle = http_dial_from(scene, "127.0.1.1", "GET /show/first HTTP/1.1\r\nHost: h\r\n\r\n");
    http_until_text(scene, idle, "GET /show/first");
    half = http_dial_from(scene, "127.0.1.2", HALF);
    until_used(scene, 2);
    http_ask(scene, "GET /show/other HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/other"));
    http_until_closed(scene, idle);
    assert_true(is_open(scene, half));
    close(half);
}

static int tear_down(void **state)
{
    struct http_scene *scene = *state;
    struct traffic *traffic = scene->site.traffic;
    int r = http_tear_down(state);

    traffic_free(traffic);
    return r;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, http_set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kept_connections_need_little_memory),
        TEST(half_requests_of_many_addresses_do_not_shut_others_out),
        TEST(an_address_has_its_share_and_its_oldest_connection_goes_first),
        TEST(complete_requests_are_served),
        TEST(a_connection_that_was_answered_waits_again),
    };

    return cmocka_run_group_tests_name("http/connections", tests, NULL, NULL);
}
