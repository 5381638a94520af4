/* SPDX-License-Identifier: Apache-2.0 */
/* http_turns.c - test: requests of an address that sends many do not delay those of others, over sockets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/http/http_scene.h"

#define MANY "GET /show/a HTTP/1.1\r\n" HTTP_CLOSE
#define OTHER "GET /show/b HTTP/1.1\r\n" HTTP_CLOSE

enum { CLIENTS = 12 };

/* Connects CLIENTS clients: the last one from another address than the rest. */
static void dial_all(struct http_scene *scene, int clients[CLIENTS])
{
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = http_dial_from(scene, i < CLIENTS - 1 ? "127.0.0.1" : "127.0.0.2", "");
}

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void send_all(const int clients[CLIENTS])
{
    for (int i = 0; i < CLIENTS; i++)
        send_text(clients[i], i < CLIENTS - 1 ? MANY : OTHER);
}

static void receive_all(struct http_scene *scene, const int clients[CLIENTS])
{
    for (int i = 0; i < CLIENTS; i++) {
        scene->received_size = 0;
        http_until_closed(scene, clients[i]);
        assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
    }
}

/* All were served, and b had to wait for one a at most. */
static void check_order(const struct http_scene *scene)
{
    assert_int_equal(strlen(scene->upstream.shown), CLIENTS);
    assert_in_range(strchr(scene->upstream.shown, 'b') - scene->upstream.shown, 0, 1);
}

static void requests_of_addresses_take_turns(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int clients[CLIENTS];

    limits.turn_ms = 0;
    http_start(scene, &limits);
    dial_all(scene, clients);
    send_all(clients);
    receive_all(scene, clients);
    check_order(scene);
}

/* --- by work ------------------------------------------------------------------- */

/* The route of MANY needs 5 ms for each request, as the last ones have shown. */
static void make_expensive(struct traffic *traffic, const struct site *site)
{
    static const char *const segments[] = { "show", "a" };
    struct route_match match;

    route_find(site->tables, site->table_count, "GET", segments, 2, &match);
    assert_non_null(match.fn);
    assert_int_equal(traffic_class(traffic, "GET", "/show/a?x=1"), 0);
    traffic_add_work(traffic, &match, 5000000);
    assert_int_equal(traffic_class(traffic, "GET", "/show/a?x=1"), TRAFFIC_CLASSES - 1);
    assert_int_equal(traffic_class(traffic, "POST", "/show/a"), 0);
    assert_int_equal(traffic_class(traffic, "GET", "/"), 0);
    assert_int_equal(traffic_class(traffic, "GET", "/unknown"), 0);
    assert_int_equal(traffic_class(traffic, "GET", "/sh%6fw/a"), TRAFFIC_CLASSES - 1); /* whatever it is */
}

/* Each address sends one request: without the order by work the last one would wait for all others. */
static void a_cheap_request_does_not_wait_for_expensive_ones_of_many_addresses(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int clients[CLIENTS];
    char address[32];

    limits.turn_ms = 0;
    scene->site.traffic = traffic_new(scene->site.tables, scene->site.table_count);
    make_expensive(scene->site.traffic, &scene->site);
    http_start(scene, &limits);
    for (int i = 0; i < CLIENTS; i++) {
        snprintf(address, sizeof(address), "127.0.0.%d", i + 1);
        clients[i] = http_dial_from(scene, address, "");
    }
    for (int i = 0; i < CLIENTS; i++)
        send_text(clients[i], i < CLIENTS - 1 ? MANY : "GET / HTTP/1.1\r\n" HTTP_CLOSE);
    receive_all(scene, clients);
    assert_int_equal(strlen(scene->upstream.shown), CLIENTS);
    assert_in_range(strchr(scene->upstream.shown, '/') - scene->upstream.shown, 0, 2);
    http_server_free(scene->server);
    scene->server = NULL;
    traffic_free(scene->site.traffic);
    scene->site.traffic = NULL;
}

static void the_class_of_a_route_follows_its_last_requests(void **state)
{
    static const char *const segments[] = { "show", "a" };
    struct http_scene *scene = *state;
    struct traffic *traffic = traffic_new(scene->site.tables, scene->site.table_count);
    struct route_match match;

    make_expensive(traffic, &scene->site);
    route_find(scene->site.tables, scene->site.table_count, "GET", segments, 2, &match);
    for (int i = 0; i < 100; i++)
        traffic_add_work(traffic, &match, 20000);
    assert_int_equal(traffic_class(traffic, "GET", "/show/a"), 0);
    traffic_free(traffic);
}

/* --- requests that wait for the model ------------------------------------------ */

struct preparation { /* updates of the model that are under way */
    site_prepared_fn *done[CLIENTS];
    void *done_context[CLIENTS];
    size_t count;
};

static void prepare_later(void *context, site_prepared_fn *done, void *done_context)
{
    struct preparation *preparation = context;

    assert_in_range(preparation->count, 0, CLIENTS - 1);
    preparation->done[preparation->count] = done;
    preparation->done_context[preparation->count++] = done_context;
}

/* The model becomes fresh for all requests that wait for it at once: none of them is served in that call. */
static void requests_that_waited_for_the_model_take_turns(void **state)
{
    struct preparation preparation = { .count = 0 };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int clients[CLIENTS];
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    scene->site.prepare = prepare_later;
    scene->site.prepare_context = &preparation;
    limits.turn_ms = 0;
    http_start(scene, &limits);
    dial_all(scene, clients);
    for (size_t i = 0; i < CLIENTS; i++) { /* (the request of b is the last one) */
        send_text(clients[i], i < CLIENTS - 1 ? MANY : OTHER);
        while (preparation.count <= i && loop_monotonic_ms() < deadline_ms)
            http_turn(scene);
        assert_int_equal(preparation.count, i + 1);
    }
    for (size_t i = 0; i < CLIENTS; i++)
        preparation.done[i](preparation.done_context[i]);
    assert_string_equal(scene->upstream.shown, "");
    receive_all(scene, clients);
    check_order(scene);
}

#define LARGE "GET /parts?parts=200&own=1&hold=600000 HTTP/1.1\r\nHost: h\r\n\r\n"

/* An answer whose memory was counted while its request waited may still be refused. The connection is closed,
 * so that the next request on it needs no work. */
static void answers_of_requests_that_waited_need_memory(void **state)
{
    struct preparation preparation = { .count = 0 };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int first, second;

    scene->site.prepare = prepare_later;
    scene->site.prepare_context = &preparation;
    limits.memory_max = 4 << 20;
    http_start(scene, &limits);
    first = http_dial_from(scene, "127.0.0.1", LARGE);
    second = http_dial_from(scene, "127.0.0.1", LARGE LARGE);
    while (preparation.count < 2)
        http_turn(scene);
    for (size_t i = 0; i < 2; i++)
        preparation.done[i](preparation.done_context[i]);
    http_until_closed(scene, second);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    assert_non_null(strstr(scene->received, "\r\nRetry-After: 5\r\n"));
    assert_int_equal(preparation.count, 2);
    close(first);
}

static void the_server_ends_while_requests_wait_for_their_turn(void **state)
{
    struct preparation preparation = { .count = 0 };
    struct http_scene *scene = *state;
    int client;

    scene->site.prepare = prepare_later;
    scene->site.prepare_context = &preparation;
    http_start(scene, &HTTP_LIMITS_DEFAULT);
    client = http_dial_from(scene, "127.0.0.1", MANY);
    while (preparation.count == 0)
        http_turn(scene);
    preparation.done[0](preparation.done_context[0]);
    http_server_free(scene->server);
    scene->server = NULL;
    assert_string_equal(scene->upstream.shown, "");
    close(client);
}

/* --- clients that are gone ------------------------------------------------------- */

/* Of requests whose clients have closed their connections, only the last one of the address is served. */
static void requests_whose_clients_are_gone_are_dropped(void **state)
{
    struct preparation preparation = { .count = 0 };
    struct http_scene *scene = *state;
    int clients[CLIENTS];

    scene->site.prepare = prepare_later;
    scene->site.prepare_context = &preparation;
    http_start(scene, &HTTP_LIMITS_DEFAULT);
    dial_all(scene, clients);
    send_all(clients);
    while (preparation.count < CLIENTS)
        http_turn(scene);
    for (int i = 0; i < CLIENTS - 1; i++)
        close(clients[i]);
    for (size_t i = 0; i < CLIENTS; i++)
        preparation.done[i](preparation.done_context[i]);
    http_until_closed(scene, clients[CLIENTS - 1]);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
    assert_int_equal(strlen(scene->upstream.shown), 2);
}

static void a_client_may_close_its_sending_side(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int client;

    limits.turn_ms = 0;
    http_start(scene, &limits);
    client = http_dial_from(scene, "127.0.0.1", "");
    send_text(client, MANY);
    assert_int_equal(shutdown(client, SHUT_WR), 0);
    http_until_closed(scene, client);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
}

/* --- answers in parts ------------------------------------------------------------ */

/* An answer of ten parts waits for one part of the other address with each of its own, not for one of each of
 * that address' connections. */
static void parts_of_addresses_take_turns(void **state)
{
    static const char large[] = "GET /parts?parts=100&own=1 HTTP/1.1\r\n" HTTP_CLOSE,
                      small[] = "GET /parts?parts=10&own=1 HTTP/1.1\r\n" HTTP_CLOSE;
    struct http_scene *scene = *state;
    int readers[CLIENTS], other;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (int i = 0; i < CLIENTS; i++)
        readers[i] = http_dial_from(scene, "127.0.0.1", "");
    other = http_dial_from(scene, "127.0.0.2", "");
    for (int i = 0; i < CLIENTS; i++)
        send_text(readers[i], large);
    send_text(other, small);
    http_until_closed(scene, other); /* (it is the first one that ends: it has fewest parts) */
    assert_in_range(scene->upstream.parts_until_end, 10, 30);
    for (int i = 0; i < CLIENTS; i++)
        close(readers[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, http_set_up, http_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(requests_of_addresses_take_turns),
        TEST(a_cheap_request_does_not_wait_for_expensive_ones_of_many_addresses),
        TEST(the_class_of_a_route_follows_its_last_requests),
        TEST(requests_that_waited_for_the_model_take_turns),
        TEST(answers_of_requests_that_waited_need_memory),
        TEST(the_server_ends_while_requests_wait_for_their_turn),
        TEST(requests_whose_clients_are_gone_are_dropped),
        TEST(a_client_may_close_its_sending_side),
        TEST(parts_of_addresses_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
