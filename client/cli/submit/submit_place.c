/* SPDX-License-Identifier: Apache-2.0 */
/* submit_place.c - where a job runs, and where its output goes */
#include "client/cli/submit/submit_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"

/* PATTERN with NAME, whose slashes are replaced, for %x. */
static const char *put_name(const char *pattern, const char *name, struct arena *arena)
{
    struct text_builder done = TEXT_BUILDER_IN(arena);
    char *plain = arena_strdup(arena, name);

    if (!pattern)
        return NULL;
    for (char *at = plain; *at; at++)
        *at = *at == '/' ? '_' : *at == '%' ? '_' : *at;
    while (*pattern) {
        size_t length = strcspn(pattern, "%");
        bool is_name = pattern[length] && pattern[length + 1] == 'x';
        size_t kept = !pattern[length] || is_name ? length : length + 2;

        text_builder_add_bytes(&done, pattern, kept);
        if (is_name)
            text_builder_add(&done, plain);
        pattern += is_name ? length + 2 : kept;
    }
    return text_builder_finish(&done);
}

/* Tasks that write to one file must not cut off what others wrote. */
static int check_files(const struct creel_job *job, struct err *err)
{
    const char *files[] = { job->out_file, job->err_file };

    if (job->kind != CREEL_JOB_TASKS || (job->open_mode && !strcmp(job->open_mode, "append")))
        return 0;
    for (size_t i = 0; i < 2; i++)
        if (files[i] && !strstr(files[i], "%t"))
            return err_set(err, EINVAL,
                           "--%s %s: all tasks would write to one file; put %%t into its name, "
                           "the number of the task, or give --open-mode append",
                           i ? "err" : "out", files[i]);
    return 0;
}

static int choose_directory(const struct options *parsed, struct arena *arena, struct creel_job *job,
                            struct err *err)
{
    scoped_free char *here = NULL;
    bool scratch = options_has(parsed, "scratch");

    if (job->directory && scratch)
        return err_set(err, EINVAL, "--chdir and --scratch: one of them");
    if (scratch || (job->directory && *job->directory == '/'))
        return 0;
    if (!job->directory &&
        (options_has(parsed, "file") || options_has(parsed, "archive") || job->kind == CREEL_JOB_MASTER))
        return 0;
    here = getcwd(NULL, 0);
    if (!here || *here != '/')
        return err_set(err, here ? ENOENT : errno,
                       "the present directory is gone; --scratch runs the job in "
                       "one of its own");
    if (job->directory && !strcmp(job->directory, "."))
        job->directory = arena_strdup(arena, here);
    else if (job->directory)
        job->directory = arena_printf(arena, "%s/%s", here, job->directory);
    else
        job->submit_directory = arena_strdup(arena, here);
    return 0;
}

int submit_place_choose(const struct options *parsed, struct arena *arena, struct creel_job *job,
                        struct err *err)
{
    int r = check_files(job, err);

    if (r < 0)
        return r;
    job->name_leftovers = job->kind != CREEL_JOB_MASTER;
    job->out_file = put_name(job->out_file, job->name, arena);
    job->err_file = put_name(job->err_file, job->name, arena);
    job->in_file = put_name(job->in_file, job->name, arena);
    return choose_directory(parsed, arena, job, err);
}
