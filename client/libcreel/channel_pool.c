/* SPDX-License-Identifier: Apache-2.0 */
/* channel_pool.c - connections to servers by address: opened on demand, closed when idle */
#include "client/libcreel/channel_pool.h"

#include <errno.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"

#define IDLE_MS 60000
#define QUEUED_MS 5000 /* maximum time that a message waits for the connection */
#define QUEUED_MAX 1024
#define RETRY_MS 10
#define SWEEP_MS 15000

struct queued_message {
    Creel__Envelope *envelope; /* deep copy of the message */
    int64_t until_ms;
    STAILQ_ENTRY(queued_message) link;
};

struct peer_entry {
    char *address;
    char key[KEY_TEXT];
    struct channel_pool *pool;
    struct channel_client *channel;
    int64_t used_ms;
    STAILQ_HEAD(, queued_message) queued;
    size_t queued_count;
    UT_hash_handle hh;
};

struct channel_pool {
    struct loop *loop;
    struct key own;
    channel_pool_fn *fn;
    void *context;
    struct peer_entry *all;
    int retry_timer, sweep_timer;
};

static void sweep(void *context);

struct channel_pool *channel_pool_new(struct loop *loop, const struct key *own, channel_pool_fn *fn,
                                      void *context)
{
    struct channel_pool *pool = mem_new0(struct channel_pool);

    pool->loop = loop;
    pool->own = *own;
    pool->fn = fn;
    pool->context = context;
    pool->sweep_timer = loop_add_timer(loop, SWEEP_MS, sweep, pool);
    return pool;
}

static void drop_first_queued(struct peer_entry *entry)
{
    struct queued_message *message = STAILQ_FIRST(&entry->queued);

    STAILQ_REMOVE_HEAD(&entry->queued, link);
    entry->queued_count--;
    creel__envelope__free_unpacked(message->envelope, NULL);
    free(message);
}

static void free_entry(struct channel_pool *pool, struct peer_entry *entry)
{
    HASH_DEL(pool->all, entry);
    while (entry->queued_count)
        drop_first_queued(entry);
    channel_client_free(entry->channel);
    free(entry->address);
    free(entry);
}

void channel_pool_free(struct channel_pool *pool)
{
    struct peer_entry *entry, *next;

    if (!pool)
        return;
    loop_cancel_timer(pool->loop, pool->retry_timer);
    loop_cancel_timer(pool->loop, pool->sweep_timer);
    HASH_ITER(hh, pool->all, entry, next)
        free_entry(pool, entry);
    free(pool);
}

static void received(void *context, const Creel__Envelope *envelope)
{
    struct peer_entry *entry = context;

    entry->used_ms = loop_monotonic_ms();
    entry->pool->fn(entry->pool->context, entry->address, envelope);
}

static void sweep(void *context)
{
    struct channel_pool *pool = context;
    struct peer_entry *entry, *next;
    int64_t now_ms = loop_monotonic_ms();

    HASH_ITER(hh, pool->all, entry, next)
        if (!entry->queued_count && now_ms - entry->used_ms > IDLE_MS)
            free_entry(pool, entry);
    pool->sweep_timer = loop_add_timer(pool->loop, SWEEP_MS, sweep, pool);
}

static void send_queued(void *context)
{
    struct channel_pool *pool = context;
    struct peer_entry *entry;
    int64_t now_ms = loop_monotonic_ms();
    bool more = false;

    for (entry = pool->all; entry; entry = entry->hh.next) {
        while (entry->queued_count) {
            struct queued_message *first = STAILQ_FIRST(&entry->queued);

            if (!channel_client_send(entry->channel, first->envelope) && now_ms < first->until_ms)
                break;
            drop_first_queued(entry);
        }
        more |= entry->queued_count > 0;
    }
    pool->retry_timer = more ? loop_add_timer(pool->loop, RETRY_MS, send_queued, pool) : 0;
}

static void queue_message(struct channel_pool *pool, struct peer_entry *entry,
                          const Creel__Envelope *envelope)
{
    struct queued_message *message = mem_new0(struct queued_message);

    if (entry->queued_count >= QUEUED_MAX)
        drop_first_queued(entry);
    message->envelope = (Creel__Envelope *)wire_copy(&envelope->base);
    message->until_ms = loop_monotonic_ms() + QUEUED_MS;
    STAILQ_INSERT_TAIL(&entry->queued, message, link);
    entry->queued_count++;
    if (!pool->retry_timer)
        pool->retry_timer = loop_add_timer(pool->loop, RETRY_MS, send_queued, pool);
}

static int find_or_make(struct channel_pool *pool, const char *address, const char *peer_key,
                        struct peer_entry **ret, struct err *err)
{
    struct peer_entry *entry;
    int r;

    HASH_FIND_STR(pool->all, address, entry);
    if (entry && strncmp(entry->key, peer_key, KEY_TEXT)) {
        free_entry(pool, entry); /* the address now belongs to another agent */
        entry = NULL;
    }
    if (entry) {
        *ret = entry;
        return 0;
    }
    if (strlen(peer_key) != KEY_TEXT - 1)
        return err_set(err, EINVAL, "%s: its key is not one", address);
    entry = mem_new0(struct peer_entry);
    entry->pool = pool;
    STAILQ_INIT(&entry->queued);
    r = channel_client_new(pool->loop, address, peer_key, &pool->own, received, entry, &entry->channel, err);
    if (r < 0) {
        free(entry);
        return r;
    }
    entry->address = mem_strdup(address);
    memcpy(entry->key, peer_key, KEY_TEXT);
    HASH_ADD_KEYPTR(hh, pool->all, entry->address, strlen(entry->address), entry);
    *ret = entry;
    return 0;
}

int channel_pool_send(struct channel_pool *pool, const char *address, const char *peer_key,
                      Creel__Envelope *envelope, struct err *err)
{
    struct peer_entry *entry = NULL;
    int r = find_or_make(pool, address, peer_key, &entry, err);

    if (r < 0)
        return r;
    entry->used_ms = loop_monotonic_ms();
    if (entry->queued_count || !channel_client_send(entry->channel, envelope))
        queue_message(pool, entry, envelope);
    return 0;
}

int channel_pool_state(struct channel_pool *pool, const char *address, struct err *err)
{
    struct peer_entry *entry;

    HASH_FIND_STR(pool->all, address, entry);
    if (!entry)
        return err_set(err, ENOENT, "%s: not talked to", address);
    return channel_client_state(entry->channel, err);
}

bool channel_pool_is_refused(struct channel_pool *pool, const char *address)
{
    struct peer_entry *entry;

    HASH_FIND_STR(pool->all, address, entry);
    return entry && channel_client_is_refused(entry->channel);
}

unsigned channel_pool_losses(struct channel_pool *pool, const char *address)
{
    struct peer_entry *entry;

    HASH_FIND_STR(pool->all, address, entry);
    return entry ? channel_client_losses(entry->channel) : 0;
}
