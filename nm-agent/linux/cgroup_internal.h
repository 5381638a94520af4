/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_internal.h - private to cgroup.c and cgroup_sweep.c */
#ifndef CREEL_NM_CGROUP_INTERNAL_H
#define CREEL_NM_CGROUP_INTERNAL_H

#include "nm-agent/linux/cgroup.h"

struct cgroups {
    struct detect detect;
    char *instance;
    const struct keeper *keeper;        /* NULL: none, or not used here */
    char *relative[LEAF_CONTROLLERS];   /* of the instance's group, below the mount, no slash first */
    char *base[LEAF_CONTROLLERS];       /* the same, absolute; NULL: not there, or as another's */
    int fd[LEAF_CONTROLLERS];           /* of it; -1: none */
    bool shared[LEAF_CONTROLLERS];      /* same directory as an earlier controller */
};

#endif
