/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_leaf.h - operations on the existing cgroup of one container: join, signal, kill, read usage
 *
 * The agent and the shim use this file, so it needs libc alone. v1 and v2 differ in file names and in the way
 * to kill all processes. Each version has a table of functions, selected for each controller separately,
 * since a hybrid machine has both versions.
 */
#ifndef CREEL_NM_CGROUP_LEAF_H
#define CREEL_NM_CGROUP_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/record/container_totals.h"

enum leaf_controller { LEAF_MEMORY, LEAF_CPU, LEAF_PIDS, LEAF_CPUACCT, LEAF_CONTROLLERS };

struct leaf {
    const char *directory[LEAF_CONTROLLERS]; /* absolute path; NULL: controller not available, allowed for
                                                LEAF_CPUACCT only */
    int version[LEAF_CONTROLLERS];           /* 1 or 2 */
};

struct leaf_limits {
    int64_t memory_bytes;      /* -1: no limit, usage is only measured */
    int64_t memory_soft_bytes; /* -1: none. On v2 this much is protected (memory.low) */
    int64_t swappiness;        /* 0: no swap at all; v2 ignores other values */
    bool memory_kills_all;     /* v2: at the memory limit the kernel kills all processes, not one */
    int64_t vcores;
    int64_t cpu_quota_us; /* -1: no quota */
    int64_t cpu_period_us;
    int64_t pids_max;
};

#define LEAF_SETTINGS_MAX 6
#define LEAF_INTERRUPTS_MAX \
    100 /* maximum repetitions of a system call that a signal
           interrupted */

struct leaf_setting {
    const char *file;
    char value[48];
    bool optional; /* some kernels lack this file */
};

struct leaf_backend {
    /* Files with one number of bytes; MEMORY_SUM: memory and swap. NULL: the version has no such file. */
    const char *memory_current, *memory_limit, *memory_sum;
    const char *cpu_time; /* file whose first number is the CPU time used */
    int64_t cpu_time_unit_ns;
    struct leaf_setting cpu_unlimited; /* removes the CPU quota */
    /* Both fill SETTINGS in the order in which they must be written, and return their number. */
    size_t (*memory_settings)(const struct leaf_limits *limits,
                              struct leaf_setting settings[LEAF_SETTINGS_MAX]);
    size_t (*cpu_settings)(const struct leaf_limits *limits, struct leaf_setting settings[LEAF_SETTINGS_MAX]);
    void (*measure_memory)(const char *directory, struct container_totals *totals);
    uint64_t (*oom_kills)(const char *directory);
    uint64_t (*cpu_time_us)(const char *directory);
    /* One attempt to kill all processes: returns how many still existed, or -errno. After the first attempt
     * no process of the group can fork. */
    int (*kill)(const char *directory);
};

extern const struct leaf_backend leaf_v1, leaf_v2;

static inline const struct leaf_backend *leaf_backend_of(int version)
{
    return version == 1 ? &leaf_v1 : &leaf_v2;
}

/* Fills SETTINGS for CONTROLLER in the order in which they must be written; returns their number. */
size_t leaf_settings(const struct leaf_backend *backend, enum leaf_controller controller,
                     const struct leaf_limits *limits, struct leaf_setting settings[LEAF_SETTINGS_MAX]);

const char *leaf_controller_name(enum leaf_controller controller);

/* Moves the calling process into the group. Returns 0 or -errno. On v2 also used right after a clone into the
 * group. Async-signal-safe: no allocation. */
int leaf_join(const struct leaf *leaf);

/* Sends SIGNAL to every process of the group and of its child groups. Returns the number of processes; 0 also
 * if the group does not exist. */
int leaf_signal(const struct leaf *leaf, int signal_number);
/* Sends SIGTERM, then SIGCONT, as systemd does, so that a stopped process handles it, too. Returns the number
 * of processes that got SIGTERM. For a container: term_note.h. */
int leaf_terminate_directory(const char *directory);
/* Does the same as leaf_signal for the processes of one process group. */
int leaf_signal_group(const struct leaf *leaf, pid_t group, int signal_number);
/* Does the same for the processes for which CHOOSE returns true. */
typedef bool leaf_choose_fn(void *context, pid_t pid);
int leaf_signal_chosen(const struct leaf *leaf, leaf_choose_fn *choose, void *context, int signal_number);
/* The same for all processes but OTHER. */
int leaf_signal_others(const struct leaf *leaf, pid_t other, int signal_number);
int leaf_kill(const struct leaf *leaf); /* see leaf_backend.kill */

/* Sets the totals that the control group has, and those at 0 that this kernel does not record. */
void leaf_measure(const struct leaf *leaf, struct container_totals *totals);
uint64_t leaf_oom_kills(const struct leaf *leaf);
uint64_t leaf_cpu_time_us(const struct leaf *leaf);
uint64_t leaf_pids_current(const struct leaf *leaf);
/* Returns the controller whose files have the CPU time; LEAF_CONTROLLERS: none. */
enum leaf_controller leaf_cpu_source(const struct leaf *leaf);

/* --- functions for leaf_v1 and leaf_v2 ------------------------------------- */

uint64_t leaf_read_number(const char *directory, const char *file); /* returns 0 if the file is
                                                                       unreadable */
/* Returns the number after "KEY " at the start of a line; 0 if there is none. */
uint64_t leaf_read_keyed(const char *directory, const char *file, const char *key);
int leaf_write(const char *directory, const char *file, const char *value); /* returns 0 or -errno */
void leaf_put(struct leaf_setting *setting, const char *file, int64_t value, bool optional);
/* Forbids every fork, and sends SIGKILL to the processes of DIRECTORY and of its child groups; returns their
 * number. */
int leaf_kill_by_signal(const char *directory);
/* Signals the processes of DIRECTORY and of its child groups; returns their number. */
int leaf_signal_directory(const char *directory, int signal_number);

#endif
