/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_token.h - tokens that permit signalling the containers of an application and running commands in
 * them
 */
#ifndef CREEL_LIBCREEL_CONTROL_TOKEN_H
#define CREEL_LIBCREEL_CONTROL_TOKEN_H

#include "client/libcreel/client.h"

/* Gets a token for the containers of the application APP_ID on the node NODE_ID from the RM. The caller
 * frees its bytes. -EPERM: not permitted for this user. */
int control_token(struct creel_client *client, const char *app_id, const char *node_id,
                  ProtobufCBinaryData *token, struct err *err);

/* Checks that CONTAINER can be reached. -EHOSTUNREACH: the address of the agent is unknown; -EBUSY: the
 * container has ended. */
int control_reachable(const struct creel_container *container, struct err *err);

#endif
