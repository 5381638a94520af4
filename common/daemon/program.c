/* SPDX-License-Identifier: Apache-2.0 */
/* program.c - main function shared by the daemons creel-rm and creel-nm */
#include "common/daemon/program.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "common/io/loop/log.h"

#include "config.h"

enum {
    EXIT_OTHER = 1,
    EXIT_USAGE = 2,
    EXIT_REFUSED = 4,
    EXIT_BUSY = 5,
    EXIT_CONFIGURATION = 7,
    EXIT_STATE = 9,
};

static const char options_help[] =
    "\n"
    "  --conf DIR     read creel-site.xml and yarn-site.xml from DIR; else from\n"
    "                 CREEL_CONF_DIR, YARN_CONF_DIR, HADOOP_CONF_DIR, /etc/creel\n"
    "  -v, --verbose  log everything, regardless of creel.log.level\n"
    "  -h, --help     this text\n"
    "  --version      the version\n"
    "\n"
    "Signals: TERM and INT stop it (containers run on), HUP reads the log level again.\n"
    "Exit status: 0 stopped, 2 wrong usage, 4 not permitted (or refused by the resource\n"
    "manager), 5 in use, 7 configuration invalid or a key missing, 9 state damaged or\n"
    "lost, 1 anything else.\n"
    "\n"
    "Examples:\n";

struct options {
    const char *directory;
    bool verbose;
    const struct program_action *action; /* NULL: run the daemon */
    const char *argument;
};

#define OWN_OPTIONS 5     /* number of common options, plus the end of the table */
#define ACTION_FIRST 1000 /* getopt's number of the first action */

static void add_actions(const struct program *program, struct option *table)
{
    const struct program_action *action = program->actions;

    for (int i = 0; action != NULL && action[i].option != NULL && i < PROGRAM_ACTIONS_MAX; i++)
        table[i] = (struct option){
            action[i].option,
            action[i].argument != NULL ? required_argument : no_argument,
            NULL,
            ACTION_FIRST + i,
        };
}

static void print_help(const struct program *program)
{
    const struct program_action *action = program->actions;

    printf("Usage: %s [OPTIONS]\n%s", program->name, program->help);
    if (action != NULL)
        printf("\nInstead of serving:\n");
    for (; action != NULL && action->option != NULL; action++)
        printf("  --%s %s\n      %s\n", action->option, action->argument != NULL ? action->argument : "",
               action->help);
    printf("%s%s", options_help, program->examples);
}

/* Returns -1 to continue; else the exit status. */
static int parse_options(const struct program *program, int argc, char **argv, struct options *options)
{
    struct option table[OWN_OPTIONS + PROGRAM_ACTIONS_MAX] = {
        { "conf", required_argument, NULL, 'c' },
        { "verbose", no_argument, NULL, 'v' },
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'V' },
    };
    int option;

    add_actions(program, table + OWN_OPTIONS - 1);
    while ((option = getopt_long(argc, argv, "vh", table, NULL)) != -1) {
        switch (option) {
        case 'c':
            options->directory = optarg;
            break;
        case 'v':
            options->verbose = true;
            break;
        case 'h':
            print_help(program);
            return 0;
        case 'V':
            printf("%s " PACKAGE_VERSION "\n", program->name);
            return 0;
        default:
            if (option >= ACTION_FIRST) {
                options->action = &program->actions[option - ACTION_FIRST];
                options->argument = optarg;
                break;
            }
            fprintf(stderr, "Try: %s --help\n", program->name);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: %s: takes no arguments\nTry: %s --help\n", program->name, argv[optind],
                program->name);
        return EXIT_USAGE;
    }
    return -1;
}

static void on_warning(void *context, enum conf_effect effect, const char *text)
{
    (void)context;
    log_line(conf_effect_matters(effect) ? LOG_LEVEL_WARN : LOG_LEVEL_DEBUG, "%s", text);
}

/* Prints each line of TEXT to stderr, with the NAME of the program before it. */
static void complain(const char *name, const char *text)
{
    for (size_t length; *text != '\0'; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        fprintf(stderr, "%s: %.*s\n", name, (int)length, text);
    }
}

int program_report(const char *name, int result, const struct err *err)
{
    if (result < 0 && err->code != 0)
        complain(name, err->text);
    return result == 0          ? 0
           : result == -EINVAL  ? EXIT_CONFIGURATION
           : result == -ENOKEY  ? EXIT_CONFIGURATION
           : result == -EPERM   ? EXIT_REFUSED
           : result == -EBADMSG ? EXIT_STATE
                                : EXIT_OTHER;
}

static int run(const struct program *program, const struct options *options)
{
    struct err err = { 0 };
    struct conf *conf;
    int r, status;

    log_open(program->name, options->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
    r = conf_load(conf_directory(options->directory), on_warning, NULL, &conf, &err);
    if (r < 0) {
        complain(program->name, err.text);
        return EXIT_CONFIGURATION;
    }
    if (!options->verbose)
        log_open(program->name, log_level_parse(conf_text(conf, CONF_LOG_LEVEL)));
    r = options->action != NULL ? options->action->run(conf, options->argument, &err)
                                : program->run(conf, options->verbose, &err);
    status = program_report(program->name, r, &err);
    conf_free(conf);
    return r == -EBUSY && options->action != NULL ? EXIT_BUSY : status;
}

int program_main(const struct program *program, int argc, char **argv)
{
    struct options options = { 0 };
    int status = parse_options(program, argc, argv, &options);

    return status >= 0 ? status : run(program, &options);
}
