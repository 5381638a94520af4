/* SPDX-License-Identifier: Apache-2.0 */
/* step_tasks.c - runs the tasks of a step as processes, and copies their output */
#include "client/slurm/step_tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/cli/logs/line_buffer.h"
#include "client/slurm/step_sender.h"
#include "common/base/file.h"
#include "common/base/mem.h"

#define CHUNK_BYTES 32768
#define KILL_AFTER_MS 10000 /* from SIGTERM to SIGKILL of a step that has to end */
#define REST_READS_MAX 4    /* of a stream when the step ends: twice what a pipe has room for */
#define LABEL_MAX 16

struct stream { /* standard output or error of a task that is copied */
    int fd;     /* read end; -1: not copied, or closed */
    int to;
    struct line_buffer lines;
};

struct task {
    pid_t pid; /* 0: not started, or ended */
    char label[LABEL_MAX];
    struct stream streams[2];
};

struct tasks {
    const struct step_run *run;
    struct task *items; /* owned */
    uint32_t alive;
    int signals; /* signalfd */
    int exit_status;
    bool grouped; /* each task has its process group */
    bool stopping;
    int64_t end_at_ms, kill_at_ms; /* SIGTERM, SIGKILL; 0: none */
    const char *end_because;
};

/* NUMBER: 2 * task + 0 (output) or 1 (error). */
static struct stream *stream_at(const struct tasks *tasks, uint32_t number)
{
    return &tasks->items[number / 2].streams[number % 2];
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fill_signals(sigset_t *set, bool child)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM };

    sigemptyset(set);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(set, numbers[i]);
    if (child)
        sigaddset(set, SIGCHLD);
}

void step_tasks_block_signals(sigset_t *before)
{
    sigset_t set;

    fill_signals(&set, false);
    sigdelset(&set, SIGINT);
    sigdelset(&set, SIGQUIT);
    sigdelset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, before);
}

void step_tasks_raise_limit(struct rlimit *before)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, before) < 0)
        return;
    limit = *before;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* if it fails, many tasks cannot start: an error */
}

/* --- starting --------------------------------------------------------------------------- */

static _Noreturn void be_task(const struct tasks *tasks, uint32_t number, pid_t parent,
                              const struct step_descriptors *files)
{
    const struct step_run *run = tasks->run;
    int code;

    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    if (tasks->grouped)
        setpgid(0, 0);
    dup2(files->input, STDIN_FILENO);
    dup2(files->output, STDOUT_FILENO);
    dup2(files->error, STDERR_FILENO);
    run->prepare(number);
    signal(SIGPIPE, SIG_DFL);
    setrlimit(RLIMIT_NOFILE, run->descriptor_limit);
    sigprocmask(SIG_SETMASK, run->mask, NULL);
    execvp(run->command[0], (char *const *)(uintptr_t)run->command);
    code = errno;
    fprintf(stderr, "srun: error: %s: %s\n", run->command[0], strerror(code));
    fflush(stderr);
    _exit(code); /* as in Slurm: 2 for a command that is not there, 13 for one that is not executable */
}

/* Makes the pipe of a stream that is copied. Sets *END to where the task writes. */
static int open_stream(const struct tasks *tasks, struct stream *stream, int to, int *end)
{
    const struct step_run *run = tasks->run;
    int ends[2];

    *stream = (struct stream){ .fd = -1, .to = to };
    *end = to;
    if (!run->label && (run->unbuffered || run->count == 1))
        return 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -errno;
    stream->fd = ends[0];
    *end = ends[1];
    return 0;
}

static int start(struct tasks *tasks, uint32_t number, struct err *err)
{
    const struct step_descriptors *descriptors = &tasks->run->descriptors[number];
    struct task *task = &tasks->items[number];
    struct step_descriptors files = *descriptors;
    pid_t parent = getpid(), pid = -1;
    int r = open_stream(tasks, &task->streams[0], descriptors->output, &files.output);

    if (r == 0)
        r = open_stream(tasks, &task->streams[1], descriptors->error, &files.error);
    if (r == 0 && (pid = fork()) < 0)
        r = -errno;
    if (pid == 0)
        be_task(tasks, number, parent, &files);
    if (files.output != descriptors->output)
        close(files.output);
    if (files.error != descriptors->error)
        close(files.error);
    if (tasks->run->input_copies)
        close(descriptors->input); /* so that the writer notices the end of the task */
    if (r < 0)
        return err_set_errno(err, -r, "a process for task %u", number);
    if (tasks->grouped)
        setpgid(pid, pid);
    task->pid = pid;
    tasks->alive++;
    return 0;
}

/* --- output ----------------------------------------------------------------------------- */

static void put(void *context, const char *data, size_t size)
{
    const struct stream *stream = context;

    (void)file_write(stream->to, data, size); /* a reader that is gone does not end the step */
}

static const char *label_of(const struct tasks *tasks, const struct task *task)
{
    return tasks->run->label ? task->label : NULL;
}

static void end_stream(const struct tasks *tasks, struct task *task, struct stream *stream)
{
    if (stream->fd < 0)
        return;
    line_buffer_flush(&stream->lines, label_of(tasks, task), put, stream);
    close(stream->fd);
    stream->fd = -1;
}

/* Copies what there is to read. Returns false if there is nothing more now. */
static bool copy(const struct tasks *tasks, struct task *task, struct stream *stream)
{
    char bytes[CHUNK_BYTES];
    ssize_t got = read(stream->fd, bytes, sizeof(bytes));

    if (got > 0)
        line_buffer_add(&stream->lines, label_of(tasks, task), bytes, (size_t)got, put, stream);
    else if (got == 0)
        end_stream(tasks, task, stream);
    return got > 0;
}

/* Copies what ended tasks have written. A process that has left the group of its task may write on, without
 * end: it is not part of the step. */
static void copy_rest(struct tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->run->count * 2; i++) {
        struct task *task = &tasks->items[i / 2];
        struct stream *stream = stream_at(tasks, i);

        if (stream->fd >= 0 && fcntl(stream->fd, F_SETFL, O_NONBLOCK) == 0)
            for (int j = 0; j < REST_READS_MAX && stream->fd >= 0 && copy(tasks, task, stream); j++)
                ;
        end_stream(tasks, task, stream);
    }
}

/* --- signals, ends ---------------------------------------------------------------------- */

static void send_all(const struct tasks *tasks, int signal_number)
{
    for (uint32_t i = 0; i < tasks->run->count; i++)
        if (tasks->items[i].pid > 0)
            kill(tasks->grouped ? -tasks->items[i].pid : tasks->items[i].pid, signal_number);
}

static void stop(struct tasks *tasks, const char *because)
{
    if (tasks->stopping)
        return;
    tasks->stopping = true;
    tasks->kill_at_ms = now_ms() + KILL_AFTER_MS;
    fprintf(stderr, "srun: error: the step is ended: %s\n", because);
    send_all(tasks, SIGTERM);
}

/* Returns whether the tasks have got the signal, too: the agent signals all processes of the container. If
 * srun is its first process, it may be the only one that gets a signal. */
static bool has_reached_tasks(const struct signalfd_siginfo *info)
{
    return getsid(0) != getpid() && step_sender_is_agent((pid_t)info->ssi_pid, (uid_t)info->ssi_uid);
}

static void on_signal(struct tasks *tasks, const struct signalfd_siginfo *info)
{
    int number = (int)info->ssi_signo;

    if (info->ssi_code == SI_KERNEL && !tasks->grouped)
        return; /* of the terminal, to the tasks too */
    if (info->ssi_code == SI_KERNEL || !has_reached_tasks(info))
        send_all(tasks, number);
}

static void report(const struct tasks *tasks, uint32_t number, int status)
{
    if (tasks->run->quiet)
        return;
    if (WIFSIGNALED(status))
        fprintf(stderr, "srun: error: %s: task %u: %s%s\n", tasks->run->host, number,
                strsignal(WTERMSIG(status)), WCOREDUMP(status) ? " (core dumped)" : "");
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "srun: error: %s: task %u: Exited with exit code %d\n", tasks->run->host, number,
                WEXITSTATUS(status));
}

static void on_end(struct tasks *tasks, uint32_t number, int status)
{
    const struct step_run *run = tasks->run;
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);

    tasks->items[number].pid = 0;
    tasks->alive--;
    if (code > tasks->exit_status)
        tasks->exit_status = code;
    report(tasks, number, status);
    if (tasks->alive == 0)
        return;
    if (code != 0 && run->kill_on_bad_exit)
        stop(tasks, "a task has failed (--kill-on-bad-exit)");
    if (run->wait_ms > 0 && (tasks->end_at_ms == 0 || now_ms() + run->wait_ms < tasks->end_at_ms)) {
        tasks->end_at_ms = now_ms() + run->wait_ms;
        tasks->end_because = "others ran longer than --wait after the end of the first task";
    }
}

/* Reaps the tasks that have ended, and ends what is left of their groups. */
static void reap(struct tasks *tasks)
{
    for (uint32_t i = 0; i < tasks->run->count; i++) {
        pid_t pid = tasks->items[i].pid;
        siginfo_t info = { 0 };
        int status;

        if (pid <= 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
            info.si_pid != pid)
            continue;
        if (tasks->grouped)
            kill(-pid, SIGKILL);
        if (waitpid(pid, &status, 0) == pid)
            on_end(tasks, i, status);
    }
}

/* --- the loop ----------------------------------------------------------------------------- */

static int next_timeout(const struct tasks *tasks)
{
    int64_t at = tasks->stopping ? tasks->kill_at_ms : tasks->end_at_ms, rest;

    if (at == 0)
        return -1;
    rest = at - now_ms();
    return rest < 0 ? 0 : rest > 60000 ? 60000 : (int)rest;
}

static void on_time(struct tasks *tasks)
{
    if (tasks->stopping && tasks->kill_at_ms > 0 && now_ms() >= tasks->kill_at_ms) {
        tasks->kill_at_ms = 0;
        send_all(tasks, SIGKILL);
    } else if (!tasks->stopping && tasks->end_at_ms > 0 && now_ms() >= tasks->end_at_ms) {
        stop(tasks, tasks->end_because);
    }
}

/* What poll(2) watches: the signals, then the streams that are open. */
struct watch {
    struct pollfd *polls; /* owned */
    uint32_t *numbers;    /* owned; of the stream of each: 2 * task + stream */
    nfds_t count;
};

static void add_watch(struct watch *watch, int fd, uint32_t number)
{
    watch->polls[watch->count] = (struct pollfd){ .fd = fd, .events = POLLIN };
    watch->numbers[watch->count++] = number;
}

static void fill_watch(const struct tasks *tasks, struct watch *watch)
{
    watch->count = 0;
    add_watch(watch, tasks->signals, 0);
    for (uint32_t i = 0; i < tasks->run->count * 2; i++)
        if (stream_at(tasks, i)->fd >= 0)
            add_watch(watch, stream_at(tasks, i)->fd, i);
}

/* One SIGCHLD may report the ends of several tasks. */
static void read_signals(struct tasks *tasks)
{
    struct signalfd_siginfo info;
    bool ended = false;

    while (read(tasks->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (info.ssi_signo == SIGCHLD)
            ended = true;
        else
            on_signal(tasks, &info);
    if (ended)
        reap(tasks);
}

/* Waits for something to do, and does it. */
static int serve_once(struct tasks *tasks, struct watch *watch)
{
    int ready;

    fill_watch(tasks, watch);
    ready = poll(watch->polls, watch->count, next_timeout(tasks));
    if (ready < 0 && errno != EINTR)
        return -errno;
    on_time(tasks);
    if (ready <= 0)
        return 0;
    for (nfds_t i = 1; i < watch->count; i++)
        if (watch->polls[i].revents)
            (void)copy(tasks, &tasks->items[watch->numbers[i] / 2], stream_at(tasks, watch->numbers[i]));
    if (watch->polls[0].revents)
        read_signals(tasks);
    return 0;
}

/* Ends the tasks when srun cannot serve them. */
static void abandon(struct tasks *tasks)
{
    send_all(tasks, SIGKILL);
    for (uint32_t i = 0; i < tasks->run->count; i++)
        if (tasks->items[i].pid > 0)
            (void)waitpid(tasks->items[i].pid, NULL, 0);
    tasks->alive = 0;
}

static int serve(struct tasks *tasks, struct err *err)
{
    size_t most = (size_t)tasks->run->count * 2 + 1;
    struct watch watch = { .polls = mem_array0(most, sizeof(*watch.polls)),
                           .numbers = mem_array0(most, sizeof(*watch.numbers)) };
    int r = 0;

    while (r == 0 && tasks->alive > 0)
        r = serve_once(tasks, &watch);
    if (r < 0) {
        abandon(tasks);
        err_set_errno(err, -r, "waiting for the tasks");
    }
    copy_rest(tasks);
    free(watch.polls);
    free(watch.numbers);
    return r;
}

/* "0: ", as wide as the largest number. */
static void make_label(uint32_t number, uint32_t count, char label[LABEL_MAX])
{
    int width = snprintf(NULL, 0, "%u", count - 1);

    snprintf(label, LABEL_MAX, "%*u: ", width, number);
}

static int start_all(struct tasks *tasks, struct err *err)
{
    const struct step_run *run = tasks->run;
    int r = 0;

    for (uint32_t i = 0; i < run->count && r == 0; i++) {
        make_label(i, run->count, tasks->items[i].label);
        r = start(tasks, i, err);
    }
    if (r < 0)
        abandon(tasks);
    return r;
}

int step_tasks_run(const struct step_run *run, int *exit_status, struct err *err)
{
    struct tasks tasks = { .run = run, .grouped = !isatty(STDIN_FILENO) };
    sigset_t set;
    int r;

    fill_signals(&set, true);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* a shell may ignore it; then the status of a task is lost */
    tasks.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (tasks.signals < 0)
        return err_set_errno(err, errno, "signals");
    if (run->limit_ms > 0) {
        tasks.end_at_ms = now_ms() + run->limit_ms;
        tasks.end_because = "its time limit is over";
    }
    tasks.items = mem_array0(run->count, sizeof(*tasks.items));
    for (uint32_t i = 0; i < run->count; i++)
        tasks.items[i].streams[0].fd = tasks.items[i].streams[1].fd = -1;
    if ((r = start_all(&tasks, err)) == 0)
        r = serve(&tasks, err);
    *exit_status = tasks.exit_status;
    for (uint32_t i = 0; i < run->count * 2; i++)
        line_buffer_done(&stream_at(&tasks, i)->lines);
    free(tasks.items);
    close(tasks.signals);
    return r;
}
