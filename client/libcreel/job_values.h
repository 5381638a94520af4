/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job_values.h - converts the plain fields of a job (common/base/job/job_field_table.h) between their
 * representations
 *
 * All texts are borrowed from the source.
 */
#ifndef CREEL_LIB_JOB_VALUES_H
#define CREEL_LIB_JOB_VALUES_H

#include "client/include/creel.h"
#include "common/base/job/job_field.h"
#include "common/proto/creel.pb-c.h"

struct job_values job_values_of(const struct creel_job *job);
/* Sets the member of JOB that ID names. job_field_parse has accepted VALUE. */
void job_values_set(struct creel_job *job, enum job_field_id id, const struct job_value *value);
/* Sets the members of SPEC and of its launch context, which must exist. */
void job_values_put(const struct job_values *values, Creel__JobSpec *spec);

#endif
