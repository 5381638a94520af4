/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_link.h - sends and receives frames over the socketpair between a daemon and a gateway (private)
 *
 * Both programs use it. A function blocks only if its comment has the word "blocks". Bytes that the socket
 * does not accept at once stay in a queue.
 */
#ifndef CREEL_IO_GATEWAY_LINK_H
#define CREEL_IO_GATEWAY_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/server/gateway_frame.h"

struct gateway_link;

/* Takes ownership of FD, a connected stream socket of the family AF_UNIX, and makes it non-blocking. Unless
 * TAKES_FDS, the kernel closes descriptors that arrive with frames. */
struct gateway_link *gateway_link_new(int fd, bool takes_fds);
void gateway_link_free(struct gateway_link *link); /* LINK may be NULL; closes the socket */
int gateway_link_fd(const struct gateway_link *link);

/* Adds a frame to the queue. HEADER's size is filled in. BYTES are copied. */
void gateway_link_put(struct gateway_link *link, struct gateway_header header, const void *bytes,
                      size_t size);
/* Does the same as gateway_link_put, and sends a duplicate of FD with the frame. */
void gateway_link_put_fd(struct gateway_link *link, struct gateway_header header, const void *bytes,
                         size_t size, int fd);
size_t gateway_link_queued(const struct gateway_link *link); /* bytes in the queue */
/* Writes the bytes that the socket accepts. Returns 0 if the queue is empty; -EAGAIN if it is not; else the
 * error. */
int gateway_link_flush(struct gateway_link *link);
/* Flushes for at most TIMEOUT_MS (blocking), then shuts down the sending side of the socket. */
void gateway_link_finish(struct gateway_link *link, int timeout_ms);

/* Called for each frame; PAYLOAD has HEADER->size bytes and is borrowed. Returns false to stop reading. */
typedef bool gateway_link_fn(void *context, const struct gateway_header *header, const uint8_t *payload);
/* Reads once, GATEWAY_READ_MAX bytes or the rest of a longer frame, and calls FN for each complete frame.
 * Returns 0; -EPIPE: the other side has closed; -EBADMSG: a frame is too long, or FN returned false. */
#define GATEWAY_READ_MAX 65536
int gateway_link_read(struct gateway_link *link, gateway_link_fn *fn, void *context);
/* Returns the next descriptor received with a frame, which the caller then owns; -1: none. */
int gateway_link_pop_fd(struct gateway_link *link);

#endif
