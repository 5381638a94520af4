/* SPDX-License-Identifier: Apache-2.0 */
/* duration.h - durations and time limits as Slurm's commands print them. Pure. */
#ifndef CREEL_SLURM_CLIENT_DURATION_H
#define CREEL_SLURM_CLIENT_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text_builder.h"

/* Adds SECONDS as [DAYS-]HH:MM:SS, as scontrol and sacct have it. SHORT, as squeue and sinfo have it: without
 * days [HOURS:]MM:SS, and the first part has no leading zero: 25:00, 1:00:00, 1-00:00:00. */
void duration_put(struct text_builder *text, int64_t seconds, bool is_short);

#endif
