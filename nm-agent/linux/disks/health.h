/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - checks whether the node can run new containers (yarn-behaviour 13.1)
 *
 * Private to nm-agent/linux. runtime_healthy runs a table of checks (health.c): the control groups, the state
 * directory, local-dirs, log-dirs, the health script. To add a check, write a function and add a row. With
 * too few good disks the node is unhealthy.
 */
#ifndef CREEL_NM_HEALTH_H
#define CREEL_NM_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nm-agent/linux/disks/disk_health.h"
#include "nm-agent/linux/runtime.h"

struct health {
    struct runtime_health rules; /* texts are owned */
    struct disks local, logs;
    struct disk state; /* the state directory, which must always be good */
    int64_t probed_ms; /* time of the last test write; monotonic; 0: none yet */
    pid_t script;      /* pid; 0: not running */
    int script_fd;     /* pipe from the script's output; -1: not open */
    int64_t script_began_ms;
    int64_t script_due_ms; /* time of the next run */
    char *records_problem; /* owned; files of running containers that are lost: keep_records.c; NULL: none */
    char line[200];        /* incomplete last line of output */
    size_t line_length;
    char script_error[256], script_verdict[256]; /* ERROR: of the current run; VERDICT: of the last
                                                    complete run */
};

/* Initializes HEALTH. LOCAL_DIRS and LOG_DIRS are lists of paths, ended by NULL. */
void health_init(struct health *health, const struct runtime_health *rules, const char *state_dir,
                 char *const *local_dirs, char *const *log_dirs);
/* Returns false if the thread of a disk was abandoned. */
bool health_clear(struct health *health);

/* Returns true if PATH, a directory of either key, is good. */
bool health_is_good(const struct health *health, const char *path);

/* --- health_script.c ------------------------------------------------------- */

/* Starts, reads or ends the script, as is due at NOW_MS. */
void health_script_go_on(struct health *health, int64_t now_ms);
void health_script_end(struct health *health);

#endif
