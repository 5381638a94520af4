/* SPDX-License-Identifier: Apache-2.0 */
/* http_forwarded.c - test: users behind a trusted proxy have shares of their own (X-Forwarded-For) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/http/http_scene.h"
#include "web/http/forwarded.h"

#define PROXY "127.0.0.1"
#define STRANGER "127.0.0.9"
#define SHARE 2

/* The site trusts these alone. */
static bool trusts(void *context, const char *address)
{
    (void)context;
    return strcmp(address, PROXY) == 0 || strcmp(address, "10.0.0.254") == 0 ||
           strcmp(address, "2001:db8::1") == 0;
}

static void the_last_address_that_is_no_proxy_counts(void **state)
{
    static const struct {
        const char *peer, *first, *second, *client; /* FIRST and SECOND: headers */
    } cases[] = {
        { PROXY, NULL, NULL, PROXY },
        { PROXY, "10.1.1.1", NULL, "10.1.1.1" },
        { PROXY, "10.9.9.9, 10.1.1.1", NULL, "10.1.1.1" },
        { PROXY, "10.9.9.9 ,\t10.1.1.1 , 10.0.0.254", NULL, "10.1.1.1" },
        { PROXY, "10.9.9.9", "10.1.1.1", "10.1.1.1" },
        { PROXY, "10.1.1.1", "10.0.0.254,2001:DB8:0::1", "10.1.1.1" },
        { PROXY, "2001:db8:1::7", NULL, "2001:db8:1::7" },
        { PROXY, "10.0.0.254", NULL, "10.0.0.254" },
        { PROXY, "10.1.1.1, unknown", NULL, PROXY },
        { PROXY, "10.1.1.1, unknown, 10.0.0.254", NULL, "10.0.0.254" },
        { PROXY, "10.1.1.1,", NULL, PROXY },
        { PROXY, " , ,", NULL, PROXY },
        { PROXY, "", NULL, PROXY },
        { PROXY, "10.1.1.1:80", NULL, PROXY },
        { STRANGER, "10.1.1.1", NULL, STRANGER },
        { STRANGER, "10.1.1.1, " PROXY, PROXY, STRANGER },
        { "", "10.1.1.1", NULL, "" },
    };
    const struct site site = { .is_proxy = trusts };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct name_value headers[] = { { "Host", "h" },
                                              { "x-forwarded-for", cases[i].first },
                                              { "X-Forwarded-For", cases[i].second } };
        size_t count = cases[i].first == NULL ? 1 : cases[i].second == NULL ? 2 : 3;
        char client[ADDRESS_TEXT_MAX];

        forwarded_client(&site, cases[i].peer, headers, count, client);
        assert_string_equal(client, cases[i].client);
        forwarded_client(&(struct site){ .is_proxy = NULL }, cases[i].peer, headers, count, client);
        assert_string_equal(client, cases[i].peer);
    }
}

/* --- shares ------------------------------------------------------------------------- */

static void start(struct http_scene *scene, unsigned max)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;

    limits.connections_max = max;
    limits.address_connections_max = SHARE;
    scene->site.is_proxy = trusts;
    scene->site.traffic = traffic_new(scene->site.tables, scene->site.table_count);
    http_start(scene, &limits);
}

/* Begins a request that stays under way, from SOURCE, for the client FORWARDED; expects an answer that begins
 * with STATUS. */
static int begin(struct http_scene *scene, const char *source, const char *forwarded, const char *status)
{
    char request[200];
    int fd;

    snprintf(request, sizeof(request), "GET /events HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: %s\r\n\r\n",
             forwarded);
    fd = http_dial_from(scene, source, request);
    http_until_text(scene, fd, status);
    return fd;
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

static void each_user_behind_a_proxy_has_a_share(void **state)
{
    struct http_scene *scene = *state;
    int fds[6];

    start(scene, 100);
    fds[0] = begin(scene, PROXY, "10.1.1.1", "HTTP/1.1 200");
    fds[1] = begin(scene, PROXY, "10.9.9.9, 10.1.1.1", "HTTP/1.1 200");
    fds[2] = begin(scene, PROXY, "10.1.1.1", "HTTP/1.1 503");
    assert_non_null(strstr(scene->received, "no free connection for your address"));
    fds[3] = begin(scene, PROXY, "10.1.1.2", "HTTP/1.1 200");
    close(fds[2]);
    until_used(scene, 3);
    close(fds[0]);
    until_used(scene, 2);
    fds[4] = begin(scene, PROXY, "10.1.1.1", "HTTP/1.1 200");
    fds[5] = begin(scene, PROXY, "10.1.1.1", "HTTP/1.1 503");
    for (size_t i = 3; i < sizeof(fds) / sizeof(*fds); i++)
        close(fds[i]);
    close(fds[1]);
}

/* The header counts only if it is of a proxy that is listed. */
static void a_header_of_a_stranger_is_ignored(void **state)
{
    struct http_scene *scene = *state;
    int fds[SHARE + 1];

    start(scene, 100);
    for (int i = 0; i < SHARE; i++)
        fds[i] = begin(scene, STRANGER, i == 0 ? "10.1.1.1" : "10.1.1.2", "HTTP/1.1 200");
    fds[SHARE] = http_dial_from(scene, STRANGER, "");
    http_until_text(scene, fds[SHARE], "The server has no free connection for " STRANGER);
    for (int i = 0; i <= SHARE; i++)
        close(fds[i]);
}

/* Connections that wait for the next request count for the proxy, which gets what others leave. */
static void a_proxy_keeps_its_connections(void **state)
{
    enum { KEPT = 4 };
    struct http_scene *scene = *state;
    int fds[KEPT], other;

    start(scene, KEPT + 1);
    for (int i = 0; i < KEPT; i++) {
        char request[128];

        snprintf(request, sizeof(request),
                 "GET /show/a HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 10.1.1.%d\r\n\r\n", i % 2 + 1);
        fds[i] = http_dial_from(scene, PROXY, request);
        http_until_text(scene, fds[i], "GET /show/a");
    }
    for (int i = 0; i < KEPT; i++)
        assert_true(http_receive(scene, fds[i]));
    other = begin(scene, STRANGER, "10.1.1.1", "HTTP/1.1 200");
    /* Its next connection replaces one of its own, not one of another address. */
    close(http_dial_from(scene, PROXY, "GET /show/b HTTP/1.1\r\n" HTTP_CLOSE));
    http_turn(scene);
    assert_true(http_receive(scene, other));
    for (int i = 0; i < KEPT; i++)
        close(fds[i]);
    close(other);
}

static int tear_down(void **state)
{
    struct http_scene *scene = *state;
    struct traffic *traffic = scene->site.traffic;
    int r = http_tear_down(state);

    traffic_free(traffic);
    return r;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, http_set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_address_that_is_no_proxy_counts),
        TEST(each_user_behind_a_proxy_has_a_share),
        TEST(a_header_of_a_stranger_is_ignored),
        TEST(a_proxy_keeps_its_connections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
