/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_internal.h - members of struct cgroups; private to cgroup.c and cgroup_sweep.c */
#ifndef CREEL_NM_CGROUP_INTERNAL_H
#define CREEL_NM_CGROUP_INTERNAL_H

#include "nm-agent/linux/cgroup.h"
#include "nm-agent/linux/cgroup_backend.h"

struct cgroups {
    struct detect detect;
    const struct cgroup_backend *backend;
    char *instance;
    const struct keeper *keeper;      /* NULL: none, or not used on this machine */
    char *relative[LEAF_CONTROLLERS]; /* path of the instance's group below the mount, without a leading
                                         slash */
    char *base[LEAF_CONTROLLERS];     /* absolute path of the instance's group; NULL: controller missing, or
                                         SHARED */
    int fd[LEAF_CONTROLLERS];         /* open directory of the instance's group; -1: none */
    bool shared[LEAF_CONTROLLERS];    /* uses the same directory as an earlier controller */
};

#endif
