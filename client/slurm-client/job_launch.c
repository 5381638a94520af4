/* SPDX-License-Identifier: Apache-2.0 */
/* job_launch.c - the fields of a job about its script, its directory and its files */
#include <stdio.h>
#include <string.h>

#include "client/slurm-client/job_fields.h"
#include "common/base/job/job_field.h"
#include "common/base/text.h"

#define NUMBER_MAX 16

static const char none[] = "(null)";

static const struct creel_launch *launch_of(const void *item)
{
    return ((const struct job_row *)item)->app->launch;
}

static bool is_script(const struct creel_launch *launch)
{
    return launch && !strcmp(launch->script_system, "slurm");
}

/* --- account ----------------------------------------------------------------------------------- */

/* Returns what sbatch --account gave, which is a tag in creel; NULL: nothing. */
static const char *account_of(const void *item)
{
    static const char prefix[] = "account:";
    const char *const *tag = ((const struct job_row *)item)->app->tags;

    while (*tag && !text_has_prefix(*tag, prefix))
        tag++;
    return *tag ? *tag + strlen(prefix) : NULL;
}

void job_put_account(struct text_builder *text, const void *item)
{
    const char *account = account_of(item);

    text_builder_add(text, account ? account : none);
}

void job_put_given_account(struct text_builder *text, const void *item)
{
    const char *account = account_of(item);

    text_builder_add(text, account ? account : "");
}

/* --- size ------------------------------------------------------------------------------------ */

void job_put_script_tasks(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);
    uint32_t tasks = is_script(launch) && launch->script_tasks > 0
                         ? launch->script_tasks
                         : job_tasks(((const struct job_row *)item)->app);

    text_builder_printf(text, "%u", tasks);
}

void job_put_script_cpus(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);

    if (is_script(launch))
        text_builder_printf(text, "%u", launch->script_cpus > 0 ? launch->script_cpus : 1);
    else
        job_put_cpus_of_task(text, item);
}

/* --- script and files ------------------------------------------------------------------------ */

/* The path of a script of Slurm and its arguments; the command of sbatch --wrap, and a script of standard
 * input, have no path. */
void job_put_script(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);
    const char *const *words = ((const struct job_row *)item)->app->command;

    if (!is_script(launch)) {
        job_put_command(text, item);
        return;
    }
    if (!*launch->script) {
        text_builder_add(text, none);
        return;
    }
    job_add_visible(text, launch->script);
    for (words += *words != NULL; *words; words++) {
        text_builder_add(text, " ");
        job_add_visible(text, *words);
    }
}

void job_put_directory(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);

    job_add_visible(text, launch && *launch->directory ? launch->directory : none);
}

/* Adds the file of PATTERN as the agent names it (nm-agent/core/output_pattern.h), as an absolute path. */
static void add_file(struct text_builder *text, const struct job_row *row, const char *pattern)
{
    const struct creel_app *app = row->app;
    char number[NUMBER_MAX], array[NUMBER_MAX], index[NUMBER_MAX] = JOB_SLURM_NO_VAL;
    scoped_text_builder struct text_builder node = TEXT_BUILDER_MALLOC;
    struct job_pattern_values values = { .of = { NULL } };
    struct arena *arena = arena_new();
    const char *name;

    snprintf(number, sizeof(number), "%u", tool_job_number(app->id));
    snprintf(array, sizeof(array), "%u", row->number);
    if (row->is_task)
        snprintf(index, sizeof(index), "%u", row->index);
    job_put_nodes(&node, row);
    values.of['j'] = number;
    values.of['A'] = array;
    values.of['a'] = index;
    values.of['b'] = index + strlen(index) - 1;
    values.of['t'] = "0";
    values.of['u'] = app->user;
    values.of['N'] = node.length > 0 ? text_builder_text(&node) : NULL;
    values.of['%'] = "%";
    name = job_field_pattern_expand(pattern, &values, arena);
    if (name && *name != '/' && *app->launch->directory) {
        job_add_visible(text, app->launch->directory);
        text_builder_add(text, "/");
    }
    job_add_visible(text, name ? name : none);
    arena_free(arena);
}

static void put_file(struct text_builder *text, const void *item, const char *pattern, const char *absent)
{
    if (pattern && *pattern)
        add_file(text, item, pattern);
    else
        text_builder_add(text, absent);
}

/* Without a file the output is in the logs of the job (creel logs). */
void job_put_out_file(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);

    put_file(text, item, launch ? launch->out_file : NULL, none);
}

void job_put_err_file(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);

    if (launch && *launch->err_file)
        put_file(text, item, launch->err_file, none);
    else
        job_put_out_file(text, item);
}

void job_put_in_file(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = launch_of(item);

    put_file(text, item, launch ? launch->in_file : NULL, launch ? "/dev/null" : none);
}
