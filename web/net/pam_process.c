/* SPDX-License-Identifier: Apache-2.0 */
/* pam_process.c - starts creel-pam */
#include "web/net/pam_process.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/loop/log.h"
#include "common/io/server/helper_process.h"

#define PROGRAM "creel-pam"
#define RESTART_MS 1000
#define END_MS 1000 /* for creel-pam to end its checks */

struct pam_process {
    struct loop *loop;
    const char *service, *directory;
    const struct pam_process_events *events;
    void *context;
    char *program;
    pid_t pid;
    int fd; /* -1: it does not run */
    int64_t started_ms;
};

/* Waits for the end of PID, which has lost its socket, so that it can end its checks. */
static void wait_for_end(pid_t pid)
{
    scoped_fd int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd ended = { .fd = pidfd, .events = POLLIN };

    if (pidfd >= 0)
        poll(&ended, 1, END_MS);
}

static void stop(struct pam_process *process)
{
    if (process->fd < 0)
        return;
    loop_remove_fd(process->loop, process->fd);
    close(process->fd);
    process->fd = -1;
    wait_for_end(process->pid);
    helper_process_end(process->pid);
}

static void on_ready(void *context, int fd)
{
    struct pam_process *process = context;
    struct pam_frame_reply reply;
    ssize_t size = recv(fd, &reply, sizeof(reply), MSG_DONTWAIT | MSG_TRUNC);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size == (ssize_t)sizeof(reply)) {
        process->events->reply(process->context, &reply);
        return;
    }
    log_line(LOG_LEVEL_ERROR, PROGRAM " has ended, and is started again with the next request");
    stop(process);
    process->events->ended(process->context);
}

_Static_assert(PAM_FRAME_FD == HELPER_FD, "creel-pam finds its socket");

static int start(struct pam_process *process, struct err *err)
{
    const char *const arguments[] = { PROGRAM, process->service, process->directory, NULL };
    const struct helper_program program = {
        .path = process->program,
        .purpose = "which checks passwords (creel.http.auth is basic)",
        .arguments = arguments,
        .socket_type = SOCK_SEQPACKET,
    };
    struct helper_process started;
    int rc;

    process->started_ms = loop_monotonic_ms();
    /* Its standard error is that of this process, for messages of PAM modules. */
    rc = helper_process_start(&program, false, &started, err);
    if (rc < 0)
        return rc;
    process->pid = started.pid;
    process->fd = started.fd;
    rc = loop_add_fd(process->loop, process->fd, false, on_ready, process, err);
    if (rc < 0)
        stop(process);
    return rc;
}

bool pam_process_send(struct pam_process *process, const struct pam_frame_request *request)
{
    struct err err = { 0 };

    if (process->fd < 0 && loop_monotonic_ms() - process->started_ms < RESTART_MS)
        return false;
    if (process->fd < 0 && start(process, &err) < 0) {
        log_line(LOG_LEVEL_ERROR, "%s", err.text);
        return false;
    }
    return send(process->fd, request, sizeof(*request), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           (ssize_t)sizeof(*request);
}

int pam_process_new(struct loop *loop, const char *service, const char *directory,
                    const struct pam_process_events *events, void *context, struct pam_process **ret,
                    struct err *err)
{
    struct pam_process *process = mem_new0(struct pam_process);
    int r;

    *process = (struct pam_process){
        .loop = loop,
        .service = service,
        .directory = directory,
        .events = events,
        .context = context,
        .program = helper_find_program(PROGRAM, "CREEL_PAM"),
        .fd = -1,
    };
    r = start(process, err);
    if (r < 0) {
        pam_process_free(process);
        return r;
    }
    *ret = process;
    return 0;
}

void pam_process_free(struct pam_process *process)
{
    if (process == NULL)
        return;
    stop(process);
    free(process->program);
    free(process);
}
