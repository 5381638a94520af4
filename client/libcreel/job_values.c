/* SPDX-License-Identifier: Apache-2.0 */
/* job_values.c - converts the plain fields of a job between their representations */
#include "client/libcreel/job_values.h"
#include "client/libcreel/texts.h"

/* Removes const, since the generated message structs have no const fields. The text is not written. */
/* Set a member by the type of its value (job_field.h). The cast is to the member's type, which can hold
 * the value. */
#define SET_text(target, value) ((target) = texts_borrow((value)->text));
#define SET_number(target, value) ((target) = (__typeof__(target))(value)->number);

struct job_values job_values_of(const struct creel_job *job)
{
#define VALUE(member, kind, ...) [JOB_FIELD_##member] = JOB_VALUE(kind, job->member),
    struct job_values values = { .of = { JOB_FIELDS(VALUE) } };
#undef VALUE

    if (job->stop_after_ms < 0)
        values.of[JOB_FIELD_stop_after_ms].number = -1;
    return values;
}

void job_values_set(struct creel_job *job, enum job_field_id id, const struct job_value *value)
{
    switch (id) {
#define CASE(member, kind, ...) \
    case JOB_FIELD_##member: \
        JOB_BY_STORAGE(SET_, kind)(job->member, value) break;
        JOB_FIELDS(CASE)
#undef CASE
    case JOB_FIELD_COUNT:
        break;
    }
}

static void job_values_put_launch(const struct job_values *values, Creel__LaunchContext *launch)
{
#define PUT(member, kind, ...) JOB_BY_STORAGE(SET_, kind)(launch->member, &values->of[JOB_FIELD_##member])
    JOB_LAUNCH_FIELDS(PUT)
#undef PUT
}

void job_values_put(const struct job_values *values, Creel__JobSpec *spec)
{
#define PUT(member, kind, ...) JOB_BY_STORAGE(SET_, kind)(spec->member, &values->of[JOB_FIELD_##member])
    JOB_SPEC_FIELDS(PUT)
#undef PUT
    job_values_put_launch(values, spec->launch);
}
