/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - writes a daemon's log messages to journald or stderr, and its state to systemd */
#include "common/io/loop/log.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "common/base/monotonic.h"

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#define LINE_MAX_BYTES 4096
#define LIMIT_MS 1000

static const struct {
    const char *name;
    int priority;
} levels[] = {
    [LOG_LEVEL_ERROR] = { "error", LOG_ERR },
    [LOG_LEVEL_WARN] = { "warn", LOG_WARNING },
    [LOG_LEVEL_INFO] = { "info", LOG_INFO },
    [LOG_LEVEL_DEBUG] = { "debug", LOG_DEBUG },
};

/* Set by log_open before any other code runs. */
static struct {
    const char *program;
    enum log_level level;
    bool journal;
} settings = { "creel", LOG_LEVEL_INFO, false };

/* Lines that were not written. Counted by any thread. */
static atomic_uint_fast64_t dropped_lines;

uint64_t log_dropped(void)
{
    return atomic_load_explicit(&dropped_lines, memory_order_relaxed);
}

static void count_dropped(void)
{
    atomic_fetch_add_explicit(&dropped_lines, 1, memory_order_relaxed);
}

static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    uint64_t device, inode;
    struct stat st;

    return stream != NULL && sscanf(stream, "%" SCNu64 ":%" SCNu64, &device, &inode) == 2 &&
           fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

void log_open(const char *program, enum log_level level)
{
    settings.program = program;
    settings.level = level;
    settings.journal = stderr_is_journal();
}

enum log_level log_level_now(void)
{
    return settings.level;
}

void log_set_level(enum log_level level)
{
    settings.level = level;
}

const char *log_level_name(enum log_level level)
{
    return levels[level].name;
}

enum log_level log_level_parse(const char *name)
{
    for (int i = LOG_LEVEL_ERROR; name != NULL && i <= LOG_LEVEL_DEBUG; i++)
        if (strcasecmp(name, levels[i].name) == 0)
            return (enum log_level)i;
    if (name != NULL && strcasecmp(name, "warning") == 0) /* another spelling allowed by creel.log.level */
        return LOG_LEVEL_WARN;
    return LOG_LEVEL_INFO;
}

static void set_field(struct iovec *field, char *buffer, size_t size, const char *name, const char *value)
{
    int length = snprintf(buffer, size, "%s=%s", name, value);

    field->iov_base = buffer;
    field->iov_len = length < (int)size ? (size_t)length : size - 1;
}

static void write_journal(const struct log_about *about, enum log_level level, const char *text)
{
    char message[LINE_MAX_BYTES + 16], priority[16], identifier[64], fields[3][256];
    struct iovec out[6];
    int count = 0;

    set_field(&out[count++], message, sizeof(message), "MESSAGE", text);
    snprintf(priority, sizeof(priority), "PRIORITY=%d", levels[level].priority);
    out[count].iov_base = priority;
    out[count++].iov_len = strlen(priority);
    set_field(&out[count++], identifier, sizeof(identifier), "SYSLOG_IDENTIFIER", settings.program);
    if (about != NULL && about->app_id != NULL)
        set_field(&out[count++], fields[0], sizeof(fields[0]), "APP_ID", about->app_id);
    if (about != NULL && about->container_id != NULL)
        set_field(&out[count++], fields[1], sizeof(fields[1]), "CONTAINER_ID", about->container_id);
    if (about != NULL && about->node != NULL)
        set_field(&out[count++], fields[2], sizeof(fields[2]), "NODE", about->node);
    if (sd_journal_sendv(out, count) < 0)
        count_dropped();
}

static void write_stderr(enum log_level level, const char *text)
{
    char line[LINE_MAX_BYTES + 64];
    struct timespec now;
    struct tm utc;
    int length;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    length = snprintf(line, sizeof(line), "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %-5s %s\n",
                      utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                      now.tv_nsec / 1000000, levels[level].name, text);
    if (length >= (int)sizeof(line)) {
        length = (int)sizeof(line) - 1;
        line[length - 1] = '\n';
    }
    /* One write, so that lines of several processes do not mix. A write error can only be counted. */
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        count_dropped();
}

/* Text from a peer or a command must not forge log lines or control the terminal. */
static void remove_controls(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
}

static void write_line(const struct log_about *about, enum log_level level, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

static void write_line(const struct log_about *about, enum log_level level, const char *format, va_list args)
{
    char text[LINE_MAX_BYTES];

    if (level > settings.level)
        return;
    vsnprintf(text, sizeof(text), format, args);
    remove_controls(text);
    if (settings.journal)
        write_journal(about, level, text);
    else
        write_stderr(level, text);
}

void log_line(enum log_level level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line(NULL, level, format, args);
    va_end(args);
}

void log_about(const struct log_about *about, enum log_level level, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    write_line(about, level, format, args);
    va_end(args);
}

#define AUDIT_FIELDS 9
#define AUDIT_BYTES 600

/* Writes the fields to the journal, and TEXT, which has them all, as message. */
static void write_audit_journal(char fields[AUDIT_FIELDS][AUDIT_BYTES], size_t count, char *text)
{
    static char mark[] = "CREEL_AUDIT=1", priority[] = "PRIORITY=6";
    struct iovec out[AUDIT_FIELDS + 4];
    char message[LINE_MAX_BYTES + 16], identifier[64];
    size_t n = 0;

    set_field(&out[n++], message, sizeof(message), "MESSAGE", text);
    set_field(&out[n++], identifier, sizeof(identifier), "SYSLOG_IDENTIFIER", settings.program);
    out[n++] = (struct iovec){ mark, sizeof(mark) - 1 };
    out[n++] = (struct iovec){ priority, sizeof(priority) - 1 };
    for (size_t i = 0; i < count; i++)
        out[n++] = (struct iovec){ fields[i], strlen(fields[i]) };
    if (sd_journal_sendv(out, (int)n) < 0)
        count_dropped();
}

void log_audit(const struct log_audit *audit)
{
    const struct {
        const char *name, *journal_name, *value;
    } all[AUDIT_FIELDS] = {
        { "USER", "USER", audit->user },
        { "IP", "IP", audit->ip },
        { "OPERATION", "OPERATION", audit->operation },
        { "TARGET", "TARGET", audit->target },
        { "RESULT", "RESULT", audit->success ? "SUCCESS" : "FAILURE" },
        { "DESCRIPTION", "DESCRIPTION", audit->description },
        { "APPID", "APP_ID", audit->app_id },
        { "AUTH", "AUTH", audit->method },
        { "CALLERCONTEXT", "CALLER_CONTEXT", audit->caller },
    };
    char fields[AUDIT_FIELDS][AUDIT_BYTES], text[LINE_MAX_BYTES] = "audit ";
    size_t count = 0, used = strlen(text);

    for (size_t i = 0; i < AUDIT_FIELDS; i++) {
        if (all[i].value == NULL || all[i].value[0] == '\0')
            continue;
        snprintf(fields[count], AUDIT_BYTES, "%s=%s", all[i].journal_name, all[i].value);
        remove_controls(fields[count]);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s", count > 0 ? "\t" : "",
                                 all[i].name, strchr(fields[count], '=') + 1);
        count++;
    }
    if (settings.journal)
        write_audit_journal(fields, count, text);
    else
        write_stderr(LOG_LEVEL_INFO, text);
}

bool log_limit_pass(struct log_limit *limit, char more[LOG_MORE_MAX])
{
    int64_t now_ms = monotonic_ms();

    if (limit->passed_ms != 0 && now_ms - limit->passed_ms < LIMIT_MS) {
        limit->held_back++;
        count_dropped();
        return false;
    }
    more[0] = '\0';
    if (limit->held_back > 0)
        snprintf(more, LOG_MORE_MAX, " (and %u more before)", limit->held_back);
    *limit = (struct log_limit){ .passed_ms = now_ms };
    return true;
}

void log_notify_reloading(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    log_notify("RELOADING=1\nMONOTONIC_USEC=%" PRId64, (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

void log_notify_reloaded(void)
{
    log_notify("READY=1");
}

void log_notify(const char *format, ...)
{
    char text[LINE_MAX_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    sd_notify(0, text);
}
