/* SPDX-License-Identifier: Apache-2.0 */
/* storage_child.c - reads shared storage in a child process */
#include "client/cli/logs/storage_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/monotonic.h"

_Static_assert(sizeof(struct storage_message) <= PIPE_BUF, "a message is written at once");

void storage_send(int fd, const struct storage_message *message)
{
    if (file_write(fd, message, sizeof(*message)) < 0)
        _exit(1); /* the parent has ended */
}

static void be_child(storage_work_fn *work, void *context, pid_t parent, int fd)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        work(context, fd);
    _exit(0);
}

/* Waits for FD. Returns false if nothing came until END_MS (monotonic). */
static bool wait_for(int fd, int64_t end_ms)
{
    struct pollfd wait = { .fd = fd, .events = POLLIN };
    int ready;

    do {
        int64_t left_ms = end_ms - monotonic_ms();

        ready = poll(&wait, 1, left_ms < 0 ? 0 : left_ms > INT_MAX ? INT_MAX : (int)left_ms);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;
}

/* Reads MESSAGE. Returns 0 or -errno; -ECHILD: the child has ended before its last message. */
static int receive_one(int fd, int64_t timeout_ms, struct storage_message *message)
{
    int64_t end_ms = monotonic_ms() + timeout_ms;
    size_t had = 0;

    while (had < sizeof(*message)) {
        ssize_t got;

        if (!wait_for(fd, end_ms))
            return -ETIMEDOUT;
        got = read(fd, (char *)message + had, sizeof(*message) - had);
        if (got == 0)
            return -ECHILD;
        if (got < 0 && errno != EINTR)
            return -errno;
        had += got > 0 ? (size_t)got : 0;
    }
    message->text[sizeof(message->text) - 1] = '\0';
    return 0;
}

/* Receives all messages. *ENDS: the child has sent its last message, or has ended before. */
static int receive_all(int fd, storage_receive_fn *receive, void *context, int64_t timeout_ms, bool *ends,
                       struct err *err)
{
    struct storage_message message;
    int r;

    while ((r = receive_one(fd, timeout_ms, &message)) == 0) {
        if (message.kind == STORAGE_PROGRESS)
            continue;
        receive(context, &message);
        *ends = message.kind == STORAGE_END;
        if (*ends)
            return message.code == 0 ? 0 : err_set(err, message.code, "%s", message.text);
    }
    *ends = r == -ECHILD;
    if (r == -ETIMEDOUT)
        return err_set(err, ETIMEDOUT, "does not answer: look at the mount of the shared storage");
    if (r == -ECHILD)
        return err_set(err, ECHILD, "the process that reads it has ended: try again");
    return err_set_errno(err, -r, "the process that reads it does not report");
}

int storage_child_run(storage_work_fn *work, storage_receive_fn *receive, void *context, int64_t timeout_ms,
                      struct err *err)
{
    pid_t parent = getpid(), child;
    bool child_ends = false;
    int ends[2], r;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set_errno(err, errno, "cannot make a pipe");
    child = fork();
    if (child == 0)
        be_child(work, context, parent, ends[1]);
    r = child < 0 ? err_set_errno(err, errno, "cannot start a process") : 0;
    close(ends[1]);
    if (child > 0) {
        r = receive_all(ends[0], receive, context, timeout_ms, &child_ends, err);
        kill(child, SIGKILL);
        /* One that has not sent its last message may block in the kernel. */
        while (waitpid(child, NULL, child_ends ? 0 : WNOHANG) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    return r;
}
