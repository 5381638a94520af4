/* SPDX-License-Identifier: Apache-2.0 */
/* loop_socket.c - adds ZeroMQ sockets to the event loop */
#include "common/io/loop/loop_socket.h"

#include <assert.h>
#include <stdlib.h>
#include <zmq.h>

#include "common/base/mem.h"

struct loop_socket {
    struct loop *loop;
    void *socket;
    int fd; /* descriptor of SOCKET: readable when the socket's events may have changed */
    loop_fn *fn;
    void *context;
    bool paused;
    bool running, removed; /* RUNNING: FN is being called; REMOVED: removed inside FN */
};

/* Returns true if SOCKET has a message to receive. Its descriptor is edge-triggered: it becomes readable on a
 * change, and reading the events resets it. */
static bool is_ready(void *context)
{
    struct loop_socket *socket = context;
    int events = 0;
    size_t size = sizeof(events);

    return zmq_getsockopt(socket->socket, ZMQ_EVENTS, &events, &size) == 0 && (events & ZMQ_POLLIN) != 0 &&
           !socket->paused;
}

static void run(void *context)
{
    struct loop_socket *socket = context;

    socket->running = true;
    socket->fn(socket->context);
    socket->running = false;
    if (socket->removed)
        free(socket);
}

struct loop_socket *loop_socket_add(struct loop *loop, void *raw, loop_fn *fn, void *context)
{
    struct loop_socket *socket = mem_new0(struct loop_socket);
    size_t size = sizeof(socket->fd);
    int r;

    socket->loop = loop;
    socket->socket = raw;
    socket->fn = fn;
    socket->context = context;
    r = zmq_getsockopt(raw, ZMQ_FD, &socket->fd, &size);
    assert(r == 0);
    r = loop_add_ready(loop, socket->fd, is_ready, run, socket, NULL);
    assert(r == 0);
    (void)r;
    return socket;
}

void loop_socket_pause(struct loop_socket *socket, bool pause)
{
    socket->paused = pause;
}

void loop_socket_remove(struct loop_socket *socket)
{
    if (socket == NULL)
        return;
    loop_remove_fd(socket->loop, socket->fd);
    socket->removed = true;
    if (!socket->running)
        free(socket);
}
