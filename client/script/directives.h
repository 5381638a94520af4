/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directives.h - the options that a job script has in its comments
 *
 *     #!/bin/sh
 *     #CREEL --memory 2g --vcores 4        # a comment
 *     #CREEL --name "night run"
 *     exec ./work
 *
 * A directive is a line that begins with the marker ("#CREEL", "#SBATCH") and a blank. Directives are read up
 * to the first line that is neither empty nor a comment, as in every batch system. Words are split at blanks;
 * '...', "..." and \ quote as in a shell, but nothing is expanded. A word that begins with '#' ends the line.
 * "##CREEL" and "# CREEL" are comments.
 *
 * Pure. All memory is of the arena that the caller gives.
 */
#ifndef CREEL_SCRIPT_DIRECTIVES_H
#define CREEL_SCRIPT_DIRECTIVES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

#define SCRIPT_MARKER "#CREEL"
#define SCRIPT_MARKER_SLURM "#SBATCH"

/* What is looked at of a script; directives behind are not found. */
#define SCRIPT_SIZE_MAX ((size_t)1 << 20)

#define SCRIPT_DIRECTIVES_MAX 1000

struct script_directive {
    unsigned line;                      /* from 1 */
    const char *const *words;           /* ends with NULL */
    size_t word_count;
};

/* Something that the user should know of a line. */
struct script_notice {
    unsigned line;
    const char *text;                   /* "--qos: ignored" */
    bool strict;                        /* an error with --strict */
};

struct script {
    struct arena *arena;                /* the caller's */
    struct script_directive *directives;
    size_t directive_count, directive_capacity;
    struct script_notice *notices;
    size_t notice_count, notice_capacity;
};

void script_init(struct script *script, struct arena *arena);
/* Add one; WORDS (in the arena) ends with NULL. */
void script_add(struct script *script, unsigned line, const char *const *words, size_t word_count);
void script_add_notice(struct script *script, unsigned line, bool strict, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Does TEXT have a directive of MARKER before its first command? */
bool script_has(const char *text, size_t size, const char *marker);

/* The directives of MARKER in TEXT. -EINVAL with a sentence, and the line in *LINE: a quote that is not
 * closed, too many directives, or a first line that ends in a carriage return, with which no system finds the
 * interpreter. */
int script_read(const char *text, size_t size, const char *marker, struct script *script, unsigned *line,
                struct err *err);

#endif
