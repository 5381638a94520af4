/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - making and removing the cgroups of containers
 *
 * A container's group is <root>/<instance>/<container id>, below each controller's mount and, on v1, the
 * group of the agent. The instance is the name of one state directory. A root
 * belongs to one agent: what another instance has left there is adopted or ended (ghosts.c).
 * libcgroup makes the instance's groups, with all above them, and sets the limits of all
 * containers together. A container's own groups are made and limited by hand in the
 * directories that are kept open: of each start libcgroup would take a third, for reading the table
 * of mounts and making every parent again. Removal is by hand as well, bottom up, since
 * libcgroup's moves live processes out of their limits (see cgroup_leaf.h for everything that
 * is done to a group in between).
 */
#ifndef CREEL_NM_CGROUP_H
#define CREEL_NM_CGROUP_H

#include <stdbool.h>

#include "common/base/err.h"
#include "nm-agent/linux/cgroup_detect.h"
#include "nm-agent/linux/cgroup_leaf.h"
#include "nm-agent/linux/keeper.h"

struct cgroups;

/* Detect, make <ROOT>/<INSTANCE> everywhere, lock it and check that it can be written; below the unit of
 * KEEPER, which is borrowed, unless that is NULL. On failure ERR names the file that cannot be
 * written, and what to do. */
int cgroups_new(const char *root, const char *instance, const struct keeper *keeper,
                struct cgroups **ret, struct err *err);
/* Also removes the instance's groups, and the root, when they are empty. */
void cgroups_free(struct cgroups *cgroups);

const char *cgroups_mode(const struct cgroups *cgroups);

/* The groups that the container ID has or would have; the texts are the caller's (leaf_clear). */
struct leaf cgroups_leaf(const struct cgroups *cgroups, const char *id);
void leaf_clear(struct leaf *leaf);

/* Make the container's groups with LIMITS; making them again sets them again. On failure
 * nothing is left. */
int cgroups_create(struct cgroups *cgroups, const char *id, const struct leaf_limits *limits,
                   struct err *err);

/* QUOTA_US of every PERIOD_US for all containers of this agent together; -1: all there is, also
 * if an earlier agent left a limit. */
int cgroups_limit_cpu(struct cgroups *cgroups, int64_t quota_us, int64_t period_us,
                      struct err *err);

/* Whether this kernel can bound what a container swaps (v1: swap accounting). */
bool cgroups_counts_swap(const struct cgroups *cgroups);

/* Remove a leaf's groups, those below first. 0, or -EBUSY while a process has not yet quite
 * gone: try again a little later. Groups that are not there are fine. */
int leaf_remove(const struct leaf *leaf);

/* After leaf_remove: the groups above, if they are another instance's or agent position's of
 * earlier, and empty. */
void cgroups_leave(const struct cgroups *cgroups, const struct leaf *leaf);

/* --- cgroup_sweep.c: groups of this and of other instances ---------------------- */

#define CGROUPS_INSTANCE_PREFIX "agent-"

/* The groups that the container ID of INSTANCE has or would have; the texts are the caller's. */
struct leaf cgroups_leaf_of(const struct cgroups *cgroups, const char *instance, const char *id);
/* Call FN with the name of each container's group of INSTANCE, of whichever controller, sorted, each once. */
void cgroups_each(const struct cgroups *cgroups, const char *instance,
                  void (*fn)(void *context, const char *id), void *context);
/* The same for the instances below the root, this one too. */
void cgroups_each_instance(const struct cgroups *cgroups,
                           void (*fn)(void *context, const char *instance), void *context);
bool cgroups_is_own(const struct cgroups *cgroups, const char *instance);
/* An agent that is running now, and is not this one, uses INSTANCE. */
bool cgroups_in_use(const struct cgroups *cgroups, const char *instance);
/* Its groups, if they are empty. */
void cgroups_remove_instance(const struct cgroups *cgroups, const char *instance);

#endif
