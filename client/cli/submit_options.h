/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_options.h - the options of `creel submit` and `creel run`, and the job they describe
 *
 * What COMMAND is decides what travels:
 *   a script (a regular file that begins with "#!"), named with a '/' or found
 *   in the present directory     sent along, mode 0500; the command becomes ./NAME
 *   a relative path to any other executable file                       sent along too
 *   an absolute path to a program that is no script      run as it is on the agent
 *   a word without '/' that is no script here            looked up in PATH on the agent
 *   a path that does not exist here                      an error, with what to do
 * Where it runs: submit_place.h. The values of --env: submit_environment.h.
 */
#ifndef CREEL_CLI_SUBMIT_OPTIONS_H
#define CREEL_CLI_SUBMIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "client/cli/options.h"
#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"

/* Rows for the options below; end with a row without name. `submit` and `run` both use them. */
extern const struct option_spec submit_option_table[];

struct submit_options {
    struct creel_job job;       /* ready for creel_submit; its memory is in ARENA or argv's */
    bool count_given;           /* -N was given (-N 1 too): job.task_count has it */
    bool wait;                  /* -W; also set by -L */
    bool detach;
    bool logs;                  /* -L */
    bool script_from_stdin;
    bool id_only;               /* --id */
    bool dry_run;               /* --dry-run: print the request, send nothing */
    bool test_only;             /* --test-only: ask what would happen to it */
    int64_t timeout_ms;         /* --timeout; -1: not given */
    struct arena *arena;
};

/* The job that PARSED (by submit_option_table) asks for; its arguments are the command. Looks at the files
 * that are named, changes nothing. -EINVAL wrong usage, -ENOENT a file is not there;
 * RET is then empty. */
int submit_options_parse(const struct options *parsed, struct submit_options *ret,
                         struct err *err);
/* The same; COMMAND_NAME (NULL: the last part of its path) is what the command's file is called if it is
 * sent, and the job. */
int submit_options_parse_named(const struct options *parsed, const char *command_name,
                               struct submit_options *ret, struct err *err);
void submit_options_done(struct submit_options *options);

#endif
