/* SPDX-License-Identifier: Apache-2.0 */
/* blame.c - finds addresses whose connections repeatedly crash a gateway */
#include "common/io/blame.h"

#include <stdio.h>
#include <string.h>

#include "common/io/log.h"

void blame_note(struct blame *blame, unsigned gateway, const char *address, int64_t now_ms)
{
    size_t i = 0;

    /* Move the address to the front; if it is new, it replaces the last one. */
    while (i < BLAME_RECENT - 1 && strcmp(blame->recent[gateway][i].address, address) != 0)
        i++;
    memmove(&blame->recent[gateway][1], &blame->recent[gateway][0], i * sizeof(blame->recent[gateway][0]));
    snprintf(blame->recent[gateway][0].address, GATEWAY_ADDRESS_MAX, "%s", address);
    blame->recent[gateway][0].seen_ms = now_ms;
}

static struct blamed *find(struct blame *blame, const char *address)
{
    for (size_t i = 0; i < BLAME_ADDRESSES_MAX; i++)
        if (strcmp(blame->blamed[i].address, address) == 0)
            return &blame->blamed[i];
    return NULL;
}

static struct blamed *find_or_add(struct blame *blame, const char *address)
{
    struct blamed *found = find(blame, address), *oldest = &blame->blamed[0];

    if (found != NULL)
        return found;
    for (size_t i = 1; i < BLAME_ADDRESSES_MAX; i++)
        if (blame->blamed[i].last_ms < oldest->last_ms)
            oldest = &blame->blamed[i];
    *oldest = (struct blamed){ .strikes = 0 };
    snprintf(oldest->address, sizeof(oldest->address), "%s", address);
    return oldest;
}

static void strike(struct blame *blame, const char *address, int64_t now_ms)
{
    struct blamed *blamed = find_or_add(blame, address);

    if (now_ms - blamed->first_ms > BLAME_WINDOW_MS) {
        blamed->first_ms = now_ms;
        blamed->strikes = 0;
    }
    blamed->last_ms = now_ms;
    if (++blamed->strikes < BLAME_STRIKES || blamed->refused_until_ms > now_ms)
        return;
    blamed->refused_until_ms = now_ms + BLAME_REFUSED_MS;
    blamed->strikes = 0;
    log_line(LOG_LEVEL_WARN, "connections from %s with unknown keys are refused for %d s: it "
             "connected before each of the last %d deaths of a gateway", address, BLAME_REFUSED_MS / 1000,
             BLAME_STRIKES);
}

void blame_death(struct blame *blame, unsigned gateway, int64_t now_ms)
{
    for (size_t i = 0; i < BLAME_RECENT; i++) {
        if (blame->recent[gateway][i].address[0] != '\0' &&
            now_ms - blame->recent[gateway][i].seen_ms <= BLAME_RECENT_MS)
            strike(blame, blame->recent[gateway][i].address, now_ms);
        blame->recent[gateway][i].address[0] = '\0';
    }
}

bool blame_refuses(const struct blame *blame, const char *address, int64_t now_ms)
{
    const struct blamed *found = find((struct blame *)(uintptr_t)blame, address);

    return found != NULL && found->refused_until_ms > now_ms;
}
