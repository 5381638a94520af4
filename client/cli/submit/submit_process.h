/* SPDX-License-Identifier: Apache-2.0 */
/* submit_process.h - attributes of this process that a job has, too, if its options do not set them */
#ifndef CREEL_CLI_SUBMIT_PROCESS_H
#define CREEL_CLI_SUBMIT_PROCESS_H

#include <stdbool.h>

#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/conf/conf.h"

/* Sets the umask of JOB if it is not set. */
void submit_process_add(struct arena *arena, struct creel_job *job);

#define SUBMIT_LIMITS_EXPECTED \
    "ALL, NONE, or names separated by commas: " \
    "AS, CORE, CPU, DATA, FSIZE, MEMLOCK, NOFILE, NPROC, RSS, STACK"

/* Sets *LIMITS to the soft limits of this process that NAMES (of --propagate) chooses, as in struct
 * creel_job; NULL: none. IS_QUIET: those that a node reduces are not reported. -EINVAL: NAMES is wrong. */
int submit_process_limits(struct arena *arena, const char *names, bool is_quiet, const char **limits);

/* Sets the limits of JOB that was submitted without --propagate: those of creel.submit.propagate-limits in
 * the configuration of CONF_DIR; with IS_STEP, a step of a job, all. -EINVAL and other errors of
 * conf_load_needed: the configuration is wrong. */
int submit_process_default_limits(const char *conf_dir, bool is_step, struct arena *arena,
                                  struct creel_job *job, struct err *err);

/* Checks the value of creel.submit.propagate-limits. -EINVAL with a message that names the key. */
int submit_process_check_conf(const struct conf *conf, struct err *err);

#endif
