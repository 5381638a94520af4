/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.h - a command of a client inside a container that runs
 *
 * The command is a member of the container's cgroups, its user's, with its
 * environment and directory. Its parent is a creel-shim of its own, outside of the
 * container, which hands its end over and kills it, and all that it began, as
 * soon as CONTROL is closed: neither a lost client nor a killed agent leaves a
 * command behind. Nothing of it outlives the container.
 */
#ifndef CREEL_NM_EXEC_H
#define CREEL_NM_EXEC_H

#include <sys/types.h>

#include "nm-agent/linux/exec_message.h"
#include "nm-agent/linux/runtime.h"

struct exec_terminal {
    unsigned rows, columns;
    const char *term;                   /* TERM of the command; "": none */
};

struct exec_process {                   /* descriptors are the caller's: exec_close */
    int in, out, err;                   /* do not block; ERR is -1 and IN and OUT are one terminal
                                           if there is one */
    int control;                        /* struct exec_message comes; signal numbers (int) go */
    pid_t shim;                         /* the caller's child, to be waited for */
};

/* Start LAUNCH->argv inside LAUNCH's container, on TERMINAL unless that is NULL. What comes of it is
 * reported by CONTROL: EXEC_STARTED and EXEC_ENDED, or EXEC_FAILED. LAUNCH is the container's own but
 * for its command.
 *   -ESRCH  the container does not run (any more, or not yet)
 *   -EMFILE, -EAGAIN, -ENOMEM, ...  the machine is short of something */
int runtime_exec(struct runtime *runtime, const struct launch *launch,
                 const struct exec_terminal *terminal, struct exec_process *process,
                 struct err *err);
/* The terminal of PROCESS has a new size. */
void exec_resize(const struct exec_process *process, unsigned rows, unsigned columns);
/* Let go of it: what runs of it is killed, by its shim. Safe to repeat. */
void exec_close(struct exec_process *process);

#endif
