/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - options, configuration and exit status of creel-rm and creel-nm
 *
 * Reads --conf DIR, -v, --help and --version, loads the configuration, opens the log, and runs the daemon.
 * Until a daemon is ready, its errors are also printed to standard error, for the user who starts it.
 */
#ifndef CREEL_DAEMON_PROGRAM_H
#define CREEL_DAEMON_PROGRAM_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

/* What a program does instead of serving, if --OPTION was given. */
struct program_action {
    const char *option;
    const char *argument;               /* how help calls it; NULL: it takes none */
    const char *help;                   /* one line */
    /* As run below; output goes to standard output. */
    int (*run)(const struct conf *conf, const char *argument, struct err *err);
};

#define PROGRAM_ACTIONS_MAX 8

struct program {
    const char *name;                   /* "creel-rm" */
    const char *help;                   /* what --help prints, after the usage line */
    const char *examples;
    /* Start, serve until a signal ends the daemon, clean up. Below 0: it could not start or go on; ERR has
     * the reason, or code 0 if it was logged. -EINVAL: the configuration is not valid. */
    int (*run)(const struct conf *conf, bool verbose, struct err *err);
    const struct program_action *actions;       /* ends with one without OPTION; NULL: none */
};

/* The exit status: 0 stopped, 2 wrong usage, 4 not permitted (-EPERM; the units do not start such a
 * one again), 7 configuration invalid, 9 the state is damaged or has lost something (-EBADMSG; an operator
 * decides, so that the units do not start it again either), 1 anything else; of actions also 5, another
 * process uses the state (-EBUSY). */
int program_main(const struct program *program, int argc, char **argv);

#endif
