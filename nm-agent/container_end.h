/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_end.h - how a container has ended
 *
 * The shim fills it in, and writes it to a file (nm-agent/linux/parts/exit_record.h); the runtime passes it
 * to the core (agent_on_exited), which reports it to the resource manager.
 */
#ifndef CREEL_NM_AGENT_CONTAINER_END_H
#define CREEL_NM_AGENT_CONTAINER_END_H

#include <stdbool.h>
#include <stdint.h>

#include "common/record/container_totals.h"

struct container_end {
    /* The exit code, 128 + the signal, or YARN's: -104 killed by the kernel for memory, -1 could not be
     * executed, 154 lost (the shim ended without a record). */
    int exit_status;
    int64_t started_ms, finished_ms; /* ms since 1970; started 0: never ran */
    int64_t command_ms;              /* end of the command; 0: as FINISHED_MS, the end of the last process */
    struct container_totals totals;
    bool node_fault;       /* it was not started, for a reason of the node, not of the job */
    char diagnostics[512]; /* "" or text for a person: a file that was not found, OOM with peak and limit */
};

#endif
