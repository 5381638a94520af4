/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol_range.h - the versions of the protocol that a daemon accepts
 *
 * Agent and resource manager exchange their ranges in RegisterNode and RegisterNodeReply. Two ranges meet if
 * a version is part of both. Releases up to 0.2.0 send no range.
 */
#ifndef CREEL_BASE_PROTOCOL_RANGE_H
#define CREEL_BASE_PROTOCOL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protocol_range {
    uint32_t oldest, newest; /* NEWEST 0: not given, which meets every range */
};

#define PROTOCOL_MISMATCH_MAX 512

bool protocol_ranges_meet(struct protocol_range a, struct protocol_range b);

/* Writes that the ranges of agent and resource manager do not meet, with their releases, and which to
 * update. */
void protocol_range_explain(struct protocol_range agent, const char *agent_release, struct protocol_range rm,
                            const char *rm_release, char text[PROTOCOL_MISMATCH_MAX]);

#endif
