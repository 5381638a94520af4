/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placed_files.h - copies a directory over another one, and can take that back
 */
#ifndef CREEL_RM_PLACED_FILES_H
#define CREEL_RM_PLACED_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"

struct placed_files { /* zeros: nothing was made */
    char **paths;     /* files and directories that were made, in this order; owned */
    size_t count, room;
};

/* Makes DIRECTORY, of mode MODE, and its parents, of mode 0755, where they are missing. */
int placed_files_make_directory(struct placed_files *placed, const char *directory, unsigned mode,
                                struct err *err);
/* Copies the files in FROM, with their modes, to TO, which is made if it is missing. Files that exist in TO
 * are kept. */
int placed_files_copy(struct placed_files *placed, const char *from, const char *to, struct err *err);
/* Returns true if the file or directory PATH was made. */
bool placed_files_has(const struct placed_files *placed, const char *path);
/* Removes what was made, except directories into which others have put files. */
void placed_files_undo(struct placed_files *placed);
void placed_files_done(struct placed_files *placed); /* frees the list */

#endif
