/* SPDX-License-Identifier: Apache-2.0 */
/* http_scene.h - fixture: the server with the site of http_site_fixture.h, and clients over real sockets */
#ifndef CREEL_TESTS_HTTP_SCENE_H
#define CREEL_TESTS_HTTP_SCENE_H

#include <stdbool.h>

#include "common/io/loop/loop.h"
#include "tests/unit/http/http_site_fixture.h"
#include "web/http/server.h"

#define HTTP_DEADLINE_MS 20000
#define HTTP_CLOSE "Host: h\r\nConnection: close\r\n\r\n"

struct http_scene {
    struct loop *loop;
    struct site site;
    struct fake_upstream upstream;
    struct http_server *server;
    char received[1 << 16]; /* bytes that a client has received since http_dial */
    size_t received_size;
};

int http_set_up(void **state);
int http_tear_down(void **state);

/* Starts the server on a free port. */
void http_start(struct http_scene *scene, const struct http_limits *limits);
/* Runs the loop for a moment. */
void http_turn(struct http_scene *scene);

/* Connects without blocking, and empties RECEIVED. */
int http_dial(struct http_scene *scene);
/* Connects from the address SOURCE, empties RECEIVED, and sends TEXT. */
int http_dial_from(struct http_scene *scene, const char *source, const char *text);
void http_send(struct http_scene *scene, int fd, const char *text, size_t size);
/* Reads the available bytes. Returns false if the server has closed the connection. */
bool http_receive(struct http_scene *scene, int fd);
/* Fails the test if the server does not send TEXT in time. */
void http_until_text(struct http_scene *scene, int fd, const char *text);
/* Reads until the server closes the connection; closes FD. */
void http_until_closed(struct http_scene *scene, int fd);
/* Sends REQUEST on a connection of its own and receives the answer; REQUEST must have "Connection: close". */
void http_ask(struct http_scene *scene, const char *request);

#endif
