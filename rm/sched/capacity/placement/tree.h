/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - resolves paths in queue mappings against the tree of queues
 *
 * A path in a mapping may begin with the short name of any queue, as long as only one queue has that name:
 * "dev.%user" if root.teams.dev is the only dev.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_TREE_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_TREE_H

#include <stdbool.h>

#include "common/base/err.h"
#include "rm/sched/capacity/config/config.h"

/* Returns the queue, leaf or not, whose path or short name is NAME; NULL if there is none, or several.
 * *AMBIGUOUS is set to true if there are several, else to false. */
const struct capacity_queue *placement_tree_find(const struct capacity_config *config, const char *name,
                                                 bool *ambiguous);

/* Sets *PATH, owned by the caller, to TEXT with its first component replaced by the full path of that queue.
 * -EINVAL: an empty component; -ENOENT, -ENOTUNIQ: no queue, or several, have the name of the first
 * component. */
int placement_tree_normalise(const struct capacity_config *config, const char *text, char **path,
                             struct err *err);

enum placement_target { PLACEMENT_LEAF, PLACEMENT_CREATABLE };

/*
 * Checks whether an application can be placed at TEXT. If so, sets *PATH (owned by the caller) to the full
 * path, and *TARGET to whether the leaf exists. Errors as placement_tree_normalise(), and -EISDIR: the queue
 * has children; -ENOENT: the queue does not exist and no queue above may create it (5.11): the nearest
 * existing ancestor has neither auto-create-child-queue (one level) nor auto-queue-creation-v2
 * (maximum-queue-depth levels).
 */
int placement_tree_check(const struct capacity_config *config, const char *text, char **path,
                         enum placement_target *target, struct err *err);

/* Returns true if PATH, which does not exist, would be created by a queue with auto-create-child-queue (v1).
 * Such a queue can only be created by a mapping, not by a submission that names it. */
bool placement_tree_is_managed(const struct capacity_config *config, const char *path);

/* Checks whether a path with variables can match a queue. Only the part before the first variable is checked.
 * IS_VARIABLE returns true for a component that is a variable. Returns 0, or an error as
 * placement_tree_check(). */
typedef bool placement_variable_fn(const char *component, size_t length);
int placement_tree_judge_pattern(const struct capacity_config *config, const char *pattern,
                                 placement_variable_fn *is_variable, struct err *err);

#endif
