/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_record.h - notices that the clock of the host was set while the resource manager did not run
 *
 * The file "clock" in the state directory has the id of the host's boot, and the clock of the master minus
 * the time since that boot (CLOCK_BOOTTIME), which cannot be set. If the host was not booted again, these
 * give the time that the clock would show if it had not been set. The unit passes the id of the boot as
 * CREEL_BOOT_ID, since it hides /proc/sys.
 */
#ifndef CREEL_RM_CLOCK_RECORD_H
#define CREEL_RM_CLOCK_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct clock_record {
    int64_t offset_ms; /* clock of the master minus the time since the boot, as in the file */
    bool failing;      /* the last write failed */
};

/* Returns WALL_MS, the present time, minus the time that the file in DIRECTORY gives; 0: they agree within
 * 10 s, or the file is missing, malformed or of another boot. Logs a difference. */
int64_t clock_record_read(const char *directory, int64_t wall_ms);
/* Writes the file if this is the FIRST time, or if OFFSET_MS has changed by a second. Of failures in a row
 * only the first is returned, since this is called every second. */
int clock_record_write(struct clock_record *record, const char *directory, int64_t now_ms, bool first,
                       struct err *err);

#endif
