/* SPDX-License-Identifier: Apache-2.0 */
/* worker.h - workers (common/base/worker.h) whose jobs are finished by the loop */
#ifndef CREEL_RM_WORKER_H
#define CREEL_RM_WORKER_H

#include "common/base/worker.h"
#include "common/io/loop/loop.h"

/* Starts a worker; DONE of its jobs is called in LOOP, which must outlive the worker. */
int worker_new(struct loop *loop, struct worker **ret, struct err *err);

#endif
