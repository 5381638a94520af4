/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - main program of creel-nm, the node agent's daemon */
#include <errno.h>

#include "common/daemon/program.h"
#include "nm-agent/net/daemon.h"

static int serve(const struct conf *conf, bool verbose, struct err *err)
{
    struct daemon *daemon = NULL;
    int r = daemon_start(conf, verbose, &daemon, err);

    if (r == 0 && daemon_run(daemon) < 0)
        r = err_set(err, EPERM, "the resource manager does not let this node in: see above");
    daemon_free(daemon);
    return r;
}

int main(int argc, char **argv)
{
    static const struct program program = {
        .name = "creel-nm",
        .help = "The node agent of a creel cluster, one on each host, as root: runs containers in\n"
                "control groups as the resource manager orders, and reports how they end. It runs\n"
                "in the foreground and logs to the journal, or to standard error.\n",
        .examples = "  creel-nm --conf /etc/creel     as the service does\n"
                    "  creel dev up -n 3              a cluster of three agents on this machine\n",
        .run = serve,
    };

    return program_main(&program, argc, argv);
}
