/* SPDX-License-Identifier: Apache-2.0 */
/* top_screen.c - a terminal on which creel top draws again and again */
#include "client/cli/show/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define LINES_USUAL 24

/* Control sequences of ECMA-48 and xterm: second screen, cursor, clearing. */
#define SEQUENCE_BEGIN "\033[?1049h\033[?25l"
#define SEQUENCE_END "\033[?25h\033[?1049l"
#define SEQUENCE_CLEAR "\033[H\033[2J"

static int set_terminal(const struct top_screen *screen)
{
    struct termios quiet = screen->before;

    quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet) < 0)
        return -errno;
    fputs(SEQUENCE_BEGIN, stdout);
    return 0;
}

static void restore_terminal(const struct top_screen *screen)
{
    fputs(SEQUENCE_END, stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &screen->before);
}

int top_screen_open(struct top_screen *screen, struct err *err)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH };
    sigset_t set;
    int r;

    if (tcgetattr(STDIN_FILENO, &screen->before) < 0)
        return err_set_errno(err, errno, "standard input is no terminal");
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaddset(&set, signals[i]);
    screen->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (screen->signal_fd < 0)
        return err_set_errno(err, errno, "signals cannot be read");
    sigprocmask(SIG_BLOCK, &set, &screen->signals_before);
    r = set_terminal(screen);
    if (r == 0)
        return 0;
    sigprocmask(SIG_SETMASK, &screen->signals_before, NULL);
    close(screen->signal_fd);
    return err_set_errno(err, -r, "the terminal cannot be set");
}

void top_screen_close(struct top_screen *screen)
{
    restore_terminal(screen);
    sigprocmask(SIG_SETMASK, &screen->signals_before, NULL);
    close(screen->signal_fd);
}

size_t top_screen_begin(void)
{
    struct winsize size;

    fputs(SEQUENCE_CLEAR, stdout);
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : LINES_USUAL;
}

static int handle_signal(struct top_screen *screen)
{
    struct signalfd_siginfo info;
    int number;

    if (read(screen->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return TOP_SCREEN_DUE;
    number = (int)info.ssi_signo;
    if (number == SIGWINCH)
        return TOP_SCREEN_DUE;
    if (number != SIGTSTP)
        return TOP_SCREEN_SIGNAL + number;
    restore_terminal(screen);
    raise(SIGSTOP);
    (void)set_terminal(screen);
    return TOP_SCREEN_DUE;
}

int top_screen_wait(struct top_screen *screen, int64_t wait_ms)
{
    struct pollfd polled[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                               { .fd = screen->signal_fd, .events = POLLIN } };
    unsigned char key;

    fflush(stdout);
    if (poll(polled, 2, (int)wait_ms) <= 0)
        return TOP_SCREEN_DUE;
    if (polled[1].revents != 0)
        return handle_signal(screen);
    /* The end of the input is that of the terminal. */
    return read(STDIN_FILENO, &key, 1) == 1 ? key : TOP_SCREEN_SIGNAL + SIGHUP;
}
