/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - the capacity scheduler's queue mappings (yarn-behaviour 5.10)
 *
 * An administrator writes rules, in one of two forms:
 *   legacy (default): yarn.scheduler.capacity.queue-mappings   u:<user>:<queue>, g:<group>:<queue>
 *                     yarn.scheduler.queue-placement-rules.app-name      <app name>:<queue>
 *   json:             yarn.scheduler.capacity.mapping-rule-json, or -json-file
 * Both forms are parsed into one list of struct mapping_rule (rules.h): the users concerned, the queue,
 * whether the queue may be created, and the fallback if it does not exist. The first rule that places or
 * rejects decides. Rules apply only if the submission names no queue or the default queue, unless
 * yarn.scheduler.capacity.queue-mappings-override.enable is true.
 *
 * Rules are checked against the tree of queues when they are loaded: a rule that could never place an
 * application is refused. Each decision checks the tree again, because queues may have been added.
 */
#ifndef CREEL_RM_SCHED_CAPACITY_PLACEMENT_PLACEMENT_H
#define CREEL_RM_SCHED_CAPACITY_PLACEMENT_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/placement.h"

struct capacity_placement;

/* Returns the value of yarn.scheduler.capacity.mapping-rule-json-file if that key is used, else NULL. The
 * caller must read this file, since this code does no input or output. */
const char *capacity_placement_file(const struct conf *conf);

/*
 * Loads the rules of CONF and checks them against CONFIG; neither is stored. FILE_TEXT is the content of the
 * file that capacity_placement_file() returns, NULL if that returns NULL. -EINVAL: one line for each problem
 * in ERR, at most 20:
 *   <file>:<line>: <key>: "<value>": <what is wrong with which part of it>
 *   <file>:<line>: <key>: rule 3 (user "bob", policy custom): <what>
 *   <json file>:<line>:<column>: <what>
 */
int capacity_placement_load(const struct conf *conf, const char *file_text,
                            const struct capacity_config *config, conf_warn_fn *warn, void *context,
                            struct capacity_placement **ret, struct err *err);
void capacity_placement_free(struct capacity_placement *placement); /* NULL is fine */

/* Returns the number of rules, for tests. */
size_t capacity_placement_rule_count(const struct capacity_placement *placement);

/*
 * Decides the queue of REQUEST. On success RESULT (which the caller clears) is a leaf of CONFIG, or has
 * CREATE set: the caller must then call capacity_config_create(). -EPERM: a rule rejects it; -ENOENT: there
 * is no such queue, and it may not be created; -ENOTUNIQ: several leaves have that name; -EISDIR: the queue
 * has children. ERR has the reason and the rule. TRACE may be NULL. Access lists and the state of the queue
 * are not checked here.
 */
int capacity_placement_decide(const struct capacity_placement *placement,
                              const struct capacity_config *config, const struct placement_request *request,
                              placement_trace_fn *trace, void *context, struct placement_result *result,
                              struct err *err);

#endif
