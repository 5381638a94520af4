/* SPDX-License-Identifier: Apache-2.0 */
/* check_stage.c - finds nodes and applications of a script by name */
#include <string.h>

#include "sim/cases/check_sched.h"

struct stage_node *stage_node(struct stage *stage, const char *name)
{
    for (size_t i = stage->node_count; i-- > 0;)
        if (stage->nodes[i].handle != NULL && strcmp(stage->nodes[i].name, name) == 0)
            return &stage->nodes[i];
    return NULL;
}

struct stage_app *stage_app(struct stage *stage, const char *name)
{
    for (size_t i = stage->app_count; i-- > 0;)
        if (strcmp(stage->apps[i].name, name) == 0)
            return &stage->apps[i];
    return NULL;
}
