/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outbox.h - what waits to be sent to one peer, bounded in bytes
 *
 * ZeroMQ bounds its queues in messages, and one may have megabytes: a peer that
 * asks and does not read would cost gigabytes. Here the bytes are counted from
 * the moment that ZeroMQ is handed a message until it has encrypted it.
 */
#ifndef CREEL_IO_OUTBOX_H
#define CREEL_IO_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTBOX_BYTES_MAX ((size_t)64 << 20)

struct outbox;

struct outbox *outbox_new(void);
/* Messages on their way keep it for themselves. NULL is fine. */
void outbox_free(struct outbox *outbox);

/* May SIZE bytes more wait? An empty one takes any message. */
bool outbox_has_room(const struct outbox *outbox, size_t size);

/* Hand malloc'ed BYTES to SOCKET as one frame, the last of a message, without blocking.
 * They are taken over in any case. False if the socket does not take it. */
bool outbox_send(struct outbox *outbox, void *socket, uint8_t *bytes, size_t size);

#endif
