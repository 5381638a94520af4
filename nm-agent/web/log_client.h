/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_client.h - sends the queries of handlers for pieces of logs to the agent
 *
 * At most LOG_CLIENT_MAX queries are unanswered at a time, so that their bytes fit the memory of the process.
 * A query over that, or without an answer in LOG_CLIENT_WAIT_MS, gets ERROR_UNAVAILABLE.
 */
#ifndef CREEL_NM_WEB_LOG_CLIENT_H
#define CREEL_NM_WEB_LOG_CLIENT_H

#include "common/io/loop/loop.h"
#include "web/http/site.h"

#define LOG_CLIENT_MAX 8u
#define LOG_CLIENT_WAIT_MS 10000

struct log_client;

/* Sends the packed Envelope BYTES to the agent. */
typedef void log_client_send_fn(void *context, uint64_t number, const void *bytes, size_t size);

struct log_client *log_client_new(struct loop *loop, log_client_send_fn *send, void *context);
/* Implements site_upstream_fn; its context is the client. QUERY is a ReadLog. */
void log_client_ask(void *client, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                    void *reply_context);
/* Handles the agent's answer. Returns false if BYTES are no Envelope. */
bool log_client_handle_reply(struct log_client *client, uint64_t number, const void *bytes, size_t size);

#endif
