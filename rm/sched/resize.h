/* SPDX-License-Identifier: Apache-2.0 */
/* resize.h - decreases of containers; only for rm/sched. Increases are in internal.h (sched_grow) */
#ifndef CREEL_RM_SCHED_RESIZE_H
#define CREEL_RM_SCHED_RESIZE_H

#include "rm/sched/internal.h"

/* Makes CONTAINER smaller by LESS, and adds the decision SCHED_RESIZED. The caller offers its node. */
void sched_container_shrink(struct sched *sched, struct sched_container *container,
                            const struct resource *less, struct sched_decisions *decisions);

#endif
