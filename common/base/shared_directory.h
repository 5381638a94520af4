/* SPDX-License-Identifier: Apache-2.0 */
/* shared_directory.h - checks a directory in which every user creates directories of their own */
#ifndef CREEL_BASE_SHARED_DIRECTORY_H
#define CREEL_BASE_SHARED_DIRECTORY_H

#include "common/base/err.h"

/* Returns 0 if PATH is a directory of mode 1777: every user can write there, and delete only own files. Else
 * returns -errno, and ERR names PATH and the problem. */
int shared_directory_check(const char *path, struct err *err);

#endif
