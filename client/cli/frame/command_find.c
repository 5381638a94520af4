/* SPDX-License-Identifier: Apache-2.0 */
/* command_find.c - finds commands in their table (commands.c) */
#include <string.h>

#include "client/cli/frame/cli.h"

const struct command *command_find(const char *path)
{
    for (const struct command *row = command_table; row->path; row++) {
        if (!strcmp(row->path, path))
            return row->alias_of ? command_find(row->alias_of) : row;
    }
    return NULL;
}
