/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.h - submitted files, from the RM into the agent's cache
 *
 * In chunks, several files at once, each chunk asked for again until it
 * comes. While the RM is away it waits; only the RM's word that there is no such
 * file, a file that is damaged again and again, or the own disk end it early.
 */
#ifndef CREEL_NM_FETCH_H
#define CREEL_NM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/io/loop.h"
#include "common/proto/creel.pb-c.h"
#include "nm-agent/linux/runtime.h"

struct fetcher;

/* Send REQUEST to the RM; false if it could not leave. */
typedef bool fetch_send_fn(void *context, Creel__Envelope *request);
/* HASH is in the cache (CODE 0), or will not be: WHY. */
typedef void fetch_done_fn(void *context, const uint8_t hash[32], int code, const char *why);

/* Request ids are taken from FIRST_REQUEST upwards. */
struct fetcher *fetcher_new(struct loop *loop, struct runtime *runtime, uint64_t first_request,
                            fetch_send_fn *send, fetch_done_fn *done, void *context);
void fetcher_free(struct fetcher *fetcher);     /* NULL is fine */

/* Have HASH. DONE may be called before this returns. Each at most once at a time. */
void fetcher_want(struct fetcher *fetcher, const uint8_t hash[32]);
/* A reply to one of its requests: BlobChunk or Error. */
void fetcher_receive(struct fetcher *fetcher, const Creel__Envelope *reply);

#endif
