/* SPDX-License-Identifier: Apache-2.0 */
/* http_parts.c - test: answers in parts, over real sockets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/unit/http/http_scene.h"

static size_t count_of(const char *text, char c)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == c;
    return count;
}

static void an_answer_in_parts_is_sent_as_it_comes(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /parts?parts=1 HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "Transfer-Encoding: chunked"));
    assert_int_equal(count_of(strstr(scene->received, "\r\n\r\n"), 'a'), 40000);
    assert_non_null(strstr(scene->received, "\r\n0\r\n\r\n"));
}

static void a_head_request_gets_no_parts(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "HEAD /parts?parts=3 HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 200 "));
    assert_non_null(strstr(scene->received, "Content-Type: text/csv"));
    assert_string_equal(strstr(scene->received, "\r\n\r\n"), "\r\n\r\n");
    assert_int_equal(scene->upstream.parts, 0);
}

static void answers_in_parts_need_memory(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_scene *scene = *state;

    limits.memory_max = 100000;
    http_start(scene, &limits);
    http_ask(scene, "GET /parts?parts=1 HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "HTTP/1.1 503 "));
    assert_non_null(strstr(scene->received, "\r\nRetry-After: 5\r\n"));
}

static void a_part_may_need_the_resource_manager(void **state)
{
    struct http_scene *scene = *state;
    int fd;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    fd = http_dial(scene);
    http_send(scene, fd, "GET /parts?parts=3 HTTP/1.0\r\n" HTTP_CLOSE,
              strlen("GET /parts?parts=3 HTTP/1.0\r\n" HTTP_CLOSE));
    while (scene->upstream.reply == NULL) {
        http_turn(scene);
        (void)http_receive(scene, fd);
    }
    fake_upstream_reply(&scene->upstream, "go on");
    http_until_closed(scene, fd);
    assert_int_equal(scene->upstream.asked, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
}

/* Both requests arrive at once, in either order: the small one does not wait for the large answer, of
 * which the socket would take a hundred parts. */
static void others_are_served_between_two_parts(void **state)
{
    static const char large[] = "GET /parts?parts=500&own=1 HTTP/1.1\r\nHost: h\r\n\r\n";
    static const char small[] = "GET /show/other HTTP/1.1\r\nHost: h\r\n\r\n";
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (int order = 0; order < 2; order++) {
        int reader = http_dial(scene), other = http_dial(scene);

        scene->upstream.parts = 0;
        if (order == 0)
            assert_int_equal(send(reader, large, strlen(large), MSG_NOSIGNAL), strlen(large));
        assert_int_equal(send(other, small, strlen(small), MSG_NOSIGNAL), strlen(small));
        if (order == 1)
            assert_int_equal(send(reader, large, strlen(large), MSG_NOSIGNAL), strlen(large));
        http_until_text(scene, other, "GET /show/other");
        assert_in_range(scene->upstream.parts_at_show, 0, 10);
        close(other);
        close(reader);
    }
}

/* However many clients read large answers, others wait for a few parts, not for one of each client. */
static void readers_of_large_answers_take_turns(void **state)
{
    enum { READERS = 40 };
    static const char large[] = "GET /parts?parts=100&own=1 HTTP/1.1\r\n" HTTP_CLOSE;
    static const char small[] = "GET /show/other HTTP/1.1\r\nHost: h\r\n\r\n";
    struct http_scene *scene = *state;
    unsigned parts;
    int readers[READERS], other;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    for (int i = 0; i < READERS; i++) {
        readers[i] = http_dial(scene);
        http_send(scene, readers[i], large, strlen(large));
    }
    other = http_dial(scene);
    for (int round = 0; round < 5; round++) {
        scene->received_size = 0;
        *scene->received = '\0';
        parts = scene->upstream.parts;
        assert_int_equal(send(other, small, strlen(small), MSG_NOSIGNAL), strlen(small));
        http_until_text(scene, other, "GET /show/other");
        assert_in_range(scene->upstream.parts_at_show - parts, 0, 4);
    }
    close(other);
    for (int i = 0; i < READERS; i++) {
        scene->received_size = 0;
        http_until_closed(scene, readers[i]); /* the buffers of the sockets hold what comes meanwhile */
    }
    assert_int_equal(scene->upstream.parts, READERS * 100);
}

/* Each part is compressed when it comes; some parts are kept until more follow. */
static void parts_are_compressed_on_request(void **state)
{
    static char text[9 * 40000 + 1];
    struct http_scene *scene = *state;
    z_stream stream = { .next_out = (Bytef *)text, .avail_out = sizeof(text) };
    char *body;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /parts?parts=9&own=1 HTTP/1.0\r\nAccept-Encoding: gzip\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "\r\nContent-Encoding: gzip\r\n"));
    body = strstr(scene->received, "\r\n\r\n") + 4;
    stream.next_in = (Bytef *)body;
    stream.avail_in = (uInt)(scene->received_size - (size_t)(body - scene->received));
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, 9 * 40000);
    inflateEnd(&stream);
    for (size_t i = 0; i < 9 * 40000; i += 40000)
        assert_true(text[i] == (char)('a' + i / 40000) && text[i + 39999] == text[i]);
}

/* The last chunk, by which a client knows that nothing is missing, is not sent. */
static void a_compressed_answer_whose_parts_fail_is_cut(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /parts?parts=1&cut=1 HTTP/1.1\r\nAccept-Encoding: gzip\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "Content-Encoding: gzip"));
    assert_null(memmem(scene->received, scene->received_size, "\r\n0\r\n\r\n", 7));
}

static void the_server_ends_while_a_part_is_awaited(void **state)
{
    struct http_scene *scene = *state;
    int fd;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    fd = http_dial(scene);
    http_send(scene, fd, "GET /parts?parts=9 HTTP/1.1\r\n" HTTP_CLOSE,
              strlen("GET /parts?parts=9 HTTP/1.1\r\n" HTTP_CLOSE));
    while (scene->upstream.reply == NULL) {
        http_turn(scene);
        (void)http_receive(scene, fd);
    }
    http_server_free(scene->server);
    scene->server = NULL;
    fake_upstream_reply(&scene->upstream, "late");
    close(fd);
}

static void an_answer_whose_parts_fail_is_cut(void **state)
{
    struct http_scene *scene = *state;

    http_start(scene, &HTTP_LIMITS_DEFAULT);
    http_ask(scene, "GET /parts?parts=1&cut=1 HTTP/1.1\r\n" HTTP_CLOSE);
    assert_non_null(strstr(scene->received, "aaaa"));
    assert_null(strstr(scene->received, "\r\n0\r\n\r\n")); /* the last chunk is missing */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, http_set_up, http_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_in_parts_is_sent_as_it_comes),
        TEST(a_head_request_gets_no_parts),
        TEST(answers_in_parts_need_memory),
        TEST(a_part_may_need_the_resource_manager),
        TEST(others_are_served_between_two_parts),
        TEST(readers_of_large_answers_take_turns),
        TEST(parts_are_compressed_on_request),
        TEST(a_compressed_answer_whose_parts_fail_is_cut),
        TEST(the_server_ends_while_a_part_is_awaited),
        TEST(an_answer_whose_parts_fail_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
