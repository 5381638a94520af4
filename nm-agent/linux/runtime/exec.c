/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - runs a command of a client inside a running container */
#include "nm-agent/linux/runtime/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/spawn.h"
#include "nm-agent/linux/runtime/launch.h"
#include "nm-agent/linux/runtime_state.h"

#define TERMINAL_MODE 0620 /* mode of a login's terminal */

/* All ends of the pipes and sockets: those of the agent, and those of the shim (in the order of its
 * descriptors: plan, control, in, out, err). */
struct ends {
    int own_control, own_in, own_out, own_err;
    int shim[5];
};

static void close_ends(struct ends *ends)
{
    mem_close_fd(&ends->own_control);
    mem_close_fd(&ends->own_in);
    mem_close_fd(&ends->own_out);
    mem_close_fd(&ends->own_err);
    for (size_t i = 0; i < sizeof(ends->shim) / sizeof(ends->shim[0]); i++)
        mem_close_fd(&ends->shim[i]);
}

static int open_terminal(const struct exec_terminal *terminal, uid_t uid, struct ends *ends)
{
    struct winsize size = { .ws_row = (unsigned short)terminal->rows,
                            .ws_col = (unsigned short)terminal->columns };
    char name[64];

    ends->own_out = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (ends->own_out < 0 || grantpt(ends->own_out) != 0 || unlockpt(ends->own_out) != 0 ||
        ptsname_r(ends->own_out, name, sizeof(name)) != 0)
        return -errno;
    ioctl(ends->own_out, TIOCSWINSZ, &size);
    ends->shim[2] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends->shim[2] < 0 || fchown(ends->shim[2], uid, (gid_t)-1) != 0 ||
        fchmod(ends->shim[2], TERMINAL_MODE) != 0)
        return -errno;
    ends->own_in = fcntl(ends->own_out, F_DUPFD_CLOEXEC, 0);
    ends->shim[3] = fcntl(ends->shim[2], F_DUPFD_CLOEXEC, 0);
    ends->shim[4] = fcntl(ends->shim[2], F_DUPFD_CLOEXEC, 0);
    return ends->own_in < 0 || ends->shim[3] < 0 || ends->shim[4] < 0 ? -errno : 0;
}

/* Opens one pipe: *WRITER and *READER get its ends; OWN points to the end of the agent, which is made
 * non-blocking. */
static int open_pipe(int *reader, int *writer, const int *own)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) != 0)
        return -errno;
    *reader = fds[0];
    *writer = fds[1];
    return fcntl(*own, F_SETFL, O_NONBLOCK) != 0 ? -errno : 0;
}

/* Changes the owner of the pipes to the command's user: a program may reopen its standard descriptors, as
 * /dev/stderr. */
static int chown_pipes(const struct ends *ends, uid_t uid)
{
    for (size_t i = 2; i < 5; i++)
        if (fchown(ends->shim[i], uid, (gid_t)-1) != 0)
            return -errno;
    return 0;
}

static int open_pipes(uid_t uid, struct ends *ends)
{
    int result = open_pipe(&ends->shim[2], &ends->own_in, &ends->own_in);

    if (result == 0)
        result = open_pipe(&ends->own_out, &ends->shim[3], &ends->own_out);
    if (result == 0)
        result = open_pipe(&ends->own_err, &ends->shim[4], &ends->own_err);
    return result == 0 ? chown_pipes(ends, uid) : result;
}

static int open_ends(const struct exec_terminal *terminal, uid_t uid, struct ends *ends)
{
    int control[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
        return -errno;
    ends->own_control = control[0];
    ends->shim[1] = control[1];
    if (fcntl(control[0], F_SETFL, O_NONBLOCK) != 0)
        return -errno;
    return terminal ? open_terminal(terminal, uid, ends) : open_pipes(uid, ends);
}

/* Returns the container's environment with TERM set to the type of the client's terminal. */
static const char **add_term(const struct launch *launch, const char *term)
{
    size_t count = 0;
    const char **entries;

    while (launch->environment != NULL && launch->environment[count] != NULL)
        count++;
    entries = mem_array0(count + 2, sizeof(*entries));
    for (size_t i = 0; i < count; i++)
        entries[i] = launch->environment[i];
    entries[count] = term;
    return entries;
}

static int write_plan(struct runtime *runtime, const struct launch *launch,
                      const struct exec_terminal *terminal, const struct container *container, uid_t *uid,
                      struct err *err)
{
    bool has_term = terminal != NULL && terminal->term[0] != '\0';
    scoped_free char *term = has_term ? mem_printf("TERM=%s", terminal->term) : NULL;
    scoped_free const char **environment = add_term(launch, term);
    struct launch changed = *launch;
    struct user user = { .name = NULL };
    int result = users_find(launch->user, &runtime->users, &user, err);

    if (result == 0) {
        changed.environment = environment;
        *uid = user.uid;
        result = launch_write_plan(runtime, &changed, &user, &container->meta, 0, err);
    }
    users_clear(&user);
    return result;
}

static int spawn(struct runtime *runtime, const struct container *container, bool terminal,
                 const struct ends *ends, struct exec_process *process)
{
    const char *const argv[] = { EXEC_ARGV0, container->id, terminal ? EXEC_ON_TERMINAL : NULL, NULL };
    static const char *const empty[] = { NULL };
    scoped_fd int state_fd = container_open(runtime, container->id, NULL);
    const int fds[] = { -1,
                        -1,
                        -1,
                        ends->shim[0],
                        ends->shim[1],
                        ends->shim[2],
                        ends->shim[3],
                        ends->shim[4],
                        terminal ? -1 : ends->own_out,
                        terminal ? -1 : ends->own_err,
                        state_fd };
    const struct spawn shim = {
        .program = runtime->shim_path,
        .arguments = argv,
        .environment = empty,
        .fds = fds,
        .fd_count = sizeof(fds) / sizeof(fds[0]),
        .new_session = true,
        .usual_signals = true,
    };

    return spawn_start(&shim, &process->shim);
}

/* Returns why no command can be run in CONTAINER. */
static const char *refusal(const struct container *container)
{
    if (container == NULL)
        return "does not run";
    if (container->stop != STOP_NONE)
        return "is being stopped";
    return container->state == CONTAINER_FINDING ? "runs, but its shim is not found yet: try it again"
                                                 : "does not run";
}

int runtime_exec(struct runtime *runtime, const struct launch *launch, const struct exec_terminal *terminal,
                 struct exec_process *process, struct err *err)
{
    const struct container *container = container_find(runtime, launch->container_id);
    struct ends ends = { -1, -1, -1, -1, { -1, -1, -1, -1, -1 } };
    uid_t uid = 0;
    int result;

    *process = (struct exec_process){ -1, -1, -1, -1, 0 };
    if (container == NULL || container->state != CONTAINER_RUNNING || container->stop != STOP_NONE)
        return err_set(err, ESRCH, "container %s %s", launch->container_id, refusal(container));
    ends.shim[0] = write_plan(runtime, launch, terminal, container, &uid, err);
    if (ends.shim[0] < 0)
        return ends.shim[0];
    result = open_ends(terminal, uid, &ends);
    if (result == 0)
        result = spawn(runtime, container, terminal != NULL, &ends, process);
    if (result == 0) {
        process->in = fd_take(&ends.own_in);
        process->out = fd_take(&ends.own_out);
        process->err = fd_take(&ends.own_err);
        process->control = fd_take(&ends.own_control);
    } else {
        err_set_errno(err, -result, "container %s: nothing can be started in it", launch->container_id);
    }
    close_ends(&ends);
    return result;
}

void exec_resize(const struct exec_process *process, unsigned rows, unsigned columns)
{
    struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };

    if (process->out >= 0 && process->err < 0)
        ioctl(process->out, TIOCSWINSZ, &size);
}

void exec_close(struct exec_process *process)
{
    /* The terminal first: SIGHUP precedes the SIGTERM that follows the end of the control socket. */
    container_close_fd(&process->in);
    container_close_fd(&process->out);
    container_close_fd(&process->err);
    container_close_fd(&process->control);
}
