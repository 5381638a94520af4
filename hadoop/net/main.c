/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-hadoop, Hadoop's RPC for a cluster */
#include "common/daemon/program.h"
#include "hadoop/net/daemon.h"

static int serve(const struct conf *conf, bool verbose, struct err *err)
{
    (void)verbose;
    return hadoop_daemon_run(conf, err);
}

int main(int argc, char **argv)
{
    static const struct program program = {
        .name = "creel-hadoop",
        .help = "Serves Hadoop's RPC of a creel cluster: unchanged Hadoop programs read the cluster\n"
                "and kill applications. It asks the resource manager for each user, and decides\n"
                "nothing. It runs in the foreground and logs to the journal, or to standard error.\n",
        .examples = "  creel-hadoop --conf /etc/creel    as the service does\n",
        .run = serve,
    };

    return program_main(&program, argc, argv);
}
