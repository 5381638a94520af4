/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - main program of creel-nm, the node agent's daemon */
#include <errno.h>
#include <unistd.h>

#include "common/daemon/program.h"
#include "nm-agent/net/daemon.h"

#define NAME "creel-nm"

static int serve(const struct conf *conf, bool verbose, struct err *err)
{
    struct daemon *daemon = NULL;
    int r = daemon_start(conf, verbose, &daemon, err);

    if (r == 0 && daemon_run(daemon) < 0)
        r = err_set(err, EPERM, "the resource manager does not let this node in: see above");
    if (daemon_free(daemon))
        return r;
    /* What runs at exit would meet the thread that hangs. */
    _exit(program_report(NAME, r, err));
}

int main(int argc, char **argv)
{
    static const struct program program = {
        .name = NAME,
        .help = "The node agent of a creel cluster, one on each host, as root: runs containers in\n"
                "control groups as the resource manager orders, and reports how they end. It runs\n"
                "in the foreground and logs to the journal, or to standard error.\n",
        .examples = "  creel-nm --conf /etc/creel     as the service does\n"
                    "  creel dev up -n 3              a cluster of three agents on this machine\n",
        .run = serve,
    };

    return program_main(&program, argc, argv);
}
