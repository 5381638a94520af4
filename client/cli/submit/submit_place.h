/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_place.h - where a job runs, and where its output goes
 *
 * The directory of a job:
 *     -C DIR      DIR on the node; the job fails if it cannot be entered. Not absolute: below the present one
 *     --scratch   a directory of its own on the node, which is removed when the application is over
 *     -f, --am    the same without an option: files that are sent are there
 *     else        the present directory, if the node has it, else the directory of its own
 */
#ifndef CREEL_CLI_SUBMIT_PLACE_H
#define CREEL_CLI_SUBMIT_PLACE_H

#include "client/cli/frame/options.h"
#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"

/* Set the directories of JOB, whose name is set, and put that in the place of %x in its output files. New
 * texts are of ARENA. -EINVAL: options that contradict each other, -errno: the present directory is gone. */
int submit_place_choose(const struct options *parsed, struct arena *arena, struct creel_job *job,
                        struct err *err);

#endif
