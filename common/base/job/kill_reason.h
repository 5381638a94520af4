/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_reason.h - the texts with which the resource manager kills an application at the end of its time
 *
 * The text is the kill reason of the application, later its diagnostics. Programs that need the cause, as the
 * state TIMEOUT of Slurm, read it from the text: kill_reason_cause.
 */
#ifndef CREEL_KILL_REASON_H
#define CREEL_KILL_REASON_H

#define KILL_REASON_TIME_LIMIT "its time limit of"
#define KILL_REASON_LIFETIME "its lifetime of"
#define KILL_REASON_DEADLINE "its deadline has come"

enum kill_cause {
    KILL_CAUSE_OTHER, /* a user, or the resource manager for another reason */
    KILL_CAUSE_TIMEOUT,
    KILL_CAUSE_DEADLINE,
};

/* Returns the cause of the end of a killed application with DIAGNOSTICS. */
enum kill_cause kill_reason_cause(const char *diagnostics);

#endif
