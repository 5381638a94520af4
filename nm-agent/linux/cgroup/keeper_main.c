/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper_main.c - main program of creel-keeper: owns a delegated cgroup while its unit runs
 *
 * Started only by creel-keeper.service. It creates the groups in its unit's group (keeper.h), notifies
 * systemd and the agent, and sleeps: a unit without a process would lose its group. When it is ordered to
 * stop, it stops all containers: it removes the file, so that the shims record the cause, then sends TERM and
 * finally KILL. Last, it disables the controllers, so that the unit can be started again (leave_tree).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "nm-agent/linux/cgroup/cgroup_detect.h"
#include "nm-agent/linux/cgroup/keeper.h"
#include "nm-agent/linux/parts/record.h"

/* Times after the stop order; TimeoutStopSec= of the unit is longer. */
#define TERM_MS 8000
#define KILL_MS 11000
/* Levels of groups below the unit's group that are removed: creel, instance, container, and groups that a
 * command made. */
#define LEVELS_MAX 16

static int make_group(const char *base, const char *name, char **ret, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", base, name);

    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno,
                             "cannot make control group %s: is Delegate=yes in the "
                             "unit?",
                             path);
    *ret = path;
    path = NULL;
    return 0;
}

/* Creates the groups below BASE. On v2 a group with processes cannot enable controllers for its child groups,
 * so this process moves to a child group. */
static int lay_out(const char *base, char **home, struct err *err)
{
    scoped_free char *own = NULL;
    int r = make_group(base, "keeper", &own, err);

    if (r == 0)
        r = make_group(base, "shims", home, err);
    if (r == 0)
        r = leaf_write(own, "cgroup.procs", "0");
    return r < 0 && (err == NULL || err->code == 0)
               ? err_set_errno(err, -r, "cannot move to control group %s", own)
               : r;
}

/* Enables the available controllers for child groups; the agent reports missing ones. */
static void enable(const char *base)
{
    static const char *const wanted[] = { "+memory", "+cpu", "+pids", "+io" };

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        leaf_write(base, "cgroup.subtree_control", wanted[i]);
}

/* Adds a hierarchy in which systemd tracks units: v2, and on a hybrid machine its own v1 hierarchy as
 * well. */
static int add_hierarchy(struct keeper *keeper, const char *mountinfo, const char *self, const char *name,
                         struct err *err)
{
    char mount[PATH_MAX], own[PATH_MAX];
    scoped_free char *base = NULL;
    char **home = keeper->homes[0] == NULL ? &keeper->homes[0] : &keeper->homes[1];
    int r;

    if (!detect_own(mountinfo, self, name, mount, own))
        return 0;
    if (own[0] == '\0')
        return err_set(err, EINVAL,
                       "the keeper runs in the topmost control group: start it by "
                       "creel-keeper.service, which gives it a group of its own");
    base = mem_printf("%s%s", mount, own);
    r = lay_out(base, home, err);
    if (r == 0 && name == NULL)
        enable(base);
    return r;
}

static int add_controllers(struct keeper *keeper, const char *mountinfo, const char *self, struct err *err)
{
    struct detect *detect = mem_new0(struct detect);
    int r = detect_here(detect, err);

    for (int i = 0; i < LEAF_CONTROLLERS && r == 0; i++) {
        char mount[PATH_MAX], own[PATH_MAX] = "";

        if (detect->controller[i].version == 0)
            continue;
        detect_own(mountinfo, self,
                   detect->controller[i].version == 2 ? NULL : leaf_controller_name((enum leaf_controller)i),
                   mount, own);
        keeper->own[i] = mem_strdup(own);
    }
    free(detect);
    return r;
}

static int set_up(const char *file, struct err *err)
{
    scoped_free char *mountinfo = NULL, *self = NULL;
    struct keeper keeper = { .file = NULL };
    int r;

    /* Read before this process moves, while /proc/self/cgroup still has the unit's group. */
    if ((r = record_read(AT_FDCWD, "/proc/self/mountinfo", &mountinfo, NULL, err)) == 0 &&
        (r = record_read(AT_FDCWD, "/proc/self/cgroup", &self, NULL, err)) == 0 &&
        (r = add_controllers(&keeper, mountinfo, self, err)) == 0 &&
        (r = add_hierarchy(&keeper, mountinfo, self, NULL, err)) == 0 &&
        (r = add_hierarchy(&keeper, mountinfo, self, "name=systemd", err)) == 0) {
        if (keeper.homes[0] == NULL)
            r = err_set(err, ENOENT, "neither cgroup2 nor systemd's own hierarchy is mounted");
        else
            r = keeper_write(&keeper, file, err);
    }
    if (r == 0)
        sd_notifyf(0, "READY=1\nSTATUS=keeps %s/..; to stop this unit is to end all containers",
                   keeper.homes[0]);
    keeper_clear(&keeper);
    return r;
}

/* --- the end ---------------------------------------------------------------- */

static pid_t first_of(const char *group)
{
    scoped_free char *path = mem_printf("%s/cgroup.procs", group);
    FILE *stream = fopen(path, "re");
    int pid = 0;

    if (stream == NULL)
        return 0;
    if (fscanf(stream, "%d", &pid) != 1)
        pid = 0;
    fclose(stream);
    return pid;
}

/* Waits until the shims have written the exit records and ended; returns false at UNTIL_MS. */
static bool wait_for_shims(const char *home, int64_t until_ms)
{
    pid_t pid;

    while ((pid = first_of(home)) > 0) {
        scoped_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0);
        struct pollfd ended = { .fd = fd, .events = POLLIN };
        int64_t left_ms = until_ms - monotonic_ms();

        if (left_ms <= 0)
            return false;
        if (fd >= 0) /* else it has ended already */
            poll(&ended, 1, (int)left_ms);
    }
    return true;
}

/* Kills all containers: the processes in the groups below BASE, except those in keeper/ and shims/. */
static void kill_containers(const char *base)
{
    DIR *stream = opendir(base);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_free char *path = mem_printf("%s/%s", base, entry->d_name);

        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && strcmp(entry->d_name, "keeper") != 0 &&
            strcmp(entry->d_name, "shims") != 0)
            leaf_signal_directory(path, SIGKILL);
    }
    if (stream != NULL)
        closedir(stream);
}

/* Sends TERM to all processes, which does not end this process and the shims; kills containers that still run
 * after TERM_MS. On v1, containers that ignore TERM are left to systemd, which kills them when this process
 * has ended. */
static void stop_containers(const struct keeper *keeper)
{
    int64_t begun_ms = monotonic_ms();

    for (int i = 0; i < KEEPER_HOMES_MAX && keeper->homes[i] != NULL; i++) {
        scoped_free char *base = mem_strdup(keeper->homes[i]);

        leaf_terminate_directory(dirname(base));
    }
    for (int i = 0; i < KEEPER_HOMES_MAX && keeper->homes[i] != NULL; i++) {
        scoped_free char *base = mem_strdup(keeper->homes[i]);

        if (wait_for_shims(keeper->homes[i], begun_ms + TERM_MS))
            continue;
        kill_containers(dirname(base));
        wait_for_shims(keeper->homes[i], begun_ms + KILL_MS);
    }
}

/* Removes the groups below DIRECTORY and disables their controllers, from the bottom up. systemd cannot start
 * the unit while a controller is enabled for child groups of the unit's group (status 219/CGROUP), and it
 * removes only groups that have no process: a group remains if a process cannot be killed, or if the agent
 * creates one at this moment. On v1 there is no such file, and the groups alone are removed. */
static void leave_tree(const char *directory, int levels)
{
    static const char *const enabled[] = { "-io", "-pids", "-cpu", "-memory" };
    DIR *stream = opendir(directory);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_free char *path = mem_printf("%s/%s", directory, entry->d_name);

        if (entry->d_type != DT_DIR || entry->d_name[0] == '.' || levels == 0)
            continue;
        leave_tree(path, levels - 1);
        rmdir(path);
    }
    if (stream != NULL)
        closedir(stream);
    for (size_t i = 0; i < sizeof(enabled) / sizeof(enabled[0]); i++)
        leaf_write(directory, "cgroup.subtree_control", enabled[i]);
}

int main(int argc, char **argv)
{
    struct err err = { .code = 0 };
    struct keeper keeper;
    sigset_t ends;
    int number;

    if (argc != 2 || argv[1][0] != '/') {
        fputs("creel-keeper is started by creel-keeper.service, with the file to write\n", stderr);
        return 2;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    if (set_up(argv[1], &err) < 0) {
        fprintf(stderr, "creel-keeper: %s\n", err.text);
        return 1;
    }
    while (sigwait(&ends, &number) != 0)
        ;
    sd_notify(0, "STOPPING=1\nSTATUS=ends, and all containers with it");
    if (keeper_read(argv[1], &keeper, NULL) == 0) {
        unlink(argv[1]);
        stop_containers(&keeper);
        for (int i = 0; i < KEEPER_HOMES_MAX && keeper.homes[i] != NULL; i++) {
            scoped_free char *base = mem_strdup(keeper.homes[i]);

            leave_tree(dirname(base), LEVELS_MAX);
        }
        keeper_clear(&keeper);
    }
    return 0;
}
