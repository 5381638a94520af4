/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - what the commands of Slurm share: the connection, messages, exit statuses and options
 *
 * Results go to standard output, messages to standard error as "squeue: error: TEXT". The exit status is 0,
 * or 1 after an error, as that of Slurm's commands; sbatch --wait has that of the job.
 */
#ifndef CREEL_SLURM_CLIENT_TOOL_H
#define CREEL_SLURM_CLIENT_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "client/cli/frame/cli.h"
#include "common/base/arena.h"

struct tool {
    const char *name;        /* "squeue" */
    struct cli cli;          /* its client is connected by tool_client */
    struct arena *arena;     /* freed at the end of the command */
    const char *unreachable; /* printed before the error if the resource manager cannot be reached, as tools
                              * that match Slurm's text expect it; NULL: nothing */
    const char *clusters;    /* of -M: names of clusters; NULL: that of SLURM_CLUSTERS is used */
    struct option *long_options; /* for getopt_long */
    char *letters;
};

/* The commands. ARGC and ARGV as of main(). Return the exit status. */
int sbatch_main(struct tool *tool, int argc, char **argv);
int squeue_main(struct tool *tool, int argc, char **argv);
int scancel_main(struct tool *tool, int argc, char **argv);
int sacct_main(struct tool *tool, int argc, char **argv);
int sinfo_main(struct tool *tool, int argc, char **argv);
int scontrol_main(struct tool *tool, int argc, char **argv);

/* Returns the client, connected on first use; NULL after an error, which is printed. It is an error if -M or
 * SLURM_CLUSTERS names another cluster than the one that is configured: numbers of jobs are those of one
 * cluster. */
struct creel_client *tool_client(struct tool *tool);

/* Return names of users, which end with NULL, in the tool's arena: that of the user as whom requests are
 * made; those of VALUE, "ann,1000", in which numbers are those of this host. NULL after an error, which is
 * printed. */
const char *const *tool_me(struct tool *tool);
const char *const *tool_users(struct tool *tool, const char *value);
/* Returns the first of USERS that this host does not know; NULL: it knows all. */
const char *tool_unknown_user(const char *const *users);

/* Sets *QUEUES to queue NAME, or all queues if it is NULL, and *NODES to all nodes: partitions are made of
 * both. The caller frees both, also after an error. Returns the exit status; an error is printed. */
int tool_load_partitions(struct tool *tool, const char *name, struct creel_queues **queues,
                         struct creel_nodes **nodes);

/* Print "NAME: error: TEXT" (or without "error: "). tool_fail and tool_refused return 1. */
int tool_fail(const struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tool_note(const struct tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));
int tool_refused(const struct tool *tool, const struct creel_error *error);

/* Prints the version in the form that scripts read: "slurm 22.05.8 (creel 0.3.0)". Returns 0. */
int tool_print_version(void);
/* Prints the date, as --long does before its header. */
void tool_print_date(void);

/* --- options ----------------------------------------------------------------------- */

enum tool_argument { TOOL_NO_ARGUMENT, TOOL_ARGUMENT, TOOL_OPTIONAL_ARGUMENT };

/* What is done with an option that the command itself does not handle. */
enum tool_kind {
    TOOL_HANDLED,
    TOOL_CHOOSES,   /* handled: a list of what is chosen; one without an element is refused */
    TOOL_NO_EFFECT, /* accepted: it changes nothing here */
    TOOL_HELP,      /* prints the help, and ends the command */
    TOOL_VERSION,   /* prints the version, and ends the command */
    TOOL_CLUSTERS,  /* names of clusters, of which only that of this one is accepted: tool_client */
    TOOL_REFUSED,   /* it would change the result, and creel has nothing similar */
};

struct tool_option {
    char letter;      /* 0: none */
    const char *name; /* NULL ends a table */
    enum tool_argument argument;
    enum tool_kind kind;
    int id; /* TOOL_HANDLED, TOOL_CHOOSES: what is passed to tool_line.read */
};

/* A variable of the environment that has the effect of an option, as SCANCEL_STATE of scancel(1). Those
 * without effect have no row. */
struct tool_variable {
    const char *name;            /* NULL ends a table */
    enum tool_argument argument; /* TOOL_NO_ARGUMENT: "f", "false", "no" and "0" switch it off */
    enum tool_kind kind;
    int id; /* TOOL_HANDLED, TOOL_CHOOSES: that of the option */
};

/* Reads the option ID into CONTEXT. VALUE: NULL without one. Returns false after an error. */
typedef bool tool_read_fn(void *context, int id, const char *value);

struct tool_line {
    const struct tool_option *options;
    const struct tool_variable *variables; /* NULL: none */
    tool_read_fn *read;
    const char *help;
    bool has_operands; /* else a word that is no option is an error */
};

/* Reads the variables of the environment that are set and not empty, then the command line, as getopt_long(3)
 * does, with unique prefixes. Returns true if the command goes on; its operands begin at ARGV[*AT]. False: it
 * ends with the status *CODE; errors are printed. */
bool tool_read(struct tool *tool, const struct tool_line *line, void *context, int argc, char **argv, int *at,
               int *code);

/* --- ids ----------------------------------------------------------------------------- */

/* Returns the number by which Slurm's commands name the application, as SLURM_JOB_ID of its processes: the
 * last part of APP_ID. A cluster gives each number once. 0: APP_ID is no id. */
uint32_t tool_job_number(const char *app_id);

#endif
