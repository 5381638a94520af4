/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.h - keeps a copy of the agent's state for requests
 *
 * The agent is queried only if there are requests. A request waits until the copy is at most FEED_AGE_MS old;
 * all waiting requests share one query. If the agent does not answer within FEED_WAIT_MS, they continue
 * without a state.
 */
#ifndef CREEL_NM_WEB_FEED_H
#define CREEL_NM_WEB_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/io/loop/loop.h"
#include "nm-agent/web/view.h"
#include "web/http/site.h"

#define FEED_AGE_MS 1000
#define FEED_WAIT_MS 5000

struct feed;

/* Sends the query for the state to the agent. */
typedef void feed_ask_fn(void *context, uint64_t number);

struct feed *feed_new(struct loop *loop, feed_ask_fn *ask, void *context);
/* Frees FEED, which may be NULL; waiting requests are dropped. */
void feed_free(struct feed *feed);
/* Implements site_prepare_fn; its context is the feed. */
void feed_prepare(void *feed, site_prepared_fn *done, void *done_context);
/* Handles the agent's answer. Returns false if BYTES are no AgentSnapshot. */
bool feed_handle_snapshot(struct feed *feed, uint64_t number, const void *bytes, size_t size);
/* Returns the view, whose snapshot changes with feed_handle_snapshot. */
struct node_view *feed_view(struct feed *feed);

#endif
