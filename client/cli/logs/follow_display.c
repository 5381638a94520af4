/* SPDX-License-Identifier: Apache-2.0 */
/* follow_display.c - writes output and a progress line to one terminal without mixing them */
#include "client/cli/logs/follow_display.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "client/include/creel.h"
#include "common/base/mem.h"
#include "common/base/text.h"

void follow_display_init(struct follow_display *display, bool show_state)
{
    const char *terminal = getenv("TERM");

    *display = (struct follow_display){ .show_state = show_state, .last_state = -1 };
    display->terminal = show_state && isatty(STDERR_FILENO) && !text_equal(terminal, "dumb");
}

/* Ignores write errors (closed file, full disk): on a closed pipe SIGPIPE ends the process, as for cat. */
static void write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);

        if (n < 0 && errno == EAGAIN) {
            struct pollfd wait = { .fd = fd, .events = POLLOUT };

            poll(&wait, 1, 1000);
            continue;
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        data += n;
        size -= (size_t)n;
    }
}

static unsigned terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
        return 80;
    return size.ws_col;
}

void follow_display_clear(struct follow_display *display)
{
    if (display->drawn)
        write_all(STDERR_FILENO, "\r\033[K", 4);
    display->drawn = false;
}

static void draw(struct follow_display *display)
{
    size_t length = strlen(display->line), width = terminal_width();

    if (!display->terminal || display->mid_line || !length)
        return;
    follow_display_clear(display);
    write_all(STDERR_FILENO, display->line, length < width ? length : width - 1);
    display->drawn = true;
}

void follow_display_write(struct follow_display *display, bool is_stderr, const char *data, size_t size)
{
    if (!size)
        return;
    follow_display_clear(display);
    write_all(is_stderr ? STDERR_FILENO : STDOUT_FILENO, data, size);
    display->mid_line = data[size - 1] != '\n';
    draw(display);
}

void follow_display_print(struct follow_display *display, const char *text)
{
    scoped_free char *line = mem_printf("creel: %s\n", text);

    follow_display_write(display, true, line, strlen(line));
}

static const char *follow_state_name(Creel__AppState state)
{
    return creel_app_state_name((enum creel_app_state)state);
}

static void print_change(struct follow_display *display, const Creel__AppReport *app)
{
    scoped_free char *text = NULL;

    if (display->last_state == (int)app->state && text_equal(display->last_reason, app->reason_code))
        return;
    display->last_state = (int)app->state;
    snprintf(display->last_reason, sizeof(display->last_reason), "%.63s", app->reason_code);
    text = mem_printf(
        "%s %s%s%s%s%s%s", app->app_id, follow_state_name(app->state), app->reason_code[0] ? ": " : "",
        app->reason_code, app->reason_code[0] && app->reason[0] ? " (" : "",
        app->reason_code[0] ? app->reason : "", app->reason_code[0] && app->reason[0] ? ")" : "");
    follow_display_print(display, text);
}

static void update_line(struct follow_display *display, const Creel__AppReport *app, int64_t now_ms)
{
    char elapsed[TEXT_SIZE_MAX], tasks[96] = "";
    int64_t end_ms = app->finished_ms ? app->finished_ms : now_ms;
    int64_t begin_ms = app->submitted_ms && app->submitted_ms < end_ms ? app->submitted_ms : end_ms;

    if (app->tasks && app->tasks->total)
        snprintf(tasks, sizeof(tasks), "  %u/%u tasks done, %u running",
                 app->tasks->succeeded + app->tasks->failed, app->tasks->total,
                 app->tasks->running - app->tasks->queued);
    else
        snprintf(tasks, sizeof(tasks), "  %u/%u containers", app->running_containers,
                 app->running_containers + app->pending_containers);
    snprintf(display->line, sizeof(display->line), "%s %s%s  %s%s%.40s", app->app_id,
             follow_state_name(app->state), tasks, text_format_elapsed_ms(end_ms - begin_ms, elapsed),
             app->reason_code[0] ? "  " : "", app->reason_code);
    draw(display);
}

void follow_display_app(struct follow_display *display, const Creel__AppReport *app, int64_t now_ms)
{
    if (!display->show_state)
        return;
    if (display->terminal)
        update_line(display, app, now_ms);
    else
        print_change(display, app);
}
