/* SPDX-License-Identifier: Apache-2.0 */
/* history_fields.h - prints ended applications with the field names of Slurm's sacct */
#ifndef CREEL_CLI_HISTORY_FIELDS_H
#define CREEL_CLI_HISTORY_FIELDS_H

#include "client/cli/frame/cli.h"

#define HISTORY_FIELD_COMMAND "SubmitLine" /* the field that has the command */

/* Parses FIELDS, comma-separated names without regard to case, as "JobID,State,Elapsed". A width behind a
 * name ("JobName%20") is ignored. Returns them as for --columns, owned by the caller. *NODES: one of them
 * names nodes. NULL: there is no such field; ERR lists all. */
char *history_fields_parse(const char *fields, bool *nodes, struct err *err);

/* Prints APPS; COLUMNS as history_fields_parse returned it. Returns an exit code. */
int history_fields_print(struct cli *cli, const char *columns, const struct creel_apps *apps);

#endif
