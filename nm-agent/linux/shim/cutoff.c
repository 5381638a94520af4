/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cutoff.c - ends a container when its host has had no contact with the resource manager for a time
 *
 * The agent writes the time of the last known contact with the resource manager to a file. The container ends
 * a configured time after that (creel.container.on-disconnect). The resource manager waits longer before it
 * starts the task on another node. The shim decides, not the agent, so that it also works while no agent
 * runs. The processes get TERM before the end of the time, and KILL at its end.
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

#define LOOK_MS 10000       /* interval of checks for orphans that have ended */
#define NOTICE_MAX_MS 10000 /* time between TERM and KILL: an eighth of stop_after_ms, at most this */
#define KILL_AGAIN_MS 20

static int64_t notice_ms(const struct plan *plan)
{
    return plan->launch.stop_after_ms / 8 < NOTICE_MAX_MS ? plan->launch.stop_after_ms / 8 : NOTICE_MAX_MS;
}

/* Returns the time at which the container ends unless there is contact again. If the file cannot be read, or
 * has a future time, BORN_MS counts as the last contact. */
static int64_t deadline_ms(const struct plan *plan, int contact_fd, int64_t born_ms)
{
    int64_t contact_ms;

    if (pread(contact_fd, &contact_ms, sizeof(contact_ms), 0) != (ssize_t)sizeof(contact_ms) ||
        contact_ms > monotonic_ms())
        contact_ms = born_ms;
    return contact_ms + plan->launch.stop_after_ms;
}

/* Waits until the command ends, at most until UNTIL_MS and at most LOOK_MS; returns true if it has ended. */
static bool ends_within(int command_fd, int64_t until_ms)
{
    struct pollfd item = { .fd = command_fd, .events = POLLIN };
    int64_t left_ms = until_ms - monotonic_ms();

    if (left_ms > LOOK_MS)
        left_ms = LOOK_MS;
    return poll(&item, 1, left_ms > 0 ? (int)left_ms : 0) == 1;
}

/* Reaps the orphans of the container, but not the command, which finish_wait() reaps. */
static void reap_orphans(pid_t command)
{
    siginfo_t info = { .si_pid = 0 };

    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0 &&
           info.si_pid != command) {
        waitpid(info.si_pid, NULL, WNOHANG);
        info.si_pid = 0;
    }
}

/* Waits for the command. Returns true if it ended by itself; false if the contact was lost too long: *END_MS
 * is the time for KILL. */
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

/* Ends the command. New contact no longer prevents that. */
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
