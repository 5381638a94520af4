/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container_totals.h - what is measured of a container over its life: sums and peaks, one row each
 *
 *     T(type, member, step)
 *
 * A row is a member of struct container_totals, which the shim, the agent and the resource manager keep and
 * pass on as a whole; a line "MEMBER NUMBER" of the exit record; and the members of that name of
 * ContainerStatus, ContainerReport and, for CONTAINER_FIGURES, ContainerFigures (common/proto/creel.proto).
 * STEP is the change after which the agent sends the number of a running container again: a macro of
 * nm-agent/core/figures.c.
 *
 * A number is measured by `leaf_measure` (nm-agent/linux/cgroup/cgroup_leaf.h). It is shown if
 * common/record/container_fields.h has a row for it, too. 0 is the same as not known.
 */
#ifndef CREEL_RECORD_CONTAINER_TOTALS_H
#define CREEL_RECORD_CONTAINER_TOTALS_H

#include <stdint.h>

/* Sent while the container runs and when it has ended. Bytes read and written are those on disks. */
#define CONTAINER_FIGURES(T) \
    T(uint64_t, memory_peak_bytes, STEP_MEMORY) \
    T(uint64_t, cpu_time_us, STEP_CPU) \
    T(uint64_t, read_bytes, STEP_BYTES) \
    T(uint64_t, written_bytes, STEP_BYTES) \
    T(uint64_t, swap_peak_bytes, STEP_BYTES)

/* All of them. Of PIDS_PEAK a running container reports the present number. */
#define CONTAINER_TOTALS(T) \
    CONTAINER_FIGURES(T) \
    T(uint32_t, pids_peak, 1)

struct container_totals {
#define T(type, member, step) type member;
    CONTAINER_TOTALS(T)
#undef T
};

/* Raises each number of TOTALS to that of OTHER if it is larger: reports may arrive late, twice, or without
 * some of the numbers. */
static inline void container_totals_raise(struct container_totals *totals,
                                          const struct container_totals *other)
{
#define T(type, member, step) \
    if (other->member > totals->member) \
        totals->member = other->member;
    CONTAINER_TOTALS(T)
#undef T
}

#endif
