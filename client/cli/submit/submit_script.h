/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_script.h - reads the script to be submitted, from a file or standard input, and its directives
 *
 * `creel submit -` and `creel submit <job.sh` read the script from standard input. The directives
 * (client/script) become options before those of the command line, so the command line takes precedence.
 * Notices go to standard error, with file and line.
 */
#ifndef CREEL_CLI_SUBMIT_SCRIPT_H
#define CREEL_CLI_SUBMIT_SCRIPT_H

#include "client/cli/frame/cli.h"
#include "client/script/sbatch_line.h"
#include "common/base/arena.h"

struct submit_script {
    struct arena *arena;          /* holds the values of directives; NULL: no directives */
    int fd;                       /* copy of a script from standard input; -1: none */
    const char *command_name;     /* name of that script; NULL: the file's name */
    const char *slurm_path;       /* absolute path of a script of Slurm that is a file; NULL: it is none */
    const char *environment_word; /* why a script of creel may need the environment of this shell; NULL */
};

/* If the command of cli->options is a script, inserts its directives before the options. Their values live
 * until submit_script_done. -EINVAL with file, line and reason. The caller must pass SCRIPT to
 * submit_script_done in any case. */
int submit_script_read(struct cli *cli, struct submit_script *script, struct err *err);
/* The same for the command line of sbatch, LINE, whose script may also be a pipe, or a command (--wrap). The
 * options of LINE come after the directives. cli->options has the script and its arguments, if there are
 * any. */
int submit_script_read_sbatch(struct cli *cli, const struct sbatch_line *line, struct submit_script *script,
                              struct err *err);
void submit_script_done(struct submit_script *script);

#endif
