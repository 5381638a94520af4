/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel_pool.h - connections to servers by address: opened on demand, closed when idle
 *
 * A message to a server that is not connected yet is kept for a short time, so the first message normally
 * arrives. Messages can be lost nevertheless: the sender must repeat each one until it is answered.
 */
#ifndef CREEL_LIBCREEL_CHANNEL_POOL_H
#define CREEL_LIBCREEL_CHANNEL_POOL_H

#include "common/base/err.h"
#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"

struct channel_pool; /* opaque */

/* Called for ENVELOPE from the peer at ADDRESS; both borrowed. */
typedef void channel_pool_fn(void *context, const char *address, const Creel__Envelope *envelope);

/* Makes a pool whose connections use the key OWN, which is copied. */
struct channel_pool *channel_pool_new(struct loop *loop, const struct key *own, channel_pool_fn *fn,
                                      void *context);
void channel_pool_free(struct channel_pool *pool); /* NULL is allowed */

/* Sends ENVELOPE (not changed) to ADDRESS, whose server has PEER_KEY. An invalid address is an error; in
 * all other cases the message may be lost without an error. */
int channel_pool_send(struct channel_pool *pool, const char *address, const char *peer_key,
                      Creel__Envelope *envelope, struct err *err);

/* Returns 0 if connected to ADDRESS, else a negative errno as channel_client_state, with the reason in
 * ERR. -ENOENT: no message was ever sent to ADDRESS. */
int channel_pool_state(struct channel_pool *pool, const char *address, struct err *err);

/* Returns true if the server at ADDRESS refuses our key repeatedly (channel_client_is_refused). */
bool channel_pool_is_refused(struct channel_pool *pool, const char *address);

/* Returns the number of connections to ADDRESS lost so far: messages sent before may be lost. */
unsigned channel_pool_losses(struct channel_pool *pool, const char *address);

#endif
