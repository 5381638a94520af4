/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.h - finds addresses whose connections repeatedly crash a gateway (private)
 *
 * A peer that crashes gateways must connect again for each crash. Each of the last addresses that connected
 * before a crash gets a strike. An address with BLAME_STRIKES strikes within BLAME_WINDOW_MS is refused for
 * BLAME_REFUSED_MS. An innocent peer can be refused too, and then reconnects after that time. Only addresses
 * with unknown keys are noted: a peer with a certificate is never refused by this module.
 */
#ifndef CREEL_IO_BLAME_H
#define CREEL_IO_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/io/gateway_frame.h"

#define BLAME_RECENT 3                  /* addresses before a crash that get a strike */
#define BLAME_RECENT_MS 2000
#define BLAME_STRIKES 5
#define BLAME_WINDOW_MS 60000
#define BLAME_REFUSED_MS 60000
#define BLAME_ADDRESSES_MAX 64          /* if full, the address with the oldest last strike is replaced */

struct blame {
    struct {
        char address[GATEWAY_ADDRESS_MAX];
        int64_t seen_ms;
    } recent[GATEWAYS_MAX][BLAME_RECENT];       /* latest address first */
    struct blamed {
        char address[GATEWAY_ADDRESS_MAX];
        int64_t first_ms, last_ms, refused_until_ms;
        unsigned strikes;
    } blamed[BLAME_ADDRESSES_MAX];
};

/* Notes that ADDRESS connects through GATEWAY. */
void blame_note(struct blame *blame, unsigned gateway, const char *address, int64_t now_ms);
/* Records that GATEWAY crashed. Logs addresses that are refused from now on. */
void blame_death(struct blame *blame, unsigned gateway, int64_t now_ms);
bool blame_refuses(const struct blame *blame, const char *address, int64_t now_ms);

#endif
