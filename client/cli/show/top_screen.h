/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_screen.h - a terminal on which creel top draws again and again
 *
 * It uses the second screen of the terminal, shows typed keys only to the caller, and hides the cursor,
 * until it is closed. Signals that end or stop the process are blocked meanwhile, and reported by
 * top_screen_wait, so that the terminal is restored.
 */
#ifndef CREEL_CLI_TOP_SCREEN_H
#define CREEL_CLI_TOP_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "common/base/err.h"

struct top_screen {
    struct termios before;
    sigset_t signals_before;
    int signal_fd;
};

/* The input must be a terminal. -errno: the terminal is as before. */
int top_screen_open(struct top_screen *screen, struct err *err);
void top_screen_close(struct top_screen *screen);
/* Begins a picture: moves to the upper left corner and clears. Returns the number of lines. */
size_t top_screen_begin(void);

enum { TOP_SCREEN_DUE = 0, TOP_SCREEN_SIGNAL = 1 << 16 };
/* Returns a key that was typed; TOP_SCREEN_DUE: WAIT_MS have passed, or the picture is to be drawn again;
 * TOP_SCREEN_SIGNAL + a signal that ends the process. A signal that stops it is handled here. */
int top_screen_wait(struct top_screen *screen, int64_t wait_ms);

#endif
