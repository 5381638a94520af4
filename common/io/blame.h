/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.h - addresses that were connected each time that a gateway died (private)
 *
 * A peer that ends gateways has to connect again for each one. So the last addresses that connected before
 * each death get a strike, and BLAME_STRIKES of them within BLAME_WINDOW_MS make an address refused for
 * BLAME_REFUSED_MS. An innocent peer that is hit reconnects later, at the cost of that time. Only addresses
 * that show unknown keys are noted: a peer with a certificate is never refused here.
 */
#ifndef CREEL_IO_BLAME_H
#define CREEL_IO_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/io/gateway_frame.h"

#define BLAME_RECENT 3                  /* addresses before a death that get a strike */
#define BLAME_RECENT_MS 2000
#define BLAME_STRIKES 5
#define BLAME_WINDOW_MS 60000
#define BLAME_REFUSED_MS 60000
#define BLAME_ADDRESSES_MAX 64          /* the one whose last strike is oldest gives way */

struct blame {
    struct {
        char address[GATEWAY_ADDRESS_MAX];
        int64_t seen_ms;
    } recent[GATEWAYS_MAX][BLAME_RECENT];       /* the last one first */
    struct blamed {
        char address[GATEWAY_ADDRESS_MAX];
        int64_t first_ms, last_ms, refused_until_ms;
        unsigned strikes;
    } blamed[BLAME_ADDRESSES_MAX];
};

/* ADDRESS connects through GATEWAY. */
void blame_note(struct blame *blame, unsigned gateway, const char *address, int64_t now_ms);
/* GATEWAY died. Addresses that are refused from now on are logged. */
void blame_death(struct blame *blame, unsigned gateway, int64_t now_ms);
bool blame_refuses(const struct blame *blame, const char *address, int64_t now_ms);

#endif
