/* SPDX-License-Identifier: Apache-2.0 */
/* show_hosts.c - scontrol show hostnames and hostlist: lists of hosts, which scripts expand and fold */
#include <stdio.h>
#include <stdlib.h>

#include "client/slurm-client/scontrol.h"
#include "common/base/host_range.h"
#include "common/base/mem.h"

/* Lists are neither sorted nor made unique, as in Slurm; hostlistsorted sorts them. */
static void print_names(const struct host_names *names, enum scontrol_hosts form)
{
    if (form != SCONTROL_HOSTNAMES) {
        scoped_free char *text = host_range_fold_all((const char *const *)names->items, names->count,
                                                     form == SCONTROL_HOSTLIST_SORTED);

        puts(text);
        return;
    }
    for (size_t i = 0; i < names->count; i++)
        puts(names->items[i]);
}

int scontrol_show_hosts(struct tool *tool, const char *list, enum scontrol_hosts form)
{
    struct host_names names = { 0 };
    struct err err = { 0 };
    int r;

    if (!list)
        list = getenv("SLURM_JOB_NODELIST");
    if (!list || *list == '\0')
        return tool_fail(tool,
                         "SLURM_JOB_NODELIST is not set, and there is no list: scontrol show hostnames LIST");
    r = host_range_expand_all(list, &names, &err);
    if (r == 0)
        print_names(&names, form);
    host_names_done(&names);
    return r == 0 ? EXIT_SUCCESS : tool_fail(tool, "%s", err.text);
}
