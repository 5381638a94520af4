/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - keeps a copy of the agent's state for requests
 *
 * Without requests nothing is asked. A request waits until the copy is at most a second old. Any number of
 * requests wait for the same answer. If the agent does not answer in FEED_WAIT_MS, the requests go on without
 * a state.
 */
#ifndef CREEL_NM_WEB_FEED_H
#define CREEL_NM_WEB_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/loop.h"
#include "nm-agent/web/view.h"
#include "web/http/site.h"

#define FEED_AGE_MS 1000
#define FEED_WAIT_MS 5000

struct feed;

/* Sends the query for the state to the agent. */
typedef void feed_ask_fn(void *context, uint64_t number);

struct feed *feed_new(struct loop *loop, feed_ask_fn *ask, void *context);
/* Requests that wait are forgotten. FEED may be NULL. */
void feed_free(struct feed *feed);
/* A site_prepare_fn, whose context is the feed. */
void feed_prepare(void *feed, site_prepared_fn *done, void *done_context);
/* Takes the agent's answer. Returns false if BYTES are no AgentSnapshot. */
bool feed_take(struct feed *feed, uint64_t number, const void *bytes, size_t size);
/* Returns the view, whose snapshot changes with feed_take. */
struct node_view *feed_view(struct feed *feed);

#endif
