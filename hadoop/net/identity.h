/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.h - who a client of Hadoop's RPC is (creel.hadoop.auth)
 *
 * local: a client of this host is the user whose socket it is. simple: a client at a listed address is the
 * user that it names, but no user below creel.container.min-user-id. A client may name another user as the
 * one for whom it acts (Hadoop's proxy users, HADOOP_USER_NAME) only if its own is in
 * creel.security.proxy-users.
 *
 * Another way, such as tokens or GSSAPI, would be a further source of the authenticated user in
 * identity_find.
 */
#ifndef CREEL_HADOOP_NET_IDENTITY_H
#define CREEL_HADOOP_NET_IDENTITY_H

#include "hadoop/net/server.h"
#include "hadoop/net/settings.h"

struct identity {
    const struct hadoop_settings *settings;
    int owner_fd; /* of owner.h; -1: local is not in use */
};

/* Callbacks of struct hadoop_service. IDENTITY is a struct identity. */
bool identity_admit(void *identity, const struct hadoop_ends *ends, char reason[HADOOP_REASON_MAX]);
bool identity_find(void *identity, const struct hadoop_ends *ends, const struct hadoop_claim *claim,
                   char user[HADOOP_NAME_MAX], char reason[HADOOP_REASON_MAX]);

#endif
