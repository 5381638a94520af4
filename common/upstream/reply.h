/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h - the reply to a request of a process that asks a daemon for others */
#ifndef CREEL_UPSTREAM_REPLY_H
#define CREEL_UPSTREAM_REPLY_H

#include "common/proto/creel.pb-c.h"

typedef void upstream_reply_fn(void *reply_context, const Creel__Envelope *reply);

/* Calls REPLY with an Error that has the code ERROR_UNAVAILABLE. */
void upstream_refuse(upstream_reply_fn *reply, void *context, const char *message);
void upstream_refuse_code(upstream_reply_fn *reply, void *context, Creel__ErrorCode code,
                          const char *message);

#endif
