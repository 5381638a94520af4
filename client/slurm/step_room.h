/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_room.h - which steps use the vcores and the memory of the container of a job
 *
 * A directory in the container's own one has a file for each step, which the step locks (flock) while it
 * runs; the kernel removes the lock of a process that has ended. The file has the step's use. A step that
 * waits locks the file "queue" meanwhile, so that steps start in the order in which they asked.
 */
#ifndef CREEL_CLIENT_SLURM_STEP_ROOM_H
#define CREEL_CLIENT_SLURM_STEP_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct step_use {
    int64_t vcores, memory_bytes; /* 0: not counted */
};

/* Called once, before the first wait. */
typedef void step_room_wait_fn(void *context);

/* Waits until MOST has room for USE beside the other steps, then keeps it until this process ends. Sets the
 * number of the step in *STEP: the first is 0. The parent of DIRECTORY has to be there. */
int step_room_take(const char *directory, const struct step_use *most, const struct step_use *use,
                   step_room_wait_fn *waits, void *context, uint32_t *step, struct err *err);

#endif
