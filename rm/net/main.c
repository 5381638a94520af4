/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-rm, the resource manager's daemon */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "rm/net/daemon.h"

#include "config.h"

enum { EXIT_OTHER = 1, EXIT_USAGE = 2, EXIT_CONFIGURATION = 7 };

static const char help[] =
    "Usage: creel-rm [OPTIONS]\n"
    "The resource manager of a creel cluster: takes applications, gives them\n"
    "containers on the agents, and keeps the books. It runs in the foreground\n"
    "and logs to the journal, or to standard error.\n"
    "\n"
    "  --conf DIR     read creel-site.xml and yarn-site.xml from DIR; else from\n"
    "                 CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR, /etc/creel\n"
    "  -v, --verbose  log everything, whatever creel.log.level says\n"
    "  -h, --help     this text\n"
    "  --version      the version\n"
    "\n"
    "Signals: TERM and INT stop it (containers run on), HUP reads the log level again.\n"
    "Exit status: 0 stopped, 2 wrong usage, 7 configuration invalid, 1 anything else.\n"
    "\n"
    "Examples:\n"
    "  creel-rm --conf /etc/creel     as the service does\n"
    "  creel dev up                   a whole cluster on this machine\n";

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
            puts("creel-rm " PACKAGE_VERSION);
            return 0;
        default:
            fputs("Try: creel-rm --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "creel-rm: %s: takes no arguments\nTry: creel-rm --help\n", argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

/* Until it is ready, errors go to standard error as they are, so that whoever
 * started it sees them; a list of them (from the configuration) has many lines. */
static void say_errors(const struct err *err)
{
    fprintf(stderr, "creel-rm: %s\n", err->text);
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

    log_open("creel-rm", options->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
    r = conf_load(conf_directory(options->directory), on_warning, NULL, &conf, &err);
    if (r < 0) {
        say_errors(&err);
        return EXIT_CONFIGURATION;
    }
    if (!options->verbose)
        log_open("creel-rm", log_level_parse(conf_text(conf, CONF_LOG_LEVEL)));
    r = daemon_start(conf, options->verbose, &daemon, &err);
    if (r < 0) {
        say_errors(&err);
    } else {
        daemon_run(daemon);
        daemon_free(daemon);
    }
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
