/* SPDX-License-Identifier: Apache-2.0 */
/* http_server.c - test: the HTTP server over real sockets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/mem.h"
#include "common/io/loop.h"
#include "tests/unit/http_site_fixture.h"
#include "web/http/server.h"

#define DEADLINE_MS 20000
#define TURN_MS 5

struct scene {
    struct loop *loop;
    struct site site;
    struct fake_upstream upstream;
    struct http_server *server;
    char received[1 << 16]; /* bytes that a client has received */
    size_t received_size;
};

static void stop(void *context)
{
    loop_stop(context);
}

static void turn(struct scene *scene)
{
    loop_add_timer(scene->loop, TURN_MS, stop, scene->loop);
    loop_run(scene->loop);
}

static void start(struct scene *scene, const struct http_limits *limits)
{
    assert_int_equal(http_server_new(&scene->server, scene->loop, "127.0.0.1:0", &scene->site, limits, NULL),
                     0);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    assert_int_equal(loop_new(&scene->loop, NULL), 0);
    http_site_fill(&scene->site, &scene->upstream);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    http_server_free(scene->server);
    loop_free(scene->loop);
    free(scene);
    return 0;
}

static int dial(struct scene *scene)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)http_server_port(scene->server)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_true(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 || errno == EINPROGRESS);
    scene->received_size = 0;
    *scene->received = '\0';
    turn(scene);
    return fd;
}

static void send_text(struct scene *scene, int fd, const char *text, size_t size)
{
    int64_t deadline_ms = loop_monotonic_ms() + DEADLINE_MS;

    while (size > 0 && loop_monotonic_ms() < deadline_ms) {
        ssize_t n = send(fd, text, size, MSG_NOSIGNAL);

        if (n > 0) {
            text += n;
            size -= (size_t)n;
        } else if (errno != EAGAIN) {
            return; /* the server has closed the connection */
        }
        turn(scene);
    }
}

/* Reads the available bytes. Returns false if the server has closed the connection. */
static bool receive(struct scene *scene, int fd)
{
    char more[4096];
    ssize_t n;

    while ((n = recv(fd, more, sizeof(more), 0)) > 0) {
        size_t room = sizeof(scene->received) - 1 - scene->received_size;
        size_t kept = (size_t)n < room ? (size_t)n : room;

        memcpy(scene->received + scene->received_size, more, kept);
        scene->received_size += kept;
        scene->received[scene->received_size] = '\0';
    }
    return n < 0 && errno == EAGAIN;
}

static void until_text(struct scene *scene, int fd, const char *text)
{
    int64_t deadline_ms = loop_monotonic_ms() + DEADLINE_MS;

    while (strstr(scene->received, text) == NULL) {
        bool open = receive(scene, fd);

        if (strstr(scene->received, text) != NULL)
            return;
        if (!open || loop_monotonic_ms() > deadline_ms)
            fail_msg("\"%s\" did not come; it was \"%s\"", text, scene->received);
        turn(scene);
    }
}

static void until_closed(struct scene *scene, int fd)
{
    int64_t deadline_ms = loop_monotonic_ms() + DEADLINE_MS;

    while (receive(scene, fd)) {
        if (loop_monotonic_ms() > deadline_ms)
            fail_msg("the connection is still open; it was \"%s\"", scene->received);
        turn(scene);
    }
    close(fd);
}

static void ask(struct scene *scene, const char *request)
{
    int fd = dial(scene);

    send_text(scene, fd, request, strlen(request));
    until_closed(scene, fd);
}

#define CLOSE "Host: h\r\nConnection: close\r\n\r\n"

static void every_answer_has_the_security_headers(void **state)
{
    struct scene *scene = *state;

    start(scene, &HTTP_LIMITS_DEFAULT);
    ask(scene, "GET /show/a%20b?x=1 HTTP/1.1\r\n" CLOSE);
    assert_ptr_equal(strstr(scene->received, "HTTP/1.1 200 OK\r\n"), scene->received);
    assert_non_null(
        strstr(scene->received, "\r\nContent-Security-Policy: default-src 'none'; script-src 'self'"));
    assert_non_null(strstr(scene->received, "\r\nX-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(scene->received, "\r\nX-Frame-Options: SAMEORIGIN\r\n"));
    assert_non_null(strstr(scene->received, "\r\nReferrer-Policy: same-origin\r\n"));
    assert_non_null(strstr(scene->received, "\r\nCache-Control: no-store\r\n"));
    assert_non_null(strstr(scene->received, "\r\n\r\nGET /show/a b user=dr.who capture=a b body=0:\nx=1\n"));
    ask(scene, "GET /none HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 404 Not Found\r\n"));
    assert_non_null(strstr(scene->received, "\r\nContent-Security-Policy: "));
}

static void a_head_request_has_no_body(void **state)
{
    struct scene *scene = *state;
    const char *end;

    start(scene, &HTTP_LIMITS_DEFAULT);
    ask(scene, "HEAD /show/a HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(scene->received, "\r\nContent-Length: "));
    assert_non_null(end = strstr(scene->received, "\r\n\r\n"));
    assert_string_equal(end, "\r\n\r\n");
}

static void malformed_requests_are_refused_or_cut(void **state)
{
    static const char *const bad[] = {
        "\r\n\r\n\r\n\r\nx\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n" CLOSE,
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
        "0\r\n\r\n",
        "GET /%zz HTTP/1.1\r\n" CLOSE,
        "GET /a%00b HTTP/1.1\r\n" CLOSE,
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls? \r\n\r\n",
    };
    struct scene *scene = *state;

    start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int fd = dial(scene);

        send_text(scene, fd, bad[i], strlen(bad[i]));
        shutdown(fd, SHUT_WR);
        until_closed(scene, fd);
        if (scene->received_size > 0 && strncmp(scene->received, "HTTP/1.1 4", 10) != 0 &&
            strncmp(scene->received, "HTTP/1.1 5", 10) != 0)
            fail_msg("request %zu was answered with \"%s\"", i, scene->received);
    }
    ask(scene, "GET /show/after HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/after"));
}

static void a_long_header_is_refused(void **state)
{
    struct scene *scene = *state;
    scoped_free char *header = mem_alloc0(60001), *request = NULL;

    start(scene, &HTTP_LIMITS_DEFAULT);
    memset(header, 'x', 60000);
    request = mem_printf("GET / HTTP/1.1\r\nHost: h\r\nX-Long: %s\r\n\r\n", header);
    ask(scene, request);
    assert_non_null(strstr(scene->received, "HTTP/1.1 431 "));
}

static void bodies_are_taken_up_to_their_bound(void **state)
{
    struct scene *scene = *state;
    scoped_free char *body = mem_alloc0(REQUEST_BODY_MAX);
    int fd;

    start(scene, &HTTP_LIMITS_DEFAULT);
    ask(scene, "POST /show/a HTTP/1.1\r\nContent-Length: 5\r\n" CLOSE "hello");
    assert_non_null(strstr(scene->received, "POST /show/a user=dr.who capture=a body=5:hello\n"));
    ask(scene,
        "POST /show/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
    assert_non_null(strstr(scene->received, "body=5:hello\n"));

    fd = dial(scene);
    send_text(scene, fd, "POST /show/a HTTP/1.1\r\nContent-Length: 1048576\r\n" CLOSE,
              strlen("POST /show/a HTTP/1.1\r\nContent-Length: 1048576\r\n" CLOSE));
    memset(body, 'b', REQUEST_BODY_MAX);
    send_text(scene, fd, body, REQUEST_BODY_MAX);
    until_closed(scene, fd);
    assert_non_null(strstr(scene->received, "body=1048576:long\n"));

    ask(scene, "POST /show/a HTTP/1.1\r\nContent-Length: 1048577\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 413 "));
    assert_non_null(strstr(scene->received, "The body is larger than 1 MiB."));
}

static void a_chunked_body_that_is_too_long_is_refused(void **state)
{
    struct scene *scene = *state;
    scoped_free char *chunk = mem_alloc0(65536 + 16);
    int fd;

    start(scene, &HTTP_LIMITS_DEFAULT);
    fd = dial(scene);
    send_text(scene, fd, "POST /show/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE,
              strlen("POST /show/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" CLOSE));
    memset(chunk, 'c', 65536 + 16);
    memcpy(chunk, "10000\r\n", 7);
    memcpy(chunk + 7 + 65536, "\r\n", 2);
    for (int i = 0; i < 17; i++)
        send_text(scene, fd, chunk, 7 + 65536 + 2);
    send_text(scene, fd, "0\r\n\r\n", 5);
    until_text(scene, fd, "HTTP/1.1 413 ");
    close(fd);
}

static void requests_in_one_packet_are_answered_in_order(void **state)
{
    struct scene *scene = *state;

    start(scene, &HTTP_LIMITS_DEFAULT);
    ask(scene, "GET /show/1 HTTP/1.1\r\nHost: h\r\n\r\n"
               "POST /show/2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
               "GET /show/3 HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/1 "));
    assert_non_null(
        strstr(strstr(scene->received, "GET /show/1 "), "POST /show/2 user=dr.who capture=2 body=2:ab"));
    assert_non_null(strstr(strstr(scene->received, "POST /show/2 "), "GET /show/3 "));
}

static void a_question_does_not_stop_others(void **state)
{
    struct scene *scene = *state;
    int fd, other;

    start(scene, &HTTP_LIMITS_DEFAULT);
    fd = dial(scene);
    send_text(scene, fd, "GET /ask HTTP/1.1\r\n" CLOSE, strlen("GET /ask HTTP/1.1\r\n" CLOSE));
    while (scene->upstream.reply == NULL)
        turn(scene);
    other = dial(scene);
    send_text(scene, other, "GET /show/b HTTP/1.1\r\n" CLOSE, strlen("GET /show/b HTTP/1.1\r\n" CLOSE));
    until_closed(scene, other);
    assert_non_null(strstr(scene->received, "GET /show/b "));
    scene->received_size = 0;
    *scene->received = '\0';
    fake_upstream_reply(&scene->upstream, "the reply");
    until_closed(scene, fd);
    assert_non_null(strstr(scene->received, "\r\n\r\nthe reply"));
}

static void the_server_ends_while_a_question_is_under_way(void **state)
{
    struct scene *scene = *state;
    int fd;

    start(scene, &HTTP_LIMITS_DEFAULT);
    fd = dial(scene);
    send_text(scene, fd, "GET /ask HTTP/1.1\r\n" CLOSE, strlen("GET /ask HTTP/1.1\r\n" CLOSE));
    while (scene->upstream.reply == NULL)
        turn(scene);
    http_server_free(scene->server);
    scene->server = NULL;
    fake_upstream_reply(&scene->upstream, "too late");
    until_closed(scene, fd);
    assert_int_equal(scene->received_size, 0);
}

static void a_slow_request_is_cut(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct scene *scene = *state;
    int fd, idle;

    limits.request_ms = 300;
    start(scene, &limits);
    idle = dial(scene);
    fd = dial(scene);
    send_text(scene, fd, "GET /show/a HTTP/1.1\r\nHost", 26);
    until_closed(scene, fd);
    assert_int_equal(scene->received_size, 0);
    until_closed(scene, idle);
}

static void a_slow_reader_is_cut(void **state)
{
    static const char request[] = "GET /large?size=20000000&type=image/png HTTP/1.1\r\nHost: h\r\n\r\n";
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct scene *scene = *state;
    int64_t deadline_ms = loop_monotonic_ms() + DEADLINE_MS;
    int fd, error = 0;
    socklen_t length = sizeof(error);

    limits.answer_ms = 1;
    start(scene, &limits);
    fd = dial(scene);
    send_text(scene, fd, request, strlen(request));
    /* The client reads nothing: when the server has given up, the client's send fails. */
    while (error == 0 && loop_monotonic_ms() < deadline_ms) {
        turn(scene);
        send(fd, "G", 1, MSG_NOSIGNAL);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
        if (error == 0 && send(fd, "G", 1, MSG_NOSIGNAL) < 0)
            error = errno;
    }
    assert_int_not_equal(error, 0);
    close(fd);
    ask(scene, "GET /show/after HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/after"));
}

static void connections_of_one_address_are_bounded(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct scene *scene = *state;
    int fds[2];

    limits.address_connections_max = 2;
    start(scene, &limits);
    fds[0] = dial(scene);
    fds[1] = dial(scene);
    ask(scene, "GET /show/third HTTP/1.1\r\n" CLOSE);
    assert_null(strstr(scene->received, "GET /show/third"));
    send_text(scene, fds[0], "GET /show/first HTTP/1.1\r\n" CLOSE,
              strlen("GET /show/first HTTP/1.1\r\n" CLOSE));
    until_closed(scene, fds[0]);
    assert_non_null(strstr(scene->received, "GET /show/first"));
    close(fds[1]);
}

static void answers_beyond_the_memory_are_503(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct scene *scene = *state;

    limits.memory_max = 100000;
    start(scene, &limits);
    ask(scene, "GET /large?size=200000&type=image/png HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    assert_non_null(strstr(scene->received, "\r\nRetry-After: 5\r\n"));
    ask(scene, "GET /large?size=90000&type=image/png HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
    ask(scene, "GET /large?size=90000&type=image/png HTTP/1.1\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
}

static void large_text_is_compressed_on_request(void **state)
{
    struct scene *scene = *state;
    z_stream stream = { .next_in = NULL };
    char *body, text[20000];

    start(scene, &HTTP_LIMITS_DEFAULT);
    ask(scene, "GET /large?size=10000&type=text/plain HTTP/1.1\r\n" CLOSE);
    assert_null(strstr(scene->received, "Content-Encoding"));
    ask(scene, "GET /large?size=10000&type=text/plain HTTP/1.1\r\nAccept-Encoding: gzip\r\n" CLOSE);
    assert_non_null(strstr(scene->received, "\r\nContent-Encoding: gzip\r\n"));
    body = strstr(scene->received, "\r\n\r\n") + 4;
    stream.next_in = (Bytef *)body;
    stream.avail_in = (uInt)(scene->received_size - (size_t)(body - scene->received));
    stream.next_out = (Bytef *)text;
    stream.avail_out = sizeof(text);
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, 10000);
    inflateEnd(&stream);
    assert_memory_equal(text, "abejajebabej", 12);
}

static void a_taken_address_is_named(void **state)
{
    struct scene *scene = *state;
    struct http_server *second = NULL;
    struct err err = { .code = 0 };
    char address[32];

    start(scene, &HTTP_LIMITS_DEFAULT);
    snprintf(address, sizeof(address), "127.0.0.1:%d", http_server_port(scene->server));
    assert_int_equal(http_server_new(&second, scene->loop, address, &scene->site, &HTTP_LIMITS_DEFAULT, &err),
                     -EADDRINUSE);
    assert_non_null(strstr(err.text, address));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_answer_has_the_security_headers),
        TEST(a_head_request_has_no_body),
        TEST(malformed_requests_are_refused_or_cut),
        TEST(a_long_header_is_refused),
        TEST(bodies_are_taken_up_to_their_bound),
        TEST(a_chunked_body_that_is_too_long_is_refused),
        TEST(requests_in_one_packet_are_answered_in_order),
        TEST(a_question_does_not_stop_others),
        TEST(the_server_ends_while_a_question_is_under_way),
        TEST(a_slow_request_is_cut),
        TEST(a_slow_reader_is_cut),
        TEST(connections_of_one_address_are_bounded),
        TEST(answers_beyond_the_memory_are_503),
        TEST(large_text_is_compressed_on_request),
        TEST(a_taken_address_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
