/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch.h - fetches submitted files from the RM into the agent's cache
 *
 * Files are fetched in chunks, FETCH_PLACES files at once, FETCH_PLACES_OF_USER of them for one user, so that
 * one with many or large files does not delay the containers of others. A free place goes to a user who has
 * the fewest. A file for which several users wait is fetched once, in a place of the one of them who had the
 * fewest when it began: it does not wait behind the other files of the user who requested it first, and takes
 * no place of a user who does not wait for it. The request for a chunk is repeated until it is answered. The
 * fetch waits while the RM is down. It fails only if the RM reports that there is no such file, if a file is
 * damaged repeatedly, or if the local disk fails.
 */
#ifndef CREEL_NM_FETCH_H
#define CREEL_NM_FETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/io/loop/loop.h"
#include "common/proto/creel.pb-c.h"
#include "nm-agent/linux/runtime.h"

#define FETCH_PLACES 8
#define FETCH_PLACES_OF_USER 4

struct fetcher;
struct shares;

/* Sends REQUEST to the RM; returns false if it could not be sent. */
typedef bool fetch_send_fn(void *context, Creel__Envelope *request);
/* Called when HASH is in the cache (CODE 0), or cannot be fetched because of WHY. */
typedef void fetch_done_fn(void *context, const uint8_t hash[32], int code, const char *why);

/* Creates a fetcher, which uses request ids from FIRST_REQUEST upwards. */
struct fetcher *fetcher_new(struct loop *loop, struct runtime *runtime, uint64_t first_request,
                            fetch_send_fn *send, fetch_done_fn *done, void *context);
void fetcher_free(struct fetcher *fetcher); /* FETCHER may be NULL */

/* Fetches HASH for a container of USER. DONE may be called before this function returns. A file must not be
 * requested again for the same user before DONE. */
void fetcher_request(struct fetcher *fetcher, const uint8_t hash[32], const char *user);
/* Handles a reply to a request of the fetcher: BlobChunk or Error. */
void fetcher_receive(struct fetcher *fetcher, const Creel__Envelope *reply);
/* Returns the places for files that are fetched at the same time, by user. Those that have to wait for a
 * place are counted as refused. */
const struct shares *fetcher_places(const struct fetcher *fetcher);
/* Returns the number of bytes of files that were received, damaged ones included. */
uint64_t fetcher_received_bytes(const struct fetcher *fetcher);

#endif
