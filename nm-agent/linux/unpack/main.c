/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - main program of creel-unpack, which unpacks the archives of a job
 *
 * The shim runs it with the rights of the user, in the container's control group and scratch directory,
 * before the command. It is a program of its own because the shim links only libc. An error is one line on
 * standard error, which becomes part of the status of the job, and exit status 1.
 */
#include <locale.h>
#include <stdio.h>

#include "common/base/job/archive_limits.h"
#include "common/archive/unpack.h"

int main(int argc, char **argv)
{
    static const struct unpack_limits limits = { .entries = ARCHIVE_ENTRIES_MAX, .bytes = ARCHIVE_BYTES_MAX };

    if (argc < 2 || argv[1][0] == '\0') {
        fputs("usage: creel-unpack ARCHIVE...\n"
              "Replaces each ARCHIVE of the present directory by a directory with its content.\n"
              "creel-shim runs it.\n",
              stderr);
        return 2;
    }
    setlocale(LC_CTYPE, ""); /* libarchive converts names of entries */
    for (int i = 1; i < argc; i++) {
        struct err err = { 0 };

        if (unpack_archive(argv[i], &limits, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    return 0;
}
