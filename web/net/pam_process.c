/* SPDX-License-Identifier: Apache-2.0 */
/* pam_process.c - starts creel-pam */
#include "web/net/pam_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/log.h"

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

/* Returns the path of creel-pam: that of the variable CREEL_PAM, beside this program in a build tree, else
 * the installed one. */
static char *find_program(void)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash, *path;

    if (getenv("CREEL_PAM") != NULL)
        return mem_strdup(getenv("CREEL_PAM"));
    self[length > 0 ? length : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    path = mem_printf("%s/" PROGRAM, self);
    if (access(path, X_OK) == 0)
        return path;
    free(path);
    return mem_strdup(PKGLIBEXECDIR "/" PROGRAM);
}

/* Starts the program with FD as its socket. Its standard error is that of this process, for messages of PAM
 * modules; its environment is empty. */
static int spawn(struct pam_process *process, int fd)
{
    char *const argv[] = {
        (char *)(uintptr_t)PROGRAM,
        (char *)(uintptr_t)process->service,
        (char *)(uintptr_t)process->directory,
        NULL,
    };
    char *const environment[] = { NULL };
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fd, PAM_FRAME_FD);
    posix_spawn_file_actions_addclosefrom_np(&files, PAM_FRAME_FD + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn(&process->pid, process->program, &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

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
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
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

static int start(struct pam_process *process, struct err *err)
{
    int pair[2], theirs, rc;

    process->started_ms = loop_monotonic_ms();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return err_set_errno(err, errno, "cannot make a socketpair");
    theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, PAM_FRAME_FD + 1); /* (spawn() overwrites lower ones) */
    close(pair[1]);
    rc = theirs >= 0 ? spawn(process, theirs) : errno;
    if (theirs >= 0)
        close(theirs);
    if (rc != 0) {
        close(pair[0]);
        return err_set_errno(err, rc, "cannot run %s, which checks passwords (creel.http.auth is basic)",
                             process->program);
    }
    process->fd = pair[0];
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
        .program = find_program(),
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
