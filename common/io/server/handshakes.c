/* SPDX-License-Identifier: Apache-2.0 */
/* handshakes.c - list of handshakes that wait for the result of a key lookup */
#include "common/io/server/handshakes.h"

#include <string.h>

#include "common/base/mem.h"

void handshakes_init(struct handshakes *handshakes)
{
    TAILQ_INIT(&handshakes->list);
    handshakes->count = 0;
}

static void remove_one(struct handshakes *handshakes, struct handshake *handshake)
{
    TAILQ_REMOVE(&handshakes->list, handshake, link);
    handshakes->count--;
    free(handshake);
}

void handshakes_clear(struct handshakes *handshakes)
{
    while (!TAILQ_EMPTY(&handshakes->list))
        remove_one(handshakes, TAILQ_FIRST(&handshakes->list));
}

static unsigned count_of_share(const struct handshakes *handshakes, const char *share)
{
    const struct handshake *handshake;
    unsigned count = 0;

    TAILQ_FOREACH(handshake, &handshakes->list, link)
        count += strcmp(handshake->share, share) == 0 ? 1 : 0;
    return count;
}

bool handshakes_add(struct handshakes *handshakes, const struct handshake *handshake, int64_t now_ms)
{
    char share[PEER_ADDRESS_TEXT_MAX];
    struct handshake *copy;

    peer_address_unite_text(handshake->peer.address, share);
    if (handshakes->count >= HANDSHAKES_MAX || count_of_share(handshakes, share) >= HANDSHAKES_OF_ADDRESS_MAX)
        return false;
    copy = mem_dup(handshake, sizeof(*handshake));
    memcpy(copy->share, share, sizeof(copy->share));
    copy->until_ms = now_ms + HANDSHAKE_WAIT_MS;
    TAILQ_INSERT_TAIL(&handshakes->list, copy, link);
    handshakes->count++;
    return true;
}

bool handshakes_remove(struct handshakes *handshakes, const char *key, struct handshake *ret)
{
    struct handshake *handshake;

    TAILQ_FOREACH(handshake, &handshakes->list, link)
        if (strcmp(handshake->key, key) == 0)
            break;
    if (handshake == NULL)
        return false;
    *ret = *handshake;
    remove_one(handshakes, handshake);
    return true;
}

bool handshakes_remove_expired(struct handshakes *handshakes, int64_t now_ms, struct handshake *ret)
{
    struct handshake *first = TAILQ_FIRST(&handshakes->list);

    if (first == NULL || first->until_ms > now_ms)
        return false;
    *ret = *first;
    remove_one(handshakes, first);
    return true;
}

void handshakes_forget(struct handshakes *handshakes, unsigned gateway)
{
    struct handshake *handshake, *next;

    for (handshake = TAILQ_FIRST(&handshakes->list); handshake != NULL; handshake = next) {
        next = TAILQ_NEXT(handshake, link);
        if (handshake->gateway == gateway)
            remove_one(handshakes, handshake);
    }
}
