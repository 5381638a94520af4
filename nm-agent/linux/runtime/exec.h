/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - runs a command of a client inside a running container
 *
 * The command is in the container's cgroups and has its user, environment and directory. Its parent is a
 * separate creel-shim outside of the container. This shim reports the exit of the command. When CONTROL is
 * closed it stops the command, with all its descendants: SIGTERM, and SIGKILL after the kill delay. Neither a
 * lost client nor a killed agent leaves a command running. When the container is stopped, so is the command.
 */
#ifndef CREEL_NM_EXEC_H
#define CREEL_NM_EXEC_H

#include <sys/types.h>

#include "nm-agent/linux/runtime.h"
#include "nm-agent/linux/shim/exec_message.h"

struct exec_terminal {
    unsigned rows, columns;
    const char *term; /* TERM of the command; "": not set */
};

struct exec_process { /* descriptors are owned by the caller: exec_close */
    int in, out, err; /* non-blocking; with a terminal, IN and OUT are the terminal and ERR
                         is -1 */
    int control;      /* receives struct exec_message; sends signal numbers (int) */
    pid_t shim;       /* child that the caller must wait for */
};

/* Starts LAUNCH->argv inside LAUNCH's container, on TERMINAL unless that is NULL. The result is reported on
 * CONTROL: EXEC_STARTED and EXEC_ENDED, or EXEC_FAILED. LAUNCH has the parameters of the container itself,
 * but with the ARGV of the command.
 *   -ESRCH  the container does not run (it has ended, or not started yet)
 *   -EMFILE, -EAGAIN, -ENOMEM, ...  the machine is short of a resource */
int runtime_exec(struct runtime *runtime, const struct launch *launch, const struct exec_terminal *terminal,
                 struct exec_process *process, struct err *err);
/* Sets the terminal size of PROCESS. */
void exec_resize(const struct exec_process *process, unsigned rows, unsigned columns);
/* Closes the descriptors; then the shim stops the command if it still runs. May be called repeatedly. */
void exec_close(struct exec_process *process);

#endif
