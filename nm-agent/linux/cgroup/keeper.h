/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - finds the part of the cgroup tree that systemd delegates to creel-keeper.service
 *
 * systemd allows a service to use groups below its own group only if they are delegated. On v2, systemd
 * cannot restart a service whose group has enabled controllers for child groups while a process lives in one
 * of these: an agent with containers in its own unit could not be restarted. So a separate unit,
 * creel-keeper.service, owns the tree. Its single process creates, in its unit's group,
 *
 *   keeper/                             for itself
 *   shims/                              for shims whose command runs
 *   creel/<instance>/<container id>/    containers: created by the agent (cgroup.h)
 *
 * and writes a file for the agent with the path of that group. When the unit is stopped, the keeper first
 * removes the file, so that the shims know why their containers end, and then ends all processes in the
 * group. Without systemd there is no keeper: the tree then begins at the configured path.
 */
#ifndef CREEL_NM_KEEPER_H
#define CREEL_NM_KEEPER_H

#include <stdbool.h>

#include "common/base/err.h"
#include "nm-agent/linux/cgroup/cgroup_leaf.h"

#define KEEPER_HOMES_MAX 2 /* hierarchies in which systemd tracks services */

struct keeper {
    char *own[LEAF_CONTROLLERS];   /* the unit's group below each controller's mount: "/a/b", or "" for
                                      the mount itself; NULL: not available */
    char *homes[KEEPER_HOMES_MAX]; /* directories whose cgroup.procs a shim joins; NULL: none */
    char *file;                    /* path of the file from which this struct was read */
};

/* Writes FILE atomically; called by the keeper. */
int keeper_write(const struct keeper *keeper, const char *file, struct err *err);

/* Reads FILE; called by the agent. The caller frees KEEPER with keeper_clear. -ENOENT: the unit does not run,
 * and ERR has the remedy; -EPROTO: invalid content. */
int keeper_read(const char *file, struct keeper *keeper, struct err *err);
void keeper_clear(struct keeper *keeper);

/* Checks that the keeper still exists. Always 0 without a keeper (KEEPER->file NULL); else -EIO, which is a
 * failure of the node and not of the container, so that the container is tried on another node; ERR has the
 * remedy. */
int keeper_check(const struct keeper *keeper, struct err *err);

#endif
