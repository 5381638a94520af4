/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup_join.h - uses a join token: hands a host's new public key to the resource manager, or checks which
 * resource manager is at an address
 *
 * Nothing is written here.
 */
#ifndef CREEL_CLI_SETUP_JOIN_H
#define CREEL_CLI_SETUP_JOIN_H

#include <stdint.h>

#include "client/cli/admin/key_bundle.h"
#include "common/io/keys/join_token.h"

#define JOIN_PORT_DEFAULT 8032 /* of clients */

/* Reads the token TEXT; "-": the first line of standard input. -EINVAL: no token. */
int setup_join_read(const char *text, struct join_token *token, struct err *err);

/* Makes the keys of HOST, and takes that of the resource manager from TOKEN. The caller wipes BUNDLE. */
void setup_join_keys(const struct join_token *token, const char *host, struct key_bundle *bundle);

/* Sends the public key of BUNDLE to the resource manager at ADDRESS ("n1", "n1:8032"), within TIMEOUT_MS.
 * -EACCES: the token is not accepted; -EEXIST: the host has a certificate already; other -errno. */
int setup_join_send(const char *address, const struct join_token *token, const struct key_bundle *bundle,
                    int64_t timeout_ms, struct err *err);

/* Checks that the resource manager at ADDRESS has the key of TOKEN and accepts it. No use of the token is
 * counted. Errors as above. */
int setup_join_check(const char *address, const struct join_token *token, int64_t timeout_ms,
                     struct err *err);

#endif
