/* SPDX-License-Identifier: Apache-2.0 */
/* history_filter.h - reads the options of commands about the history */
#ifndef CREEL_CLI_HISTORY_FILTER_H
#define CREEL_CLI_HISTORY_FILTER_H

#include "client/cli/app_filter.h"
#include "client/cli/cli.h"
#include "client/include/creel-history.h"

/* Reads --name, --since, --until, --limit and --tasks into FILTER, and has it refer to APPS, which
 * app_filter_read has read. USUAL_LIMIT: without --limit and --since; 0: none. -EINVAL:
 * ERR names the option. */
int history_filter_read(struct creel_history_filter *filter, const struct app_filter *apps,
                        const struct options *options, size_t usual_limit, struct err *err);

/* Reads --since, --until and --limit alone; other fields of FILTER stay as they are. Errors as above. */
int history_times_read(struct creel_history_filter *filter, const struct options *options, size_t usual_limit,
                       struct err *err);
/* Reads --csv, which is the same as -o csv. */
void history_format_read(struct cli *cli);

#endif
