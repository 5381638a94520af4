/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_pool.h - connections to servers, by address; opened when needed, closed when idle
 *
 * A message to a server that is not connected yet is kept for a short time, so that the first message does
 * not wait until its sender repeats it. The sender must repeat every message until it is answered.
 */
#ifndef CREEL_LIBCREEL_CHANNEL_POOL_H
#define CREEL_LIBCREEL_CHANNEL_POOL_H

#include "common/base/err.h"
#include "common/io/channel.h"
#include "common/io/keys.h"
#include "common/io/loop.h"

struct channel_pool;                    /* opaque */

/* ENVELOPE came from the peer at ADDRESS; both borrowed. */
typedef void channel_pool_fn(void *context, const char *address, const Creel__Envelope *envelope);

/* OWN is copied. */
struct channel_pool *channel_pool_new(struct loop *loop, const struct key *own,
                                      channel_pool_fn *fn, void *context);
void channel_pool_free(struct channel_pool *pool);   /* NULL is fine */

/* Send ENVELOPE (only read) to ADDRESS, whose server has PEER_KEY. An address that
 * cannot be one is an error; anything else may lose the message. */
int channel_pool_send(struct channel_pool *pool, const char *address, const char *peer_key,
                      Creel__Envelope *envelope, struct err *err);

/* Why there is no connection to ADDRESS, in words; 0 if there is one, as
 * channel_client_state. -ENOENT: nothing was ever sent there. */
int channel_pool_state(struct channel_pool *pool, const char *address, struct err *err);

/* How many connections to ADDRESS were lost so far: what was sent there before may be gone. */
unsigned channel_pool_losses(struct channel_pool *pool, const char *address);

#endif
