/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signed_in_file.h - keeps the table of signed_in.h over a restart, in the file "signed-in" of the state
 * directory
 *
 * Without it a restart of the resource manager would end sessions with agents (creel container exec), since
 * agents ask whether a key is still known. Each line is "KEY UNTIL USER", UNTIL in ms since 1970. Lines are
 * appended and not synced: a line that is lost costs its user one more credential. Lines that cannot be read
 * are skipped.
 */
#ifndef CREEL_RM_SIGNED_IN_FILE_H
#define CREEL_RM_SIGNED_IN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/keys/keys.h"
#include "rm/net/keys/signed_in.h"

#define SIGNED_IN_USER_TEXT 256

struct signed_in_line {
    char key[KEY_TEXT];
    int64_t until_ms; /* since 1970 */
    char user[SIGNED_IN_USER_TEXT];
};

/* Reads SIZE bytes, a line without its end. Returns false if it is none; RET is unchanged then.
 * Declared for tests. */
bool signed_in_line_read(const char *bytes, size_t size, struct signed_in_line *ret);

struct signed_in_file; /* opaque */

/* Puts the keys of the file in DIRECTORY that have not expired into TABLE (borrowed), each for VALIDITY_MS at
 * most, and rewrites the file. A file that does not exist is empty. */
int signed_in_file_open(const char *directory, struct signed_in *table, int64_t validity_ms,
                        struct signed_in_file **ret, struct err *err);
void signed_in_file_close(struct signed_in_file *file); /* NULL is fine */
/* Appends a key that is valid for LEFT_MS more. A failure is logged at a limited rate. */
void signed_in_file_add(struct signed_in_file *file, const char *key, const char *user, int64_t left_ms);

#endif
