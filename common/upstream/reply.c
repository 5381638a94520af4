/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - replies of a process that asks a daemon for others, without the daemon */
#include "common/upstream/reply.h"

void upstream_refuse(upstream_reply_fn *reply, void *context, const char *message)
{
    upstream_refuse_code(reply, context, CREEL__ERROR_CODE__ERROR_UNAVAILABLE, message);
}

void upstream_refuse_code(upstream_reply_fn *reply, void *context, Creel__ErrorCode code, const char *message)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = (char *)(uintptr_t)message;
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(context, &envelope);
}
