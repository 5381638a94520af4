/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - whether the node can take another container (yarn-behaviour 13.1)
 *
 * Private to nm-agent/linux. runtime_healthy runs a table of checks (health.c): the control
 * groups, the state directory, local-dirs, log-dirs, the health script. To add a check, write a
 * function and add a row. With too few good disks the node is unhealthy.
 */
#ifndef CREEL_NM_HEALTH_H
#define CREEL_NM_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nm-agent/linux/disk_health.h"
#include "nm-agent/linux/runtime.h"

struct health {
    struct runtime_health rules;        /* texts are owned */
    struct disks local, logs;
    struct disk state;                  /* the state directory: without it nothing goes */
    int64_t probed_ms;                  /* monotonic; 0: not yet */
    pid_t script;                       /* 0: it does not run */
    int script_fd;                      /* what it writes; -1: nothing open */
    int64_t script_began_ms;
    int64_t script_due_ms;              /* when it runs next */
    char line[200];                     /* that it is writing */
    size_t line_length;
    char script_error[256], script_verdict[256];    /* of this run; of the last whole one */
};

/* DIRS are lists of paths, ended by NULL. */
void health_init(struct health *health, const struct runtime_health *rules, const char *state_dir,
                 char *const *local_dirs, char *const *log_dirs);
void health_clear(struct health *health);

/* Whether PATH, a directory of either key, is good. */
bool health_is_good(const struct health *health, const char *path);

/* --- health_script.c ------------------------------------------------------- */

/* Start it, read it, end it, whatever is due. */
void health_script_go_on(struct health *health, int64_t now_ms);
void health_script_end(struct health *health);

#endif
