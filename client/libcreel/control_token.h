/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_token.h - the right to signal the containers of an application and to enter them
 */
#ifndef CREEL_LIBCREEL_CONTROL_TOKEN_H
#define CREEL_LIBCREEL_CONTROL_TOKEN_H

#include "client/libcreel/client.h"

/* A token of the RM that allows it; its bytes are the caller's. -EPERM: not for this user. */
int control_token(struct creel_client *client, const char *app_id, ProtobufCBinaryData *token,
                  struct err *err);

/* -EHOSTUNREACH if nobody knows where CONTAINER's agent is, -EBUSY if it is over. */
int control_reachable(const struct creel_container *container, struct err *err);

#endif
