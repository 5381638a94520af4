/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_values.h - the plain fields of a job (common/base/job_field_table.h), between its representations
 *
 * All texts are borrowed from what they were read from.
 */
#ifndef CREEL_LIB_JOB_VALUES_H
#define CREEL_LIB_JOB_VALUES_H

#include "client/include/creel.h"
#include "common/base/job_field.h"
#include "common/proto/creel.pb-c.h"

struct job_values job_values_of(const struct creel_job *job);
/* Set the member of JOB that ID names. VALUE is one that job_field_parse has accepted. */
void job_values_set(struct creel_job *job, enum job_field_id id, const struct job_value *value);
/* Set the members of SPEC and of its launch context, which is there already. */
void job_values_put(const struct job_values *values, Creel__JobSpec *spec);
/* The same of a launch context alone. */
void job_values_put_launch(const struct job_values *values, Creel__LaunchContext *launch);

#endif
