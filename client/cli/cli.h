/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what every command gets, and how it ends
 *
 * A command is a function struct cli -> exit code. It reads its options from
 * cli->options, asks for the client when it needs one, writes data to stdout
 * and chatter to stderr, and turns errors into exit codes with cli_fail.
 */
#ifndef CREEL_CLI_H
#define CREEL_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/cli/options.h"
#include "client/include/creel.h"
#include "common/base/err.h"

enum cli_exit {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,            /* the request failed */
    EXIT_USAGE = 2,
    EXIT_NOT_FOUND = 3,
    EXIT_NOT_PERMITTED = 4,
    EXIT_UNREACHABLE = 5,       /* RM not reachable, or none active */
    EXIT_REFUSED = 6,           /* in the present state */
    EXIT_BAD_CONFIG = 7,
    EXIT_NEVER_RUNS = 8,
    EXIT_OUT_OF_TIME = 124,     /* wait, --wait */
    EXIT_SELF_FAILED = 125,     /* run, --wait: creel failed, the application may be running */
    EXIT_INTERRUPTED = 130,     /* 128 and SIGINT: Ctrl-C ended the looking */
};

enum cli_format { FORMAT_TABLE, FORMAT_WIDE, FORMAT_JSON, FORMAT_JSONL, FORMAT_CSV, FORMAT_ID };
enum cli_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct conf;
struct cli;

struct command {
    const char *path;           /* "app list" */
    int (*run)(struct cli *cli);
    const char *arguments;      /* "ID [CONTAINER]", for the usage line */
    const char *summary;        /* one line, lower case */
    const char *help;           /* paragraphs and examples; may be NULL */
    const struct option_spec *options;      /* may be NULL */
    enum options_mode mode;
    const char *alias_of;       /* another name of that command; the rest is taken from there */
};

/* Every command, ends with a row without path. */
extern const struct command command_table[];

/* The row of PATH, aliases followed; NULL if there is none. */
const struct command *command_find(const char *path);

struct cli {
    const struct command *command;
    struct options options;     /* global ones and the command's */

    const char *rm_address, *conf_dir, *as_user;        /* NULL: not given */
    enum cli_format format;
    bool format_given;
    const char *columns, *sort; /* NULL: not given */
    bool no_header, quiet, verbose, yes;
    enum cli_color color;
    int64_t timeout_ms;         /* of each request to the RM */

    struct conf *conf;          /* made by cli_conf */
    struct creel_client *client;        /* made by cli_client */
    char *found_conf_dir;       /* of a running dev cluster; else NULL */
};

/* The options of every command: --rm, --conf, -o, ... A command may have its own --timeout, which
 * then takes that one's place. */
extern const struct option_spec cli_global_options[];

/* The client, connected on first use; NULL after saying why on stderr: return *EXIT_CODE. */
struct creel_client *cli_client(struct cli *cli, int *exit_code);
/* The configuration, loaded on first use (warnings go to stderr); NULL as above. */
const struct conf *cli_conf(struct cli *cli, int *exit_code);
/* The directory of the configuration: --conf, the environment, a running dev cluster, /etc/creel. */
const char *cli_conf_dir(struct cli *cli);

/* The exit code for ERROR. */
int cli_exit_code(const struct creel_error *error);
/* Print "creel: TEXT" and return that code. */
int cli_fail(const struct creel_error *error);
int cli_fail_err(const struct err *err);        /* the same for a struct err of common/ */
/* Print "creel: ..." with where to find help; returns EXIT_USAGE. */
int cli_usage(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line on stderr: always, unless --quiet, only with -v. */
void cli_say(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_detail(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Help: of everything, of a command or of a family ("app"); false if PATH is neither. */
void help_print_overview(FILE *out);
bool help_print(const char *path, FILE *out);

/* What `creel run` and `submit --wait` end with when APP is over: 0 to 255. */
int cli_app_exit(const struct creel_app *app);
/* Say on stderr how APP ended, if it did not succeed. */
void cli_explain_end(const struct cli *cli, const struct creel_app *app);

#endif
