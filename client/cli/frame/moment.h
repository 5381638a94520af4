/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moment.h - parses a point in time, for the options --begin, --deadline, --since and --until
 *
 *     16:00  16:00:30  4:00pm         the next time that it is so
 *     midnight  noon  fika  teatime   the next 00:00, 12:00, 15:00 and 16:00, as in Slurm
 *     now  now+90  now+2h  now+2hours from now on; a number alone is seconds
 *     today  tomorrow  tomorrow 08:00  tomorrow noon    the day begins at 00:00
 *     noon+30minutes  tomorrow+8h     a word may be followed by a distance
 *     2027-01-20  2027-01-20T08:00  2027-01-20 08:00:30
 *     2027-01-20T08:00Z  2027-01-20T08:00+01:00    with the zone of RFC 3339
 *     2027-01-20T08:00:00.250Z        as in JSON
 *
 * Words may have capitals. Times without a zone are of this host's time zone.
 */
#ifndef CREEL_CLI_MOMENT_H
#define CREEL_CLI_MOMENT_H

#include <stdint.h>

#include "common/base/err.h"

/* Sets RET_MS to TEXT in milliseconds since 1970; the error message names OPTION. -EINVAL: not a moment, or
 * one before NOW_MS. */
int moment_parse(const char *option, const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err);

/* The same for --since and --until: a time of day is its last occurrence, a distance (2h, 7days, now-7days)
 * is so long ago, and yesterday is allowed. -EINVAL: not a moment. */
int moment_parse_past(const char *option, const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err);

#endif
