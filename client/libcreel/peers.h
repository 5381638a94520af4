/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers.h - channels to whoever is talked to, by address; made when needed, closed when idle
 *
 * A message for a peer that is not connected yet is kept for a short time, so
 * that the first one does not wait for the protocol's own repetition. All that
 * is sent here must be repeated by its sender until it is answered.
 */
#ifndef CREEL_LIBCREEL_PEERS_H
#define CREEL_LIBCREEL_PEERS_H

#include "common/base/err.h"
#include "common/io/channel.h"
#include "common/io/keys.h"
#include "common/io/loop.h"

struct peers;                           /* opaque */

/* ENVELOPE came from the peer at ADDRESS; both borrowed. */
typedef void peers_fn(void *context, const char *address, const Creel__Envelope *envelope);

/* OWN is copied. */
struct peers *peers_new(struct loop *loop, const struct key *own, peers_fn *fn, void *context);
void peers_free(struct peers *peers);   /* NULL is fine */

/* Send ENVELOPE (only read) to ADDRESS, whose server has PEER_KEY. An address that
 * cannot be one is an error; anything else may lose the message. */
int peers_send(struct peers *peers, const char *address, const char *peer_key,
               Creel__Envelope *envelope, struct err *err);

/* Why there is no connection to ADDRESS, in words; 0 if there is one, as
 * channel_client_state. -ENOENT: nothing was ever sent there. */
int peers_state(struct peers *peers, const char *address, struct err *err);

/* How many connections to ADDRESS were lost so far: what was sent there before may be gone. */
unsigned peers_losses(struct peers *peers, const char *address);

#endif
