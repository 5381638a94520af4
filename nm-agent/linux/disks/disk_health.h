/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk_health.h - checks whether disks can be used for new containers (yarn-behaviour 13.1)
 *
 * Private to nm-agent/linux. Each directory of local-dirs and log-dirs is a disk. A bad disk gets no new
 * containers. Each check runs in the thread of the disk (disk_io.h): it reads the free space and creates a
 * file. With PROBE, and while the disk is bad, a file is also written and synced, in a thread of its own: a
 * sync takes seconds on a busy disk that answers everything else. A disk whose check does not end is bad.
 *
 * Differs: YARN checks everything only each interval, two minutes. Here that is the interval of synced writes
 * to good disks; bad disks are tested so each time, so that they are used again soon.
 */
#ifndef CREEL_NM_DISK_HEALTH_H
#define CREEL_NM_DISK_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statvfs.h>

#include "nm-agent/linux/runtime.h"
#include "nm-agent/linux/state/disk_io.h"

#define DISK_SYNC_MAX_MS 60000 /* a synced write that takes longer: the disk is bad */

struct disk_finding { /* of one check */
    int error;        /* errno of reading the free space; 0: none */
    int create_error; /* errno of creating a file; 0: none */
    struct statvfs status;
};

struct disk {
    char *path;            /* owned */
    struct worker *worker; /* its thread; NULL: not started */
    struct worker *writer; /* the thread of its synced writes; NULL: not started */
    bool late;             /* see disk_is_late */
    int64_t answered_ms;   /* monotonic; time of the last answer in disk_answers; 0: none yet */
    int64_t asked_ms;      /* monotonic; begin of the check that runs; 0: none runs */
    struct disk_finding found;
    int64_t write_ms;      /* monotonic; begin of the synced write that runs; 0: none runs */
    bool write_is_awaited; /* the loop has not waited for it yet */
    int write_error;       /* errno of the last synced write; 0: none */
    bool has_orphans;      /* it may have directories that belong to no container: orphan_dirs.h */
    bool bad;
    bool closed;         /* could not be opened yet: see directory_open_disk */
    bool too_full;       /* over the configured limit, and not below the watermark since */
    bool measured;       /* the last check could read its free space */
    uint64_t free_bytes; /* for users other than root */
    uint64_t inodes;     /* 0: the file system has no fixed number of them */
    uint64_t free_inodes;
    char why[256]; /* reason why the disk is bad; "" otherwise */
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

/* Begins to check DISK, and with PROBE to write to it, unless that runs already or DISK is closed. */
void disk_check_begin(struct disk *disk, bool probe, int64_t now_ms);
/* Waits until UNTIL_MS (monotonic) at most for the check of DISK and, once, for its synced write, but not for
 * a late disk. */
void disk_check_wait(struct disk *disk, int64_t until_ms);
/* Sets BAD and WHY by the last check; one that still runs counts if it takes too long. With RULES NULL, the
 * limits of the configuration are not checked. A closed disk stays bad. */
void disk_judge(struct disk *disk, const struct runtime_health *rules, int64_t now_ms);
/* Returns whether the last check found that no file of DISK can be executed. */
bool disk_is_noexec(const struct disk *disk);
/* Marks DISK as closed: opening it failed because of WHY, possibly temporarily. */
void disk_set_closed(struct disk *disk, const char *why);

/* Returns disks for the directories DIRS, ended by NULL, of the configuration key KEY. */
struct disks disks_new(const char *key, char *const *dirs);
/* Returns false if the thread of a disk was abandoned. */
bool disks_clear(struct disks *disks);
/* Does the same as the functions for one disk. */
void disks_check_begin(struct disks *disks, bool probe, int64_t now_ms);
void disks_check_wait(struct disks *disks, int64_t until_ms);
/* Judges all disks; adds problems to REPORT. Returns true if enough of them are good. */
bool disks_judge(struct disks *disks, const struct runtime_health *rules, int64_t now_ms,
                 struct health_report *report);

#endif
