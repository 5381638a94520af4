/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_shell.h - the shell or command of an allocation, a child of this process on the same terminal
 */
#ifndef CREEL_CLI_ALLOC_SHELL_H
#define CREEL_CLI_ALLOC_SHELL_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <termios.h>

#include "common/base/err.h"

struct alloc_shell {
    pid_t pid;           /* 0: not started, or ended */
    struct rlimit files; /* limit of open files for the child, as it was at the start of this process */
    bool terminal;       /* standard input is a terminal with the attributes BEFORE */
    struct termios before;
};

/* Notes what the child gets, before a loop changes it. */
void alloc_shell_init(struct alloc_shell *shell);
/* Starts COMMAND with VARIABLES ("NAME=value"; both end with NULL) in addition to this environment. */
int alloc_shell_start(struct alloc_shell *shell, const char *const *command, const char *const *variables,
                      struct err *err);
void alloc_shell_signal(const struct alloc_shell *shell, int signal_number);
/* Returns true if the child has ended, with its exit status as a shell reports it. */
bool alloc_shell_has_ended(struct alloc_shell *shell, int *exit_status);
/* Ends the child as a terminal does that is closed. */
void alloc_shell_hang_up(struct alloc_shell *shell);
/* Gives the terminal back to this process, as it was. */
void alloc_shell_restore(const struct alloc_shell *shell);

#endif
