/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/http/http_scene.h"

#define HTTP_TURN_MS 5

static void stop(void *context)
{
    loop_stop(context);
}

void http_turn(struct http_scene *scene)
{
    loop_add_timer(scene->loop, HTTP_TURN_MS, stop, scene->loop);
    loop_run(scene->loop);
}

void http_start(struct http_scene *scene, const struct http_limits *limits)
{
    assert_int_equal(http_server_new(&scene->server, scene->loop, "127.0.0.1:0", &scene->site, limits, NULL),
                     0);
}

int http_set_up(void **state)
{
    struct http_scene *scene = mem_new0(struct http_scene);

    assert_int_equal(loop_new(&scene->loop, NULL), 0);
    http_site_fill(&scene->site, &scene->upstream);
    *state = scene;
    return 0;
}

int http_tear_down(void **state)
{
    struct http_scene *scene = *state;

    http_server_free(scene->server);
    loop_free(scene->loop);
    free(scene);
    return 0;
}

int http_dial(struct http_scene *scene)
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
    http_turn(scene);
    return fd;
}

int http_dial_from(struct http_scene *scene, const char *source, const char *text)
{
    struct sockaddr_in from = { .sin_family = AF_INET }, to = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)http_server_port(scene->server)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    assert_int_equal(inet_pton(AF_INET, source, &from.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_true(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == EINPROGRESS);
    scene->received_size = 0;
    *scene->received = '\0';
    http_turn(scene);
    http_send(scene, fd, text, strlen(text));
    return fd;
}

void http_send(struct http_scene *scene, int fd, const char *text, size_t size)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (size > 0 && loop_monotonic_ms() < deadline_ms) {
        ssize_t n = send(fd, text, size, MSG_NOSIGNAL);

        if (n > 0) {
            text += n;
            size -= (size_t)n;
        } else if (errno != EAGAIN) {
            return; /* the server has closed the connection */
        }
        http_turn(scene);
    }
}

bool http_receive(struct http_scene *scene, int fd)
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

void http_until_text(struct http_scene *scene, int fd, const char *text)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (strstr(scene->received, text) == NULL) {
        bool open = http_receive(scene, fd);

        if (strstr(scene->received, text) != NULL)
            return;
        if (!open || loop_monotonic_ms() > deadline_ms)
            fail_msg("\"%s\" did not come; it was \"%s\"", text, scene->received);
        http_turn(scene);
    }
}

void http_until_closed(struct http_scene *scene, int fd)
{
    int64_t deadline_ms = loop_monotonic_ms() + HTTP_DEADLINE_MS;

    while (http_receive(scene, fd)) {
        if (loop_monotonic_ms() > deadline_ms)
            fail_msg("the connection is still open; it was \"%s\"", scene->received);
        http_turn(scene);
    }
    close(fd);
}

void http_ask(struct http_scene *scene, const char *request)
{
    int fd = http_dial(scene);

    http_send(scene, fd, request, strlen(request));
    http_until_closed(scene, fd);
}
