/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_link.h - frames over the socketpair between a daemon and a gateway (private)
 *
 * Both sides use it. Nothing here blocks: what the socket does not take stays in a queue.
 */
#ifndef CREEL_IO_GATEWAY_LINK_H
#define CREEL_IO_GATEWAY_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/gateway_frame.h"

struct gateway_link;

/* Takes FD over, a connected stream socket of the family AF_UNIX, and makes it non-blocking. Descriptors
 * that come are closed by the kernel unless TAKES_FDS. */
struct gateway_link *gateway_link_new(int fd, bool takes_fds);
void gateway_link_free(struct gateway_link *link);      /* NULL is fine; closes the socket */
int gateway_link_fd(const struct gateway_link *link);

/* Puts a frame into the queue. HEADER's size is filled in. BYTES are copied. */
void gateway_link_put(struct gateway_link *link, struct gateway_header header, const void *bytes,
                      size_t size);
/* The same, with a descriptor, of which a duplicate is sent. */
void gateway_link_put_fd(struct gateway_link *link, struct gateway_header header, const void *bytes,
                         size_t size, int fd);
size_t gateway_link_queued(const struct gateway_link *link);    /* bytes in the queue */
/* Writes what the socket takes. 0: the queue is empty; -EAGAIN: it is not; else the error. */
int gateway_link_flush(struct gateway_link *link);
/* Flushes for at most TIMEOUT_MS, then ends this direction of the socket. */
void gateway_link_finish(struct gateway_link *link, int timeout_ms);

/* Called for each frame; PAYLOAD has HEADER->size bytes and is borrowed. False ends the reading. */
typedef bool gateway_link_fn(void *context, const struct gateway_header *header, const uint8_t *payload);
/* Reads once, GATEWAY_READ_MAX bytes or the rest of a longer frame, and calls FN for the frames that are
 * complete. 0; -EPIPE: the other side has closed; -EBADMSG: a frame is too long, or FN returned false. */
#define GATEWAY_READ_MAX 65536
int gateway_link_read(struct gateway_link *link, gateway_link_fn *fn, void *context);
/* The next descriptor that came with a frame, now the caller's; -1: none. */
int gateway_link_take_fd(struct gateway_link *link);

#endif
