/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_tally.h - sums over the gateways of a daemon: connections, and gateways that have ended */
#ifndef CREEL_IO_GATEWAY_TALLY_H
#define CREEL_IO_GATEWAY_TALLY_H

#include "common/io/channel/channel.h"
#include "common/io/server/gateway_frame.h"

struct gateway_tally { /* zeros: nothing was counted */
    struct gateway_counts counts[GATEWAYS_MAX];
    struct gateway_counts ended; /* refusals of gateways that have ended: the next one counts from 0 */
    struct gateway_deaths deaths;
};

/* Notes that GATEWAY has ended, at NOW_MS since 1970. HUNG_MS: as in struct gateway_deaths. */
void gateway_tally_end(struct gateway_tally *tally, unsigned gateway, int64_t now_ms, int64_t hung_ms);
/* Returns the sums of the counts of all gateways. */
struct gateway_counts gateway_tally_sum(const struct gateway_tally *tally);

#endif
