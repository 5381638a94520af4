/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_tally.c - sums over the gateways of a daemon: connections, and gateways that have ended */
#include "common/io/server/gateway_tally.h"

#include <string.h>

void gateway_tally_end(struct gateway_tally *tally, unsigned gateway, int64_t now_ms, int64_t hung_ms)
{
    tally->ended.refused_full += tally->counts[gateway].refused_full;
    tally->ended.refused_address += tally->counts[gateway].refused_address;
    memset(&tally->counts[gateway], 0, sizeof(tally->counts[gateway]));
    tally->deaths.count++;
    tally->deaths.last_ms = now_ms;
    tally->deaths.last_hung_ms = hung_ms;
}

struct gateway_counts gateway_tally_sum(const struct gateway_tally *tally)
{
    struct gateway_counts sum = tally->ended;

    for (unsigned i = 0; i < GATEWAYS_MAX; i++) {
        sum.used += tally->counts[i].used;
        sum.limit += tally->counts[i].limit;
        sum.refused_full += tally->counts[i].refused_full;
        sum.refused_address += tally->counts[i].refused_address;
    }
    return sum;
}
