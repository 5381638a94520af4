/* SPDX-License-Identifier: Apache-2.0 */
/* submit_process.c - attributes of this process that a job has, too, if its options do not set them */
#include "client/cli/submit/submit_process.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/base/job/soft_limits.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"

static mode_t read_umask(void)
{
    mode_t mask = umask(077); /* there is no other portable way to read it */

    umask(mask);
    return mask;
}

void submit_process_add(struct arena *arena, struct creel_job *job)
{
    if (!job->umask)
        job->umask = arena_printf(arena, "%03o", (unsigned)read_umask());
}

/* Adds the soft limit KIND of this process to TEXT. */
static void add_limit(const struct soft_limit_kind *kind, bool is_quiet, struct text_builder *text)
{
    struct rlimit limit;

    if (getrlimit(kind->resource, &limit) != 0)
        return;
    text_builder_separate(text, ",");
    if (limit.rlim_cur == RLIM_INFINITY)
        text_builder_printf(text, "%s=unlimited", kind->name);
    else
        text_builder_printf(text, "%s=%llu", kind->name, (unsigned long long)limit.rlim_cur);
    text_builder_add(text, is_quiet ? "?" : "");
}

int submit_process_limits(struct arena *arena, const char *names, bool is_quiet, const char **limits)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);
    bool chosen[SOFT_LIMITS];

    if (!soft_limits_choose(names, chosen))
        return -EINVAL;
    for (int i = 0; i < SOFT_LIMITS; i++)
        if (chosen[i])
            add_limit(&soft_limit_kinds[i], is_quiet, &text);
    *limits = text.length > 0 ? text_builder_finish(&text) : NULL;
    return 0;
}

int submit_process_check_conf(const struct conf *conf, struct err *err)
{
    const char *names = conf_text(conf, CONF_PROPAGATE_LIMITS);
    bool chosen[SOFT_LIMITS];

    if (*names == '\0' || soft_limits_choose(names, chosen))
        return 0;
    return err_set(err, EINVAL, "%s: %s: expected " SUBMIT_LIMITS_EXPECTED,
                   conf_key_info(CONF_PROPAGATE_LIMITS)->name, names);
}

int submit_process_default_limits(const char *conf_dir, bool is_step, struct arena *arena,
                                  struct creel_job *job, struct err *err)
{
    static const enum conf_key needed[] = { CONF_PROPAGATE_LIMITS };
    struct conf *conf;
    const char *names;
    int r;

    if (is_step)
        return submit_process_limits(arena, "ALL", true, &job->limits);
    if ((r = conf_load_needed(conf_dir, needed, 1, &conf, err)) < 0)
        return r;
    r = submit_process_check_conf(conf, err);
    names = conf_text(conf, CONF_PROPAGATE_LIMITS);
    if (*names == '\0')
        names = text_equal(job->script_system, "slurm") ? "ALL" : "NONE";
    if (r == 0)
        r = submit_process_limits(arena, names, true, &job->limits);
    conf_free(conf);
    return r;
}
