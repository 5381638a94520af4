/* SPDX-License-Identifier: Apache-2.0 */
/* event_ring.c - the newest events, in bounded memory */
#include "rm/master/parts/event_ring.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "common/proto/event_copy.h"
#include "common/proto/event_kind.h"

struct event_share {
    UT_hash_handle hh; /* by KEY */
    RB_ENTRY(event_share) by_bytes;
    struct kept_event_list events; /* oldest first */
    size_t bytes;
    char key[];
};

RB_HEAD(kept_tree, kept_event);
RB_HEAD(share_tree, event_share);

struct event_ring {
    struct event_ring_limits limits;
    uint64_t before, newest;
    struct kept_tree events;    /* owned, by number */
    struct event_share *shares; /* owned, uthash by key */
    struct share_tree by_bytes;
    size_t count, bytes;
};

static int compare_numbers(const struct kept_event *a, const struct kept_event *b)
{
    return (a->event.number > b->event.number) - (a->event.number < b->event.number);
}

static int compare_bytes(const struct event_share *a, const struct event_share *b)
{
    return a->bytes != b->bytes ? (a->bytes > b->bytes) - (a->bytes < b->bytes) : strcmp(a->key, b->key);
}

RB_PROTOTYPE(kept_tree, kept_event, link, compare_numbers)
RB_GENERATE(kept_tree, kept_event, link, compare_numbers)
RB_PROTOTYPE(share_tree, event_share, by_bytes, compare_bytes)
RB_GENERATE(share_tree, event_share, by_bytes, compare_bytes)

/* --- events -------------------------------------------------------------------- */

/* Returns the number of bytes of TEXT that are kept: whole characters. */
static size_t kept_length(const char *text)
{
    size_t length = strnlen(text, EVENT_TEXT_MAX + 1);

    return length <= EVENT_TEXT_MAX ? length : utf8_cut(text, EVENT_TEXT_MAX);
}

struct kept_event *kept_event_new(const Creel__Event *event)
{
    unsigned fields = creel__event__descriptor.n_fields;
    size_t bytes = sizeof(struct kept_event);
    struct kept_event *kept;
    char *place;

    for (unsigned i = 0; i < fields; i++)
        if (event_text_at(event, i) != NULL)
            bytes += kept_length(*event_text_at(event, i)) + 1;
    kept = mem_alloc0(bytes);
    kept->bytes = bytes;
    kept->event = *event;
    place = (char *)(kept + 1);
    for (unsigned i = 0; i < fields; i++) {
        char **text = event_text_at(&kept->event, i);
        size_t length = text != NULL ? kept_length(*text) : 0;

        if (text == NULL)
            continue;
        memcpy(place, *text, length);
        *text = place;
        place += length + 1;
    }
    return kept;
}

void kept_event_free(struct kept_event *kept)
{
    free(kept->row);
    free(kept);
}

/* --- shares -------------------------------------------------------------------- */

static struct event_share *share_of(struct event_ring *ring, const Creel__Event *event)
{
    enum event_object object = event_object(event->kind);
    struct event_share *share;
    scoped_free char *key = mem_printf("%d %d %s", (int)object, *event->array_id != '\0', event->user);

    HASH_FIND_STR(ring->shares, key, share);
    if (share != NULL)
        return share;
    share = mem_alloc0(sizeof(*share) + strlen(key) + 1);
    memcpy(share->key, key, strlen(key));
    TAILQ_INIT(&share->events);
    HASH_ADD_KEYPTR(hh, ring->shares, share->key, strlen(share->key), share);
    RB_INSERT(share_tree, &ring->by_bytes, share);
    return share;
}

/* Adds BYTES, which may be negative, to SHARE. */
static void resize_share(struct event_ring *ring, struct event_share *share, ptrdiff_t bytes)
{
    RB_REMOVE(share_tree, &ring->by_bytes, share);
    share->bytes += (size_t)bytes;
    ring->bytes += (size_t)bytes;
    if (!TAILQ_EMPTY(&share->events)) {
        RB_INSERT(share_tree, &ring->by_bytes, share);
        return;
    }
    HASH_DEL(ring->shares, share);
    free(share);
}

static void remove_event(struct event_ring *ring, struct kept_event *kept)
{
    RB_REMOVE(kept_tree, &ring->events, kept);
    TAILQ_REMOVE(&kept->share->events, kept, in_list);
    ring->count--;
    resize_share(ring, kept->share, -(ptrdiff_t)kept->bytes);
    kept_event_free(kept);
}

/* --- the ring ------------------------------------------------------------------ */

struct event_ring *event_ring_new(const struct event_ring_limits *limits, uint64_t before)
{
    struct event_ring *ring = mem_new0(struct event_ring);

    ring->limits = *limits;
    ring->before = ring->newest = before;
    RB_INIT(&ring->events);
    RB_INIT(&ring->by_bytes);
    return ring;
}

void event_ring_free(struct event_ring *ring)
{
    struct kept_event *kept;

    if (ring == NULL)
        return;
    while ((kept = RB_MIN(kept_tree, &ring->events)) != NULL)
        remove_event(ring, kept);
    free(ring);
}

static bool is_full_for(const struct event_ring *ring, const struct kept_event *kept)
{
    return ring->count > 0 &&
           (ring->count >= ring->limits.count || ring->bytes + kept->bytes > ring->limits.bytes);
}

void event_ring_add(struct event_ring *ring, struct kept_event *kept)
{
    while (is_full_for(ring, kept))
        remove_event(ring, TAILQ_FIRST(&RB_MAX(share_tree, &ring->by_bytes)->events));
    kept->event.number = ++ring->newest;
    kept->share = share_of(ring, &kept->event);
    RB_INSERT(kept_tree, &ring->events, kept);
    TAILQ_INSERT_TAIL(&kept->share->events, kept, in_list);
    ring->count++;
    resize_share(ring, kept->share, (ptrdiff_t)kept->bytes);
}

uint64_t event_ring_before(const struct event_ring *ring)
{
    return ring->before;
}

uint64_t event_ring_newest(const struct event_ring *ring)
{
    return ring->newest;
}

const struct kept_event *event_ring_after(const struct event_ring *ring, uint64_t number)
{
    struct kept_event first = { .event = { .number = number + 1 } };

    return RB_NFIND(kept_tree, (struct kept_tree *)(uintptr_t)&ring->events, &first);
}

const struct kept_event *event_ring_below(const struct event_ring *ring, uint64_t number)
{
    struct kept_event first = { .event = { .number = number } };
    struct kept_tree *events = (struct kept_tree *)(uintptr_t)&ring->events;
    struct kept_event *next = RB_NFIND(kept_tree, events, &first);

    return next != NULL ? RB_PREV(kept_tree, events, next) : RB_MAX(kept_tree, events);
}

/* --- order --------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    const struct kept_event *x = *(struct kept_event *const *)a, *y = *(struct kept_event *const *)b;

    if (x->event.time_ms != y->event.time_ms)
        return x->event.time_ms > y->event.time_ms ? 1 : -1;
    return compare_numbers(x, y);
}

void event_ring_sort(struct event_ring *ring)
{
    scoped_free struct kept_event **sorted = mem_array0(ring->count + 1, sizeof(struct kept_event *));
    scoped_free uint64_t *numbers = mem_array0(ring->count + 1, sizeof(*numbers));
    struct kept_event *kept;
    size_t count = 0;

    RB_FOREACH(kept, kept_tree, &ring->events) {
        numbers[count] = kept->event.number;
        sorted[count++] = kept;
    }
    qsort(sorted, count, sizeof(*sorted), compare_times);
    RB_INIT(&ring->events);
    for (size_t i = 0; i < count; i++) {
        TAILQ_REMOVE(&sorted[i]->share->events, sorted[i], in_list);
        TAILQ_INSERT_TAIL(&sorted[i]->share->events, sorted[i], in_list);
        sorted[i]->event.number = numbers[i];
        RB_INSERT(kept_tree, &ring->events, sorted[i]);
    }
}
