/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - context of every command of the creel program, its exit codes, and its error messages
 *
 * A command is a function struct cli -> exit code. The command reads its options from cli->options, calls
 * cli_client if it needs the RM, writes data to stdout and messages to stderr, and turns errors into exit
 * codes with cli_fail.
 */
#ifndef CREEL_CLI_H
#define CREEL_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/cli/frame/options.h"
#include "client/include/creel.h"
#include "common/base/err.h"

enum cli_exit {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, /* the request to the RM failed */
    EXIT_USAGE = 2,
    EXIT_NOT_FOUND = 3,
    EXIT_NOT_PERMITTED = 4,
    EXIT_UNREACHABLE = 5, /* the RM is not reachable, or no RM is active */
    EXIT_REFUSED = 6,     /* not possible in the present state */
    EXIT_BAD_CONFIG = 7,
    EXIT_NEVER_RUNS = 8,
    EXIT_UNHEALTHY = 9,     /* cluster health: a check failed */
    EXIT_OUT_OF_TIME = 124, /* the time limit of wait or --wait has passed */
    EXIT_SELF_FAILED = 125, /* run, --wait: creel itself failed; the application may be running */
    EXIT_INTERRUPTED = 130, /* 128 + SIGINT: Ctrl-C */
};

enum cli_format { FORMAT_TABLE, FORMAT_WIDE, FORMAT_JSON, FORMAT_JSONL, FORMAT_CSV, FORMAT_ID };
enum cli_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct conf;
struct cli;

struct command {
    const char *path; /* "app list" */
    int (*run)(struct cli *cli);
    const char *arguments;             /* arguments in the usage line: "ID [CONTAINER]" */
    const char *summary;               /* summary in the help: one line, lower case */
    const char *help;                  /* longer help: paragraphs and examples; may be NULL */
    const struct option_spec *options; /* may be NULL */
    enum options_mode mode;
    const char *alias_of; /* the command whose alias this row is; the other fields come from that
                             command */
};

/* All commands; ends with a row without path. */
extern const struct command command_table[];

/* Returns the row of PATH, following aliases; NULL if there is none. */
const struct command *command_find(const char *path);

struct cli {
    const struct command *command;
    struct options options; /* global options and the command's options */

    const char *rm_address, *conf_dir, *as_user; /* values of global options; NULL: not given */
    enum cli_format format;
    bool format_given;
    const char *columns, *sort; /* values of global options; NULL: not given */
    bool no_header, quiet, verbose, yes;
    enum cli_color color;
    size_t rows_max;    /* rows that a table prints at most; 0: no limit */
    int64_t timeout_ms; /* time limit of each request to the RM */

    struct conf *conf;           /* owned; NULL until cli_conf loads it */
    struct creel_client *client; /* owned; NULL until cli_client connects */
    char *found_conf_dir;        /* configuration directory of a running dev cluster; else NULL */
};

/* The options of every command: --rm, --conf, -o, ... A command may have its own --timeout, which then
 * replaces the global one. */
extern const struct option_spec cli_global_options[];

/* Returns the monotonic time at which --wait ends if it has not ended before: --timeout from now on;
 * INT64_MAX: --timeout was not given. */
int64_t cli_wait_end_ms(const struct cli *cli);

/* Returns the client, connected on first use; NULL after an error, which is not printed. */
struct creel_client *cli_connect(struct cli *cli, struct creel_error *error);
/* Returns the client, connected on first use. On failure prints the error and returns NULL: the command
 * must return *EXIT_CODE. */
struct creel_client *cli_client(struct cli *cli, int *exit_code);
/* Returns the configuration, loaded on first use. Prints warnings only with -v. Errors as of cli_client. */
const struct conf *cli_conf(struct cli *cli, int *exit_code);
/* Returns the name of this cluster: in a job that of its node, else that of the configuration. NULL after an
 * error, which is printed. */
const char *cli_cluster(struct cli *cli);
/* Returns the configuration directory: --conf, or that of the environment, or that of a running dev cluster
 * (only if /etc/creel has no configuration), or /etc/creel. */
const char *cli_conf_dir(struct cli *cli);

/* Returns whether lists are printed as JSON, which has the command of each application. */
bool cli_prints_json(const struct cli *cli);

/* Returns the exit code for ERROR. */
int cli_exit_code(const struct creel_error *error);
/* Prints "creel: TEXT" and returns the exit code for ERROR. */
int cli_fail(const struct creel_error *error);
int cli_fail_err(const struct err *err); /* like cli_fail, for a struct err of common/ */
/* Prints "creel: ..." and a pointer to the help. Returns EXIT_USAGE. */
int cli_usage(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print a line on stderr: cli_print unless --quiet is given, cli_detail only with -v and after "creel: ". */
void cli_print(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_detail(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print the help: an overview, or that of PATH, a command or a family ("app"). Returns false if PATH is
 * neither. */
void help_print_overview(FILE *out);
bool help_print(const char *path, FILE *out);

/* Returns the exit status of `creel run` and `submit --wait` for the ended APP: 0 to 255. */
int cli_app_exit(const struct creel_app *app);
/* Returns how the ended APP failed or was killed: its diagnostics, or "exit status 3"; "" if it succeeded.
 * The caller frees it. */
char *cli_app_end(const struct creel_app *app);
/* Prints on stderr how APP ended, if it did not succeed. */
void cli_explain_end(const struct cli *cli, const struct creel_app *app);

#endif
