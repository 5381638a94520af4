/* SPDX-License-Identifier: Apache-2.0 */
/* job_check.c - checks all fields of a job */
#include "common/base/job/job_check.h"

#include <errno.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/job/array_spec.h"
#include "common/base/job/depends.h"

static const char *text_of(const struct job_values *values, enum job_field_id field)
{
    const char *text = values->of[field].text;

    return text && *text ? text : NULL;
}

static int check_array(const struct job_values *values, struct err *err)
{
    const char *array = text_of(values, JOB_FIELD_array);
    struct array_spec spec;
    int r;

    if (!array)
        return values->of[JOB_FIELD_stop_after_failures].number == 0
                   ? 0
                   : err_set(err, EINVAL, "--stop-after-failures is for arrays: --array is missing");
    r = array_spec_parse(array, &spec, err);
    if (r == 0)
        array_spec_done(&spec);
    return r;
}

static int check_dependencies(const struct job_values *values, struct err *err)
{
    const char *text = text_of(values, JOB_FIELD_depends_on);
    struct arena *arena;
    struct depends depends;
    int r;

    if (!text)
        return 0;
    arena = arena_new();
    r = depends_parse(arena, text, &depends, err);
    if (r < 0)
        err_prefix(err, "--depends-on");
    arena_free(arena);
    return r;
}

static int check_retries(const struct job_values *values, struct err *err)
{
    bool has_rule = text_of(values, JOB_FIELD_retry_on) != NULL;
    bool has_count = values->of[JOB_FIELD_retries].number != 0;

    if (has_count && !has_rule)
        return err_set(err, EINVAL, "--retries needs --retry-on: after which ends, as node,oom,exit:75");
    if (has_rule && !has_count)
        return err_set(err, EINVAL, "--retry-on needs --retries: how often it may start again");
    return 0;
}

static int check_times(const struct job_values *values, struct err *err)
{
    int64_t deadline_ms = values->of[JOB_FIELD_deadline_ms].number;

    if (deadline_ms > 0 && values->of[JOB_FIELD_begin_ms].number >= deadline_ms)
        return err_set(err, EINVAL, "its deadline is not after its time to begin");
    return 0;
}

int job_check(const struct job_values *values, const char *user, struct err *err)
{
    int r;

    if ((r = job_values_check(values, user, err)) < 0 || (r = job_values_check_sizes(values, err)) < 0 ||
        (r = check_times(values, err)) < 0 || (r = check_array(values, err)) < 0 ||
        (r = check_retries(values, err)) < 0)
        return r;
    return check_dependencies(values, err);
}

bool job_check_is_own_name(const char *name, bool first)
{
    static const char *const names[] = { JOB_INPUT_FIFO, JOB_TMP_DIRECTORY, JOB_NOTICE_FILE,
                                         JOB_NOTICE_FILE_NEW };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return first && (strcmp(name, JOB_TOKEN_FILE) == 0 || strcmp(name, JOB_SPEC_FILE) == 0);
}
