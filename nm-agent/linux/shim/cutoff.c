/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutoff.c - a container that ends when its host has lost the resource manager
 *
 * The agent writes into a file when the resource manager was last known to count on this host. The
 * container ends so long after that as was asked for (creel.container.on-disconnect); the
 * resource manager waits for longer before it starts the task elsewhere. The shim decides,
 * and not the agent, so that this holds while no agent is there, too. Its processes get TERM
 * ahead of the time, and KILL when it has come.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/monotonic.h"
#include "nm-agent/linux/shim/shim.h"

#define LOOK_MS 10000                   /* between looks for processes that ended without a parent */
#define NOTICE_MAX_MS 10000             /* from TERM to KILL: an eighth of the time, at most that */
#define KILL_AGAIN_MS 20

static int64_t notice_ms(const struct plan *plan)
{
    return plan->launch.stop_after_ms / 8 < NOTICE_MAX_MS ? plan->launch.stop_after_ms / 8 : NOTICE_MAX_MS;
}

/* When the container ends unless there is contact again.
 * Without a readable file, BORN_MS counts as the last contact. */
static int64_t deadline_ms(const struct plan *plan, int contact_fd, int64_t born_ms)
{
    int64_t contact_ms;

    if (pread(contact_fd, &contact_ms, sizeof(contact_ms), 0) != (ssize_t)sizeof(contact_ms) ||
        contact_ms > monotonic_ms())
        contact_ms = born_ms;
    return contact_ms + plan->launch.stop_after_ms;
}

/* Until the command ends, or UNTIL_MS: true once it has ended. */
static bool ends_within(int command_fd, int64_t until_ms)
{
    struct pollfd item = { .fd = command_fd, .events = POLLIN };
    int64_t left_ms = until_ms - monotonic_ms();

    if (left_ms > LOOK_MS)
        left_ms = LOOK_MS;
    return poll(&item, 1, left_ms > 0 ? (int)left_ms : 0) == 1;
}

/* Reap the orphans of the container, but not the command: finish_wait() does that. */
static void reap_orphans(pid_t command)
{
    siginfo_t info = { .si_pid = 0 };

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
           info.si_pid != command) {
        waitpid(info.si_pid, NULL, WNOHANG);
        info.si_pid = 0;
    }
}

/* False when its time has come, which is over at END_MS; true: it has ended by itself. */
static bool ends_in_contact(const struct plan *plan, pid_t command, int command_fd, int contact_fd,
                            int64_t *end_ms)
{
    int64_t born_ms = monotonic_ms();

    for (;;) {
        *end_ms = deadline_ms(plan, contact_fd, born_ms);
        if (monotonic_ms() >= *end_ms - notice_ms(plan))
            return false;
        if (ends_within(command_fd, *end_ms - notice_ms(plan)))
            return true;
        reap_orphans(command);
    }
}

/* Contact from now on does not save it: it has begun to end. */
static void end_command(const struct plan *plan, int command_fd, int64_t end_ms)
{
    leaf_signal(&plan->leaf, SIGTERM);
    while (monotonic_ms() < end_ms)
        if (ends_within(command_fd, end_ms))
            return;
    do
        leaf_kill(&plan->leaf);
    while (!ends_within(command_fd, monotonic_ms() + KILL_AGAIN_MS));
}

bool cutoff_wait(const struct plan *plan, pid_t command)
{
    int command_fd = (int)syscall(SYS_pidfd_open, command, 0), contact_fd;
    int64_t end_ms;
    bool ended;

    if (command_fd < 0)
        return false;
    contact_fd = open(plan->contact_file, O_RDONLY | O_CLOEXEC);
    ended = ends_in_contact(plan, command, command_fd, contact_fd, &end_ms);
    if (!ended)
        end_command(plan, command_fd, end_ms);
    close(command_fd);
    if (contact_fd >= 0)
        close(contact_fd);
    return !ended;
}
