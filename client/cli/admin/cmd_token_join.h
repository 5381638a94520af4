/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_token_join.h - creel token with --join: tokens with which hosts join the cluster */
#ifndef CREEL_CLI_CMD_TOKEN_JOIN_H
#define CREEL_CLI_CMD_TOKEN_JOIN_H

#include "client/cli/frame/cli.h"

/* Run creel token create, list and revoke if --join is given. Return the exit code. */
int token_join_create(struct cli *cli);
int token_join_list(struct cli *cli);
int token_join_revoke(struct cli *cli);

#endif
