/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_written.h - names an option in an error as the user wrote it, and where
 *
 * Errors about a job begin with an option of creel: "--name: has 300 bytes". If the option comes from a
 * script, the user finds it there: "job.sh:3: -J alpha: has 300 bytes".
 */
#ifndef CREEL_CLI_SUBMIT_WRITTEN_H
#define CREEL_CLI_SUBMIT_WRITTEN_H

#include "client/cli/frame/options.h"
#include "client/include/creel.h"

/* Changes the text of ERR, an error about ITEM. */
void submit_written_item(const struct option_value *item, struct err *err);
/* Changes the text of ERROR, which the check of a whole job or the resource manager returned, if it begins
 * with an option of OPTIONS that comes from a script. */
void submit_written_name(const struct options *options, struct creel_error *error);

#endif
