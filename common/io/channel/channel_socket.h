/* SPDX-License-Identifier: Apache-2.0 */
/* channel_socket.h - ZeroMQ socket functions shared by servers and clients (private) */
#ifndef CREEL_IO_CHANNEL_SOCKET_H
#define CREEL_IO_CHANNEL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "common/base/err.h"

#define CHANNEL_TURN_MAX 200 /* messages read from one socket before other sockets are served */
#define CHANNEL_TURN_MS 20   /* and the time after which a client reads no further one */

/* Sets one socket option. Aborts if libzmq refuses the option. */
void channel_socket_set(void *socket, int option, int value);
void channel_socket_set_text(void *socket, int option, const char *text);

/* Sets limits, timeouts and TCP keep-alive. Call it before bind or connect. */
void channel_socket_prepare(void *socket);

/* Receives a message, or the rest of a message whose first frame the caller has read. Stores the first frame
 * in FRAME (an initialised message) and drops the others. Returns the number of frames; 0 if there is no
 * message now. */
size_t channel_socket_receive(void *socket, zmq_msg_t *frame);

/* Writes "tcp://1.2.3.4:80" for "host:80". HOST is resolved, since libzmq binds to numeric addresses only.
 * 0.0.0.0 is not changed. *IPV6 is set if the address is an IPv6 address. */
int channel_socket_look_up(const char *host, int port, bool passive, char *endpoint, size_t size, bool *ipv6,
                           struct err *err);

#endif
