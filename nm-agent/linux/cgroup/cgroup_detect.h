/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_detect.h - finds the cgroup version and the mount of each controller on this machine
 *
 * Each controller is examined separately: a hybrid machine has memory on v1 and others on v2, or the reverse.
 * The functions work on the texts of /proc/self/mountinfo, /proc/self/cgroup and cgroup.controllers, so that
 * tests can use the texts of any machine.
 */
#ifndef CREEL_NM_CGROUP_DETECT_H
#define CREEL_NM_CGROUP_DETECT_H

#include <limits.h>
#include <stdbool.h>

#include "common/base/err.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

struct detect_controller {
    int version;          /* 1, 2; 0: not available */
    bool read_only;       /* the mount is read-only */
    char mount[PATH_MAX]; /* "/sys/fs/cgroup/memory" */
    char own[PATH_MAX];   /* group of this process, below the mount: "" or "/a/b". Always "" on
                             v2: a v2 group that has processes cannot enable controllers for
                             child groups */
};

struct detect {
    struct detect_controller controller[LEAF_CONTROLLERS];
    char unified_mount[PATH_MAX]; /* "": no cgroup2 is mounted */
};

/* Finds the group of the process of SELF_CGROUP in the hierarchy NAME (a v1 controller, "name=systemd"; NULL:
 * v2): its mount, and the path below it, "" for the mount itself. Returns false if the hierarchy is not
 * mounted. */
bool detect_own(const char *mountinfo, const char *self_cgroup, const char *name, char mount[PATH_MAX],
                char own[PATH_MAX]);

/* Fills DETECT. CONTROLLERS: text of the cgroup2 mount's cgroup.controllers, "" if none. Returns 0, or
 * -ENOENT; then ERR names the missing controller and the remedy. Declared for tests. */
int detect_parse(const char *mountinfo, const char *self_cgroup, const char *controllers,
                 struct detect *detect, struct err *err);

/* Fills DETECT for this machine, from the files in /proc and the cgroup2 mount. */
int detect_here(struct detect *detect, struct err *err);

/* Returns "v1" (all controllers on v1, no cgroup2 mounted), "v2" (all on v2) or "hybrid". */
const char *detect_mode(const struct detect *detect);

#endif
