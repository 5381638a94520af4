/* SPDX-License-Identifier: Apache-2.0 */
/* host_arguments.h - nodes and hosts as arguments of commands: n7, n[1-40] */
#ifndef CREEL_CLI_HOST_ARGUMENTS_H
#define CREEL_CLI_HOST_ARGUMENTS_H

#include "client/cli/frame/cli.h"
#include "common/base/host_range.h"

/* Expands COUNT words (common/base/host_range.h). Returns false after printing an error; *CODE is the exit
 * code then, and NAMES is empty. Free NAMES with host_names_done. */
bool host_arguments_expand(struct cli *cli, const char *const *words, size_t count, struct host_names *names,
                           int *code);

#endif
