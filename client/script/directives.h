/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directives.h - reads the options in the comments of a job script
 *
 *     #!/bin/sh
 *     #CREEL --memory 2g --vcores 4        # a comment
 *     #CREEL --name "night run"
 *     exec ./work
 *
 * A directive is a line that begins with the marker ("#CREEL", "#SBATCH") and a blank. Directives end at the
 * first line that is neither empty nor a comment, as in other batch systems. Words are split at blanks;
 * '...', "..." and \ quote as in a shell, but nothing is expanded. A word that begins with '#' starts a
 * comment. "##CREEL" and "# CREEL" are comments.
 *
 * Lines of #SBATCH are split as sbatch does: no blank is needed behind the marker, an unquoted '#' begins a
 * comment in a word, too, and a backslash is removed from any word, also between quotes.
 *
 * Pure. All memory is in the caller's arena.
 */
#ifndef CREEL_SCRIPT_DIRECTIVES_H
#define CREEL_SCRIPT_DIRECTIVES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/arena.h"
#include "common/base/err.h"

#define SCRIPT_MARKER "#CREEL"
#define SCRIPT_MARKER_SLURM "#SBATCH"

/* Bytes of a script that are searched. A script whose first command is not among them gets a notice. */
#define SCRIPT_SIZE_MAX ((size_t)1 << 20)

#define SCRIPT_DIRECTIVES_MAX 1000

struct script_directive {
    unsigned line;            /* from 1; 0: not from a line, but from ORIGIN */
    const char *origin;       /* variable of the environment that it comes from; NULL: LINE */
    const char *written;      /* option and value of Slurm that became WORDS: "-J alpha"; NULL: none */
    const char *const *words; /* ends with NULL */
    size_t word_count;
    bool is_pbs; /* of a line of #PBS in a script of Slurm */
};

/* A message for the user about a line. */
struct script_notice {
    unsigned line;      /* 0: about ORIGIN */
    const char *origin; /* as in struct script_directive */
    const char *text;   /* "--qos: ignored" */
    bool strict;        /* an error with --strict */
};

struct script {
    struct arena *arena; /* borrowed */
    struct script_directive *directives;
    size_t directive_count, directive_capacity;
    struct script_notice *notices;
    size_t notice_count, notice_capacity;
    const char *origin;  /* of what is added now; NULL: the line */
    const char *written; /* the same for struct script_directive */
};

void script_init(struct script *script, struct arena *arena);
/* Adds a directive of the one WORD. */
void script_add_word(struct script *script, unsigned line, const char *word);
void script_add_notice(struct script *script, unsigned line, bool strict, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns whether TEXT has a directive of MARKER before its first command. */
bool script_has(const char *text, size_t size, const char *marker);
/* Returns the number of the first line that calls COMMAND, from 1; 0: there is none. It is called as the
 * first word, or behind ";", "&&", "then", "{" and the like. */
unsigned script_find_command(const char *text, size_t size, const char *command);

/* Reads the directives of MARKER in TEXT. -EINVAL with a message, and the line in *LINE: an unclosed
 * quote, too many directives, or a first line that ends in a carriage return, with which the kernel does
 * not find the interpreter; in a script of Slurm a NUL byte, or a carriage return at the end of any line. */
int script_read(const char *text, size_t size, const char *marker, struct script *script, unsigned *line,
                struct err *err);

#endif
