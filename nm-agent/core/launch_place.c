/* SPDX-License-Identifier: Apache-2.0 */
/* launch_place.c - values for the environment variables and file names of a command */
#include "nm-agent/core/launch_place.h"

#include <string.h>

#include "common/base/id.h"

const char *launch_variable(const Creel__LaunchContext *launch, const char *name)
{
    for (size_t i = launch->n_environment; i-- > 0;)
        if (!strcmp(launch->environment[i]->name, name))
            return launch->environment[i]->value;
    return NULL;
}

const char *launch_app_number(struct arena *arena, const char *text)
{
    struct app_id id;

    return app_id_parse(text, &id) ? arena_printf(arena, "%u", id.seq) : text;
}
