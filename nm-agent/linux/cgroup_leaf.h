/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_leaf.h - the cgroup of one container, as files
 *
 * What is read from and done to a container's own cgroup once it is there:
 * join, signal, kill, figures. Agent and shim share this, so it needs libc
 * alone. v1 and v2 differ in file names and in how all processes are killed:
 * a small table of functions for each, chosen for every controller by itself
 * since a hybrid machine has both.
 */
#ifndef CREEL_NM_CGROUP_LEAF_H
#define CREEL_NM_CGROUP_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum leaf_controller { LEAF_MEMORY, LEAF_CPU, LEAF_PIDS, LEAF_CPUACCT, LEAF_CONTROLLERS };

struct leaf {
    const char *directory[LEAF_CONTROLLERS];    /* absolute; NULL: this controller is not there,
                                                   which only LEAF_CPUACCT may be */
    int version[LEAF_CONTROLLERS];              /* 1 or 2 */
};

struct leaf_limits {
    int64_t memory_bytes;                       /* -1: none, it is only measured */
    int64_t memory_soft_bytes;                  /* -1: none. v2 protects so much (memory.low) */
    int64_t swappiness;                         /* 0: no swap at all; v2 knows no degrees above */
    int64_t vcores;
    int64_t cpu_quota_us;                       /* -1: none */
    int64_t cpu_period_us;
    int64_t pids_max;
};

#define LEAF_SETTINGS_MAX 6
#define LEAF_INTERRUPTS_MAX 100                 /* so often is what a signal interrupted repeated */

struct leaf_setting {
    const char *file;
    char value[48];
    bool optional;                              /* not every kernel has this file */
};

struct leaf_backend {
    /* Files with one number of bytes; MEMORY_SUM: with swap, NULL: there is none of that kind. */
    const char *memory_current, *memory_peak, *memory_limit, *memory_sum;
    const char *cpu_time;                       /* a file whose first number is the time used */
    int64_t cpu_time_unit_ns;
    /* Fill SETTINGS in the order in which they must be written; returns how many. */
    size_t (*settings)(enum leaf_controller controller, const struct leaf_limits *limits,
                       struct leaf_setting settings[LEAF_SETTINGS_MAX]);
    uint64_t (*oom_kills)(const char *directory);
    uint64_t (*cpu_time_us)(const char *directory);
    /* One go at killing all: returns how many processes were still there, or -errno.
     * After the first, none can be born any more. */
    int (*kill)(const char *directory);
};

extern const struct leaf_backend leaf_v1, leaf_v2;

static inline const struct leaf_backend *leaf_backend_of(int version)
{
    return version == 1 ? &leaf_v1 : &leaf_v2;
}

const char *leaf_controller_name(enum leaf_controller controller);

/* Put the calling process in. 0 or -errno. On v2 also right after a clone into
 * the group. Async-signal-safe: no allocation. */
int leaf_join(const struct leaf *leaf);

/* Send SIGNAL to every process, also of groups below. Returns how many there were; 0 also if
 * the group is gone. */
int leaf_signal(const struct leaf *leaf, int signal_number);
/* The same, to those of one process group. */
int leaf_signal_group(const struct leaf *leaf, pid_t group, int signal_number);
int leaf_kill(const struct leaf *leaf);         /* see leaf_backend.kill */

uint64_t leaf_memory_current(const struct leaf *leaf);
uint64_t leaf_memory_peak(const struct leaf *leaf);     /* 0: this kernel does not keep it */
uint64_t leaf_oom_kills(const struct leaf *leaf);
uint64_t leaf_cpu_time_us(const struct leaf *leaf);
uint64_t leaf_pids_current(const struct leaf *leaf);
uint64_t leaf_pids_peak(const struct leaf *leaf);       /* 0: this kernel does not keep it */
/* Which of its groups keeps the time; LEAF_CONTROLLERS: none. */
enum leaf_controller leaf_cpu_source(const struct leaf *leaf);

/* --- for the backends ------------------------------------------------------ */

uint64_t leaf_read_number(const char *directory, const char *file);     /* 0 if unreadable */
/* The number behind "KEY " at the start of a line; 0 if there is none. */
uint64_t leaf_read_keyed(const char *directory, const char *file, const char *key);
int leaf_write(const char *directory, const char *file, const char *value);     /* 0 or -errno */
/* Signal the processes of DIRECTORY and of the groups below; how many there were. */
int leaf_signal_directory(const char *directory, int signal_number);

#endif
