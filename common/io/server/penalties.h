/* SPDX-License-Identifier: Apache-2.0 */
/*
 * penalties.h - finds addresses whose connections repeatedly crash a gateway (private)
 *
 * A peer that crashes gateways must connect again for each crash. Each of the last addresses that connected
 * before a crash gets a strike. An address with PENALTY_STRIKES strikes within PENALTY_WINDOW_MS is refused
 * for PENALTY_REFUSED_MS. An innocent peer can be refused too, and then reconnects after that time. Only
 * addresses with unknown keys are noted: a peer with a certificate is never refused by this module.
 */
#ifndef CREEL_IO_PENALTIES_H
#define CREEL_IO_PENALTIES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/io/server/gateway_frame.h"

#define PENALTY_RECENT 3 /* addresses before a crash that get a strike */
#define PENALTY_RECENT_MS 2000
#define PENALTY_STRIKES 5
#define PENALTY_WINDOW_MS 60000
#define PENALTY_REFUSED_MS 60000
#define PENALTY_ADDRESSES_MAX 64 /* if full, the address with the oldest last strike is replaced */

struct penalties {
    struct {
        char address[GATEWAY_ADDRESS_MAX];
        int64_t seen_ms;
    } recent[GATEWAYS_MAX][PENALTY_RECENT]; /* latest address first */
    struct penalty {
        char address[GATEWAY_ADDRESS_MAX];
        int64_t first_ms, last_ms, refused_until_ms;
        unsigned strikes;
    } items[PENALTY_ADDRESSES_MAX];
};

/* Notes that ADDRESS connects through GATEWAY. */
void penalties_note_address(struct penalties *penalties, unsigned gateway, const char *address,
                            int64_t now_ms);
/* Records that GATEWAY crashed. Logs addresses that are refused from now on. */
void penalties_add_crash(struct penalties *penalties, unsigned gateway, int64_t now_ms);
bool penalties_is_refused(const struct penalties *penalties, const char *address, int64_t now_ms);

#endif
