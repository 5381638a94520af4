/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_options.h - the options of `creel submit` and `creel run`, and the job they describe
 *
 * The kind of COMMAND decides whether a file is sent with the job:
 *   a script (a regular file that begins with "#!"), named with a '/' or found
 *   in the current directory     sent along, mode 0500; the command becomes ./NAME
 *   a relative path to any other executable file                       sent along too
 *   an absolute path to a program that is no script      run as it is on the agent
 *   a word without '/' that is no script here            looked up in PATH on the agent; without
 *                                a "--" before it, an error if this host has no such program
 *   a path that does not exist here                      an error, with what to do
 * Where it runs: submit_place.h. The values of --env: submit_environment.h.
 */
#ifndef CREEL_CLI_SUBMIT_OPTIONS_H
#define CREEL_CLI_SUBMIT_OPTIONS_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "client/cli/frame/options.h"
#include "client/include/creel.h"
#include "common/base/arena.h"
#include "common/base/err.h"

/* The option rows of a list of fields in common/base/job/job_field_table.h. */
#define SUBMIT_FIELD_OPTION(member, kind, letter, option, argument, json, low, high, help, manual) \
    { letter, option, argument, help },
/* Option rows for the size of a container. */
#define SUBMIT_SIZE_OPTIONS \
    { 'm', "memory", "SIZE", "memory of each container: 512M, 2g, 2GiB; 512 is MiB" }, \
        { 'c', "vcores", "N", "virtual cores of each container" }, \
        { 'r', "resource", "NAME=N,...", "resources of each container: licence=1,disk=16Gi,memory=2g" }, \
    { \
        'g', "gpus", "N", "GPUs of each container; same as --resource gpu=N" \
    }

/* Option rows of `submit` and `run`; end with a row without name. */
extern const struct option_spec submit_option_table[];
/* Notice for virtual cores that were requested, and those that the job has (both int64_t). */
#define SUBMIT_VCORES_REDUCED \
    "%" PRId64 \
    " virtual cores are reduced: the scheduler counts memory alone, and the containers have %" PRId64 \
    "; with the DominantResourceCalculator (yarn.scheduler.capacity.resource-calculator) it counts both"
#define SUBMIT_NO_MAIL \
    "--mail-type: no mail is sent: the resource manager has no notify command " \
    "(creel.jobs.notify-command), or is of version 0.2.0"

bool submit_option_is_known(const char *name, size_t length); /* a slurm_known of client/script */

struct submit_options {
    struct creel_job job; /* ready for creel_submit; memory is in ARENA or borrowed from argv */
    bool count_given;     /* -N was given (also -N 1): the value is in job.task_count */
    bool wait;            /* -W: wait for the end; also set by -L */
    bool detach;
    bool logs; /* -L */
    bool script_from_stdin;
    bool id_only;             /* --id */
    bool dry_run;             /* --dry-run: print the request, send nothing */
    bool test_only;           /* --test-only: only tests the submission */
    const char *fetch_to;     /* --fetch-to: where results are written; NULL: not given */
    bool limits_given;        /* --propagate; the limits are in job.limits, NULL: none */
    bool env_all;             /* --env all, and no --env none behind it */
    const char *env_left_out; /* variables of --env all that cannot be sent; NULL: none */
    int64_t timeout_ms;       /* value of --timeout; -1: not given */
    struct arena *arena;
};

/* Makes the job that PARSED (by submit_option_table) describes; the arguments are the command. Reads the
 * named files and changes none. -EINVAL: wrong usage, -ENOENT: a file is missing; RET is then empty. */
int submit_options_parse(const struct options *parsed, struct submit_options *ret, struct err *err);
/* Like submit_options_parse. COMMAND_NAME is the name for the job and for the command's file if that is
 * sent; NULL: the last component of the command's path. */
int submit_options_parse_named(const struct options *parsed, const char *command_name,
                               struct submit_options *ret, struct err *err);
void submit_options_done(struct submit_options *options);

#endif
