/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_display.h - output and progress on one terminal without disturbing each other
 *
 * Data goes to stdout and stderr as it is. The state goes to stderr: on a
 * terminal one line that is redrawn (never longer than it is wide), else one line
 * per change of state.
 */
#ifndef CREEL_CLI_FOLLOW_DISPLAY_H
#define CREEL_CLI_FOLLOW_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

struct follow_display {
    bool show_state;
    bool terminal;                      /* stderr is one, and it can be redrawn */
    bool drawn;                         /* the line is on the terminal now */
    bool mid_line;                      /* what was written last had no newline */
    char line[512];
    int last_state;
    char last_reason[64];
};

void follow_display_init(struct follow_display *display, bool show_state);
/* Copy to stdout or stderr, whole. */
void follow_display_write(struct follow_display *display, bool is_stderr, const char *data,
                          size_t size);
/* One line for people on stderr, "creel: " before it. */
void follow_display_say(struct follow_display *display, const char *text);
/* NOW_MS is the wall clock. */
void follow_display_app(struct follow_display *display, const Creel__AppReport *app,
                        int64_t now_ms);
/* Take the line away. */
void follow_display_clear(struct follow_display *display);

/* "RUNNING" */
const char *follow_state_name(Creel__AppState state);

#endif
