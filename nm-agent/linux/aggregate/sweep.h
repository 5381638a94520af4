/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - checks the directory of all aggregated logs, and deletes old files of all users */
#ifndef CREEL_NM_AGGREGATE_SWEEP_H
#define CREEL_NM_AGGREGATE_SWEEP_H

#include <stdint.h>

#include "common/base/err.h"

/* Checks the mode of BASE. If RETAIN_MS is not negative, calls aggregate_expire for each user who has a
 * directory in BASE, in a process with the rights of that user. Of users other than its own, a process that
 * does not run as root leaves all files. A directory whose name is not that of its owner, and directories of
 * root, are left out. Returns 0, or -errno if BASE cannot be used. */
int aggregate_sweep(const char *base, const char *suffix, int64_t retain_ms, int64_t interval_ms,
                    struct err *err);

/* Returns the milliseconds since 1970. Declared for tests. */
int64_t aggregate_now_ms(void);

#endif
