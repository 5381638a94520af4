/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - checks whether the cluster can run a job */
#ifndef CREEL_RM_MASTER_JOB_H
#define CREEL_RM_MASTER_JOB_H

#include "rm/master/state.h"

/* Checks JOB of USER. -EINVAL, -EMSGSIZE, -EOPNOTSUPP, -ENOENT or -ERANGE: ERR has a sentence for the
 * user. */
int rm_job_judge(const struct master *m, const Creel__JobSpec *job, const char *user, struct err *err);
/* Returns the size of the largest container of JOB, rounded by the scheduler. */
struct resource rm_job_largest(struct master *m, const Creel__JobSpec *job);

#endif
