/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soft_limits.h - soft resource limits (getrlimit(2)) that travel with a job
 *
 * The names are those of sbatch's --propagate. The text of the schema (LaunchContext.limits) is a list of
 * NAME=VALUE, separated by commas: "CORE=0,NOFILE=4096?,STACK=unlimited". VALUE has the unit of getrlimit. A
 * limit above the hard limit of the node is reduced to it, and the diagnostics of the container have a note;
 * with '?' behind VALUE there is no note.
 *
 * Pure functions; they need libc alone, since the shim uses them.
 */
#ifndef CREEL_SOFT_LIMITS_H
#define CREEL_SOFT_LIMITS_H

#include <stdbool.h>
#include <sys/resource.h>

enum { SOFT_LIMITS = 10 };
#define SOFT_LIMITS_TEXT_MAX 512 /* bytes of the text of the schema */

/* Names and numbers (RLIMIT_CORE) of the limits. */
extern const struct soft_limit_kind {
    const char *name;
    __rlimit_resource_t resource; /* glibc: an enum with _GNU_SOURCE, else int */
} soft_limit_kinds[SOFT_LIMITS];

struct soft_limits { /* indexed as soft_limit_kinds */
    struct soft_limit {
        bool given;
        bool is_quiet; /* no note if it is reduced */
        rlim_t value;  /* RLIM_INFINITY: unlimited */
    } of[SOFT_LIMITS];
};

/* Reads the text of the schema; "" has no limits. Returns false if TEXT is malformed or has a limit twice;
 * LIMITS is undefined then. */
bool soft_limits_read(const char *text, struct soft_limits *limits);

/* Reads the value of --propagate: "ALL", "NONE", or names separated by commas, in any case, with or without
 * the prefix "RLIMIT_". Returns false if NAMES has an unknown one; CHOSEN is undefined then. */
bool soft_limits_choose(const char *names, bool chosen[SOFT_LIMITS]);

#endif
