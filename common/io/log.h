/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - what a daemon tells its operator: journald, or lines on stderr
 *
 * Only main files and handlers log. Under journald (JOURNAL_STREAM) fields
 * APP_ID=, CONTAINER_ID=, NODE= are set; else one line on stderr:
 *   2026-11-20T23:17:58.123Z info  node n1:8041: registered, 8192 MiB, 8 vcores
 * Lower case, no full stop, the object first.
 */
#ifndef CREEL_IO_LOG_H
#define CREEL_IO_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Where one line belongs; any member may be NULL. */
struct log_about {
    const char *app_id;
    const char *container_id;
    const char *node;
};

/* PROGRAM names the daemon; LEVEL is the least important that is written. Call
 * once at start; the one global of the program, set before anything else runs. */
void log_open(const char *program, enum log_level level);
enum log_level log_level_parse(const char *name);       /* creel.log.level; info if unknown */

void log_line(enum log_level level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void log_about(const struct log_about *about, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For what a stranger can cause again and again: true at most once a second, with
 * the number of times that it was false before, as text for the end of the line
 * (" (and 17 more before)", or ""). Zeroed at the start. */
#define LOG_MORE_MAX 48
struct log_limit {
    int64_t passed_ms;
    unsigned held_back;
};
bool log_limit_pass(struct log_limit *limit, char more[LOG_MORE_MAX]);

/* READY=1, STATUS=..., WATCHDOG=1, STOPPING=1 to systemd; nothing without it. */
void log_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A reload begins (systemctl reload then waits for the end of it), and is over. */
void log_notify_reloading(void);
void log_notify_reloaded(void);

#endif
