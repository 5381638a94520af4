/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - creel-yarn: answers the command lines of Hadoop's yarn; installed as yarn on request */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "client/yarn/yarn.h"

#define HADOOP_VERSION "3.4.1" /* version whose formats are printed; the REST interface reports the same */

static int run_version(struct yarn *yarn)
{
    (void)yarn;
    printf("Hadoop %s\ncreel %s\n", HADOOP_VERSION, VERSION);
    return YARN_DONE;
}

static const struct yarn_option no_options[] = { { 0 } };

#define PROGRAMS "programs for Hadoop do not run here: creel submit or creel run start a command"
#define DAEMON(unit) "daemons are services: systemctl start " unit
#define NO_TIMELINE "there is no such server: creel history apps lists ended applications"

static const struct yarn_command commands[] = {
    { "app", run_application, application_options, NULL },
    { "application", run_application, application_options, NULL },
    { "applicationattempt", run_attempt, attempt_options, NULL },
    { "cluster", run_cluster, cluster_options, NULL },
    { "container", run_container, container_options, NULL },
    { "logs", run_logs, logs_options, NULL },
    { "node", run_node, node_options, NULL },
    { "queue", run_queue, queue_options, NULL },
    { "rmadmin", run_rmadmin, NULL, NULL },
    { "schedulerconf", run_schedulerconf, schedulerconf_options, NULL },
    { "top", run_top, top_options, NULL },
    { "version", run_version, no_options, NULL },
    { .name = "jar", .instead = PROGRAMS },
    { .name = "service", .instead = PROGRAMS },
    { .name = "classpath", .instead = "there are no Java classes" },
    { .name = "envvars",
      .instead = "there are no variables of Hadoop: creel conf show prints the configuration" },
    { .name = "daemonlog",
      .instead = "creel admin log-level shows and sets levels; journalctl -u creel-rm has the log of the "
                 "resource manager" },
    { .name = "nodeattributes", .instead = "there are no node attributes: creel label has labels of nodes" },
    { .name = "fs2cs",
      .instead = "run creel conf convert fair-to-capacity; or keep fair-scheduler.xml, which creel reads" },
    { .name = "resourcemanager", .instead = DAEMON("creel-rm") },
    { .name = "nodemanager", .instead = DAEMON("creel-nm") },
    { .name = "proxyserver", .instead = DAEMON("creel-web") },
    { .name = "timelineserver", .instead = NO_TIMELINE },
    { .name = "timelinereader", .instead = NO_TIMELINE },
    { .name = "applicationhistoryserver", .instead = NO_TIMELINE },
    { .name = "router", .instead = "there is no federation of clusters" },
    { .name = "sharedcachemanager", .instead = "files are cached on each node, without a manager" },
    { .name = "scmadmin", .instead = "files are cached on each node, without a manager" },
    { .name = "registrydns", .instead = "there is no registry of services" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_overview(FILE *out)
{
    fputs("Usage: yarn [--config DIR] COMMAND [OPTIONS]\n\ncreel answers these commands of YARN:\n", out);
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].run != NULL)
            fprintf(out, "    %s\n", commands[i].name);
    fputs("\nOptions of a command: yarn COMMAND -help. The command of creel is creel(1).\n", out);
}

static const struct yarn_command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* Warns of -D properties that have no effect here. */
static void warn_of_properties(const struct yarn_options *options)
{
    static const char known[] = "yarn.resourcemanager.address=";

    for (size_t i = 0; i < options->count; i++)
        if (options->items[i].option == NULL && strncmp(options->items[i].text, known, strlen(known)) != 0)
            fprintf(stderr, "yarn: warning: -D %s has no effect here\n", options->items[i].text);
}

/* Returns what to use instead of an option of YARN that creel lacks; NULL: nothing. MESSAGE ends with the
 * option. */
static const char *instead_of(const char *command, const char *message)
{
    static const struct {
        const char *command, *option, *instead;
    } table[] = {
        { "applicationattempt", "-fail", "creel app requeue ID ends the attempt and starts the next" },
        { "container", "-shell", "creel container exec -it ID -- sh" },
        { "top", "-queues", "creel top; the keys s and q sort by queue" },
        { "top", "-users", "creel top; the keys s and u sort by user" },
        { "top", "-types", "creel top; the keys s and t sort by type" },
        { "application", "-launch", PROGRAMS },
        { "app", "-launch", PROGRAMS },
        { "application", "-stop", "creel kill ID" },
        { "app", "-stop", "creel kill ID" },
        { "application", "-destroy", "creel kill ID" },
        { "app", "-destroy", "creel kill ID" },
    };
    const char *option = strrchr(message, ' ');

    for (size_t i = 0; option != NULL && i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(command, table[i].command) == 0 && strcmp(option + 1, table[i].option) == 0)
            return table[i].instead;
    return NULL;
}

static int refuse_options(const struct yarn_command *command, int r, const struct err *err)
{
    const char *instead = instead_of(command->name, err->text);

    if (r == -ENODATA)
        puts("Missing argument for options");
    fprintf(stderr, "yarn: %s\n", err->text);
    if (instead != NULL)
        fprintf(stderr, "yarn: use instead: %s\n", instead);
    else
        yarn_options_usage(stderr, command->name, command->options);
    return r == -ENODATA ? YARN_REFUSED : YARN_FAILED;
}

static int run_parsed(struct yarn *yarn)
{
    const struct yarn_command *command = yarn->command;
    struct err err = { 0 };
    int r = yarn_options_parse(yarn->words, command->options, &yarn->options, &err);

    if (r < 0)
        return refuse_options(command, r, &err);
    warn_of_properties(&yarn->options);
    if (yarn_options_has(&yarn->options, "help")) {
        yarn_options_usage(stdout, command->name, command->options);
        return YARN_DONE;
    }
    return command->run(yarn);
}

static int run(struct yarn *yarn, const char *name)
{
    yarn->command = find(name);
    if (yarn->command == NULL) {
        fprintf(stderr, "yarn: there is no command \"%s\"\n", name);
        print_overview(stderr);
        return YARN_FAILED;
    }
    if (yarn->command->run == NULL)
        return yarn_error(YARN_FAILED, "creel has no yarn %s: %s", name, yarn->command->instead);
    return yarn->command->options != NULL ? run_parsed(yarn) : yarn->command->run(yarn);
}

/* Reads the options before the command. Returns the index of the command; 0: there is none, or an option is
 * unknown. */
static int read_shell_options(char **argv, struct yarn *yarn)
{
    int at = 1;

    for (; argv[at] != NULL && strncmp(argv[at], "--", 2) == 0; at++) {
        if ((strcmp(argv[at], "--config") == 0 || strcmp(argv[at], "--conf") == 0) && argv[at + 1] != NULL)
            yarn->conf_dir = argv[++at];
        else if (strcmp(argv[at], "--loglevel") == 0 && argv[at + 1] != NULL)
            at++;
        else if (strcmp(argv[at], "--debug") != 0)
            return 0;
    }
    return argv[at] != NULL ? at : 0;
}

int main(int argc, char **argv)
{
    struct yarn yarn = { 0 };
    int at = argc > 1 ? read_shell_options(argv, &yarn) : 0, code;

    setlocale(LC_CTYPE, "");
    signal(SIGCHLD, SIG_DFL); /* otherwise the exit statuses of helper programs may be lost */
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_overview(stdout);
        return YARN_DONE;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0)
        return run_version(&yarn);
    if (at == 0 && argc > 1 && strcmp(argv[1], "--daemon") == 0)
        return yarn_error(YARN_FAILED, "%s, creel-nm or creel-web", DAEMON("creel-rm"));
    if (at == 0) {
        print_overview(stderr);
        return YARN_FAILED;
    }
    yarn.words = (const char *const *)argv + at + 1;
    code = run(&yarn, argv[at]);
    creel_disconnect(yarn.client);
    yarn_options_done(&yarn.options);
    if (fflush(stdout) != 0 && code == YARN_DONE)
        code = yarn_error(YARN_FAILED, "standard output: %s", strerror(errno));
    return code;
}
