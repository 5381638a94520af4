/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_display.h - writes output and a progress line to one terminal without mixing them
 *
 * Output goes to stdout and stderr unchanged. The state goes to stderr: on a terminal as one line that is
 * redrawn (cut to the terminal's width), else as one line per change of state.
 */
#ifndef CREEL_CLI_FOLLOW_DISPLAY_H
#define CREEL_CLI_FOLLOW_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct follow_display {
    bool show_state;
    bool terminal; /* stderr is a terminal on which a line can be redrawn */
    bool drawn;    /* the status line is on the terminal now */
    bool mid_line; /* the last output did not end with a newline */
    char line[512];
    int last_state;
    char last_reason[64];
};

void follow_display_init(struct follow_display *display, bool show_state);
/* Copies DATA to stdout or stderr completely. */
void follow_display_write(struct follow_display *display, bool is_stderr, const char *data, size_t size);
/* Prints one message on stderr, with the prefix "creel: ". */
void follow_display_print(struct follow_display *display, const char *text);
/* Shows the state of APP. NOW_MS is the wall clock. */
void follow_display_app(struct follow_display *display, const Creel__AppReport *app, int64_t now_ms);
/* Removes the status line. */
void follow_display_clear(struct follow_display *display);

#endif
