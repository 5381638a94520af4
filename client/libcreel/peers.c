/* SPDX-License-Identifier: Apache-2.0 */
/* peers.c - channels to whoever is talked to, by address; made when needed, closed when idle */
#include "client/libcreel/peers.h"

#include <errno.h>
#include <string.h>
#include <sys/queue.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/io/wire.h"

#define IDLE_MS 60000
#define KEPT_MS 5000                    /* how long a message waits for the connection */
#define KEPT_MAX 1024
#define RETRY_MS 10
#define SWEEP_MS 15000

struct kept {
    Creel__Envelope *envelope;          /* a deep copy */
    int64_t until_ms;
    STAILQ_ENTRY(kept) link;
};

struct peer_entry {
    char *address;
    char key[KEY_TEXT];
    struct peers *peers;
    struct channel_client *channel;
    int64_t used_ms;
    STAILQ_HEAD(, kept) kept;
    size_t kept_count;
    UT_hash_handle hh;
};

struct peers {
    struct loop *loop;
    struct key own;
    peers_fn *fn;
    void *context;
    struct peer_entry *all;
    int retry_timer, sweep_timer;
};

static void sweep(void *context);

struct peers *peers_new(struct loop *loop, const struct key *own, peers_fn *fn, void *context)
{
    struct peers *peers = mem_new0(struct peers);

    peers->loop = loop;
    peers->own = *own;
    peers->fn = fn;
    peers->context = context;
    peers->sweep_timer = loop_add_timer(loop, SWEEP_MS, sweep, peers);
    return peers;
}

static void drop_first_kept(struct peer_entry *entry)
{
    struct kept *kept = STAILQ_FIRST(&entry->kept);

    STAILQ_REMOVE_HEAD(&entry->kept, link);
    entry->kept_count--;
    creel__envelope__free_unpacked(kept->envelope, NULL);
    free(kept);
}

static void free_entry(struct peers *peers, struct peer_entry *entry)
{
    HASH_DEL(peers->all, entry);
    while (entry->kept_count)
        drop_first_kept(entry);
    channel_client_free(entry->channel);
    free(entry->address);
    free(entry);
}

void peers_free(struct peers *peers)
{
    struct peer_entry *entry, *next;

    if (!peers)
        return;
    loop_cancel_timer(peers->loop, peers->retry_timer);
    loop_cancel_timer(peers->loop, peers->sweep_timer);
    HASH_ITER(hh, peers->all, entry, next)
        free_entry(peers, entry);
    free(peers);
}

static void received(void *context, const Creel__Envelope *envelope)
{
    struct peer_entry *entry = context;

    entry->used_ms = loop_monotonic_ms();
    entry->peers->fn(entry->peers->context, entry->address, envelope);
}

static void sweep(void *context)
{
    struct peers *peers = context;
    struct peer_entry *entry, *next;
    int64_t now_ms = loop_monotonic_ms();

    HASH_ITER(hh, peers->all, entry, next)
        if (!entry->kept_count && now_ms - entry->used_ms > IDLE_MS)
            free_entry(peers, entry);
    peers->sweep_timer = loop_add_timer(peers->loop, SWEEP_MS, sweep, peers);
}

static void send_kept(void *context)
{
    struct peers *peers = context;
    struct peer_entry *entry;
    int64_t now_ms = loop_monotonic_ms();
    bool more = false;

    for (entry = peers->all; entry; entry = entry->hh.next) {
        while (entry->kept_count) {
            struct kept *first = STAILQ_FIRST(&entry->kept);

            if (!channel_client_send(entry->channel, first->envelope) && now_ms < first->until_ms)
                break;
            drop_first_kept(entry);
        }
        more |= entry->kept_count > 0;
    }
    peers->retry_timer = more ? loop_add_timer(peers->loop, RETRY_MS, send_kept, peers) : 0;
}

static void keep(struct peers *peers, struct peer_entry *entry, const Creel__Envelope *envelope)
{
    struct kept *kept = mem_new0(struct kept);

    if (entry->kept_count >= KEPT_MAX)
        drop_first_kept(entry);
    kept->envelope = (Creel__Envelope *)wire_copy(&envelope->base);
    kept->until_ms = loop_monotonic_ms() + KEPT_MS;
    STAILQ_INSERT_TAIL(&entry->kept, kept, link);
    entry->kept_count++;
    if (!peers->retry_timer)
        peers->retry_timer = loop_add_timer(peers->loop, RETRY_MS, send_kept, peers);
}

static int find_or_make(struct peers *peers, const char *address, const char *peer_key,
                        struct peer_entry **ret, struct err *err)
{
    struct peer_entry *entry;
    int r;

    HASH_FIND_STR(peers->all, address, entry);
    if (entry && strncmp(entry->key, peer_key, KEY_TEXT)) {
        free_entry(peers, entry);       /* another agent stands there now */
        entry = NULL;
    }
    if (entry) {
        *ret = entry;
        return 0;
    }
    if (strlen(peer_key) != KEY_TEXT - 1)
        return err_set(err, EINVAL, "%s: its key is not one", address);
    entry = mem_new0(struct peer_entry);
    entry->peers = peers;
    STAILQ_INIT(&entry->kept);
    r = channel_client_new(peers->loop, address, peer_key, &peers->own, received, entry,
                           &entry->channel, err);
    if (r < 0) {
        free(entry);
        return r;
    }
    entry->address = mem_strdup(address);
    memcpy(entry->key, peer_key, KEY_TEXT);
    HASH_ADD_KEYPTR(hh, peers->all, entry->address, strlen(entry->address), entry);
    *ret = entry;
    return 0;
}

int peers_send(struct peers *peers, const char *address, const char *peer_key,
               Creel__Envelope *envelope, struct err *err)
{
    struct peer_entry *entry;
    int r = find_or_make(peers, address, peer_key, &entry, err);

    if (r < 0)
        return r;
    entry->used_ms = loop_monotonic_ms();
    if (entry->kept_count || !channel_client_send(entry->channel, envelope))
        keep(peers, entry, envelope);
    return 0;
}

int peers_state(struct peers *peers, const char *address, struct err *err)
{
    struct peer_entry *entry;

    HASH_FIND_STR(peers->all, address, entry);
    if (!entry)
        return err_set(err, ENOENT, "%s: not talked to", address);
    return channel_client_state(entry->channel, err);
}

unsigned peers_losses(struct peers *peers, const char *address)
{
    struct peer_entry *entry;

    HASH_FIND_STR(peers->all, address, entry);
    return entry ? channel_client_losses(entry->channel) : 0;
}
