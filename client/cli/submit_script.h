/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_script.h - the script that is to be submitted: from a file or standard input, and its directives
 *
 * `creel submit -` and `creel submit <job.sh` read the script from standard input. The directives
 * (client/script) become options before those of the command line, so that the latter count. What is noticed
 * goes to standard error, with file and line.
 */
#ifndef CREEL_CLI_SUBMIT_SCRIPT_H
#define CREEL_CLI_SUBMIT_SCRIPT_H

#include "client/cli/cli.h"
#include "common/base/arena.h"

struct submit_script {
    struct arena *arena;        /* has the values of directives; NULL: there are none */
    int fd;                     /* of a script from standard input; -1: none */
    const char *command_name;   /* what it is called then; NULL: as its file */
};

/* Look at the command of cli->options; if it is a script, its directives are put before the options. Their
 * values live until submit_script_done. -EINVAL with file, line and what is wrong. SCRIPT is to be given to
 * submit_script_done in any case. */
int submit_script_read(struct cli *cli, struct submit_script *script, struct err *err);
void submit_script_done(struct submit_script *script);

#endif
