/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_master.h - the application master of `creel alloc` and `creel attach`: this process
 *
 * It asks for containers, starts a process in each that does nothing, and runs a command here when all run.
 * At the end of the command it reports the result, and the containers end. If it is lost, the application
 * lives for the expiry interval of application masters; another process may take it over meanwhile. The
 * number of containers is the state that the resource manager keeps for that process (creel_am_set_state).
 */
#ifndef CREEL_CLI_ALLOC_MASTER_H
#define CREEL_CLI_ALLOC_MASTER_H

#include "client/cli/frame/cli.h"
#include "client/cli/run/alloc_shell.h"

struct alloc_request {          /* borrowed */
    const char *app_id;         /* whole */
    const char *const *command; /* ends with NULL */
    struct creel_resource each; /* size of a container */
    uint32_t count;             /* containers; 0: as the former process asked */
    struct alloc_shell *shell;  /* initialised */
};

/* Runs until the end, by cli->client, which is there. Reports errors. Returns the exit code: the
 * command's, or one of enum cli_exit. */
int alloc_master_run(struct cli *cli, const struct alloc_request *request);

#endif
