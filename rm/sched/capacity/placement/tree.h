/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - what queue mappings ask about the tree of queues
 *
 * Mappings may begin a path with any queue's short name, as long as only one has it:
 * "dev.%user" where root.teams.dev is the only dev.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_TREE_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_TREE_H

#include <stdbool.h>

#include "common/base/err.h"
#include "rm/sched/capacity/config/config.h"

/* The queue, leaf or not, whose path or short name is NAME; NULL if there is none, or several
 * (*AMBIGUOUS is set either way). */
const struct capacity_queue *placement_tree_find(const struct capacity_config *config,
                                                 const char *name, bool *ambiguous);

/* *PATH, owned by the caller, is TEXT with its first component made the full path of that
 * queue. -EINVAL: an empty component; -ENOENT, -ENOTUNIQ: that of the first component. */
int placement_tree_normalise(const struct capacity_config *config, const char *text, char **path,
                             struct err *err);

enum placement_target { PLACEMENT_LEAF, PLACEMENT_CREATABLE };

/*
 * Can an application be placed at TEXT? If so, *PATH (owned by the caller) is the full path, and *TARGET
 * tells whether the leaf exists. Errors as above, and -EISDIR: it has children; -ENOENT: it does not exist
 * and no queue above creates it (5.11): the nearest one that exists has neither auto-create-child-queue (one
 * level) nor auto-queue-creation-v2 (maximum-queue-depth levels).
 */
int placement_tree_look(const struct capacity_config *config, const char *text, char **path,
                        enum placement_target *target, struct err *err);

/* PATH, which does not exist, would be made by a queue with the older auto-create-child-queue;
 * such are only reached by a mapping, never by name. */
bool placement_tree_is_managed(const struct capacity_config *config, const char *path);

/* Can a path with variables match a queue? Only the part before the first variable is checked. IS_VARIABLE
 * tells whether a component is a variable. 0, or as placement_tree_look. */
typedef bool placement_variable_fn(const char *component, size_t length);
int placement_tree_judge_pattern(const struct capacity_config *config, const char *pattern,
                                 placement_variable_fn *is_variable, struct err *err);

#endif
