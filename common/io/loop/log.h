/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - writes a daemon's log messages to journald or stderr, and its state to systemd
 *
 * Only main files and handlers log. Under journald (JOURNAL_STREAM) fields APP_ID=, CONTAINER_ID=, NODE= are
 * set; else a message is one line on stderr:
 *   2026-11-20T23:17:58.123Z info  node n1:8041: registered, 8192 MiB, 8 vcores
 * Lower case, no full stop, the object first.
 */
#ifndef CREEL_IO_LOG_H
#define CREEL_IO_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Objects that a log line is about; any member may be NULL. */
struct log_about {
    const char *app_id;
    const char *container_id;
    const char *node;
};

/* Sets the name of the daemon and the least important level that is written. Call it at start, before other
 * code runs: it sets the program's only global state, but for the counter of log_dropped. */
void log_open(const char *program, enum log_level level);
enum log_level log_level_now(void);
void log_set_level(enum log_level level);
const char *log_level_name(enum log_level level); /* "error", "warn", "info", "debug" */
enum log_level log_level_parse(const char *name); /* level named by creel.log.level; info if unknown */

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void log_about(const struct log_about *about, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One line about a request that changes something, in the form of YARN's RMAuditLogger, with tabs between
 * the fields. It is written at every log level.
 *   audit USER=ann  IP=10.0.0.7  OPERATION=Kill Application Request  RESULT=FAILURE  APPID=...
 * In the journal the fields are CREEL_AUDIT=1, USER=, IP=, OPERATION=, TARGET=, RESULT=, DESCRIPTION=,
 * APP_ID=, AUTH=, CALLER_CONTEXT=. */
struct log_audit {
    const char *user;
    const char *ip;     /* address of the peer; NULL: not known */
    const char *method; /* how the user is identified, such as "munge"; NULL or "": not known */
    const char *operation;
    const char *target; /* "": the cluster, or APP_ID */
    bool success;
    const char *description; /* what was changed, or the reason of a failure; "": none */
    const char *caller;      /* application whose job token was used; NULL: none */
    const char *app_id;      /* NULL: the request is not about an application */
};
void log_audit(const struct log_audit *audit);

/* Limits log lines that a peer can cause repeatedly: returns true at most once a second. MORE is a text
 * for the end of the line, with the number of calls that returned false since the last true one (" (and 17
 * more before)", or ""). Set LIMIT to zero before the first call. */
#define LOG_MORE_MAX 48
struct log_limit {
    int64_t passed_ms;
    unsigned held_back;
};
bool log_limit_pass(struct log_limit *limit, char more[LOG_MORE_MAX]);

/* Returns the number of lines that were not written since the start: kept back by log_limit_pass, or not
 * accepted by the journal or stderr. */
uint64_t log_dropped(void);

/* Sends READY=1, STATUS=..., WATCHDOG=1, STOPPING=1 to systemd; does nothing if systemd did not start the
 * daemon. */
void log_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Notify systemd that a reload begins (systemctl reload waits for its end), and that it has ended. */
void log_notify_reloading(void);
void log_notify_reloaded(void);

#endif
