/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_shell.c - the shell or command of an allocation, a child of this process on the same terminal */
#include "client/cli/run/alloc_shell.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"

#define HANG_UP_MS 3000 /* between SIGHUP and SIGKILL */
#define LOOK_MS 20

void alloc_shell_init(struct alloc_shell *shell)
{
    *shell = (struct alloc_shell){ .pid = 0 };
    if (getrlimit(RLIMIT_NOFILE, &shell->files) < 0)
        shell->files = (struct rlimit){ .rlim_cur = 1024, .rlim_max = RLIM_INFINITY };
    shell->terminal = tcgetattr(STDIN_FILENO, &shell->before) == 0;
}

/* Undoes what the loop did to signals and limits. */
static void reset(const struct alloc_shell *shell)
{
    static const int numbers[] = { SIGPIPE, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD, SIGTTOU, SIGTSTP };
    sigset_t none;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        signal(numbers[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &shell->files);
}

static _Noreturn void be_child(const struct alloc_shell *shell, const char *const *command,
                               const char *const *variables)
{
    int error;

    /* If this process is killed, the shell has no allocation any more. */
    prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0);
    reset(shell);
    unsetenv("CREEL_TOKEN_FILE");
    for (; *variables; variables++)
        putenv((char *)(uintptr_t)*variables);
    execvp(command[0], (char *const *)(uintptr_t)command);
    error = errno;
    fprintf(stderr, "creel: %s: %s\n", command[0], strerror(error));
    _exit(error == ENOENT ? 127 : 126);
}

int alloc_shell_start(struct alloc_shell *shell, const char *const *command, const char *const *variables,
                      struct err *err)
{
    pid_t pid;

    signal(SIGTTOU, SIG_IGN); /* messages while a job of the shell has the terminal */
    pid = fork();
    if (pid == 0)
        be_child(shell, command, variables);
    if (pid < 0)
        return err_set_errno(err, errno, "a process for %s", command[0]);
    shell->pid = pid;
    return 0;
}

void alloc_shell_signal(const struct alloc_shell *shell, int signal_number)
{
    if (shell->pid == 0)
        return;
    kill(shell->pid, signal_number);
    kill(shell->pid, SIGCONT);
}

bool alloc_shell_has_ended(struct alloc_shell *shell, int *exit_status)
{
    int status;

    if (shell->pid == 0 || waitpid(shell->pid, &status, WNOHANG) != shell->pid)
        return false;
    shell->pid = 0;
    *exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

void alloc_shell_hang_up(struct alloc_shell *shell)
{
    const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000 };
    int ignored;

    alloc_shell_signal(shell, SIGHUP);
    for (int waited = 0; waited < HANG_UP_MS && shell->pid > 0; waited += LOOK_MS)
        if (!alloc_shell_has_ended(shell, &ignored))
            nanosleep(&pause, NULL);
    if (shell->pid == 0)
        return;
    alloc_shell_signal(shell, SIGKILL);
    while (waitpid(shell->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    shell->pid = 0;
}

void alloc_shell_restore(const struct alloc_shell *shell)
{
    if (!shell->terminal)
        return;
    signal(SIGTTOU, SIG_IGN);
    (void)tcsetpgrp(STDIN_FILENO, getpgrp());
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &shell->before);
}
