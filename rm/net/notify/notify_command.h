/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify_command.h - runs the notify command once, as its user, with a text on standard input and a timeout
 *
 * Blocks, so it is called in a thread (worker.h); SIGPIPE must be ignored (loop_new does that). The command
 * gets a session and process group of its own. No process of that group is left when the function returns,
 * unless the kernel cannot end one.
 */
#ifndef CREEL_RM_NOTIFY_COMMAND_H
#define CREEL_RM_NOTIFY_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/err.h"

#define NOTIFY_ERRORS_MAX 200 /* bytes of the command's standard error in the error message */

struct notify_command {
    char *const *argv; /* argv[0] is an absolute path; all is borrowed */
    char *const *environment;
    int64_t timeout_ms;
    int stop_fd;      /* when it becomes readable, the command is killed */
    bool switch_user; /* run as USER, GROUP and GROUPS; else as the user of the calling process */
    uid_t user;
    gid_t group;
    const gid_t *groups;
    size_t group_count;
};

/* Runs COMMAND and returns 0 if its exit status is 0. Else ERR has the reason as a part of a sentence ("exit
 * status 3: no such mailbox"). -ETIMEDOUT: the command was killed after its timeout, or does not end.
 * -ECANCELED: it was killed because of STOP_FD. -ECHILD: it failed. Other errors: it could not be started. */
int notify_command_run(const struct notify_command *command, const char *text, size_t length,
                       struct err *err);

#endif
