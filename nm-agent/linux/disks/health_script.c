/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health_script.c - runs the operator's health script
 *
 * The script runs periodically. A line of its output that begins with ERROR makes the node unhealthy, until a
 * run has no such line; the exit status is ignored. The agent does not wait for the script: it reads the
 * output whenever it checks the disks.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/spawn.h"
#include "common/base/text_print.h"
#include "nm-agent/linux/disks/health.h"

#define ARGUMENTS_MAX 64
#define READ_AT_ONCE_MAX 65536 /* limit for a script that writes without end */

/* --- output ---------------------------------------------------------------- */

static void parse_line(struct health *health)
{
    health->line[health->line_length] = '\0';
    if (strncmp(health->line, "ERROR", 5) == 0 && health->script_error[0] == '\0')
        text_print(health->script_error, sizeof(health->script_error), "health script: %s", health->line);
    health->line_length = 0;
}

static void parse_text(struct health *health, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            parse_line(health);
        else if (health->line_length < sizeof(health->line) - 1)
            health->line[health->line_length++] = text[i];
    }
}

/* Reads available output, about READ_AT_ONCE_MAX bytes at most. */
static void read_output(struct health *health)
{
    char text[4096];
    ssize_t got;

    for (size_t sum = 0; sum < READ_AT_ONCE_MAX && health->script_fd >= 0; sum += (size_t)got) {
        got = read(health->script_fd, text, sizeof(text));
        if (got <= 0)
            return;
        parse_text(health, text, (size_t)got);
    }
}

/* --- start and end ----------------------------------------------------------- */

static void close_output(struct health *health)
{
    if (health->script_fd >= 0)
        close(health->script_fd);
    health->script_fd = -1;
}

/* Kills the script and all processes that it started: it leads a session. */
static void kill_script(struct health *health)
{
    kill(-health->script, SIGKILL);
    kill(health->script, SIGKILL);
    while (waitpid(health->script, NULL, 0) < 0 && errno == EINTR)
        ;
    health->script = 0;
}

void health_script_end(struct health *health)
{
    if (health->script > 0)
        kill_script(health);
    close_output(health);
}

static void conclude(struct health *health, int64_t now_ms)
{
    close_output(health);
    memcpy(health->script_verdict, health->script_error, sizeof(health->script_verdict));
    health->script_due_ms = now_ms + health->rules.script_interval_ms;
}

static int spawn(struct health *health, int out_fd)
{
    scoped_free char *options = mem_strdup(health->rules.script_options);
    scoped_free char *path = mem_strdup(health->rules.script);
    const char *argv[ARGUMENTS_MAX + 2] = { path };
    const int fds[] = { SPAWN_NULL, out_fd, SPAWN_NULL };
    const struct spawn script = {
        .program = path,
        .arguments = argv,
        .fds = fds,
        .fd_count = 3,
        .new_session = true,
        .usual_signals = true,
    };
    char *save = NULL;
    size_t count = 1;
    int result;

    for (char *word = strtok_r(options, ", ", &save); word && count <= ARGUMENTS_MAX;
         word = strtok_r(NULL, ", ", &save))
        argv[count++] = word;
    result = spawn_start(&script, &health->script);
    if (result != 0)
        health->script = 0;
    return result;
}

static void begin(struct health *health, int64_t now_ms)
{
    int out[2], result = 0;

    health->script_error[0] = '\0';
    health->line_length = 0;
    health->script_began_ms = now_ms;
    if (pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0)
        return; /* short of descriptors: try again later */
    /* The script's end of the pipe must block: the script may write faster than the agent reads. */
    fcntl(out[1], F_SETFL, 0);
    result = spawn(health, out[1]);
    close(out[1]);
    health->script_fd = out[0];
    if (result == 0)
        return;
    /* Differs: with a script that does not exist, a node of YARN is healthy. Here it is unhealthy, since the
     * operator expects the script to run. */
    text_print(health->script_error, sizeof(health->script_error),
               "health script: cannot run %s: %s (yarn.nodemanager.health-checker.script.path)",
               health->rules.script, strerror(-result));
    conclude(health, now_ms);
}

void health_script_go_on(struct health *health, int64_t now_ms)
{
    int status;

    if (*health->rules.script == '\0')
        return;
    if (health->script == 0) {
        if (now_ms >= health->script_due_ms)
            begin(health, now_ms);
        return;
    }
    if (waitpid(health->script, &status, WNOHANG) == health->script) {
        health->script = 0;
        read_output(health);
        parse_line(health);
        conclude(health, now_ms);
        return;
    }
    read_output(health);
    if (now_ms - health->script_began_ms < health->rules.script_timeout_ms)
        return;
    kill_script(health);
    text_print(health->script_error, sizeof(health->script_error),
               "health script: %s did not end within %lld ms (yarn.nodemanager.health-checker."
               "script.timeout-ms)",
               health->rules.script, (long long)health->rules.script_timeout_ms);
    conclude(health, now_ms);
}
