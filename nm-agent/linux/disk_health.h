/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk_health.h - checks whether disks can be used for new containers (yarn-behaviour 13.1)
 *
 * Private to nm-agent/linux. Each directory of local-dirs and log-dirs is a disk. A bad disk gets no new
 * containers. Free space is checked each time, since the check is cheap; a test file is written only with
 * PROBE.
 *
 * Differs: YARN checks everything only each interval, two minutes. Here that is the interval of test writes
 * to good disks; bad disks are tested each time, so that they are used again soon.
 */
#ifndef CREEL_NM_DISK_HEALTH_H
#define CREEL_NM_DISK_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nm-agent/linux/runtime.h"

struct disk {
    char *path; /* owned */
    bool bad;
    bool closed;         /* could not be opened yet: see directory_open_disk */
    bool too_full;       /* over the configured limit, and not below the watermark since */
    bool measured;       /* the last check could read its free space */
    uint64_t free_bytes; /* for users other than root */
    char why[256];       /* reason why the disk is bad; "" otherwise */
};

struct disks {          /* disks of one configuration key */
    const char *key;    /* name of the key in messages: "local-dirs" */
    struct disk *items; /* owned; one for each path */
    size_t count;
};

struct health_report { /* text that collects problems, joined by "; " */
    char *text;        /* borrowed */
    size_t size;
};

void health_report_add(struct health_report *report, const char *text); /* "" is ignored */

/* Checks DISK, and sets BAD and WHY. With RULES NULL, the limits of the configuration are not checked. A
 * closed disk stays bad. */
void disk_check(struct disk *disk, const struct runtime_health *rules, bool probe);
/* Marks DISK as closed: opening it failed because of WHY, possibly temporarily. */
void disk_set_closed(struct disk *disk, const char *why);

/* Returns disks for the directories DIRS, ended by NULL, of the configuration key KEY. */
struct disks disks_new(const char *key, char *const *dirs);
void disks_clear(struct disks *disks);
/* Checks all disks; adds problems to REPORT. Returns true if enough of them are good. */
bool disks_check(struct disks *disks, const struct runtime_health *rules, bool probe,
                 struct health_report *report);

#endif
