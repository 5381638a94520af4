/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_internal.h - members of struct cgroups; private to cgroup.c and cgroup_sweep.c */
#ifndef CREEL_NM_CGROUP_INTERNAL_H
#define CREEL_NM_CGROUP_INTERNAL_H

#include <time.h>

#include "nm-agent/linux/cgroup/cgroup.h"
#include "nm-agent/linux/cgroup/cgroup_backend.h"

struct cgroups {
    struct detect detect;
    const struct cgroup_backend *backend;
    char *instance;
    const struct keeper *keeper;         /* NULL: none, or not used on this machine */
    struct timespec keeper_started;      /* when the keeper that has the tree wrote its file */
    int64_t cpu_quota_us, cpu_period_us; /* limit of all containers; period 0: not set yet */
    /* Of the group of the instance, by controller: */
    char *relative[LEAF_CONTROLLERS]; /* path below the mount, without a leading slash */
    char *base[LEAF_CONTROLLERS];     /* absolute path; NULL: the controller is missing, or SHARED */
    int fd[LEAF_CONTROLLERS];         /* open directory; -1: none */
    bool shared[LEAF_CONTROLLERS];    /* uses the same directory as an earlier controller */
};

#endif
