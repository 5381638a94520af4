/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_detect.h - which cgroup version each controller has here, and where
 *
 * Decided for every controller by itself: a hybrid machine has memory on v1
 * and others on v2, or the other way round. Works on the texts of
 * /proc/self/mountinfo, /proc/self/cgroup and cgroup.controllers, so that any
 * machine can be tried on any other.
 */
#ifndef CREEL_NM_CGROUP_DETECT_H
#define CREEL_NM_CGROUP_DETECT_H

#include <limits.h>
#include <stdbool.h>

#include "common/base/err.h"
#include "nm-agent/linux/cgroup_leaf.h"

struct detect_controller {
    int version;                        /* 1, 2; 0: not there */
    bool read_only;                     /* its mount is */
    char mount[PATH_MAX];               /* "/sys/fs/cgroup/memory" */
    char own[PATH_MAX];                 /* where this process is, below the mount: "" or "/a/b".
                                           Always "" on v2: a v2 group with processes in it cannot
                                           give controllers to groups below */
};

struct detect {
    struct detect_controller controller[LEAF_CONTROLLERS];
    char unified_mount[PATH_MAX];       /* "": no cgroup2 is mounted */
};

/* Where cgroup2 is mounted, for reading its cgroup.controllers; false if nowhere. */
bool detect_unified(const char *mountinfo, char mount[PATH_MAX]);

/* Where the process of SELF_CGROUP is in the hierarchy NAME (a v1 controller, "name=systemd";
 * NULL: v2): its mount, and the path below it, "" at the mount. False if it is not mounted. */
bool detect_own(const char *mountinfo, const char *self_cgroup, const char *name,
                char mount[PATH_MAX], char own[PATH_MAX]);

/* CONTROLLERS: text of the cgroup2 mount's cgroup.controllers, "" if none. 0, or -ENOENT
 * with what is missing and how to get it. */
int detect_parse(const char *mountinfo, const char *self_cgroup, const char *controllers,
                 struct detect *detect, struct err *err);

/* The same for this machine. */
int detect_here(struct detect *detect, struct err *err);

/* "v1": all on v1 and no cgroup2 mounted; "v2": all on v2; else "hybrid". */
const char *detect_mode(const struct detect *detect);

#endif
