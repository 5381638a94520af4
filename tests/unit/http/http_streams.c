/* SPDX-License-Identifier: Apache-2.0 */
/* http_streams.c - test: event streams of the HTTP server, over real sockets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/http/http_scene.h"

#define SOME_ROUNDS 50

static struct http_limits fast_limits(void)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;

    limits.streams.interval_ms = 1;
    return limits;
}

static void ask_for_events(struct http_scene *scene, int fd, const char *header)
{
    char request[256];

    snprintf(request, sizeof(request), "GET /events HTTP/1.1\r\nHost: h\r\n%s\r\n", header);
    http_send(scene, fd, request, strlen(request));
}

static int open_stream(struct http_scene *scene, const char *header)
{
    int fd = http_dial(scene);

    ask_for_events(scene, fd, header);
    http_until_text(scene, fd, "retry: ");
    return fd;
}

/* Counts the updates of the model in *CONTEXT. */
static void count_update(void *context, site_prepared_fn *done, void *done_context)
{
    ++*(unsigned *)context;
    done(done_context);
}

static void count_updates(struct http_scene *scene, unsigned *count)
{
    scene->site.prepare = count_update;
    scene->site.prepare_context = count;
}

static void until_updates(struct http_scene *scene, const unsigned *count, unsigned wanted)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (*count < wanted && loop_monotonic_ms() < deadline_ms)
        http_turn(scene);
    assert_true(*count >= wanted);
}

static void a_stream_has_an_event_after_a_change(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    int fd;

    http_start(scene, &limits);
    fd = open_stream(scene, "");
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(scene->received, "\r\nContent-Type: text/event-stream\r\n"));
    assert_non_null(strstr(scene->received, "\r\nCache-Control: no-store\r\n"));
    assert_non_null(strstr(scene->received, "\r\nContent-Security-Policy: default-src 'none'"));
    scene->upstream.news = 1;
    http_until_text(scene, fd, "data: 1\n\n");
    scene->upstream.news = 2;
    http_until_text(scene, fd, "data: 2\n\n");
    close(fd);
}

static void without_a_change_a_stream_shows_that_it_is_alive(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    unsigned updates = 0;
    int fd;

    limits.streams.alive_ms = 20;
    count_updates(scene, &updates);
    http_start(scene, &limits);
    fd = open_stream(scene, "");
    http_until_text(scene, fd, "\nevent: alive\ndata: alive\n\n");
    until_updates(scene, &updates, updates + SOME_ROUNDS);
    http_receive(scene, fd);
    assert_null(strstr(scene->received, "\nid:"));
    close(fd);
}

static void the_model_is_updated_while_streams_are_open(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    unsigned updates = 0, before;
    int fds[2];

    count_updates(scene, &updates);
    http_start(scene, &limits);
    fds[0] = open_stream(scene, "");
    fds[1] = open_stream(scene, "");
    until_updates(scene, &updates, SOME_ROUNDS);
    close(fds[0]);
    close(fds[1]);
    do {
        before = updates;
        for (int i = 0; i < 10; i++)
            http_turn(scene);
    } while (updates != before && updates < 100000);
    assert_int_equal(updates, before);
}

static void streams_are_bounded(void **state, struct http_limits limits)
{
    struct http_scene *scene = *state;
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;
    int fd;

    http_start(scene, &limits);
    fd = open_stream(scene, "");
    http_ask(scene, "GET /events HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    assert_non_null(strstr(scene->received, "\r\nRetry-After: 60\r\n"));
    assert_non_null(strstr(scene->received, "too many event streams"));
    http_ask(scene, "GET /show/other HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/other"));
    close(fd);
    /* When the server has noticed that the client has gone, there is room for another stream. */
    do {
        fd = http_dial(scene);
        ask_for_events(scene, fd, "");
        while (scene->received_size == 0 && http_receive(scene, fd))
            http_turn(scene);
        close(fd);
    } while (strstr(scene->received, "HTTP/1.1 503 ") != NULL && loop_monotonic_ms() < deadline_ms);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
}

static void streams_are_bounded_in_all(void **state)
{
    struct http_limits limits = fast_limits();

    limits.streams.streams_max = 1;
    streams_are_bounded(state, limits);
}

static void streams_of_an_address_are_bounded(void **state)
{
    struct http_limits limits = fast_limits();

    limits.streams.address_streams_max = 1;
    streams_are_bounded(state, limits);
}

static void streams_of_a_user_are_bounded(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    int fds[2];

    limits.streams.user_streams_max = 1;
    http_start(scene, &limits);
    fds[0] = open_stream(scene, "Authorization: Bearer ann-reads\r\n");
    http_ask(scene, "GET /events HTTP/1.1\r\nAuthorization: Bearer ann-reads\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    fds[1] = open_stream(scene, "");
    close(fds[0]);
    close(fds[1]);
}

static void a_stream_ends_with_its_token(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    int fd;

    limits.streams.token_ms = 1;
    http_start(scene, &limits);
    fd = open_stream(scene, "Authorization: Bearer ann-reads\r\n");
    scene->upstream.news = 1;
    http_until_text(scene, fd, "data: 1\n\n");
    scene->upstream.withdrawn = true;
    http_until_text(scene, fd, "\r\n0\r\n\r\n"); /* the end of a chunked body */
    close(fd);
}

static void a_client_that_does_not_read_is_cut(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;
    int fd, error = 0, small = 2048;
    socklen_t length = sizeof(error);

    limits.answer_ms = 100;
    http_start(scene, &limits);
    fd = http_dial(scene);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
    scene->upstream.chatty = true;
    ask_for_events(scene, fd, "");
    while (error == 0 && loop_monotonic_ms() < deadline_ms) {
        http_turn(scene);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
        if (error == 0 && send(fd, "G", 1, MSG_NOSIGNAL) < 0)
            error = errno;
    }
    assert_int_not_equal(error, 0);
    close(fd);
    http_ask(scene, "GET /show/after HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/after"));
}

struct waiting {
    site_prepared_fn *done; /* of the update under way; NULL: none */
    void *context;
};

static void keep_waiting(void *context, site_prepared_fn *done, void *done_context)
{
    struct waiting *waiting = context;

    *waiting = (struct waiting){ done, done_context };
}

static void the_server_ends_while_streams_are_open(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;
    struct waiting waiting = { NULL, NULL };
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;
    int fd;

    http_start(scene, &limits);
    fd = open_stream(scene, "");
    scene->site.prepare = keep_waiting;
    scene->site.prepare_context = &waiting;
    while (waiting.done == NULL && loop_monotonic_ms() < deadline_ms)
        http_turn(scene);
    assert_non_null(waiting.done);
    http_server_free(scene->server);
    scene->server = NULL;
    waiting.done(waiting.context);
    http_until_closed(scene, fd);
}

static void a_head_request_opens_no_stream(void **state)
{
    struct http_limits limits = fast_limits();
    struct http_scene *scene = *state;

    http_start(scene, &limits);
    http_ask(scene, "HEAD /events HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 OK\r\n"));
    assert_null(strstr(scene->received, "retry"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, http_set_up, http_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stream_has_an_event_after_a_change),
        TEST(without_a_change_a_stream_shows_that_it_is_alive),
        TEST(the_model_is_updated_while_streams_are_open),
        TEST(streams_are_bounded_in_all),
        TEST(streams_of_an_address_are_bounded),
        TEST(streams_of_a_user_are_bounded),
        TEST(a_stream_ends_with_its_token),
        TEST(a_client_that_does_not_read_is_cut),
        TEST(the_server_ends_while_streams_are_open),
        TEST(a_head_request_opens_no_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
