/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - follows an application until it ends: state, progress, output
 *
 * Used by `run`, `submit --wait [--logs]` and `logs -f` between the submission and the exit code. One loop
 * requests the application's state and containers from the RM and reads all logs from the agents at the same
 * time. Output is copied in whole lines, completely: following ends after the last byte of every container
 * was written. A container's log is read from the agent that ran the container. If that agent does not answer
 * after the container ended, a line on stderr names the container whose output is missing.
 */
#ifndef CREEL_CLI_FOLLOW_H
#define CREEL_CLI_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "client/include/creel.h"
#include "common/base/err.h"

enum follow_prefix {
    FOLLOW_PREFIX_AUTO, /* "[c03] " (the task's number) if there is more than one task */
    FOLLOW_PREFIX_ALWAYS,
    FOLLOW_PREFIX_NEVER,
};

struct follow_options { /* must be zeroed first */
    bool copy_stdout;   /* copies containers' stdout to stdout */
    bool copy_stderr;   /* copies containers' stderr to stderr */
    enum follow_prefix prefix;
    const char *container_id; /* only this container; NULL: all but the built-in master of an application
                                 of tasks */
    uint64_t stdout_offset;   /* with CONTAINER_ID: first byte to copy */
    uint64_t stderr_offset;
    bool show_state;        /* on stderr: one status line, redrawn on a terminal; else one line per
                               change of state */
    bool kill_on_interrupt; /* Ctrl-C kills the application; else Ctrl-C detaches, and only a second
                               one within 1.5 s kills */
    bool only_look;         /* Ctrl-C ends following at once and never kills */
    int64_t limit_ms;       /* time limit; <= 0: none */
};

enum follow_end {
    FOLLOW_OVER,     /* the application has ended and all output was copied */
    FOLLOW_DETACHED, /* Ctrl-C: the application continues to run */
    FOLLOW_KILLING,  /* Ctrl-C again after the kill of the application was requested */
    FOLLOW_OUT_OF_TIME,
};

/* Follows APP_ID (a full id). Returns 0 with the reason of the end in *END and the last state of the
 * application in *APPS (free with creel_apps_free), which is unchanged after FOLLOW_DETACHED and
 * FOLLOW_KILLING: these do not wait for another answer. -EHOSTUNREACH: the RM did not answer for longer than
 * CREEL_PATIENCE_MS; -EACCES: it refuses our key; -ENOENT: no such application; -EPERM: not permitted for
 * this user. Catches SIGINT and SIGTERM meanwhile. CLIENT is borrowed for the call. */
int follow_app(struct creel_client *client, const char *app_id, const struct follow_options *options,
               enum follow_end *end, struct creel_apps **apps, struct err *err);

#endif
