/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - follow an application until it is over: state, progress, output
 *
 * What `run`, `submit --wait [--logs]` and `logs -f` do between the
 * submission and the exit code. One loop asks the RM for the application's
 * state and containers and reads all logs from the agents at once. Output is copied
 * line by line, never torn, whole: it ends after the last byte of every
 * container was written. A container is read on the agent that ran it; if that
 * agent stays away after the container ended, a line on stderr names what is missing.
 */
#ifndef CREEL_CLI_FOLLOW_H
#define CREEL_CLI_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "client/include/creel.h"
#include "common/base/err.h"

enum follow_prefix {
    FOLLOW_PREFIX_AUTO,         /* "[c03] " (the task's number) if there is more than one task */
    FOLLOW_PREFIX_ALWAYS,
    FOLLOW_PREFIX_NEVER,
};

struct follow_options {         /* zero it first */
    bool copy_stdout;           /* containers' stdout to ours */
    bool copy_stderr;           /* containers' stderr to ours */
    enum follow_prefix prefix;
    const char *container_id;   /* only this one; NULL: all but the built-in master of an
                                   application of tasks */
    uint64_t stdout_offset;     /* with CONTAINER_ID: begin there */
    uint64_t stderr_offset;
    bool show_state;            /* on stderr: one status line redrawn on a terminal, else one
                                   line per change of state */
    bool kill_on_interrupt;     /* Ctrl-C kills; else it detaches, and only a second one within
                                   a second and a half kills */
    bool only_look;             /* Ctrl-C ends the looking at once and never kills */
    int64_t limit_ms;           /* give up after; <= 0: never */
};

enum follow_end {
    FOLLOW_OVER,                /* the application is over and everything was copied */
    FOLLOW_DETACHED,            /* Ctrl-C: it goes on without us */
    FOLLOW_OUT_OF_TIME,
};

/* Follow APP_ID (a full id). On 0 *END has the reason of the end, and *APPS the
 * application as last seen (free with creel_apps_free). -EHOSTUNREACH: the RM was away for
 * longer than CREEL_PATIENCE_MS; -ENOENT no such application, -EPERM not for this user.
 * Takes SIGINT and SIGTERM while it runs. CLIENT is not used by it for longer than the call. */
int follow_app(struct creel_client *client, const char *app_id,
               const struct follow_options *options, enum follow_end *end,
               struct creel_apps **apps, struct err *err);

#endif
