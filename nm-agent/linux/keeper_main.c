/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper_main.c - creel-keeper: holds a delegated group for as long as its unit runs
 *
 * Started by creel-keeper.service and by nobody else. It lays its unit's group
 * out (keeper.h), tells systemd and the agent, and sleeps: a unit without a
 * process would lose its group. When it ends, systemd ends all that is in there.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup_detect.h"
#include "nm-agent/linux/keeper.h"
#include "nm-agent/linux/record.h"

static int make_group(const char *base, const char *name, char **ret, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", base, name);

    if (mkdir(path, 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "cannot make control group %s: is Delegate=yes in the "
                             "unit?", path);
    *ret = path;
    path = NULL;
    return 0;
}

/* Below a group with processes none can have controllers (v2): so this one moves down, too. */
static int lay_out(const char *base, char **home, struct err *err)
{
    scoped_free char *own = NULL;
    int r = make_group(base, "keeper", &own, err);

    if (r == 0)
        r = make_group(base, "shims", home, err);
    if (r == 0)
        r = leaf_write(own, "cgroup.procs", "0");
    return r < 0 && (err == NULL || err->code == 0)
               ? err_set_errno(err, -r, "cannot move to control group %s", own) : r;
}

/* Hand down what is there to be handed down; the agent says what it lacks. */
static void enable(const char *base)
{
    static const char *const wanted[] = { "+memory", "+cpu", "+pids", "+io" };

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        leaf_write(base, "cgroup.subtree_control", wanted[i]);
}

/* The hierarchies by which systemd tells units apart: v2, and on a hybrid machine its own as well. */
static int take_hierarchy(struct keeper *keeper, const char *mountinfo, const char *self,
                          const char *name, struct err *err)
{
    char mount[PATH_MAX], own[PATH_MAX];
    scoped_free char *base = NULL;
    char **home = keeper->homes[0] == NULL ? &keeper->homes[0] : &keeper->homes[1];
    int r;

    if (!detect_own(mountinfo, self, name, mount, own))
        return 0;
    if (own[0] == '\0')
        return err_set(err, EINVAL, "stands in the topmost control group: it is "
                       "creel-keeper.service that starts it, with a group of its own");
    base = mem_printf("%s%s", mount, own);
    r = lay_out(base, home, err);
    if (r == 0 && name == NULL)
        enable(base);
    return r;
}

static int take_controllers(struct keeper *keeper, const char *mountinfo, const char *self,
                            struct err *err)
{
    struct detect *detect = mem_new0(struct detect);
    int r = detect_here(detect, err);

    for (int i = 0; i < LEAF_CONTROLLERS && r == 0; i++) {
        char mount[PATH_MAX], own[PATH_MAX] = "";

        if (detect->controller[i].version == 0)
            continue;
        detect_own(mountinfo, self, detect->controller[i].version == 2 ? NULL
                                    : leaf_controller_name((enum leaf_controller)i), mount, own);
        keeper->own[i] = mem_strdup(own);
    }
    free(detect);
    return r;
}

static int keep(const char *file, struct err *err)
{
    scoped_free char *mountinfo = NULL, *self = NULL;
    struct keeper keeper = { .file = NULL };
    int r;

    /* (read before it moves: what it says is the unit's group) */
    if ((r = record_read(AT_FDCWD, "/proc/self/mountinfo", &mountinfo, NULL, err)) == 0 &&
        (r = record_read(AT_FDCWD, "/proc/self/cgroup", &self, NULL, err)) == 0 &&
        (r = take_controllers(&keeper, mountinfo, self, err)) == 0 &&
        (r = take_hierarchy(&keeper, mountinfo, self, NULL, err)) == 0 &&
        (r = take_hierarchy(&keeper, mountinfo, self, "name=systemd", err)) == 0) {
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

int main(int argc, char **argv)
{
    struct err err = { .code = 0 };
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
    if (keep(argv[1], &err) < 0) {
        fprintf(stderr, "creel-keeper: %s\n", err.text);
        return 1;
    }
    while (sigwait(&ends, &number) != 0)
        ;
    sd_notify(0, "STOPPING=1\nSTATUS=ends, and all containers with it");
    return 0;
}
