/* SPDX-License-Identifier: Apache-2.0 */
/* am_launch.c - a launch of creel-am.h as a message */
#include "client/libcreel/am_launch.h"

#include <string.h>

#include "common/base/job/job_field.h"
#include "common/base/mem.h"
#include "common/proto/launch_texts.h"

static Creel__Variable *make_variable(const char *text)
{
    Creel__Variable *variable = mem_new0(Creel__Variable);
    const char *equals = strchr(text, '=');

    creel__variable__init(variable);
    variable->name = mem_strndup(text, equals ? (size_t)(equals - text) : strlen(text));
    variable->value = mem_strdup(equals ? equals + 1 : "");
    return variable;
}

/* Copy the fields of the table, by their type (job_field.h). */
#define copy_number(number) (number)
static char *copy_text(const char *text)
{
    return mem_strdup(text ? text : "");
}

Creel__LaunchContext *am_launch_new(const struct creel_am_launch *from, bool restores)
{
    Creel__LaunchContext *launch = mem_new0(Creel__LaunchContext);
    size_t arguments = 0, variables = 0;

    while (from->command && from->command[arguments])
        arguments++;
    while (from->environment && from->environment[variables])
        variables++;
    creel__launch_context__init(launch);
    launch->title = copy_text(from->title);
#define COPY(member, kind, ...) launch->member = JOB_BY_STORAGE(copy_, kind)(from->member);
    JOB_LAUNCH_FIELDS(COPY)
#undef COPY
    launch->command = mem_array0(arguments + 1, sizeof(*launch->command));
    for (; launch->n_command < arguments; launch->n_command++)
        launch->command[launch->n_command] = mem_strdup(from->command[launch->n_command]);
    launch->environment = mem_array0(variables + 1, sizeof(*launch->environment));
    for (; launch->n_environment < variables; launch->n_environment++)
        launch->environment[launch->n_environment] = make_variable(from->environment[launch->n_environment]);
    if (restores || (launch_texts_each(launch, launch_text_is_plain, NULL) && !launch_texts_are_new(launch)))
        return launch;
    creel__launch_context__free_unpacked(launch, NULL);
    return NULL;
}

Creel__LaunchContext *am_launch_escape(const Creel__LaunchContext *launch, struct arena *arena)
{
    Creel__LaunchContext *copy = launch_texts_copy(launch, arena);

    launch_texts_escape(copy, arena);
    return copy;
}
