/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fetch_results.h - brings the results of a job (--fetch) from the agents to a directory here
 *
 * The agents and what they send are not trusted: sizes are bounded by the list of results, the archive is
 * compared with its SHA-256, and unpacked into a hidden directory below the target, from which its files are
 * moved to their places (place_tree.h).
 */
#ifndef CREEL_CLI_FETCH_RESULTS_H
#define CREEL_CLI_FETCH_RESULTS_H

#include "client/cli/frame/cli.h"
#include "common/base/job/results.h"

/* The results of one container. */
struct fetched {
    const char *app_id, *container_id;
    const char *task;      /* "3"; "": the job has one container */
    const char *directory; /* where its files are */
    struct results results;
    int error;          /* errno; 0: fetched */
    char message[1024]; /* if ERROR: names task and path */
};

typedef void fetched_fn(void *context, const struct fetched *fetched);

/* Fetches the results of APP, which has ended, into DIRECTORY; of each task of a job of tasks or of an array
 * into DIRECTORY/TASK. Calls REPORT for each container. With PROGRESS shows long transfers on stderr. Returns
 * 0, also if single containers failed; or an error of the resource manager. */
int fetch_results(struct creel_client *client, const struct creel_app *app, const char *directory,
                  bool progress, fetched_fn *report, void *context, struct creel_error *error);

/* Prints the problems of FETCHED on stderr. */
void fetch_print_problems(const struct fetched *fetched);
bool fetch_is_complete(const struct fetched *fetched);

/* For a job that CLI has waited for: fetches its results and prints problems and a summary on stderr. Returns
 * CODE, the exit code of the job; or EXIT_SELF_FAILED if that is 0 and results are missing. */
int fetch_after_wait(struct cli *cli, const struct creel_app *app, const char *directory, int code);

#endif
