/* SPDX-License-Identifier: Apache-2.0 */
/* submit_json.h - prints a job as JSON, for --dry-run */
#ifndef CREEL_CLI_SUBMIT_JSON_H
#define CREEL_CLI_SUBMIT_JSON_H

#include "client/cli/cli.h"

/* Prints {"apiVersion", "kind": "JobList", "items": [...]} with the files' sizes and hashes. GIVEN are the
 * files of JOB with the sources that the user named. Returns an exit code. */
int submit_json_print(struct cli *cli, const struct creel_job *job, const struct creel_file *given);

#endif
