/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_tree.h - moves the files of one directory into another, below existing directories
 *
 * Each file is moved by a rename, so it is whole at its place or not there; a file of the same name is
 * replaced. Nothing is written outside of the target: no symbolic link in it is followed, and links that lead
 * outside are refused (results_link_stays_inside), as are hard links and special files.
 */
#ifndef CREEL_CLI_PLACE_TREE_H
#define CREEL_CLI_PLACE_TREE_H

#include "common/base/err.h"

/* Moves all that is in the directory FROM_FD to the directory TO_FD of the same file system. After an error,
 * the files that were moved stay. ERR names the path, relative to both. */
int place_tree(int from_fd, int to_fd, struct err *err);

/* Removes all that is in the directory FD. Errors are ignored. */
void place_tree_clear(int fd);

#endif
