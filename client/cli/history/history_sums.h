/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_sums.h - reads sums of ended applications by user, queue, hour or day
 *
 * The resource manager adds up by hour; hours of a local day are added up here, because only the client knows
 * its time zone.
 */
#ifndef CREEL_CLI_HISTORY_SUMS_H
#define CREEL_CLI_HISTORY_SUMS_H

#include "client/cli/frame/cli.h"
#include "client/include/creel-history.h"

enum history_group { HISTORY_BY_USER, HISTORY_BY_QUEUE, HISTORY_BY_HOUR, HISTORY_BY_DAY };

#define HISTORY_TIME_SIZE 24

struct history_sum {
    const char *group;            /* points to TIME, or is borrowed from the reply */
    char time[HISTORY_TIME_SIZE]; /* "2026-11-26 14:00" or "2026-11-26" */
    struct creel_history_sum sum;
};

struct history_sums { /* all owned */
    struct creel_history_sums *reply;
    struct history_sum *rows; /* in order of the group */
    size_t count;
};

/* Parses "user", "queue", "hour" or "day"; false: it is another word. */
bool history_group_parse(const char *text, enum history_group *by);
/* Reads the sums of FILTER; prints errors, and a warning of the resource manager. Returns an exit code; RET
 * is to be freed with history_sums_done in any case. */
int history_sums_read(struct cli *cli, const struct creel_history_filter *filter, enum history_group by,
                      struct history_sums *ret);
void history_sums_done(struct history_sums *sums);

#endif
