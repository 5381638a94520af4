/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - is a job one that this cluster can take? */
#ifndef CREEL_RM_MASTER_JOB_H
#define CREEL_RM_MASTER_JOB_H

#include "rm/master/state.h"

/* ERROR_UNKNOWN: nothing is wrong with it; else ERR has the reason. */
Creel__ErrorCode rm_judge_job(const struct master *m, const Creel__JobSpec *job, struct err *err);

#endif
