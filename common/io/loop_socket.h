/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_socket.h - sockets of ZeroMQ in the event loop
 *
 * Only programs that use ZeroMQ link this file.
 */
#ifndef CREEL_IO_LOOP_SOCKET_H
#define CREEL_IO_LOOP_SOCKET_H

#include "common/io/loop.h"

struct loop_socket;

/* Calls FN whenever SOCKET (a raw one: zsock_resolve) has something to receive. FN need not
 * receive all of it.
 * The handle belongs to the caller. */
struct loop_socket *loop_socket_add(struct loop *loop, void *socket, loop_fn *fn, void *context);
/* FN is not called while SOCKET is paused. */
void loop_socket_pause(struct loop_socket *socket, bool pause);
/* NULL is fine. May be called in FN. Call it before the socket is destroyed. */
void loop_socket_remove(struct loop_socket *socket);

/* loop_process.c, for programs that use czmq.
 *
 * Takes the process's signal handling away from czmq and lifts its limit of sockets. Call it before the first
 * socket; any number of times. */
void loop_socket_prepare_process(void);
/* At most COUNT sockets in this process, which take 12 bytes each from the first one on: for programs that
 * know how few they have. Before the first socket. */
void loop_socket_limit(unsigned count);

#endif
