/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_program.h - runs a program of the host, as tar, and waits for it
 */
#ifndef CREEL_RM_HOST_PROGRAM_H
#define CREEL_RM_HOST_PROGRAM_H

#include "common/base/err.h"

/* Runs ARGUMENTS, which end with NULL; the program is found by PATH, and tar has its usual options. INPUT and
 * OUTPUT: its standard input and output; -1: those of this process. -EIO: it failed. */
int host_program_run(const char *const *arguments, int input, int output, struct err *err);

#endif
