/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - is a job one that this cluster can take? */
#ifndef CREEL_RM_MASTER_JOB_H
#define CREEL_RM_MASTER_JOB_H

#include "rm/master/state.h"

/* -EINVAL, -EMSGSIZE, -EOPNOTSUPP, -ENOENT, -ERANGE: ERR is the sentence for the user. */
int rm_job_judge(const struct master *m, const Creel__JobSpec *job, const char *user, struct err *err);
/* The larger of its containers, as the scheduler rounds it. */
struct resource rm_job_largest(struct master *m, const Creel__JobSpec *job);

#endif
