/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-web, the web pages and REST of a cluster */
#include <unistd.h>

#include "common/daemon/program.h"
#include "web/net/daemon.h"

static int serve(const struct conf *conf, bool verbose, struct err *err)
{
    struct web_daemon *daemon = NULL;
    int r = web_daemon_new(conf, &daemon, err);

    (void)verbose;
    if (r < 0)
        return r;
    web_daemon_run(daemon);
    if (web_daemon_free(daemon))
        return 0;
    /* What runs at exit would meet the thread that hangs. */
    _exit(program_report("creel-web", 0, err));
}

int main(int argc, char **argv)
{
    static const struct program program = {
        .name = "creel-web",
        .help = "Serves the web pages of a creel cluster. It reads from the resource manager what\n"
                "the pages show, and decides nothing. It runs in the foreground and logs to the\n"
                "journal, or to standard error.\n",
        .examples = "  creel-web --conf /etc/creel    as the service does\n"
                    "  creel dev up                   a whole cluster on this machine, with its pages\n",
        .run = serve,
    };

    return program_main(&program, argc, argv);
}
