/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - main function shared by the daemons creel-rm and creel-nm: options, configuration, exit status
 *
 * Parses --conf DIR, -v, --help and --version, loads the configuration, opens the log, and runs the daemon.
 * Until a daemon is ready, errors are also printed to standard error, for the user who starts the daemon.
 */
#ifndef CREEL_DAEMON_PROGRAM_H
#define CREEL_DAEMON_PROGRAM_H

#include <stdbool.h>

#include "common/base/err.h"
#include "common/conf/conf.h"

/* Action that a program runs instead of the daemon if --OPTION was given. */
struct program_action {
    const char *option;
    const char *argument; /* name of the argument in --help; NULL: no argument */
    const char *help;     /* one line of --help */
    /* Returns the same values as `run` of struct program; writes to standard output. */
    int (*run)(const struct conf *conf, const char *argument, struct err *err);
};

#define PROGRAM_ACTIONS_MAX 8

struct program {
    const char *name; /* "creel-rm" */
    const char *help; /* text that --help prints after the usage line */
    const char *examples;
    /* Starts the daemon, serves until a signal arrives, cleans up. A negative result: the daemon could not
     * start or continue; ERR has the reason, or code 0 if the reason was logged. -EINVAL: the configuration
     * is not valid. */
    int (*run)(const struct conf *conf, bool verbose, struct err *err);
    const struct program_action *actions; /* ends with an action whose OPTION is NULL; NULL: no
                                             actions */
};

/* Returns the exit status: 0 stopped, 2 wrong usage, 4 not permitted (-EPERM; systemd does not restart the
 * daemon), 7 configuration invalid, 9 state damaged or lost (-EBADMSG; systemd does not restart the
 * daemon, an operator must decide), 1 any other error; for actions also 5, another process uses the state
 * (-EBUSY). */
int program_main(const struct program *program, int argc, char **argv);

/* Prints the reason in ERR to standard error if RESULT, of `run`, is negative, and returns the exit status:
 * for a daemon that has to end with _exit. */
int program_report(const char *name, int result, const struct err *err);

#endif
