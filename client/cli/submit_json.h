/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit_json.h - a job as JSON: what --dry-run prints
 */
#ifndef CREEL_CLI_SUBMIT_JSON_H
#define CREEL_CLI_SUBMIT_JSON_H

#include "client/cli/cli.h"

/* {"apiVersion", "kind": "JobList", "items": [...]} with the files' sizes and hashes; an exit code. */
int submit_json_print(struct cli *cli, const struct creel_job *job);

#endif
