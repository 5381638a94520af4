/* SPDX-License-Identifier: Apache-2.0 */
/* log_access.h - the tokens of the message LogAccess, of this release and of 0.2.0 */
#ifndef CREEL_PROTO_LOG_ACCESS_H
#define CREEL_PROTO_LOG_ACCESS_H

#include "common/proto/creel.pb-c.h"

/* Returns the token for the node number INDEX of the request for ACCESS, borrowed. A resource manager of
 * release 0.2.0 answers with one token for all nodes. */
static inline const ProtobufCBinaryData *log_access_token(const Creel__LogAccess *access, size_t index)
{
    return index < access->n_tokens ? &access->tokens[index] : &access->token;
}

#endif
