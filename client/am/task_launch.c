/* SPDX-License-Identifier: Apache-2.0 */
/* task_launch.c - the launch context of one task: that of the job, with variables of the task */
#include <stdio.h>

#include "client/am/task_book.h"
#include "common/base/text.h"

#define OWN_VARIABLES 4

static Creel__Variable *variable(struct arena *arena, const char *name, char *value)
{
    Creel__Variable *made = arena_new0(arena, Creel__Variable);

    creel__variable__init(made);
    made->name = arena_strdup(arena, name);
    made->value = value;
    return made;
}

/* Sets the job's variables, then the task's, which take precedence. */
static void add_environment(const struct task_master *master, const struct task *task, struct arena *arena,
                            Creel__LaunchContext *launch)
{
    const Creel__LaunchContext *job = master->job->launch;
    Creel__Variable **all = arena_array0(arena, job->n_environment + OWN_VARIABLES, sizeof(*all));
    size_t count = 0;

    for (size_t i = 0; i < job->n_environment; i++) {
        const char *name = job->environment[i]->name;

        if (!text_has_prefix(name, "CREEL_TASK_") && !text_equal(name, "CREEL_APP_ID"))
            all[count++] = job->environment[i];
    }
    all[count++] = variable(arena, "CREEL_TASK_INDEX", arena_printf(arena, "%u", task->index));
    all[count++] = variable(arena, "CREEL_TASK_COUNT", arena_printf(arena, "%u", master->count));
    all[count++] = variable(arena, "CREEL_TASK_TRY", arena_printf(arena, "%u", task->tries));
    all[count++] = variable(arena, "CREEL_APP_ID", arena_strdup(arena, master->options.app_id));
    launch->environment = all;
    launch->n_environment = count;
}

Creel__LaunchContext *task_launch(const struct task_master *master, const struct task *task,
                                  struct arena *arena)
{
    const Creel__LaunchContext *job = master->job->launch;
    Creel__LaunchContext *launch = arena_dup(arena, job, sizeof(*job));

    launch->title = arena_printf(arena, "%s%u", master->options.title_prefix, task->index);
    launch->input = job->input && (job->input_all || job->input_task == task->index);
    add_environment(master, task, arena, launch);
    return launch;
}
