/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - sorted blocks of queues or apps */
#include "rm/sched/fair/order.h"

#include <assert.h>
#include <string.h>

#include "common/base/mem.h"

#define BLOCK_SIZE 64                   /* entries; a block below a quarter of that joins its neighbour */
#define BLOCK_SIZE_LEAST 4

static struct fair_entry entry_of(const struct fair_item *item)
{
    return (struct fair_entry){
        .key = item->key,
        .item = (struct fair_item *)(uintptr_t)item,
        .memory = item->known ? item->need[0] : 0,
        .vcores_reserves = item->known ? item->need[1] << 1 | (uint32_t)item->reserves : 1,
    };
}

static inline int compare_numbers(const struct fair_key *a, const struct fair_key *b)
{
    for (int i = 0; i < 2; i++)
        if (a->value[i] != b->value[i])
            return a->value[i] < b->value[i] ? -1 : 1;
    return (a->tie > b->tie) - (a->tie < b->tie);
}

static inline int compare_entries(const struct fair_entry *a, const struct fair_entry *b,
                                  fair_compare_fn *compare)
{
    int r = compare_numbers(&a->key, &b->key);

    return r != 0 || a->item == b->item ? r : compare(a->item, b->item);
}

int fair_order_compare(const struct fair_item *a, const struct fair_item *b,
                       fair_compare_fn *compare)
{
    int r = compare_numbers(&a->key, &b->key);

    return r != 0 || a == b ? r : compare(a, b);
}

/* --- memory ---------------------------------------------------------------- */

static size_t block_bytes(uint32_t capacity)
{
    return sizeof(struct fair_block) + capacity * sizeof(struct fair_entry);
}

static void reset_bounds(struct fair_block *block)
{
    block->memory = block->vcores_reserves = UINT32_MAX - 1;
    block->loose = false;
}

static struct fair_block *block_take(struct fair_order *order, uint32_t capacity)
{
    struct fair_block *block = order->spare;

    if (block)
        memcpy(&order->spare, block->entries, sizeof(order->spare));
    if (block == NULL || block->capacity < capacity) {
        block = mem_resize(block, block_bytes(capacity), 1);
        block->capacity = capacity;
    }
    block->count = 0;
    reset_bounds(block);
    return block;
}

/* Spare blocks are linked by their first bytes of entries. */
static void block_put(struct fair_order *order, struct fair_block *block)
{
    memcpy(block->entries, &order->spare, sizeof(order->spare));
    order->spare = block;
}

void fair_order_clear(struct fair_order *order)
{
    while (order->count > 0)
        block_put(order, order->blocks[--order->count]);
    order->version++;
}

void fair_order_free(struct fair_order *order)
{
    fair_order_clear(order);
    while (order->spare)
        free(block_take(order, 0));
    free(order->blocks);
    *order = (struct fair_order){ .version = order->version };
}

static void insert_block(struct fair_order *order, uint32_t at, struct fair_block *block)
{
    if (order->count == order->capacity) {
        order->capacity = order->capacity * 2 + 1;          /* mostly there is but one */
        order->blocks = mem_resize(order->blocks, order->capacity, sizeof(struct fair_block *));
    }
    memmove(&order->blocks[at + 1], &order->blocks[at], (order->count - at) * sizeof(struct fair_block *));
    order->blocks[at] = block;
    order->count++;
}

static void remove_block(struct fair_order *order, uint32_t at)
{
    block_put(order, order->blocks[at]);
    order->count--;
    memmove(&order->blocks[at], &order->blocks[at + 1],
            (order->count - at) * sizeof(struct fair_block *));
}

/* --- where ----------------------------------------------------------------- */

/* The block that has, or should get, ENTRY: the last that does not begin behind it. */
static inline uint32_t find_block(const struct fair_order *order, const struct fair_entry *entry,
                                  fair_compare_fn *compare)
{
    uint32_t low = 0, high = order->count;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (compare_entries(order->blocks[middle]->entries, entry, compare) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How many of BLOCK's entries, from FROM to END, are before ENTRY; FROM included. */
static inline uint32_t find_index(const struct fair_block *block, uint32_t from, uint32_t end,
                                  const struct fair_entry *entry, fair_compare_fn *compare)
{
    while (from < end) {
        uint32_t middle = (from + end) / 2;

        if (compare_entries(&block->entries[middle], entry, compare) < 0)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

static struct fair_entry *find(const struct fair_order *order, const struct fair_item *item,
                               uint32_t *block, fair_compare_fn *compare)
{
    const struct fair_entry wanted = { .key = item->key, .item = (struct fair_item *)(uintptr_t)item };
    struct fair_block *found;
    uint32_t index;

    *block = find_block(order, &wanted, compare);
    found = order->blocks[*block];
    index = find_index(found, 0, found->count, &wanted, compare);
    assert(index < found->count && found->entries[index].item == item);
    return &found->entries[index];
}

bool fair_order_has(const struct fair_order *order, const struct fair_item *item,
                    fair_compare_fn *compare)
{
    const struct fair_entry wanted = { .key = item->key, .item = (struct fair_item *)(uintptr_t)item };
    const struct fair_block *block;
    struct fair_entry says = entry_of(wanted.item);
    uint32_t index;

    if (order->count == 0)
        return false;
    block = order->blocks[find_block(order, &wanted, compare)];
    index = find_index(block, 0, block->count, &wanted, compare);
    return index < block->count && block->entries[index].item == item &&
           block->entries[index].memory == says.memory &&
           block->entries[index].vcores_reserves == says.vcores_reserves &&
           block->memory <= says.memory && (block->vcores_reserves >> 1) <= (says.vcores_reserves >> 1) &&
           (block->vcores_reserves & 1) >= (says.vcores_reserves & 1);
}

/* --- bounds ---------------------------------------------------------------- */

static inline uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Bounds of A, and of what says MEMORY and VCORES_RESERVES. */
static inline void lower(struct fair_block *block, uint32_t memory, uint32_t vcores_reserves)
{
    uint32_t reserves = (block->vcores_reserves | vcores_reserves) & 1;

    block->memory = lesser(block->memory, memory);
    block->vcores_reserves = lesser(block->vcores_reserves >> 1, vcores_reserves >> 1) << 1 | reserves;
}

static void sum_block(struct fair_block *block)
{
    reset_bounds(block);
    for (uint32_t i = 0; i < block->count; i++)
        lower(block, block->entries[i].memory, block->entries[i].vcores_reserves);
}

/* --- in and out ------------------------------------------------------------ */

static struct fair_block *grow(struct fair_order *order, uint32_t at)
{
    struct fair_block *block = order->blocks[at];

    block->capacity = block->capacity * 2;
    block = mem_resize(block, block_bytes(block->capacity), 1);
    order->blocks[at] = block;
    return block;
}

/* A full block gives its second half to another behind it. */
static void split(struct fair_order *order, uint32_t at)
{
    struct fair_block *block = order->blocks[at], *behind = block_take(order, BLOCK_SIZE);
    uint32_t half = block->count / 2;

    behind->count = block->count - half;
    memcpy(behind->entries, &block->entries[half], behind->count * sizeof(struct fair_entry));
    block->count = half;
    sum_block(block);
    sum_block(behind);
    insert_block(order, at + 1, behind);
}

static void enter(struct fair_order *order, const struct fair_entry *entry, fair_compare_fn *compare)
{
    struct fair_block *block;
    uint32_t at, index;

    if (order->count == 0)
        insert_block(order, 0, block_take(order, BLOCK_SIZE_LEAST));
    at = find_block(order, entry, compare);
    block = order->blocks[at];
    if (block->count == block->capacity) {
        if (block->capacity < BLOCK_SIZE) {
            block = grow(order, at);
        } else {
            split(order, at);
            block = order->blocks[find_block(order, entry, compare)];
        }
    }
    index = find_index(block, 0, block->count, entry, compare);
    memmove(&block->entries[index + 1], &block->entries[index],
            (block->count - index) * sizeof(struct fair_entry));
    block->entries[index] = *entry;
    block->count++;
    lower(block, entry->memory, entry->vcores_reserves);
    order->version++;
}

/* The block AT, which has few entries, and a neighbour become one; an empty one goes. */
static void join_if_few(struct fair_order *order, uint32_t at)
{
    struct fair_block *block = order->blocks[at], *next;

    if (block->count == 0) {
        remove_block(order, at);
        return;
    }
    if (block->count >= BLOCK_SIZE / 4 || order->count == 1)
        return;
    if (at + 1 == order->count)
        block = order->blocks[--at];
    next = order->blocks[at + 1];
    if (block->count + next->count > block->capacity * 3 / 4)
        return;
    memcpy(&block->entries[block->count], next->entries, next->count * sizeof(struct fair_entry));
    block->count += next->count;
    lower(block, next->memory, next->vcores_reserves);
    block->loose = block->loose || next->loose;
    remove_block(order, at + 1);
}

static void leave(struct fair_order *order, uint32_t at, struct fair_entry *entry)
{
    struct fair_block *block = order->blocks[at];

    block->count--;
    block->loose = true;
    memmove(entry, entry + 1,
            (block->count - (size_t)(entry - block->entries)) * sizeof(struct fair_entry));
    order->version++;
    join_if_few(order, at);
}

void fair_order_leave(struct fair_order *order, struct fair_item *item, fair_compare_fn *compare)
{
    uint32_t at;
    struct fair_entry *entry = find(order, item, &at, compare);

    leave(order, at, entry);
    item->listed = false;
}

/* Would ENTRY stand in the block AT? */
static inline bool belongs(const struct fair_order *order, uint32_t at,
                           const struct fair_entry *entry, fair_compare_fn *compare)
{
    if (at > 0 && compare_entries(order->blocks[at]->entries, entry, compare) > 0)
        return false;
    return at + 1 == order->count ||
           compare_entries(order->blocks[at + 1]->entries, entry, compare) > 0;
}

/* Within one block: what lies between moves by one. */
static inline void move_within(struct fair_order *order, struct fair_block *block,
                               struct fair_entry *from, const struct fair_entry *entry,
                               fair_compare_fn *compare)
{
    uint32_t index = (uint32_t)(from - block->entries);
    uint32_t to = index;
    bool says_other = from->memory != entry->memory || from->vcores_reserves != entry->vcores_reserves;

    if (index > 0 && compare_entries(from - 1, entry, compare) > 0)
        to = find_index(block, 0, index - 1, entry, compare);
    else if (index + 1 < block->count && compare_entries(from + 1, entry, compare) < 0)
        to = find_index(block, index + 2, block->count, entry, compare) - 1;
    if (to < index)
        memmove(&block->entries[to + 1], &block->entries[to], (index - to) * sizeof(*entry));
    else if (to > index)
        memmove(from, from + 1, (to - index) * sizeof(*entry));
    order->version += to != index ? 1 : 0;
    block->loose = block->loose || says_other;
    block->entries[to] = *entry;
    lower(block, entry->memory, entry->vcores_reserves);
}

void fair_order_place(struct fair_order *order, struct fair_item *item, const struct fair_key *key,
                      fair_compare_fn *compare)
{
    struct fair_entry entry, *from;
    uint32_t at;

    if (!item->listed) {
        item->key = *key;
        item->listed = true;
        item->unsaid = false;
        entry = entry_of(item);
        enter(order, &entry, compare);
        return;
    }
    from = find(order, item, &at, compare);
    item->key = *key;
    item->unsaid = false;
    entry = entry_of(item);
    if (order->count == 1 || belongs(order, at, &entry, compare)) {
        move_within(order, order->blocks[at], from, &entry, compare);
        return;
    }
    leave(order, at, from);
    enter(order, &entry, compare);
}

void fair_order_note(struct fair_order *order, struct fair_item *item,
                     const struct fair_cursor *cursor, fair_compare_fn *compare)
{
    struct fair_entry says = entry_of(item), *entry;
    uint32_t at = cursor->block;

    entry = cursor->version == order->version ? &order->blocks[at]->entries[cursor->index]
                                              : find(order, item, &at, compare);
    assert(entry->item == item);
    item->unsaid = false;
    entry->memory = says.memory;
    entry->vcores_reserves = says.vcores_reserves;
    lower(order->blocks[at], says.memory, says.vcores_reserves);
    order->blocks[at]->loose = true;
}

/* --- in order -------------------------------------------------------------- */

static inline bool passes(const struct fair_filter *filter, uint32_t memory,
                          uint32_t vcores_reserves)
{
    return filter == NULL || (filter->reserve && (vcores_reserves & 1)) ||
           (memory <= filter->memory && vcores_reserves >> 1 <= filter->vcores);
}

/* The first entry from CURSOR on. A block that is looked through in vain knows its bounds again. */
static struct fair_item *seek(struct fair_order *order, const struct fair_filter *filter,
                              struct fair_cursor *cursor)
{
    cursor->version = order->version;
    for (; cursor->block < order->count; cursor->block++, cursor->index = 0) {
        struct fair_block *block = order->blocks[cursor->block];
        bool whole = cursor->index == 0;

        if (!passes(filter, block->memory, block->vcores_reserves))
            continue;
        for (; cursor->index < block->count; cursor->index++) {
            const struct fair_entry *entry = &block->entries[cursor->index];

            if (passes(filter, entry->memory, entry->vcores_reserves)) {
                cursor->at = *entry;
                return entry->item;
            }
        }
        if (whole && block->count > 0)
            sum_block(block);
    }
    return NULL;
}

struct fair_item *fair_order_first(struct fair_order *order, const struct fair_filter *filter,
                                   struct fair_cursor *cursor)
{
    cursor->block = cursor->index = 0;
    return seek(order, filter, cursor);
}

/* Set CURSOR to the first entry behind ENTRY. */
static void seek_behind(const struct fair_order *order, const struct fair_entry *entry,
                        struct fair_cursor *cursor, fair_compare_fn *compare)
{
    const struct fair_block *block;

    cursor->block = cursor->index = 0;
    if (order->count == 0)
        return;
    cursor->block = find_block(order, entry, compare);
    block = order->blocks[cursor->block];
    cursor->index = find_index(block, 0, block->count, entry, compare);
    if (cursor->index < block->count && block->entries[cursor->index].item == entry->item)
        cursor->index++;
}

struct fair_item *fair_order_next(struct fair_order *order, const struct fair_filter *filter,
                                  struct fair_cursor *cursor, fair_compare_fn *compare)
{
    if (cursor->version == order->version)
        cursor->index++;
    else
        seek_behind(order, &cursor->at, cursor, compare);
    return seek(order, filter, cursor);
}

struct fair_item *fair_order_after(const struct fair_order *order, const struct fair_item *item,
                                   fair_compare_fn *compare)
{
    const struct fair_entry entry = { .key = item->key, .item = (struct fair_item *)(uintptr_t)item };
    struct fair_cursor cursor;

    seek_behind(order, &entry, &cursor, compare);
    for (; cursor.block < order->count; cursor.block++, cursor.index = 0)
        if (cursor.index < order->blocks[cursor.block]->count)
            return order->blocks[cursor.block]->entries[cursor.index].item;
    return NULL;
}

void fair_order_sum(struct fair_order *order, int types, struct fair_item *sum)
{
    for (uint32_t b = 0; b < order->count; b++) {
        struct fair_block *block = order->blocks[b];

        if (block->loose)
            sum_block(block);
        sum->need[0] = lesser(sum->need[0], block->memory);
        sum->need[1] = lesser(sum->need[1], block->vcores_reserves >> 1);
        sum->reserves = sum->reserves || (block->vcores_reserves & 1) != 0;
        for (uint32_t i = 0; types > 2 && i < block->count; i++)
            for (int t = 2; t < types; t++)
                sum->need[t] = lesser(sum->need[t], block->entries[i].item->known
                                                    ? block->entries[i].item->need[t] : 0);
    }
}
