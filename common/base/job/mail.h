/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mail.h - checks the values of --mail-type and --mail-user, and decides which events cause mail
 *
 * The names are those of sbatch(1) of Slurm 22.05. creel has the events begin, end and fail of a whole job
 * (creel.jobs.notify-command); the other names are valid, and cause no mail. Pure: no state, no I/O.
 */
#ifndef CREEL_BASE_MAIL_H
#define CREEL_BASE_MAIL_H

#include <stdbool.h>
#include <stddef.h>

#define MAIL_TYPES_EXPECTED \
    "BEGIN, END, FAIL, ALL or NONE, separated by commas (of Slurm's others creel has no events)"

#define MAIL_USERS_BYTES_MAX 4096 /* of the text of --mail-user */

enum mail_type {
    MAIL_BEGIN = 1 << 0,
    MAIL_END = 1 << 1,
    MAIL_FAIL = 1 << 2,
    MAIL_OTHER = 1 << 3, /* REQUEUE, TIME_LIMIT, ...: creel has no such event */
};

/* Sets *TYPES to the enum mail_type of the name of LENGTH bytes at TEXT, in any case. Returns false if it is
 * none. */
bool mail_type_read(const char *text, size_t length, unsigned *types);

/* Reads names that are separated by commas, in any case. Sets *TYPES to the union of their enum mail_type.
 * Returns false if TEXT is empty, has an unknown name, or NONE beside others; *TYPES is undefined then. */
bool mail_types_read(const char *text, unsigned *types);
/* Returns whether TEXT is a list of addresses or names, separated by commas and blanks: none is empty or
 * begins with '-', there are no control characters, and it has at most MAIL_USERS_BYTES_MAX bytes. */
bool mail_users_are_valid(const char *text);

/* Returns whether a job with the valid TYPES ("": none) wants mail about EVENT: "begin", "end" or "fail". As
 * in Slurm, END includes the failure of a job. */
bool mail_is_wanted(const char *types, const char *event);
/* Returns whether such a job wants mail about any of these events. */
bool mail_is_wanted_at_all(const char *types);

#endif
