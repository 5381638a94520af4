/* SPDX-License-Identifier: Apache-2.0 */
/* failures.c - counts wrong passwords by address and user */
#include "web/net/failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/server/peer_address.h"

#define KEY_BYTES 384

struct counter {
    UT_hash_handle hh; /* by key */
    int64_t ends_ms;
    unsigned count;
    char key[KEY_BYTES];
};

struct failures {
    struct counter *counters; /* owned, the oldest first */
};

/* Writes the key of a counter; ADDRESS or USER may be NULL. Neither has a tab. */
static void write_key(char ret[KEY_BYTES], const char *address, const char *user)
{
    char network[PEER_ADDRESS_TEXT_MAX] = "";

    if (address != NULL)
        peer_address_unite_text(address, network);
    snprintf(ret, KEY_BYTES, "%s\t%s", network, user != NULL ? user : "");
}

static void drop(struct failures *failures, struct counter *counter)
{
    HASH_DEL(failures->counters, counter);
    free(counter);
}

static unsigned count_of(struct failures *failures, const char *address, const char *user, int64_t now_ms)
{
    struct counter *counter;
    char key[KEY_BYTES];

    write_key(key, address, user);
    HASH_FIND_STR(failures->counters, key, counter);
    if (counter != NULL && counter->ends_ms <= now_ms) {
        drop(failures, counter);
        counter = NULL;
    }
    return counter != NULL ? counter->count : 0;
}

static void increment(struct failures *failures, const char *address, const char *user, int64_t now_ms)
{
    unsigned count = count_of(failures, address, user, now_ms); /* (drops an old one) */
    struct counter *counter;
    char key[KEY_BYTES];

    write_key(key, address, user);
    HASH_FIND_STR(failures->counters, key, counter);
    if (counter == NULL) {
        if (HASH_COUNT(failures->counters) >= FAILURES_COUNTERS_MAX)
            drop(failures, failures->counters);
        counter = mem_new0(struct counter);
        memcpy(counter->key, key, sizeof(key));
        counter->ends_ms = now_ms + FAILURES_WINDOW_MS;
        HASH_ADD_STR(failures->counters, key, counter);
    }
    counter->count = count + 1;
}

struct failures *failures_new(void)
{
    return mem_new0(struct failures);
}

void failures_free(struct failures *failures)
{
    if (failures == NULL)
        return;
    while (failures->counters != NULL)
        drop(failures, failures->counters);
    free(failures);
}

bool failures_is_address_limited(struct failures *failures, const char *address, const char *user,
                                 int64_t now_ms)
{
    return count_of(failures, address, user, now_ms) >= FAILURES_PAIR_MAX ||
           count_of(failures, address, NULL, now_ms) >= FAILURES_ADDRESS_MAX;
}

bool failures_is_user_limited(struct failures *failures, const char *user, int64_t now_ms)
{
    return count_of(failures, NULL, user, now_ms) >= FAILURES_USER_MAX;
}

void failures_add(struct failures *failures, const char *address, const char *user, int64_t now_ms)
{
    increment(failures, address, user, now_ms);
    increment(failures, address, NULL, now_ms);
    increment(failures, NULL, user, now_ms);
}

void failures_reset(struct failures *failures, const char *address, const char *user)
{
    struct counter *counter;
    char key[KEY_BYTES];

    write_key(key, address, user);
    HASH_FIND_STR(failures->counters, key, counter);
    if (counter != NULL)
        drop(failures, counter);
}
