/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - which disks are good, and what the health script says (yarn-behaviour 13.1)
 *
 * Private to nm-agent/linux. Each directory of local-dirs and log-dirs is a disk. A bad one gets
 * no new containers; with too few good ones the node is unhealthy. Room is looked at whenever
 * runtime_healthy is called, which is cheap; whether a file can really be written only now and then.
 *
 * Differs: YARN looks at everything only each interval, two minutes. Here that is how often good
 * disks are written to; bad ones are tried each time, so that they are back soon.
 */
#ifndef CREEL_NM_HEALTH_H
#define CREEL_NM_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "nm-agent/linux/runtime.h"

struct disk {
    char *path;                         /* owned */
    bool bad;
    bool closed;                        /* it could not be opened yet: see runtime_open_disk */
    bool too_full;                      /* by the keys: until it is below the watermark again */
    char why[256];                      /* of a bad one; "" otherwise */
};

struct disks {                          /* of one key */
    const char *key;                    /* "local-dirs" */
    struct disk *items;                 /* owned; as many as there are paths */
    size_t count;
};

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

/* DISK could not be opened, for a reason WHY that may pass. */
void health_close_disk(struct disk *disk, const char *why);

/* Whether PATH, a directory of either key, is good. */
bool health_is_good(const struct health *health, const char *path);

/* Look at NOW_MS; what is wrong goes into REPORT, "" if nothing is. */
bool health_look(struct health *health, int64_t now_ms, char *report, size_t size);

/* --- health_script.c ------------------------------------------------------- */

/* Start it, read it, end it, whatever is due. */
void health_script_go_on(struct health *health, int64_t now_ms);
void health_script_end(struct health *health);

#endif
