/* SPDX-License-Identifier: Apache-2.0 */
/* http_memory.c - test: memory for answers that clients do not read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/cost.h"
#include "tests/unit/http/http_scene.h"

/* An answer in parts counts what was allocated for it, here 1 MiB, and is more than the sockets take. */
#define LARGE_OF(bytes) "GET /parts?parts=500&own=1&hold=" bytes " HTTP/1.1\r\nHost: h\r\n\r\n"
#define LARGE LARGE_OF("800000")
#define SHARE 2 /* large answers that one address gets */
#define ALL 8   /* that there is memory for */

static char noted[256];

static void note(void *context, const char *line)
{
    (void)context;
    snprintf(noted, sizeof(noted), "%s", line);
}

static void start(struct http_scene *scene, int64_t stalled_ms)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;

    limits.memory_max = (size_t)ALL << 20;
    limits.stalled_ms = stalled_ms;
    *noted = '\0';
    scene->site.note = note;
    scene->site.traffic = traffic_new(scene->site.tables, scene->site.table_count);
    http_start(scene, &limits);
}

static unsigned used_mib(const struct http_scene *scene)
{
    return (shares_used(traffic_memory(scene->site.traffic)) + 512) / 1024;
}

static void until_used(struct http_scene *scene, unsigned mib)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (used_mib(scene) != mib) {
        if (loop_monotonic_ms() > deadline_ms)
            fail_msg("%u MiB are in use, not %u", used_mib(scene), mib);
        http_turn(scene);
    }
}

/* Takes the memory of COUNT large answers for SOURCE, and reads nothing. */
static void take(struct http_scene *scene, const char *source, int *fds, int count)
{
    unsigned before = used_mib(scene);

    for (int i = 0; i < count; i++)
        fds[i] = http_dial_from(scene, source, LARGE);
    until_used(scene, before + (unsigned)count);
}

static void take_all(struct http_scene *scene, int fds[ALL])
{
    char source[32];

    for (unsigned i = 0; i < ALL / SHARE; i++) {
        snprintf(source, sizeof(source), "127.0.1.%u", i + 1);
        take(scene, source, &fds[(size_t)i * SHARE], SHARE);
    }
}

static void close_all(struct http_scene *scene, const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        close(fds[i]);
    until_used(scene, 0);
}

/* Asks from SOURCE for a large answer, and returns the status. */
static int ask_large(struct http_scene *scene, const char *source)
{
    int fd = http_dial_from(scene, source, LARGE), status = 0;

    http_until_text(scene, fd, "\r\n\r\n");
    assert_int_equal(sscanf(scene->received, "HTTP/1.1 %d", &status), 1);
    close(fd);
    return status;
}

static void an_address_gets_its_share_of_the_memory(void **state)
{
    struct http_scene *scene = *state;
    int fds[SHARE];

    start(scene, INT64_MAX);
    take(scene, "127.0.1.1", fds, SHARE);
    assert_int_equal(ask_large(scene, "127.0.1.1"), 503);
    assert_non_null(strstr(scene->received, "\r\nRetry-After: 5\r\n"));
    assert_non_null(strstr(scene->received, "no memory left for requests of this address"));
    assert_string_equal(noted,
                        "HTTP connection from 127.0.1.1: refused a request, this address has its share "
                        "of the memory for answers");
    assert_int_equal(shares_refused(traffic_memory(scene->site.traffic), SHARES_OWNER_FULL), 1);
    assert_int_equal(ask_large(scene, "127.0.1.2"), 200);
    close_all(scene, fds, SHARE);
}

/* Nothing has stalled yet; those that have most give place. */
static void answers_of_some_addresses_do_not_shut_others_out(void **state)
{
    struct http_scene *scene = *state;
    int fds[ALL];

    start(scene, INT64_MAX);
    take_all(scene, fds);
    assert_int_equal(ask_large(scene, "127.0.0.2"), 200);
    assert_string_equal(noted,
                        "HTTP connection from 127.0.1.1: closed before its answer was read, the memory "
                        "for answers is in use");
    http_ask(scene, "GET /show/other HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/other"));
    http_until_closed(scene, fds[0]); /* the oldest */
    close_all(scene, fds + 1, ALL - 1);
}

/* Asks again and again, until another one of the address has stalled for long enough. */
static void until_served(struct http_scene *scene, const char *source)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (ask_large(scene, source) != 200)
        if (loop_monotonic_ms() > deadline_ms)
            fail_msg("%s gets no memory", source);
}

/* The newer of two answers is not read: it gives place, and the older one goes on. */
static void a_connection_that_reads_nothing_ends_for_another(void **state)
{
    struct http_scene *scene = *state;
    int fds[SHARE];
    char byte;

    start(scene, 200);
    take(scene, "127.0.1.1", fds, SHARE);
    for (int i = 0; i < 500; i++) { /* reads for longer than 200 ms */
        char more[16384];

        (void)!recv(fds[0], more, sizeof(more), 0);
        http_turn(scene);
    }
    until_served(scene, "127.0.1.1");
    assert_true(recv(fds[0], &byte, 1, 0) == 1);
    http_until_closed(scene, fds[1]);
    close(fds[0]);
    until_used(scene, 0);
}

/* The kernel has the rest of what was sent: 320 clients of five addresses read nothing. */
static void many_unread_answers_take_little_memory(void **state)
{
    enum { CLIENTS = 320 };
    struct http_scene *scene = *state;
    struct cost before;
    char source[32];
    int fds[CLIENTS];

    scene->site.traffic = traffic_new(scene->site.tables, scene->site.table_count);
    http_start(scene, &HTTP_LIMITS_DEFAULT);
    before = cost_begin();
    for (int i = 0; i < CLIENTS; i++) {
        snprintf(source, sizeof(source), "127.0.1.%d", i % 5 + 1);
        fds[i] = http_dial_from(scene, source, LARGE_OF("300000"));
        http_until_text(scene, fds[i], "\r\n\r\n");
    }
    cost_check_memory(&before, "answers that clients do not read");
    assert_int_equal(ask_large(scene, "127.0.2.1"), 200);
    close_all(scene, fds, CLIENTS);
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
        TEST(an_address_gets_its_share_of_the_memory),
        TEST(answers_of_some_addresses_do_not_shut_others_out),
        TEST(a_connection_that_reads_nothing_ends_for_another),
        TEST(many_unread_answers_take_little_memory),
    };

    return cmocka_run_group_tests_name("web/http: memory", tests, NULL, NULL);
}
