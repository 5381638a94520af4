/* SPDX-License-Identifier: Apache-2.0 */
/* history_sums.c - reads sums of ended applications by user, queue, hour or day */
#include "client/cli/history/history_sums.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/io/loop/loop.h"
#include "common/record/history_sum.h"

bool history_group_parse(const char *text, enum history_group *by)
{
    static const char *const words[] = {
        [HISTORY_BY_USER] = "user",
        [HISTORY_BY_QUEUE] = "queue",
        [HISTORY_BY_HOUR] = "hour",
        [HISTORY_BY_DAY] = "day",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], text) == 0) {
            *by = (enum history_group)i;
            return true;
        }
    }
    return false;
}

/* Returns the seconds by which local hours begin later than those of UTC, in time zones with half hours. */
static int hour_offset_s(void)
{
    time_t now = (time_t)(loop_now_ms() / 1000);
    struct tm local;

    return localtime_r(&now, &local) ? (int)(-local.tm_gmtoff % 3600) : 0;
}

static void set_time(struct history_sum *row, enum history_group by)
{
    time_t begin = (time_t)(row->sum.begin_ms / 1000);
    struct tm local;

    if (by == HISTORY_BY_USER || by == HISTORY_BY_QUEUE)
        return;
    if (localtime_r(&begin, &local))
        strftime(row->time, sizeof(row->time), by == HISTORY_BY_DAY ? "%Y-%m-%d" : "%Y-%m-%d %H:%M", &local);
}

/* Hours come in order, so those of a day, and an hour that occurs twice when clocks are put back, are
 * neighbours. */
static void fill(struct history_sums *sums, enum history_group by)
{
    bool by_time = by == HISTORY_BY_HOUR || by == HISTORY_BY_DAY;

    sums->rows = mem_array0(sums->reply->count + 1, sizeof(*sums->rows));
    for (size_t i = 0; i < sums->reply->count; i++) {
        struct history_sum *row = &sums->rows[sums->count];

        row->sum = sums->reply->items[i];
        set_time(row, by);
        row->group = by_time ? row->time : row->sum.group;
        if (by_time && sums->count > 0 && strcmp(row[-1].time, row->time) == 0)
            HISTORY_SUM_ADD(&row[-1].sum, &row->sum);
        else
            sums->count++;
    }
}

int history_sums_read(struct cli *cli, const struct creel_history_filter *filter, enum history_group by,
                      struct history_sums *ret)
{
    static const enum creel_history_group groups[] = {
        [HISTORY_BY_USER] = CREEL_HISTORY_BY_USER,
        [HISTORY_BY_QUEUE] = CREEL_HISTORY_BY_QUEUE,
        [HISTORY_BY_HOUR] = CREEL_HISTORY_BY_HOUR,
        [HISTORY_BY_DAY] = CREEL_HISTORY_BY_HOUR,
    };
    struct creel_error error;
    char *warning = NULL;
    int code;
    struct creel_client *client = cli_client(cli, &code);

    *ret = (struct history_sums){ 0 };
    if (client == NULL)
        return code;
    if (creel_history_sum(client, filter, groups[by], hour_offset_s(), &ret->reply, &warning, &error) < 0)
        return cli_fail(&error);
    if (warning != NULL)
        fprintf(stderr, "creel: %s\n", warning);
    free(warning);
    fill(ret, by);
    return EXIT_DONE;
}

void history_sums_done(struct history_sums *sums)
{
    creel_history_sums_free(sums->reply);
    free(sums->rows);
}
