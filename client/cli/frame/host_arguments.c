/* SPDX-License-Identifier: Apache-2.0 */
/* host_arguments.c - expands ranges of hosts in arguments */
#include "client/cli/frame/host_arguments.h"

bool host_arguments_expand(struct cli *cli, const char *const *words, size_t count, struct host_names *names,
                           int *code)
{
    struct err err = { 0 };

    *names = (struct host_names){ 0 };
    for (size_t i = 0; i < count; i++) {
        if (host_range_expand(words[i], names, &err) == 0)
            continue;
        host_names_done(names);
        *code = cli_usage(cli, "%s", err.text);
        return false;
    }
    return true;
}
