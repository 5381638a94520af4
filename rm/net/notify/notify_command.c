/* SPDX-License-Identifier: Apache-2.0 */
/* notify_command.c - runs the notify command once */
#include "rm/net/notify/notify_command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"

#define KILL_WAIT_MS 2000    /* wait for the end of the command after SIGKILL */
#define OPEN_FILES_SOFT 1024 /* the usual limit; the daemon's own limit is higher */
#define FIRST_FREE_FD 3      /* the lowest descriptor that is not one of the command's */

/* 32-bit architectures have system calls with 16-bit ids beside these. */
#ifdef SYS_setgroups32
#define CALL_SETGROUPS SYS_setgroups32
#define CALL_SETRESGID SYS_setresgid32
#define CALL_SETRESUID SYS_setresuid32
#else
#define CALL_SETGROUPS SYS_setgroups
#define CALL_SETRESGID SYS_setresgid
#define CALL_SETRESUID SYS_setresuid
#endif

enum step { STEP_EXEC, STEP_USER, STEP_PREPARE };

struct child { /* input and results of the child process, which shares the memory of the parent */
    const struct notify_command *command;
    int input, output, errors;
    volatile enum step step; /* the last step that was begun: if CODE is not 0, the step that failed */
    volatile int code;       /* errno of the failed step; 0: the command runs */
};

struct running {
    const struct notify_command *command;
    pid_t pid;
    int pid_fd, input, errors; /* owned */
    const char *text;
    size_t left;
    char words[NOTIFY_ERRORS_MAX + 1]; /* the beginning of the command's standard error */
    size_t word_bytes;
};

/* --- in the child process ----------------------------------------------------- */

/* Switches the user by system calls: the functions of the C library would switch all threads of the
 * daemon. */
static bool switch_user(const struct notify_command *command)
{
    return syscall(CALL_SETGROUPS, command->group_count, command->groups) == 0 &&
           syscall(CALL_SETRESGID, command->group, command->group, command->group) == 0 &&
           syscall(CALL_SETRESUID, command->user, command->user, command->user) == 0;
}

static bool prepare(const struct child *child)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return false;
    files.rlim_cur = files.rlim_max < OPEN_FILES_SOFT ? files.rlim_max : OPEN_FILES_SOFT;
    return setsid() >= 0 && dup2(child->input, STDIN_FILENO) >= 0 &&
           dup2(child->output, STDOUT_FILENO) >= 0 && dup2(child->errors, STDERR_FILENO) >= 0 &&
           close_range(FIRST_FREE_FD, ~0U, 0) == 0 && setrlimit(RLIMIT_NOFILE, &files) == 0 &&
           chdir("/") == 0;
}

/* Gives up the inherited protection from the kernel's OOM killer. Although the child shares the memory of the
 * daemon until execve, the kernel changes the value of the child only. */
static void drop_protection(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, "0", 1) < 0)
        errno = 0;
    close(fd);
}

/* Executes the command. Uses only calls that are allowed after vfork: no allocation, no locks. All signals
 * are blocked until shortly before execve. */
static _Noreturn void become_command(struct child *child)
{
    const struct notify_command *command = child->command;
    const struct sigaction usual = { .sa_handler = SIG_DFL };
    sigset_t none;

    sigemptyset(&none);
    child->step = STEP_PREPARE;
    if (!prepare(child) || sigaction(SIGPIPE, &usual, NULL) != 0)
        goto failed;
    drop_protection();
    child->step = STEP_USER;
    if (command->switch_user && !switch_user(command))
        goto failed;
    child->step = STEP_EXEC;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the kernel kills the command if the daemon dies */
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(command->argv[0], command->argv, command->environment);
failed:
    child->code = errno;
    _exit(127);
}

/* --- start -------------------------------------------------------------------- */

/* Uses vfork: fork is slow in a daemon with much memory, and posix_spawn cannot change the user. */
static pid_t start_child(struct child *child)
{
    sigset_t all, before;
    pid_t pid;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = vfork();
    if (pid == 0)
        become_command(child);
    if (pid < 0)
        child->code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

static int start_error(const struct child *child, struct err *err)
{
    switch (child->step) {
    case STEP_USER:
        return err_set_errno(err, child->code, "cannot switch to its user");
    case STEP_EXEC:
        return err_set_errno(err, child->code, "cannot be executed");
    default:
        return err_set_errno(err, child->code, "cannot be started");
    }
}

/* Moves FD to a number above 0 to 2, which the child replaces by the descriptors of the command. */
static void move_up(int *fd)
{
    int moved;

    if (*fd < 0 || *fd >= FIRST_FREE_FD)
        return;
    moved = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    mem_close_fd(fd);
    *fd = moved;
}

static int make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    move_up(&ends[0]);
    move_up(&ends[1]);
    return ends[0] < 0 || ends[1] < 0 ? -EMFILE : 0;
}

static void dont_wait(int fd)
{
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static int start(struct running *running, struct err *err)
{
    scoped_fd int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int input[2] = { -1, -1 }, errors[2] = { -1, -1 };
    struct child child = { .command = running->command, .step = STEP_PREPARE };
    int r;

    move_up(&output);
    if (output < 0 || make_pipe(input) < 0 || make_pipe(errors) < 0) {
        r = err_set_errno(err, errno, "cannot be started: no descriptors");
        goto done;
    }
    child.input = input[0];
    child.output = output;
    child.errors = errors[1];
    running->pid = start_child(&child);
    if (running->pid > 0 && child.code != 0)
        waitpid(running->pid, NULL, 0);
    if (child.code != 0) {
        r = start_error(&child, err);
        goto done;
    }
    running->pid_fd = pidfd_open(running->pid, 0);
    if (running->pid_fd < 0) {
        r = err_set_errno(err, errno, "cannot be watched");
        kill(-running->pid, SIGKILL);
        waitpid(running->pid, NULL, 0);
        goto done;
    }
    running->input = fd_take(&input[1]);
    running->errors = fd_take(&errors[0]);
    dont_wait(running->input);
    dont_wait(running->errors);
    r = 0;
done:
    for (size_t i = 0; i < 2; i++) {
        mem_close_fd(&input[i]);
        mem_close_fd(&errors[i]);
    }
    return r;
}

/* --- while it runs ------------------------------------------------------------ */

static void close_now(int *fd)
{
    mem_close_fd(fd);
    *fd = -1;
}

/* Writes to the command's standard input. If the command has closed it, the rest of the text is dropped. */
static void write_some(struct running *running)
{
    ssize_t written = write(running->input, running->text, running->left);

    if (written < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (written > 0) {
        running->text += written;
        running->left -= (size_t)written;
    }
    if (written < 0 || running->left == 0)
        close_now(&running->input);
}

static void read_some(struct running *running)
{
    char more[4096];
    ssize_t count = read(running->errors, more, sizeof(more));
    size_t taken;

    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0) {
        close_now(&running->errors);
        return;
    }
    taken = NOTIFY_ERRORS_MAX - running->word_bytes;
    taken = (size_t)count < taken ? (size_t)count : taken;
    memcpy(running->words + running->word_bytes, more, taken);
    running->word_bytes += taken;
}

/* Writes the input and reads the errors of the command. Returns 0 when the command has ended, -ETIMEDOUT
 * after its timeout, -ECANCELED when STOP_FD is readable. */
static int attend(struct running *running)
{
    int64_t deadline_ms = monotonic_ms() + running->command->timeout_ms;

    for (;;) {
        int64_t left_ms = deadline_ms - monotonic_ms();
        struct pollfd fds[] = {
            { .fd = running->pid_fd, .events = POLLIN },
            { .fd = running->command->stop_fd, .events = POLLIN },
            { .fd = running->input, .events = POLLOUT },
            { .fd = running->errors, .events = POLLIN },
        };

        if (left_ms <= 0)
            return -ETIMEDOUT;
        if (poll(fds, sizeof(fds) / sizeof(fds[0]), (int)(left_ms < INT32_MAX ? left_ms : INT32_MAX)) < 0)
            continue;
        if (fds[2].revents != 0)
            write_some(running);
        if (fds[3].revents != 0)
            read_some(running);
        if (fds[0].revents != 0)
            return 0;
        if (fds[1].revents != 0)
            return -ECANCELED;
    }
}

/* Kills the remaining processes of the group, then reaps the leader. In this order, since the kernel can
 * assign the number of the group to another one once the leader is reaped. Returns false if the leader does
 * not end. */
static bool end_all(const struct running *running, int *status)
{
    struct pollfd ended = { .fd = running->pid_fd, .events = POLLIN };

    kill(-running->pid, SIGKILL);
    (void)poll(&ended, 1, KILL_WAIT_MS);
    return waitpid(running->pid, status, WNOHANG) == running->pid;
}

/* --- its end ------------------------------------------------------------------ */

/* Returns the beginning of standard error as one line: blanks replace control characters. */
static const char *last_words(struct running *running)
{
    char *words = running->words;

    for (size_t i = 0; i < running->word_bytes; i++)
        if ((unsigned char)words[i] < ' ' || words[i] == 0x7f)
            words[i] = ' ';
    while (running->word_bytes > 0 && words[running->word_bytes - 1] == ' ')
        running->word_bytes--;
    words[running->word_bytes] = '\0';
    return words;
}

static int judge(struct running *running, int result, bool ended, int status, struct err *err)
{
    const char *words = last_words(running);
    const char *colon = *words != '\0' ? ": " : "";

    if (!ended)
        return err_set(err, ETIMEDOUT, "process %d does not end after SIGKILL", (int)running->pid);
    if (result == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT, "killed after %lld ms (creel.jobs.notify-timeout-ms)%s%s",
                       (long long)running->command->timeout_ms, colon, words);
    if (result == -ECANCELED)
        return err_set(err, ECANCELED, "killed, since the resource manager stops");
    if (WIFSIGNALED(status))
        return err_set(err, ECHILD, "killed by signal %d%s%s", WTERMSIG(status), colon, words);
    if (WEXITSTATUS(status) != 0)
        return err_set(err, ECHILD, "exit status %d%s%s", WEXITSTATUS(status), colon, words);
    return 0;
}

int notify_command_run(const struct notify_command *command, const char *text, size_t length, struct err *err)
{
    struct running running = {
        .command = command,
        .pid_fd = -1,
        .input = -1,
        .errors = -1,
        .text = text,
        .left = length,
    };
    int status = 0;
    int r = start(&running, err);
    bool ended;

    if (r < 0)
        return r;
    r = attend(&running);
    if (running.errors >= 0)
        read_some(&running);
    ended = end_all(&running, &status);
    mem_close_fd(&running.input);
    mem_close_fd(&running.errors);
    mem_close_fd(&running.pid_fd);
    return judge(&running, r, ended, status, err);
}
