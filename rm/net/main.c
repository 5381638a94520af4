/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-rm, the resource manager's daemon */
#include <unistd.h>

#include "common/daemon/program.h"
#include "rm/net/rescue/state_actions.h"
#include "rm/net/daemon.h"

#define NAME "creel-rm"

static int serve(const struct conf *conf, bool verbose, struct err *err)
{
    struct daemon *daemon = NULL;
    int r = daemon_start(conf, verbose, &daemon, err);

    if (r == 0)
        daemon_run(daemon);
    if (daemon_free(daemon))
        return r;
    /* What runs at exit would meet the thread that hangs. */
    _exit(program_report(NAME, r, err));
}

int main(int argc, char **argv)
{
    static const struct program program = {
        .name = NAME,
        .help = "The resource manager of a creel cluster. It accepts applications,\n"
                "schedules their containers on the nodes, and stores their state. It runs in the foreground\n"
                "and logs to the journal, or to standard error.\n",
        .examples = "  creel-rm --conf /etc/creel     as the service does\n"
                    "  creel dev up                   a whole cluster on this machine\n",
        .run = serve,
        .actions = state_actions,
    };

    return program_main(&program, argc, argv);
}
