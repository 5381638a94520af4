/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_socket.h - adds ZeroMQ sockets to the event loop
 *
 * Only programs that use ZeroMQ link this file.
 */
#ifndef CREEL_IO_LOOP_SOCKET_H
#define CREEL_IO_LOOP_SOCKET_H

#include "common/io/loop/loop.h"

struct loop_socket;

/* Calls FN whenever SOCKET (a raw socket: zsock_resolve) has a message to receive. FN need not receive all
 * messages. The caller owns the returned handle. */
struct loop_socket *loop_socket_add(struct loop *loop, void *socket, loop_fn *fn, void *context);
/* FN is not called while SOCKET is paused. */
void loop_socket_pause(struct loop_socket *socket, bool pause);
/* SOCKET may be NULL. May be called in FN. Call it before the ZeroMQ socket is destroyed. */
void loop_socket_remove(struct loop_socket *socket);

/* loop_process.c, for programs that use czmq: disables czmq's own signal handling and removes its limit of
 * sockets. Call it before the first socket is created; may be called repeatedly. */
void loop_socket_prepare_process(void);
/* Limits this process to COUNT sockets. ZeroMQ allocates 12 bytes for each when the first socket is created;
 * for programs that need few sockets. Call it before the first socket is created. */
void loop_socket_limit(unsigned count);

#endif
