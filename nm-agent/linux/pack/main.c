/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-pack, which packs the results of a task (--fetch)
 *
 * The shim runs it with the rights of the user, in the container's control group and the working directory of
 * the command, after all processes of the container have ended. The first problem is one line on standard
 * error, which becomes part of the status of the container, and exit status 1.
 */
#include <locale.h>
#include <stdio.h>

#include "common/base/text.h"
#include "nm-agent/linux/pack/pack.h"

int main(int argc, char **argv)
{
    struct pack_request request = { .paths = NULL };
    struct results results;
    struct err err = { 0 };

    if (argc < 4 || !text_parse_int64(argv[2], &request.bytes_max) || request.bytes_max < 0 ||
        !results_paths_valid(argv[3])) {
        fputs("usage: creel-pack DIRECTORY MAX-BYTES PATH[,PATH]... [NAME]...\n"
              "Packs the PATHs of the present directory into DIRECTORY/" RESULTS_ARCHIVE
              ", without the files NAME,\n"
              "and writes the list DIRECTORY/" RESULTS_LIST ". creel-shim runs it.\n",
              stderr);
        return 2;
    }
    setlocale(LC_CTYPE, ""); /* libarchive converts names of entries */
    request.target = argv[1];
    request.paths = argv[3];
    request.own_names = (const char *const *)argv + 4;
    if (pack_results(&request, &results, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (results.problem_count == 0)
        return 0;
    fprintf(stderr, "%s\n", results.problems[0]);
    return 1;
}
