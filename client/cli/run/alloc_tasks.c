/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_tasks.c - runs processes of this host at the same time, and copies their output line by line */
#include "client/cli/run/alloc_tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/logs/line_buffer.h"
#include "client/cli/logs/task_label.h"
#include "common/base/mem.h"
#include "common/base/spawn.h"

#define CHUNK_BYTES 32768

struct stream { /* standard output or error of a task */
    int fd;     /* read end; -1: closed */
    int to;     /* descriptor of this process */
    struct line_buffer lines;
};

struct task {
    pid_t pid; /* 0: not started, or ended */
    char label[TASK_LABEL_MAX];
    struct stream streams[2];
};

struct tasks {
    struct task *items; /* owned */
    uint32_t count;
    int signals; /* signalfd */
    int exit_status;
};

/* --- starting --------------------------------------------------------------------- */

static void fill_ending_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGQUIT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

/* INPUT: -1: none. */
static int spawn(struct task *task, int input, const char *const *words, const int ends[2],
                 const sigset_t *mask)
{
    const int fds[] = { input < 0               ? SPAWN_NULL
                        : input == STDIN_FILENO ? SPAWN_SAME
                                                : input,
                        ends[0], ends[1] };
    const struct spawn program = {
        .program = "/proc/self/exe",
        .arguments = words,
        .fds = fds,
        .fd_count = 3,
        .mask = mask,
    };

    return spawn_start(&program, &task->pid);
}

static int start(const struct tasks *tasks, uint32_t number, int input, const char *const *words,
                 const sigset_t *mask, struct err *err)
{
    struct task *task = &tasks->items[number];
    int pipes[2][2] = { { -1, -1 }, { -1, -1 } }, r = 0;

    for (int i = 0; i < 2 && r == 0; i++)
        if (pipe2(pipes[i], O_CLOEXEC) < 0)
            r = -errno;
    if (r == 0)
        r = spawn(task, input, words, (const int[]){ pipes[0][1], pipes[1][1] }, mask);
    for (int i = 0; i < 2; i++) {
        if (pipes[i][1] >= 0)
            close(pipes[i][1]);
        task->streams[i] = (struct stream){ .fd = pipes[i][0], .to = i == 0 ? STDOUT_FILENO : STDERR_FILENO };
    }
    return r < 0 ? err_set_errno(err, -r, "a process for task %u", number) : 0;
}

static void close_input(int input)
{
    if (input > STDIN_FILENO)
        close(input);
}

/* --- output -------------------------------------------------------------------------- */

static void put(void *context, const char *data, size_t size)
{
    const struct stream *stream = context;

    while (size > 0) {
        ssize_t written = write(stream->to, data, size);

        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        }
    }
}

static void copy(struct task *task, struct stream *stream)
{
    char bytes[CHUNK_BYTES];
    ssize_t got = read(stream->fd, bytes, sizeof(bytes));

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got > 0) {
        line_buffer_add(&stream->lines, task->label, bytes, (size_t)got, put, stream);
        return;
    }
    line_buffer_flush(&stream->lines, task->label, put, stream);
    close(stream->fd);
    stream->fd = -1;
}

/* --- signals, ends ---------------------------------------------------------------------- */

static void forward(const struct tasks *tasks, int signal_number)
{
    for (uint32_t i = 0; i < tasks->count; i++)
        if (tasks->items[i].pid > 0)
            kill(tasks->items[i].pid, signal_number);
}

/* A signal of the terminal (SI_KERNEL) has reached the tasks, too. */
static void on_signal(const struct tasks *tasks)
{
    struct signalfd_siginfo info;

    if (read(tasks->signals, &info, sizeof(info)) == (ssize_t)sizeof(info) && info.ssi_code != SI_KERNEL)
        forward(tasks, (int)info.ssi_signo);
}

static void wait_for(struct tasks *tasks, struct task *task)
{
    int status, code;
    pid_t pid;

    do {
        pid = waitpid(task->pid, &status, 0);
    } while (pid < 0 && errno == EINTR);
    task->pid = 0;
    code = pid < 0 ? 125 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (code > tasks->exit_status)
        tasks->exit_status = code;
}

/* Copies until all streams are closed. */
static void serve(struct tasks *tasks)
{
    size_t most = (size_t)tasks->count * 2 + 1, used;
    scoped_free struct pollfd *polls = mem_array0(most, sizeof(*polls));
    scoped_free struct stream **streams = mem_array0(most, sizeof(*streams));

    for (;;) {
        used = 1;
        polls[0] = (struct pollfd){ .fd = tasks->signals, .events = POLLIN };
        for (uint32_t i = 0; i < tasks->count * 2; i++) {
            struct stream *stream = &tasks->items[i / 2].streams[i % 2];

            if (stream->fd < 0)
                continue;
            streams[used] = stream;
            polls[used++] = (struct pollfd){ .fd = stream->fd, .events = POLLIN };
        }
        if (used == 1)
            return;
        if (poll(polls, used, -1) < 0)
            continue;
        if (polls[0].revents)
            on_signal(tasks);
        for (size_t at = 1, i = 0; i < tasks->count && at < used; i++)
            for (int s = 0; s < 2; s++)
                if (at < used && streams[at] == &tasks->items[i].streams[s] && polls[at++].revents)
                    copy(&tasks->items[i], &tasks->items[i].streams[s]);
    }
}

static void free_tasks(struct tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->count * 2; i++)
        line_buffer_done(&tasks->items[i / 2].streams[i % 2].lines);
    free(tasks->items);
    close(tasks->signals);
}

int alloc_tasks_run(uint32_t count, const int *inputs, alloc_task_fn *command, void *context,
                    int *exit_status, struct err *err)
{
    struct tasks tasks = { .count = count };
    sigset_t ending, before;
    uint32_t started = 0;
    int r = 0;

    fill_ending_signals(&ending);
    sigprocmask(SIG_BLOCK, &ending, &before);
    tasks.signals = signalfd(-1, &ending, SFD_CLOEXEC);
    if (tasks.signals < 0)
        r = err_set_errno(err, errno, "signals");
    tasks.items = mem_array0(count, sizeof(*tasks.items));
    for (uint32_t i = 0; i < count; i++)
        tasks.items[i].streams[0].fd = tasks.items[i].streams[1].fd = -1;
    for (; started < count && r == 0; started++) {
        scoped_free const char **words = command(context, started);

        task_label(started, count, tasks.items[started].label);
        r = start(&tasks, started, inputs[started], words, &before, err);
        close_input(inputs[started]); /* so that the writer notices the end of the task */
    }
    for (uint32_t i = started; i < count; i++)
        close_input(inputs[i]);
    if (r < 0)
        forward(&tasks, SIGTERM);
    serve(&tasks);
    for (uint32_t i = 0; i < count; i++)
        if (tasks.items[i].pid > 0)
            wait_for(&tasks, &tasks.items[i]);
    *exit_status = tasks.exit_status;
    free_tasks(&tasks);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return r;
}
