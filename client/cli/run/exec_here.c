/* SPDX-License-Identifier: Apache-2.0 */
/* exec_here.c - a command inside a container, on this terminal or with these descriptors */
#include "client/cli/run/exec_here.h"

#include <errno.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/* Settings of the terminal before the command; not RAW: the terminal is left as it is. */
struct local_terminal {
    bool raw;
    struct termios before;
};

static void make_raw(struct local_terminal *terminal)
{
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &terminal->before) != 0)
        return;
    raw = terminal->before;
    cfmakeraw(&raw);
    terminal->raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

static void restore(const struct local_terminal *terminal)
{
    if (terminal->raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal->before);
}

int exec_here(struct cli *cli, const struct creel_container *container, const char *const *command,
              bool interactive, bool terminal)
{
    struct creel_exec exec = {
        .command = command,
        .in = interactive ? STDIN_FILENO : -1,
        .out = STDOUT_FILENO,
        .err = STDERR_FILENO,
        .terminal = terminal,
        .term = getenv("TERM"),
    };
    struct local_terminal local = { .raw = false };
    struct creel_exec_end end;
    struct creel_error error;
    int r;

    if (terminal && interactive)
        make_raw(&local);
    r = creel_container_exec(cli->client, container, &exec, &end, &error);
    restore(&local);
    if (r == -EINTR)
        return EXIT_INTERRUPTED;
    /* The connection was lost: it is not known how far the command got. */
    if (r == -ECONNRESET) {
        cli_fail(&error);
        return EXIT_SELF_FAILED;
    }
    if (r < 0)
        return cli_fail(&error);
    if (*end.diagnostics)
        fprintf(stderr, "creel: %s: %s\n", container->id, end.diagnostics);
    return end.exit_status;
}
