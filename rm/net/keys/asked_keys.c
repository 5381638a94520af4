/* SPDX-License-Identifier: Apache-2.0 */
/* asked_keys.c - the known keys about which agents have asked lately */
#include "rm/net/keys/asked_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"

struct pair { /* a key of the hash table: all bytes are compared, so padding must be zero */
    uint64_t connection;
    char key[KEY_TEXT];
};

struct entry {
    UT_hash_handle hh; /* by PAIR */
    struct pair pair;
    int64_t asked_ms;
    TAILQ_ENTRY(entry) link;
};

struct asked_keys {
    asked_keys_known_fn *known;
    asked_keys_notify_fn *notify;
    void *context;
    struct entry *entries;
    TAILQ_HEAD(, entry) turn; /* the entry to be checked next is first */
};

struct asked_keys *asked_keys_new(asked_keys_known_fn *known, asked_keys_notify_fn *notify, void *context)
{
    struct asked_keys *asked = mem_new0(struct asked_keys);

    asked->known = known;
    asked->notify = notify;
    asked->context = context;
    TAILQ_INIT(&asked->turn);
    return asked;
}

static void drop(struct asked_keys *asked, struct entry *entry)
{
    TAILQ_REMOVE(&asked->turn, entry, link);
    HASH_DEL(asked->entries, entry);
    free(entry);
}

void asked_keys_free(struct asked_keys *asked)
{
    struct entry *entry;

    if (asked == NULL)
        return;
    while ((entry = TAILQ_FIRST(&asked->turn)) != NULL)
        drop(asked, entry);
    free(asked);
}

void asked_keys_add(struct asked_keys *asked, uint64_t connection, const char *public_text, int64_t now_ms)
{
    struct entry *entry;
    struct pair pair;

    memset(&pair, 0, sizeof(pair));
    pair.connection = connection;
    snprintf(pair.key, sizeof(pair.key), "%s", public_text);
    HASH_FIND(hh, asked->entries, &pair, sizeof(pair), entry);
    if (entry == NULL) {
        if (HASH_COUNT(asked->entries) >= ASKED_KEYS_MAX)
            drop(asked, TAILQ_FIRST(&asked->turn));
        entry = mem_new0(struct entry);
        memcpy(&entry->pair, &pair, sizeof(pair));
        HASH_ADD(hh, asked->entries, pair, sizeof(entry->pair), entry);
        TAILQ_INSERT_TAIL(&asked->turn, entry, link);
    }
    entry->asked_ms = now_ms;
}

void asked_keys_sweep(struct asked_keys *asked, int64_t now_ms, size_t most)
{
    size_t count = HASH_COUNT(asked->entries) < most ? HASH_COUNT(asked->entries) : most;

    while (count-- > 0) {
        struct entry *entry = TAILQ_FIRST(&asked->turn);

        TAILQ_REMOVE(&asked->turn, entry, link);
        TAILQ_INSERT_TAIL(&asked->turn, entry, link);
        if (now_ms - entry->asked_ms >= ASKED_KEYS_MS) {
            drop(asked, entry);
        } else if (!asked->known(asked->context, entry->pair.key)) {
            asked->notify(asked->context, entry->pair.connection, entry->pair.key);
            drop(asked, entry);
        }
    }
}

size_t asked_keys_count(const struct asked_keys *asked)
{
    return HASH_COUNT(asked->entries);
}
