/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - begins the replies of the resource manager's REST interface
 *
 * A handler begins a document with rest_begin, and goes on as format.h describes. A handler that sends a
 * request to the resource manager begins the document after the reply.
 */
#ifndef CREEL_WEB_REST_REPLY_H
#define CREEL_WEB_REST_REPLY_H

#include "web/model/view.h"
#include "web/rest/parts/format.h"

/* Like rest_begin_plain. Also returns NULL after answering 503, if rest_model_is_recent returns false. */
struct document *rest_begin(struct exchange *exchange, const char *root, enum rest_dialect dialect);

const struct web_model *rest_model(const struct exchange *exchange);
/* Returns whether the resource manager answers, so that the model is up to date. */
bool rest_rm_answers(const struct exchange *exchange);
/* Returns whether the model is complete, and adds the header Age, its age in seconds. If not, answers with
 * 503. */
bool rest_model_is_complete(struct exchange *exchange);
/* Like rest_model_is_complete. Also answers with 503 if the model is older than creel.http.stale-after. */
bool rest_model_is_recent(struct exchange *exchange);

#endif
