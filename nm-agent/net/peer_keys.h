/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peer_keys.h - decides which keys may connect to the agent's port, by replies of the resource manager
 *
 * The key of a peer belongs to a user or to a running attempt. The agent has neither list: it sends FindKeys
 * to the resource manager, PEER_KEYS_BATCH keys at a time, and caches the replies for the PEER_KEYS_MAX most
 * recently used keys. A reply is valid for PEER_KEYS_FRESH_MS; then the next use sends the request again. The
 * keys of connections are used each second (gateway_pool_set_lookup), so that a withdrawn key is noticed
 * even if the notice of the resource manager (withdrawn_keys) is lost. While the resource manager does not
 * reply, keys of the last valid replies stay admitted, and no others. The resource manager also announces the
 * key of an attempt when it allocates a container on this node to the attempt: a reply without a request
 * (request id 0). It names the user of each key, for which its connections count (common/io/server/owners.h).
 */
#ifndef CREEL_NM_PEER_KEYS_H
#define CREEL_NM_PEER_KEYS_H

#include <stdbool.h>

#include "common/io/channel/channel.h"
#include "common/io/loop/loop.h"

#define PEER_KEYS_MAX 4096u
#define PEER_KEYS_BATCH 256
#define PEER_KEYS_FRESH_MS 2000
#define PEER_KEYS_PATIENCE_MS 2000 /* without a reply for this time, the RM counts as down */
#define PEER_KEYS_RETRY_MS 1000    /* interval of repeated requests after that */

struct peer_keys;

/* Sends REQUEST to the resource manager; returns false if it could not be sent. */
typedef bool peer_keys_send_fn(void *context, Creel__Envelope *request);
/* Called when the result of peer_keys_find for PUBLIC_TEXT has changed. */
typedef void peer_keys_answered_fn(void *context, const char *public_text);

/* Creates the cache. Requests have ids from FIRST_REQUEST on. ANSWERED must not call peer_keys_find for other
 * keys. */
struct peer_keys *peer_keys_new(struct loop *loop, uint64_t first_request, peer_keys_send_fn *send,
                                peer_keys_answered_fn *answered, void *context);
void peer_keys_free(struct peer_keys *keys); /* KEYS may be NULL */

/* Looks up a key; a key_lookup_fn. CONTEXT is the struct peer_keys. */
enum key_lookup peer_keys_find(void *context, const char *public_text, bool connected);
/* Returns the user of a key, as of the last reply that had one; NULL: not known. A find_master_fn. */
const char *peer_keys_user(void *context, const char *public_text);
/* Handles a reply to one of the requests, FindKeysReply or Error, or an announcement. A resource manager of
 * an earlier release replies ERROR_UNSUPPORTED: then any key is admitted, as by agents of that release. */
void peer_keys_receive(struct peer_keys *keys, const Creel__Envelope *reply);

#endif
