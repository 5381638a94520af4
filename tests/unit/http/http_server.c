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
#include "common/base/text_builder.h"
#include "tests/unit/http/http_scene.h"

static void every_answer_has_the_security_headers(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /show/a%20b?x=1 HTTP/1.1\r\n" HTTP_CLOSE);
    assert_ptr_equal(strstr(scene->received, "HTTP/1.1 200 OK\r\n"), scene->received);
    assert_non_null(
        strstr(scene->received, "\r\nContent-Security-Policy: default-src 'none'; script-src 'self'"));
    assert_non_null(strstr(scene->received, "\r\nX-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(scene->received, "\r\nX-Frame-Options: SAMEORIGIN\r\n"));
    assert_non_null(strstr(scene->received, "\r\nReferrer-Policy: same-origin\r\n"));
    assert_non_null(strstr(scene->received, "\r\nCache-Control: no-store\r\n"));
    assert_non_null(strstr(scene->received, "\r\n\r\nGET /show/a b user=dr.who capture=a b body=0:\nx=1\n"));
    http_ask(scene, "GET /none HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 404 Not Found\r\n"));
    assert_non_null(strstr(scene->received, "\r\nContent-Security-Policy: "));
}

static void a_head_request_has_no_body(void **state)
{
    struct http_scene *scene = *state;
    const char *end;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "HEAD /show/a HTTP/1.1\r\n" HTTP_CLOSE);
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
        "GET / HTTP/9.9\r\n" HTTP_CLOSE,
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
        "0\r\n\r\n",
        "GET /%zz HTTP/1.1\r\n" HTTP_CLOSE,
        "GET /a%00b HTTP/1.1\r\n" HTTP_CLOSE,
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls? \r\n\r\n",
    };
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        int fd = http_dial(scene);

        http_send(scene, fd, bad[i], strlen(bad[i]));
        shutdown(fd, SHUT_WR);
        http_until_closed(scene, fd);
        if (scene->received_size > 0 && strncmp(scene->received, "HTTP/1.1 4", 10) != 0 &&
            strncmp(scene->received, "HTTP/1.1 5", 10) != 0)
            fail_msg("request %zu was answered with \"%s\"", i, scene->received);
    }
    http_ask(scene, "GET /show/after HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/after"));
}

/* Otherwise a proxy and creel-web could disagree about where a request ends, or to whom it goes. */
static void a_header_that_must_be_single_is_refused_twice(void **state)
{
    static const struct {
        const char *request, *header;
    } bad[] = {
        { "POST /show/a HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n" HTTP_CLOSE "abcd",
          "Content-Length" },
        { "POST /show/a HTTP/1.1\r\nContent-Length: 3\r\ncontent-length: 3\r\n" HTTP_CLOSE "abc",
          "Content-Length" },
        { "GET /show/a HTTP/1.1\r\nHost: other\r\n" HTTP_CLOSE, "Host" },
    };
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        http_ask(scene, bad[i].request);
        assert_non_null(strstr(scene->received, "HTTP/1.1 400 "));
        assert_non_null(strstr(scene->received, "more than one header"));
        assert_non_null(strstr(scene->received, bad[i].header));
    }
}

#define AFTER "GET /show/after HTTP/1.1\r\nHost: h\r\n\r\n"

/* Sends REQUEST and, on the same connection, another one that must not be answered. */
static void ask_malformed(struct http_scene *scene, const char *request)
{
    scoped_free char *both = mem_printf("%s" AFTER, request);
    int fd = http_dial(scene);

    http_send(scene, fd, both, strlen(both));
    http_until_closed(scene, fd);
    assert_null(strstr(scene->received, "GET /show/after"));
}

static char *request_of(const char *before, size_t size, const char *after)
{
    scoped_free char *filling = mem_alloc0(size + 1);

    memset(filling, 'x', size);
    return mem_printf("%s%s%s", before, filling, after);
}

/* A request that libmicrohttpd can read gets an answer in the form of the site, and its connection ends. */
static void a_malformed_request_is_refused_in_the_form_of_the_site(void **state)
{
    static const struct {
        const char *before;
        size_t size;
        const char *after, *status, *message;
    } bad[] = {
        { "GET /show/a HTTP/1.1\r\n\r\n", 0, "", "400", "no header Host" },
        { "GET /show/a b HTTP/1.1\r\nHost: h\r\n\r\n", 0, "", "400", "must be written as %XX" },
        { "GET /show/a HTTP/1.1\r\nHost: h\r\nX-A : b\r\n\r\n", 0, "", "400", "name of a header" },
        { "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
          "0\r\n\r\n",
          0, "", "400", "both Transfer-Encoding and Content-Length" },
        { "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 0, "", "501",
          "transfer coding" },
        { "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 0, "",
          "501", "transfer coding" },
        { "GET /show/", 30000, " HTTP/1.1\r\nHost: h\r\n\r\n", "414", "longer than 8192 bytes" },
        { "GET /show/a HTTP/1.1\r\nHost: h\r\nX-A: ", 33000, "\r\n\r\n", "431", "larger than 32 KiB" },
    };
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        scoped_free char *request = request_of(bad[i].before, bad[i].size, bad[i].after);
        const char *status;

        ask_malformed(scene, request);
        status = scene->received + strlen("HTTP/1.1 ");
        if (strncmp(status, bad[i].status, 3) != 0 || strstr(scene->received, bad[i].message) == NULL)
            fail_msg("request %zu was answered with \"%s\"", i, scene->received);
        assert_non_null(strstr(scene->received, "\r\nContent-Security-Policy: "));
        assert_non_null(strstr(scene->received, "\r\nConnection: close\r\n"));
    }
    http_ask(scene, "GET /show/a HTTP/1.0\r\nConnection: close\r\n\r\n"); /* needs no Host */
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 OK\r\n"));
}

static size_t count_text(const struct http_scene *scene, const char *text)
{
    size_t count = 0;

    for (const char *at = strstr(scene->received, text); at != NULL; at = strstr(at + 1, text))
        count++;
    return count;
}

/* docs/security.md lists these. */
static void what_libmicrohttpd_refuses_ends_the_connection(void **state)
{
    static const struct {
        const char *before;
        size_t size;
        const char *after, *status; /* "": no answer */
    } bad[] = {
        { "GET\r\n\r\n", 0, "", "" },
        { "GET /show/a HTTP/9.9\r\nHost: h\r\n\r\n", 0, "", "505" },
        { "GET /show/a\r\nHost: h\r\n\r\n", 0, "", "400" },
        { "GET /show/a HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 0, "", "400" },
        { "POST /show/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 0, "", "400" },
        { "GET /show/", 500000, " HTTP/1.1\r\nHost: h\r\n\r\n", "414" },
        { "GET /show/a HTTP/1.1\r\nHost: h\r\nX-A: ", 500000, "\r\n\r\n", "431" },
    };
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        scoped_free char *request = request_of(bad[i].before, bad[i].size, bad[i].after);

        ask_malformed(scene, request);
        if (scene->received_size > 0 && strncmp(scene->received + strlen("HTTP/1.1 "), bad[i].status, 3) != 0)
            fail_msg("request %zu was answered with \"%s\"", i, scene->received);
        if (scene->received_size > 0) {
            assert_non_null(strstr(scene->received, "Connection: close\r\n"));
            assert_int_equal(count_text(scene, "HTTP/1."), 1);
        }
        assert_null(strstr(scene->received, "user=")); /* of the handler */
    }
}

/* libmicrohttpd would send its answer twice (transfer_damaged.c). */
static void a_damaged_header_gets_one_answer(void **state)
{
    static const struct {
        const char *header, *status;
    } bad[] = {
        { "Content-Length: 2, 2", "400" }, { "Content-Length: ", "400" },
        { "Content-Length: +2", "400" },   { "Content-Length: 2x", "400" },
        { "Content-Length: -1", "400" },   { "Content-Length: 0x10", "400" },
        { "Content-Length: 2 2", "400" },  { "Content-Length: 12345678901234567890123", "413" },
    };
    struct http_scene *scene = *state;
    struct text_builder cookies = TEXT_BUILDER_MALLOC;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i <= sizeof(bad) / sizeof(*bad); i++) {
        bool last = i == sizeof(bad) / sizeof(*bad);
        scoped_free char *request = NULL;

        for (int n = 0; last && n < 6000; n++)
            text_builder_add(&cookies, "a=b;");
        request = mem_printf("POST /show/a HTTP/1.1\r\nHost: h\r\n%s%s\r\n\r\nab",
                             last ? "Cookie: " : bad[i].header, last ? text_builder_text(&cookies) : "");
        ask_malformed(scene, request);
        if (strncmp(scene->received + strlen("HTTP/1.1 "), last ? "431" : bad[i].status, 3) != 0 ||
            count_text(scene, "HTTP/1.1 ") != 1 || count_text(scene, "\r\n\r\n") != 1)
            fail_msg("request %zu was answered with \"%s\"", i, scene->received);
        assert_non_null(strstr(scene->received, "\r\nContent-Security-Policy: "));
        assert_non_null(strstr(scene->received, "\r\nConnection: close\r\n"));
    }
    text_builder_clear(&cookies);
    http_ask(scene, "GET /show/after HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/after"));
}

/* Each parameter takes memory of libmicrohttpd, which does not answer at all when it has none left. */
static void too_many_parameters_are_refused_at_once(void **state)
{
    static const unsigned counts[] = { 257, 1000, 1500, 4000 };
    struct http_scene *scene = *state;
    char request[8192];

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        size_t used = (size_t)snprintf(request, sizeof(request), "GET /show/a?");

        for (unsigned n = 0; n < counts[i]; n++, used += 2)
            memcpy(request + used, "a&", 2);
        snprintf(request + used, sizeof(request) - used, " HTTP/1.1\r\n" HTTP_CLOSE);
        http_ask(scene, request);
        if (strncmp(scene->received, "HTTP/1.1 400 ", 13) != 0)
            fail_msg("%u parameters were answered with \"%s\"", counts[i], scene->received);
        assert_non_null(strstr(scene->received, "parameters"));
    }
}

static void a_long_header_is_refused(void **state)
{
    struct http_scene *scene = *state;
    scoped_free char *header = mem_alloc0(60001), *request = NULL;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    memset(header, 'x', 60000);
    request = mem_printf("GET / HTTP/1.1\r\nHost: h\r\nX-Long: %s\r\n\r\n", header);
    http_ask(scene, request);
    assert_non_null(strstr(scene->received, "HTTP/1.1 431 "));
}

/* The memory of a connection suffices for all that request.h allows at the same time. */
static void the_largest_request_is_answered(void **state)
{
    struct http_scene *scene = *state;
    scoped_text_builder struct text_builder request = TEXT_BUILDER_MALLOC;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (int kind = 0; kind < 3; kind++) {
        text_builder_clear(&request);
        text_builder_add(&request, "GET /show/a?x=1");
        for (int i = 0; i < 250; i++)
            text_builder_printf(&request, "&parameter-%03d=%016d", i, i);
        text_builder_add(&request, " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n");
        if (kind == 0) /* many headers */
            for (int i = 0; i < 97; i++)
                text_builder_printf(&request, "X-Header-%02d: %0320d\r\n", i, i);
        else /* one cookie, or many */
            text_builder_add(&request, "Cookie: ");
        for (int i = 0; kind == 1 && i < 1; i++)
            text_builder_printf(&request, "a=%031000d\r\n", i);
        for (int i = 0; kind == 2 && i < 150; i++)
            text_builder_printf(&request, "cookie-%03d=%0190d%s", i, i, i < 149 ? "; " : "\r\n");
        text_builder_add(&request, "\r\n");
        http_ask(scene, text_builder_text(&request));
        if (strncmp(scene->received, "HTTP/1.1 200 ", 13) != 0)
            fail_msg("request %d of %zu bytes was answered with \"%s\"", kind, request.length,
                     scene->received);
    }
}

static void bodies_are_taken_up_to_their_bound(void **state)
{
    struct http_scene *scene = *state;
    scoped_free char *body = mem_alloc0(REQUEST_BODY_MAX);
    int fd;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "POST /show/a HTTP/1.1\r\nContent-Length: 5\r\n" HTTP_CLOSE "hello");
    assert_non_null(strstr(scene->received, "POST /show/a user=dr.who capture=a body=5:hello\n"));
    http_ask(scene, "POST /show/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" HTTP_CLOSE
                    "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
    assert_non_null(strstr(scene->received, "body=5:hello\n"));

    fd = http_dial(scene);
    http_send(scene, fd, "POST /show/a HTTP/1.1\r\nContent-Length: 1048576\r\n" HTTP_CLOSE,
              strlen("POST /show/a HTTP/1.1\r\nContent-Length: 1048576\r\n" HTTP_CLOSE));
    memset(body, 'b', REQUEST_BODY_MAX);
    http_send(scene, fd, body, REQUEST_BODY_MAX);
    http_until_closed(scene, fd);
    assert_non_null(strstr(scene->received, "body=1048576:long\n"));

    http_ask(scene, "POST /show/a HTTP/1.1\r\nContent-Length: 1048577\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 413 "));
    assert_non_null(strstr(scene->received, "The body is larger than 1 MiB."));
}

static void a_chunked_body_that_is_too_long_is_refused(void **state)
{
    struct http_scene *scene = *state;
    scoped_free char *chunk = mem_alloc0(65536 + 16);
    int fd;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    fd = http_dial(scene);
    http_send(scene, fd, "POST /show/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" HTTP_CLOSE,
              strlen("POST /show/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" HTTP_CLOSE));
    memset(chunk, 'c', 65536 + 16);
    memcpy(chunk, "10000\r\n", 7);
    memcpy(chunk + 7 + 65536, "\r\n", 2);
    for (int i = 0; i < 17; i++)
        http_send(scene, fd, chunk, 7 + 65536 + 2);
    http_send(scene, fd, "0\r\n\r\n", 5);
    http_until_text(scene, fd, "HTTP/1.1 413 ");
    close(fd);
}

static void requests_in_one_packet_are_answered_in_order(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /show/1 HTTP/1.1\r\nHost: h\r\n\r\n"
                    "POST /show/2 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab"
                    "GET /show/3 HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/1 "));
    assert_non_null(
        strstr(strstr(scene->received, "GET /show/1 "), "POST /show/2 user=dr.who capture=2 body=2:ab"));
    assert_non_null(strstr(strstr(scene->received, "POST /show/2 "), "GET /show/3 "));
}

static void a_question_does_not_stop_others(void **state)
{
    struct http_scene *scene = *state;
    int fd, other;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    fd = http_dial(scene);
    http_send(scene, fd, "GET /ask HTTP/1.1\r\n" HTTP_CLOSE, strlen("GET /ask HTTP/1.1\r\n" HTTP_CLOSE));
    while (scene->upstream.reply == NULL)
        http_turn(scene);
    other = http_dial(scene);
    http_send(scene, other, "GET /show/b HTTP/1.1\r\n" HTTP_CLOSE,
              strlen("GET /show/b HTTP/1.1\r\n" HTTP_CLOSE));
    http_until_closed(scene, other);
    assert_non_null(strstr(scene->received, "GET /show/b "));
    scene->received_size = 0;
    *scene->received = '\0';
    fake_upstream_reply(&scene->upstream, "the reply");
    http_until_closed(scene, fd);
    assert_non_null(strstr(scene->received, "\r\n\r\nthe reply"));
}

static void the_server_ends_while_a_question_is_under_way(void **state)
{
    struct http_scene *scene = *state;
    int fd;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    fd = http_dial(scene);
    http_send(scene, fd, "GET /ask HTTP/1.1\r\n" HTTP_CLOSE, strlen("GET /ask HTTP/1.1\r\n" HTTP_CLOSE));
    while (scene->upstream.reply == NULL)
        http_turn(scene);
    http_server_free(scene->server);
    scene->server = NULL;
    fake_upstream_reply(&scene->upstream, "too late");
    http_until_closed(scene, fd);
    assert_int_equal(scene->received_size, 0);
}

static void a_slow_request_is_cut(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int fd, idle;

    limits.request_ms = 300;
    http_start(scene, &limits);
    idle = http_dial(scene);
    fd = http_dial(scene);
    http_send(scene, fd, "GET /show/a HTTP/1.1\r\nHost", 26);
    http_until_closed(scene, fd);
    assert_int_equal(scene->received_size, 0);
    http_until_closed(scene, idle);
}

static void a_slow_reader_is_cut(void **state)
{
    static const char request[] = "GET /large?size=20000000&type=image/png HTTP/1.1\r\nHost: h\r\n\r\n";
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;
    int fd, error = 0;
    socklen_t length = sizeof(error);

    limits.answer_ms = 1;
    http_start(scene, &limits);
    fd = http_dial(scene);
    http_send(scene, fd, request, strlen(request));
    /* The client reads nothing: when the server has given up, the client's send fails. */
    while (error == 0 && loop_monotonic_ms() < deadline_ms) {
        http_turn(scene);
        send(fd, "G", 1, MSG_NOSIGNAL);
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
        if (error == 0 && send(fd, "G", 1, MSG_NOSIGNAL) < 0)
            error = errno;
    }
    assert_int_not_equal(error, 0);
    close(fd);
    http_ask(scene, "GET /show/after HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "GET /show/after"));
}

static void answers_beyond_the_memory_are_503(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;

    limits.memory_max = 100000;
    http_start(scene, &limits);
    http_ask(scene, "GET /large?size=200000&type=image/png HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    assert_non_null(strstr(scene->received, "\r\nRetry-After: 5\r\n"));
    http_ask(scene, "GET /large?size=90000&type=image/png HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
    http_ask(scene, "GET /large?size=90000&type=image/png HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
}

static void large_text_is_compressed_on_request(void **state)
{
    struct http_scene *scene = *state;
    z_stream stream = { .next_in = NULL };
    char *body, text[20000];

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /large?size=10000&type=text/plain HTTP/1.1\r\n" HTTP_CLOSE);
    assert_null(strstr(scene->received, "Content-Encoding"));
    http_ask(scene, "GET /large?size=10000&type=text/plain HTTP/1.1\r\nAccept-Encoding: gzip\r\n" HTTP_CLOSE);
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

/* The bytes of a gzip stream are not those that Content-Range counts. */
static void a_range_is_not_compressed(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /large?size=10000&type=text/plain&status=206 HTTP/1.1\r\n"
                    "Accept-Encoding: gzip\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 206 "));
    assert_null(strstr(scene->received, "Content-Encoding"));
}

static void a_taken_address_is_named(void **state)
{
    struct http_scene *scene = *state;
    struct http_server *second = NULL;
    struct err err = { .code = 0 };
    char address[32];

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    snprintf(address, sizeof(address), "127.0.0.1:%d", http_server_port(scene->server));
    assert_int_equal(http_server_new(&second, scene->loop, address, &scene->site, &HTTP_LIMITS_DEFAULT, &err),
                     -EADDRINUSE);
    assert_non_null(strstr(err.text, address));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, http_set_up, http_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_answer_has_the_security_headers),
        TEST(a_head_request_has_no_body),
        TEST(malformed_requests_are_refused_or_cut),
        TEST(a_header_that_must_be_single_is_refused_twice),
        TEST(a_malformed_request_is_refused_in_the_form_of_the_site),
        TEST(what_libmicrohttpd_refuses_ends_the_connection),
        TEST(a_damaged_header_gets_one_answer),
        TEST(too_many_parameters_are_refused_at_once),
        TEST(a_long_header_is_refused),
        TEST(the_largest_request_is_answered),
        TEST(bodies_are_taken_up_to_their_bound),
        TEST(a_chunked_body_that_is_too_long_is_refused),
        TEST(requests_in_one_packet_are_answered_in_order),
        TEST(a_question_does_not_stop_others),
        TEST(the_server_ends_while_a_question_is_under_way),
        TEST(a_slow_request_is_cut),
        TEST(a_slow_reader_is_cut),
        TEST(answers_beyond_the_memory_are_503),
        TEST(large_text_is_compressed_on_request),
        TEST(a_range_is_not_compressed),
        TEST(a_taken_address_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
