/* SPDX-License-Identifier: Apache-2.0 */
/* channel_socket.h - what server and client sockets have in common (private) */
#ifndef CREEL_IO_CHANNEL_SOCKET_H
#define CREEL_IO_CHANNEL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zmq.h>

#include "common/base/err.h"

#define CHANNEL_TURN_MAX 200            /* messages read of one socket before others get a turn */

/* Set one option; a refused one is a bug here. */
void channel_socket_set(void *socket, int option, int value);
void channel_socket_set_text(void *socket, int option, const char *text);

/* Bounds, keep-alive, back-off; before bind or connect. */
void channel_socket_prepare(void *socket);

/* Receive what is left of a message after its first part was (or was not) read:
 * the first of its frames goes into FRAME (an initialised message), the others are
 * dropped. The number of frames; 0 if there is no message now. */
size_t channel_socket_receive(void *socket, zmq_msg_t *frame);

/* "tcp://1.2.3.4:80" from "host:80": HOST is resolved, since libzmq binds to numeric addresses only.
 * 0.0.0.0 is not changed. *IPV6 is set if the address is an IPv6 one. */
int channel_socket_look_up(const char *host, int port, bool passive, char *endpoint, size_t size,
                           bool *ipv6, struct err *err);

#endif
