/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_moment.h - reads times and dates as sbatch of Slurm 22.05 does
 *
 *     90  1:30  2:00:00  1-  1-12  1-12:30  1-12:30:00  limits: minutes[:seconds], hours:minutes:seconds,
 *                                                       days-hours[:minutes[:seconds]]
 *     -1  INFINITE  UNLIMITED                            no limit
 *     now  now+90  now+2hours  now-1day                  moments: seconds, minutes, hours, days, weeks
 *     16:00  4:00pm  midnight  noon  fika  teatime       the next such time, unless there is a date, too
 *     today  tomorrow  MMDD  MMDDYY  MM/DD  MM/DD/YY  MM.DD.YY  YYYY-MM-DD
 *     uts1798000000                                      seconds since 1970
 *
 * Parts of a limit have no bounds: 90:90 is 91 minutes and 30 seconds, which sbatch then rounds up to
 * minutes. A date and a time are separated by 'T', '-' or a blank. A date without a year is the next one.
 * Times are of this host's time zone.
 *
 * Pure: the caller gives the functions that know the time zone.
 */
#ifndef CREEL_SCRIPT_SLURM_MOMENT_H
#define CREEL_SCRIPT_SLURM_MOMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Functions of the C library. */
struct slurm_calendar {
    struct tm *(*local)(const time_t *seconds, struct tm *parts); /* localtime_r */
    struct tm *(*utc)(const time_t *seconds, struct tm *parts);   /* gmtime_r */
    time_t (*seconds)(struct tm *parts);                          /* mktime */
};

#define SLURM_UNLIMITED (-1)
#define SLURM_LIMIT_S_MAX 3155760000 /* a century, the largest limit of creel */

/* Reads a limit in seconds, or SLURM_UNLIMITED. One above SLURM_LIMIT_S_MAX is reduced to it. Returns false
 * if sbatch would refuse TEXT. */
bool slurm_limit_read(const char *text, int64_t *seconds);

/* Reads a moment in seconds since 1970; it may have passed. Returns false if sbatch would refuse TEXT. */
bool slurm_moment_read(const char *text, const struct slurm_calendar *calendar, int64_t now_seconds,
                       int64_t *seconds);

#endif
