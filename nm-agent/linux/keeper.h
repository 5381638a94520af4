/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - the part of the cgroup tree that a unit of systemd's keeps for the agent
 *
 * systemd lets a service work below its own group only if that is delegated to
 * it, and on v2 it cannot start a service again whose group has handed
 * controllers down while anything lives there: an agent that kept its
 * containers in its own unit could not be restarted. So another unit,
 * creel-keeper.service, owns the tree. Its one process makes, in its unit's group,
 *
 *   keeper/                             itself
 *   shims/                              where shims go once their command runs
 *   creel/<instance>/<container id>/    containers: made by the agent (cgroup.h)
 *
 * and leaves a file for the agent that names the place. When the unit is
 * stopped the file goes first, by which shims know why their containers end,
 * and then everything in the group. Without systemd there is
 * no keeper: the tree then begins at the configured place.
 */
#ifndef CREEL_NM_KEEPER_H
#define CREEL_NM_KEEPER_H

#include <stdbool.h>

#include "common/base/err.h"
#include "nm-agent/linux/cgroup_leaf.h"

#define KEEPER_HOMES_MAX 2              /* the hierarchies by which systemd distinguishes services */

struct keeper {
    char *own[LEAF_CONTROLLERS];        /* the unit's group below each controller's mount: "/a/b",
                                           or "" at the mount itself; NULL: not there */
    char *homes[KEEPER_HOMES_MAX];      /* directories whose cgroup.procs a shim joins; NULL: none */
    char *file;                         /* what it was read from */
};

/* For the keeper: leave FILE, whole. */
int keeper_write(const struct keeper *keeper, const char *file, struct err *err);

/* For the agent; KEEPER is the caller's (keeper_clear). -ENOENT: there is no such unit, and ERR
 * has how to get it; -EPROTO: not such a file. */
int keeper_read(const char *file, struct keeper *keeper, struct err *err);
void keeper_clear(struct keeper *keeper);

/* Is it there still? Always so without one (KEEPER->file NULL); if not -EIO, which counts as the
 * node's fault and not the container's, so that it is tried elsewhere; ERR has what to do. */
int keeper_check(const struct keeper *keeper, struct err *err);

#endif
