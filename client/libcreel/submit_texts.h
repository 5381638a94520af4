/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_texts.h - inside libcreel: the arguments, variables and tags of a job that is submitted
 *
 * The texts are borrowed; arrays are in ARENA. -EFBIG: there are too many, or one is too long; ERR has the
 * limit and a remedy.
 */
#ifndef CREEL_LIB_SUBMIT_TEXTS_H
#define CREEL_LIB_SUBMIT_TEXTS_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

int submit_texts_set_command(Creel__LaunchContext *launch, const char *const *command, struct arena *arena,
                             struct err *err);
/* -EINVAL: a variable is not NAME=VALUE. */
int submit_texts_set_environment(Creel__LaunchContext *launch, const char *const *environment,
                                 struct arena *arena, struct err *err);
int submit_texts_set_tags(Creel__JobSpec *job, const char *const *tags, struct err *err);

/* Checks the sizes of arguments and variables of LAUNCH after launch_texts_escape, each (an escaped byte
 * has four bytes in a message) and together (JOB_BYTES_MAX). */
int submit_texts_judge(const Creel__LaunchContext *launch, struct err *err);

#endif
