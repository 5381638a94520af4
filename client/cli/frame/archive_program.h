/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive_program.h - runs creel-archive, which reads and writes archives
 *
 * Only that program links libarchive and the libraries that libarchive needs: to load them takes longer than
 * most commands.
 */
#ifndef CREEL_CLI_ARCHIVE_PROGRAM_H
#define CREEL_CLI_ARCHIVE_PROGRAM_H

#include <sys/types.h>

#include "common/base/err.h"

struct archive_request {
    const char *words[3]; /* the operation and its arguments; the first NULL ends them */
    int in, out;          /* its standard input and output; -1: /dev/null */
    int list;             /* its descriptor 3, a pipe; -1: none */
    int directory;        /* its directory; -1: that of this process */
};

struct archive_program {
    pid_t pid;
    int errors; /* pipe from its standard error */
};

/* Starts the program; the caller may close the descriptors of REQUEST, and calls archive_program_wait. */
int archive_program_start(const struct archive_request *request, struct archive_program *ret,
                          struct err *err);
/* Waits for its end. Returns 0 or -errno, with the error of the program. */
int archive_program_wait(struct archive_program *program, struct err *err);
/* Both. */
int archive_program_run(const struct archive_request *request, struct err *err);

/* Opens a file without name in $TMPDIR. -errno; ERR names the directory. */
int archive_program_temporary(struct err *err);

#endif
