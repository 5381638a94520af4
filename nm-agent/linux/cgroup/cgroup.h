/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - creates and removes the cgroups of containers
 *
 * A container's group is <root>/<instance>/<container id>, below each controller's mount and, on v1, the
 * group of the agent. The instance is the name of one state directory. A root belongs to one agent: groups
 * that another instance has left in it are adopted or removed (orphans.c). The instance's groups of
 * v1, with all their parents, and the limits of all containers together are made by a backend: libcgroup, or
 * the kernel's files in a build without it (cgroup_backend.h). The groups of a single
 * container are created and limited without libcgroup, through directories that are kept open: libcgroup
 * would take a third of the time of each start, since it reads the mount table and creates every parent
 * again. Groups are also removed without libcgroup, bottom up, since libcgroup moves live processes out of
 * their limits. cgroup_leaf.h has all operations on an existing group.
 */
#ifndef CREEL_NM_CGROUP_H
#define CREEL_NM_CGROUP_H

#include <stdbool.h>

#include "common/base/err.h"
#include "nm-agent/linux/cgroup/cgroup_detect.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"
#include "nm-agent/linux/cgroup/keeper.h"

struct cgroups;

/* Detects the cgroup versions, creates <ROOT>/<INSTANCE> for each controller, locks it and checks that it can
 * be written. The groups are below the unit of KEEPER, which is borrowed; NULL: no unit. On failure ERR names
 * the file that cannot be written, and the remedy. */
int cgroups_new(const char *root, const char *instance, const struct keeper *keeper, struct cgroups **ret,
                struct err *err);
/* Also removes the instance's groups, and the root, if they are empty. */
void cgroups_free(struct cgroups *cgroups);

const char *cgroups_mode(const struct cgroups *cgroups);

/* Returns the paths of the groups of container ID, existing or not; the caller frees the texts
 * (leaf_clear). */
struct leaf cgroups_leaf(const struct cgroups *cgroups, const char *id);
void leaf_clear(struct leaf *leaf);

/* Returns the groups above all containers of this agent; the texts are those of CGROUPS. */
struct leaf cgroups_own(const struct cgroups *cgroups);

/* Creates the container's groups with LIMITS; for existing groups, sets the limits again. On failure no group
 * is left. */
int cgroups_create(struct cgroups *cgroups, const char *id, const struct leaf_limits *limits,
                   struct err *err);

/* Sets the memory and CPU limits of the existing groups of container ID. -EBUSY: the container uses more
 * memory than the new limit, and the kernel cannot take it away. */
int cgroups_resize(struct cgroups *cgroups, const char *id, const struct leaf_limits *limits,
                   struct err *err);

/* Limits all containers of this agent together to QUOTA_US of CPU time in every PERIOD_US; -1: no limit, even
 * if an earlier agent set one. */
int cgroups_limit_cpu(struct cgroups *cgroups, int64_t quota_us, int64_t period_us, struct err *err);

/* Returns true if this kernel can limit the swap space of a container (v1: swap accounting). */
bool cgroups_counts_swap(const struct cgroups *cgroups);

/* Removes a leaf's groups, children first. Returns 0, or -EBUSY while a process is still exiting: the caller
 * must retry a little later. Groups that do not exist are ignored. */
int leaf_remove(const struct leaf *leaf);

/* Removes, after leaf_remove, the empty parent groups that belong to another instance, or to an earlier
 * position of the agent in the hierarchy. */
void cgroups_leave(const struct cgroups *cgroups, const struct leaf *leaf);

/* --- cgroup_sweep.c: groups of this and of other instances ---------------------- */

#define CGROUPS_INSTANCE_PREFIX "agent-"

/* Returns the paths of the groups of container ID of INSTANCE, existing or not; the caller frees the
 * texts. */
struct leaf cgroups_leaf_of(const struct cgroups *cgroups, const char *instance, const char *id);
/* Calls FN with the name of each container's group of INSTANCE, in any controller, sorted, each name once. */
void cgroups_each(const struct cgroups *cgroups, const char *instance,
                  void (*fn)(void *context, const char *id), void *context);
/* Calls FN with the name of each instance that has a group below the root, this instance included. */
void cgroups_each_instance(const struct cgroups *cgroups, void (*fn)(void *context, const char *instance),
                           void *context);
bool cgroups_is_own(const struct cgroups *cgroups, const char *instance);
/* Returns true if another running agent uses INSTANCE. */
bool cgroups_in_use(const struct cgroups *cgroups, const char *instance);
/* Removes the groups of INSTANCE, if they are empty. */
void cgroups_remove_instance(const struct cgroups *cgroups, const char *instance);

#endif
