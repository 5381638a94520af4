/* SPDX-License-Identifier: Apache-2.0 */
/* penalties.c - finds addresses whose connections repeatedly crash a gateway */
#include "common/io/server/penalties.h"

#include <stdio.h>
#include <string.h>

#include "common/io/loop/log.h"
#include "common/io/server/peer_address.h"

void penalties_note_address(struct penalties *penalties, unsigned gateway, const char *peer_address,
                            int64_t now_ms)
{
    char address[PEER_ADDRESS_TEXT_MAX];
    size_t i = 0;

    peer_address_unite_text(peer_address, address);
    /* Move the address to the front; if it is new, it replaces the last one. */
    while (i < PENALTY_RECENT - 1 && strcmp(penalties->recent[gateway][i].address, address) != 0)
        i++;
    memmove(&penalties->recent[gateway][1], &penalties->recent[gateway][0],
            i * sizeof(penalties->recent[gateway][0]));
    snprintf(penalties->recent[gateway][0].address, GATEWAY_ADDRESS_MAX, "%s", address);
    penalties->recent[gateway][0].seen_ms = now_ms;
}

static struct penalty *find(struct penalties *penalties, const char *address)
{
    for (size_t i = 0; i < PENALTY_ADDRESSES_MAX; i++)
        if (strcmp(penalties->items[i].address, address) == 0)
            return &penalties->items[i];
    return NULL;
}

static struct penalty *find_or_add(struct penalties *penalties, const char *address)
{
    struct penalty *found = find(penalties, address), *oldest = &penalties->items[0];

    if (found != NULL)
        return found;
    for (size_t i = 1; i < PENALTY_ADDRESSES_MAX; i++)
        if (penalties->items[i].last_ms < oldest->last_ms)
            oldest = &penalties->items[i];
    *oldest = (struct penalty){ .strikes = 0 };
    snprintf(oldest->address, sizeof(oldest->address), "%s", address);
    return oldest;
}

static void strike(struct penalties *penalties, const char *address, int64_t now_ms)
{
    struct penalty *penalty = find_or_add(penalties, address);

    if (now_ms - penalty->first_ms > PENALTY_WINDOW_MS) {
        penalty->first_ms = now_ms;
        penalty->strikes = 0;
    }
    penalty->last_ms = now_ms;
    if (++penalty->strikes < PENALTY_STRIKES || penalty->refused_until_ms > now_ms)
        return;
    penalty->refused_until_ms = now_ms + PENALTY_REFUSED_MS;
    penalty->strikes = 0;
    log_line(LOG_LEVEL_WARN,
             "connections from %s with unknown keys are refused for %d s: it "
             "connected before each of the last %d deaths of a gateway",
             address, PENALTY_REFUSED_MS / 1000, PENALTY_STRIKES);
}

void penalties_add_crash(struct penalties *penalties, unsigned gateway, int64_t now_ms)
{
    for (size_t i = 0; i < PENALTY_RECENT; i++) {
        if (penalties->recent[gateway][i].address[0] != '\0' &&
            now_ms - penalties->recent[gateway][i].seen_ms <= PENALTY_RECENT_MS)
            strike(penalties, penalties->recent[gateway][i].address, now_ms);
        penalties->recent[gateway][i].address[0] = '\0';
    }
}

bool penalties_is_refused(const struct penalties *penalties, const char *address, int64_t now_ms)
{
    char united[PEER_ADDRESS_TEXT_MAX];
    const struct penalty *found =
        find((struct penalties *)(uintptr_t)penalties, peer_address_unite_text(address, united));

    return found != NULL && found->refused_until_ms > now_ms;
}
