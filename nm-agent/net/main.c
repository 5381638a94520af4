/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-nm, the node agent's daemon */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "nm-agent/net/daemon.h"

#include "config.h"

enum { EXIT_OTHER = 1, EXIT_USAGE = 2, EXIT_CONFIGURATION = 7 };

static const char help[] =
    "Usage: creel-nm [OPTIONS]\n"
    "The node agent of a creel cluster, one on each host, as root: runs containers in\n"
    "control groups as the resource manager orders, and reports how they end. It runs\n"
    "in the foreground and logs to the journal, or to standard error.\n"
    "\n"
    "  --conf DIR     read creel-site.xml and yarn-site.xml from DIR; else from\n"
    "                 CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR, /etc/creel\n"
    "  -v, --verbose  log everything, whatever creel.log.level says\n"
    "  -h, --help     this text\n"
    "  --version      the version\n"
    "\n"
    "Signals: TERM and INT stop it (containers run on, the next agent takes them up),\n"
    "HUP reads the log level again.\n"
    "Exit status: 0 stopped, 2 wrong usage, 7 configuration invalid, 1 anything else.\n"
    "\n"
    "Examples:\n"
    "  creel-nm --conf /etc/creel     as the service does\n"
    "  creel dev up -n 3              a cluster of three agents on this machine\n";

struct options {
    const char *directory;
    bool verbose;
};

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        { "conf", required_argument, NULL, 'c' },
        { "verbose", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'V' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    while ((option = getopt_long(argc, argv, "vh", table, NULL)) != -1) {
        switch (option) {
        case 'c':
            options->directory = optarg;
            break;
        case 'v':
            options->verbose = true;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        case 'V':
            puts("creel-nm " PACKAGE_VERSION);
            return 0;
        default:
            fputs("Try: creel-nm --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "creel-nm: %s: takes no arguments\nTry: creel-nm --help\n", argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

static void on_warning(void *context, const char *text)
{
    (void)context;
    log_line(LOG_LEVEL_WARN, "%s", text);
}

static int run(const struct options *options)
{
    struct daemon *daemon = NULL;
    struct err err = { 0 };
    struct conf *conf;
    int r;

    log_open("creel-nm", options->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
    /* Until it is ready errors go to standard error as they are, so that whoever
     * started it sees them. */
    r = conf_load(conf_directory(options->directory), on_warning, NULL, &conf, &err);
    if (r < 0) {
        fprintf(stderr, "creel-nm: %s\n", err.text);
        return EXIT_CONFIGURATION;
    }
    if (!options->verbose)
        log_open("creel-nm", log_level_parse(conf_text(conf, CONF_LOG_LEVEL)));
    r = daemon_start(conf, options->verbose, &daemon, &err);
    if (r < 0) {
        fprintf(stderr, "creel-nm: %s\n", err.text);
    } else if (daemon_run(daemon) < 0) {
        r = -EPERM;
    }
    daemon_free(daemon);
    conf_free(conf);
    if (r < 0)
        return r == -EINVAL ? EXIT_CONFIGURATION : EXIT_OTHER;
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = { 0 };
    int status = parse_options(argc, argv, &options);

    return status >= 0 ? status : run(&options);
}
