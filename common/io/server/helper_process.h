/* SPDX-License-Identifier: Apache-2.0 */
/*
 * helper_process.h - starts a program of creel that serves this process over a pair of sockets
 *
 * The program gets an empty environment, no blocked or ignored signal, /dev/null as standard input and
 * output, and no descriptor but its socket and its standard error.
 */
#ifndef CREEL_IO_HELPER_PROCESS_H
#define CREEL_IO_HELPER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/err.h"

#define HELPER_FD 3 /* the program's number of its socket */

struct helper_program {
    const char *path;
    const char *purpose;          /* for errors: "which serves the ports" */
    const char *const *arguments; /* the name first; ends with NULL */
    int socket_type;              /* SOCK_STREAM or SOCK_SEQPACKET */
};

struct helper_process {
    pid_t pid;
    int fd;     /* this process's end of the pair of sockets; it blocks */
    int errors; /* pipe from its standard error, which does not block; -1: none, it writes to that of this
                   process */
};

/* Returns the path of the program NAME: that of the environment variable VARIABLE if it is set, else the
 * program beside this one in a build tree, else the installed one. The caller frees it. */
char *helper_find_program(const char *name, const char *variable);
/* Starts PROGRAM; CAPTURE: with a pipe for its standard error. The caller closes the descriptors of *RET,
 * and calls helper_process_end. */
int helper_process_start(const struct helper_program *program, bool capture, struct helper_process *ret,
                         struct err *err);
/* Kills PID, if it has not ended, and waits for its end. Returns its status, as waitpid. */
int helper_process_end(pid_t pid);

#endif
