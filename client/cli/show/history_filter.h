/* SPDX-License-Identifier: Apache-2.0 */
/* history_filter.h - reads the options of commands about the history */
#ifndef CREEL_CLI_HISTORY_FILTER_H
#define CREEL_CLI_HISTORY_FILTER_H

#include "client/cli/frame/cli.h"
#include "client/cli/show/app_filter.h"
#include "client/include/creel-history.h"

/* The options that choose applications, for tables of options. */
#define HISTORY_FILTER_OPTIONS \
    { 's', "state", "STATE,...", "FINISHED, FAILED or KILLED" }, \
        { 'u', "user", "USER,...", "only of these users" }, \
        { 'q', "queue", "QUEUE,...", "only in these queues, or below them" }, \
        { 'n', "name", "PATTERN", "only with such a name; * matches any characters, ? one" }, \
        { 0, "since", "TIME", "that ended then or later" }, \
    { \
        0, "until", "TIME", "that ended then or earlier" \
    }
/* Further ones of lists of applications, and of all commands about the history. */
#define HISTORY_LIST_OPTIONS \
    { 0, "limit", "N", "the last N applications (default 100, with --since all); 0: all" }, \
    { \
        0, "tasks", NULL, "the tasks of arrays, too" \
    }
#define HISTORY_FORMAT_OPTION \
    { \
        0, "csv", NULL, "the same as -o csv" \
    }
#define HISTORY_LIMIT_USUAL 100

/* Reads --name, --since, --until, --limit and --tasks into FILTER, and has it refer to APPS, which
 * app_filter_read has read. USUAL_LIMIT: without --limit and --since; 0: none. -EINVAL:
 * ERR names the option. */
int history_filter_read(struct creel_history_filter *filter, const struct app_filter *apps,
                        const struct options *options, size_t usual_limit, struct err *err);

/* Reads --since, --until and --limit alone; other fields of FILTER stay as they are. Errors as above. */
int history_times_read(struct creel_history_filter *filter, const struct options *options, size_t usual_limit,
                       struct err *err);
/* Reads the applications of FILTER and calls SHOW, which prints them. Then prints a warning of the resource
 * manager, and whether there are more, on stderr. Returns an exit code. */
typedef int history_show_fn(struct cli *cli, const struct creel_apps *apps, const void *context);
int history_list_show(struct cli *cli, const struct creel_history_filter *filter, history_show_fn *show,
                      const void *context);
/* Reads --csv, which is the same as -o csv. */
void history_format_read(struct cli *cli);

#endif
