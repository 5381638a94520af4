/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk_health.h - whether disks can take another container (yarn-behaviour 13.1)
 *
 * Private to nm-agent/linux. Each directory of local-dirs and log-dirs is a disk. A bad one gets
 * no new containers. Free space is checked each time, which is cheap; whether a file can be
 * written only with PROBE.
 *
 * Differs: YARN checks everything only each interval, two minutes. Here that is how often good
 * disks are written to; bad ones are tried each time, so that they are back soon.
 */
#ifndef CREEL_NM_DISK_HEALTH_H
#define CREEL_NM_DISK_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "nm-agent/linux/runtime.h"

struct disk {
    char *path;                         /* owned */
    bool bad;
    bool closed;                        /* it could not be opened yet: see directory_open_disk */
    bool too_full;                      /* by the keys: until it is below the watermark again */
    char why[256];                      /* of a bad one; "" otherwise */
};

struct disks {                          /* of one key */
    const char *key;                    /* "local-dirs" */
    struct disk *items;                 /* owned; as many as there are paths */
    size_t count;
};

struct health_report {                  /* what is wrong, joined by "; " */
    char *text;                         /* borrowed */
    size_t size;
};

void health_report_add(struct health_report *report, const char *text);         /* "": nothing */

/* Check DISK: BAD and WHY. RULES NULL: only that there is any space left. A closed disk stays bad. */
void disk_check(struct disk *disk, const struct runtime_health *rules, bool probe);
/* DISK could not be opened, because of WHY, which may pass. */
void disk_set_closed(struct disk *disk, const char *why);

/* The directories DIRS, ended by NULL, of the configuration key KEY. */
struct disks disks_new(const char *key, char *const *dirs);
void disks_clear(struct disks *disks);
/* Check all of them; what is wrong goes into REPORT. Whether enough of them are good. */
bool disks_check(struct disks *disks, const struct runtime_health *rules, bool probe,
                 struct health_report *report);

#endif
