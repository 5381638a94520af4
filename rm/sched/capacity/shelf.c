/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - sorted blocks of children */
#include "rm/sched/capacity/shelf.h"

#include <assert.h>
#include <string.h>

#include "common/base/mem.h"

#define BLOCK_SIZE 64                   /* entries; a block below a quarter of that joins its neighbour */

#define NOWHERE UINT32_MAX

/* --- places ---------------------------------------------------------------- */

static uint64_t rank_mask(const struct shelf *shelf)
{
    return ((uint64_t)1 << shelf->rank_bits) - 1;
}

/* Entries of BLOCK from FROM to before TO stand where they did not. */
static void number(struct shelf *shelf, const struct shelf_block *block, size_t from, size_t to)
{
    const struct shelf_entry *entry = &block->entries[from], *end = &block->entries[to];
    uint32_t place = (uint32_t)(entry - shelf->entries);
    uint32_t *places = shelf->places;
    uint64_t mask = rank_mask(shelf);

    for (; entry < end; entry++)
        places[entry->key & mask] = place++;
}

/* So do blocks from FROM on. */
static void number_blocks(struct shelf *shelf, size_t from)
{
    for (size_t b = from; b < shelf->block_count; b++)
        shelf->runs[(size_t)(shelf->blocks[b].entries - shelf->entries) / shelf->block_size] = (uint32_t)b;
}

struct shelf *shelf_new(uint32_t children)
{
    uint32_t size = children < BLOCK_SIZE ? (children > 0 ? children : 1) : BLOCK_SIZE;
    uint32_t most = children < BLOCK_SIZE ? 1 : children / (BLOCK_SIZE / 8) + 2;
    size_t head = sizeof(struct shelf) + most * sizeof(struct shelf_block);
    size_t entries = (size_t)most * size;
    struct shelf *shelf = mem_alloc0(head + entries * sizeof(struct shelf_entry) +
                                     (children + most) * sizeof(uint32_t));

    shelf->entries = (struct shelf_entry *)(void *)((char *)shelf + head);
    shelf->places = (uint32_t *)(void *)(shelf->entries + entries);
    shelf->runs = shelf->places + children;
    shelf->block_size = size;
    shelf->block_most = most;
    shelf->room_for = children;
    while (children > 1 && (children - 1) >> shelf->rank_bits > 0)
        shelf->rank_bits++;
    for (uint32_t b = 0; b < most; b++)
        shelf->blocks[b].entries = shelf->entries + (size_t)b * size;
    shelf_clear(shelf);
    return shelf;
}

void shelf_clear(struct shelf *shelf)
{
    for (uint32_t b = 0; b < shelf->block_most; b++) {
        shelf->blocks[b].count = 0;
        shelf->blocks[b].need = shelf->blocks[b].hold = SHELF_NEVER;
    }
    for (uint32_t i = 0; i < shelf->room_for; i++)
        shelf->places[i] = NOWHERE;
    shelf->block_count = 1;
    number_blocks(shelf, 0);
    shelf->need = shelf->hold = SHELF_NEVER;
}

/* --- where ----------------------------------------------------------------- */

/* The block that should get KEY: the last that does not begin behind it. */
static struct shelf_block *find_block(const struct shelf *shelf, uint64_t key)
{
    uint32_t low = 0, high = shelf->block_count;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (shelf->blocks[middle].entries->key <= key)
            low = middle;
        else
            high = middle;
    }
    return (struct shelf_block *)(uintptr_t)&shelf->blocks[low];
}

/* How many entries of BLOCK are before KEY. */
static uint32_t find_index(const struct shelf_block *block, uint64_t key)
{
    const struct shelf_entry *base = block->entries;
    uint32_t left = block->count;

    while (left > 1) {
        uint32_t half = left / 2;

        base += base[half - 1].key < key ? half : 0;
        left -= half;
    }
    return (uint32_t)(base - block->entries) +
           (left == 1 && base->key < key ? 1u : 0u);
}

const struct shelf_entry *shelf_find(const struct shelf *shelf, uint64_t key)
{
    uint64_t rank = key & rank_mask(shelf);
    uint32_t place = rank < shelf->room_for ? shelf->places[rank] : NOWHERE;

    if (place == NOWHERE || shelf->entries[place].key != key)
        return NULL;
    return &shelf->entries[place];
}

static struct shelf_block *block_of(const struct shelf *shelf, const struct shelf_entry *entry)
{
    uint32_t b = 0;

    if (shelf->block_count > 1)
        b = shelf->runs[(size_t)(entry - shelf->entries) / BLOCK_SIZE];
    return (struct shelf_block *)(uintptr_t)&shelf->blocks[b];
}

static struct shelf_entry *find(const struct shelf *shelf, uint64_t key,
                                struct shelf_block **block)
{
    const struct shelf_entry *entry = shelf_find(shelf, key);

    assert(entry != NULL);
    *block = block_of(shelf, entry);
    return (struct shelf_entry *)(uintptr_t)entry;
}

/* --- the least of all ------------------------------------------------------ */

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static void sum_up(struct shelf *shelf)
{
    shelf->need = shelf->blocks[0].need;
    shelf->hold = shelf->blocks[0].hold;
    for (uint32_t b = 1; b < shelf->block_count; b++) {
        shelf->need = lesser(shelf->need, shelf->blocks[b].need);
        shelf->hold = lesser(shelf->hold, shelf->blocks[b].hold);
    }
}

static void sum_block(struct shelf_block *block)
{
    block->need = block->hold = SHELF_NEVER;
    for (uint32_t i = 0; i < block->count; i++) {
        block->need = lesser(block->need, block->entries[i].need);
        block->hold = lesser(block->hold, block->entries[i].hold);
    }
}

/* An entry of BLOCK that said NEED and HOLD now says, or there is now one that says, LESS. */
static void change(struct shelf *shelf, struct shelf_block *block, float need, float hold,
                   const struct shelf_entry *now)
{
    float need_before = block->need, hold_before = block->hold;

    if ((need <= block->need && now->need > need) || (hold <= block->hold && now->hold > hold)) {
        sum_block(block);
    } else {
        block->need = lesser(block->need, now->need);
        block->hold = lesser(block->hold, now->hold);
    }
    if ((need_before <= shelf->need && block->need > need_before) ||
        (hold_before <= shelf->hold && block->hold > hold_before)) {
        sum_up(shelf);
    } else {
        shelf->need = lesser(shelf->need, block->need);
        shelf->hold = lesser(shelf->hold, block->hold);
    }
}

static const struct shelf_entry nobody = { .need = SHELF_NEVER, .hold = SHELF_NEVER };

/* --- passes ---------------------------------------------------------------- */

#define FROM_MASK 0x7fffffffu

static uint32_t counted(const struct shelf_block *block, const struct shelf_entry *entry)
{
    return entry->counts ? (block->passes - entry->from) & FROM_MASK : 0;
}

/* What stands in BLOCK at AT says what ENTRY does, and was counted COUNT times. */
static void put(const struct shelf_block *block, struct shelf_entry *at, const struct shelf_entry *entry,
                uint32_t count)
{
    *at = *entry;
    at->from = (block->passes - count) & FROM_MASK;
}

void shelf_pass(struct shelf *shelf, uint64_t key)
{
    struct shelf_block *block = find_block(shelf, key);
    uint32_t index = find_index(block, key);

    for (struct shelf_block *before = shelf->blocks; before < block; before++)
        before->passes++;
    for (struct shelf_entry *entry = block->entries; entry < &block->entries[index]; entry++)
        entry->from = (entry->from - 1u) & FROM_MASK;
}

uint32_t shelf_counted(const struct shelf *shelf, uint64_t key)
{
    struct shelf_block *block;
    const struct shelf_entry *entry = find(shelf, key, &block);

    return counted(block, entry);
}

/* --- in and out ------------------------------------------------------------ */

/* A full block gives its second half to a spare one behind it. */
static void split(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);
    struct shelf_block spare = shelf->blocks[shelf->block_count];
    uint32_t half = block->count / 2;

    assert(shelf->block_count < shelf->block_most);
    memmove(&shelf->blocks[at + 2], &shelf->blocks[at + 1],
            (shelf->block_count - at - 1) * sizeof(*block));
    shelf->block_count++;
    spare.count = block->count - half;
    spare.passes = block->passes;
    memcpy(spare.entries, &block->entries[half], spare.count * sizeof(*spare.entries));
    block->count = half;
    sum_block(block);
    sum_block(&spare);
    shelf->blocks[at + 1] = spare;
    number(shelf, &spare, 0, spare.count);
    number_blocks(shelf, at + 1);
}

/* BLOCK, which has few entries, takes in those of the one behind it, and that becomes a spare one. */
static void join(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);
    struct shelf_block next = shelf->blocks[at + 1];

    memcpy(&block->entries[block->count], next.entries, next.count * sizeof(*next.entries));
    for (uint32_t i = block->count; i < block->count + next.count; i++)
        put(block, &block->entries[i], &block->entries[i], counted(&next, &block->entries[i]));
    number(shelf, block, block->count, block->count + next.count);
    block->count += next.count;
    block->need = lesser(block->need, next.need);
    block->hold = lesser(block->hold, next.hold);
    shelf->block_count--;
    memmove(&shelf->blocks[at + 1], &shelf->blocks[at + 2],
            (shelf->block_count - at - 1) * sizeof(*block));
    next.count = 0;
    shelf->blocks[shelf->block_count] = next;
    number_blocks(shelf, at);
}

static void join_if_few(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);

    if (block->count >= BLOCK_SIZE / 4 || shelf->block_count == 1)
        return;
    if (at + 1 == shelf->block_count)
        block = &shelf->blocks[--at];
    if (block->count == 0 || shelf->blocks[at + 1].count == 0 ||        /* none is empty but the only one */
        block->count + shelf->blocks[at + 1].count <= shelf->block_size * 3 / 4)
        join(shelf, block);
}

static void enter(struct shelf *shelf, const struct shelf_entry *entry, uint32_t count)
{
    struct shelf_block *block = find_block(shelf, entry->key);
    uint32_t index;

    if (block->count == shelf->block_size) {
        split(shelf, block);
        block = find_block(shelf, entry->key);
    }
    index = find_index(block, entry->key);
    memmove(&block->entries[index + 1], &block->entries[index],
            (block->count - index) * sizeof(*entry));
    put(block, &block->entries[index], entry, count);
    block->count++;
    number(shelf, block, index, block->count);
    change(shelf, block, SHELF_NEVER, SHELF_NEVER, entry);
}

void shelf_enter(struct shelf *shelf, const struct shelf_entry *entry)
{
    enter(shelf, entry, 0);
}

void shelf_leave(struct shelf *shelf, uint64_t key)
{
    struct shelf_block *block;
    struct shelf_entry *entry = find(shelf, key, &block), was = *entry;
    size_t index = (size_t)(entry - block->entries);

    shelf->places[key & rank_mask(shelf)] = NOWHERE;
    block->count--;
    memmove(entry, entry + 1, (block->count - index) * sizeof(*entry));
    number(shelf, block, index, block->count);
    change(shelf, block, was.need, was.hold, &nobody);
    join_if_few(shelf, block);
}

/* Within one block: what lies between moves by one. */
static void move_within(struct shelf *shelf, struct shelf_block *block, struct shelf_entry *from,
                        const struct shelf_entry *entry)
{
    uint32_t count = counted(block, from);
    struct shelf_entry *to;
    size_t first, last;

    if ((from == block->entries || from[-1].key < entry->key) &&
        (from + 1 == &block->entries[block->count] || from[1].key > entry->key)) {
        put(block, from, entry, count);
        return;
    }
    to = &block->entries[find_index(block, entry->key)];
    if (to > from) {
        to--;                           /* the one that leaves was counted */
        memmove(from, from + 1, (size_t)(to - from) * sizeof(*from));
    } else {
        memmove(to + 1, to, (size_t)(from - to) * sizeof(*from));
    }
    put(block, to, entry, count);
    first = (size_t)((to < from ? to : from) - block->entries);
    last = (size_t)((to < from ? from : to) - block->entries);
    number(shelf, block, first, last + 1);
}

void shelf_move(struct shelf *shelf, uint64_t key, const struct shelf_entry *entry)
{
    struct shelf_block *block;
    struct shelf_entry *from = find(shelf, key, &block), was = *from;

    if (shelf->block_count > 1 && find_block(shelf, entry->key) != block) {
        uint32_t count = counted(block, from);

        shelf_leave(shelf, key);
        enter(shelf, entry, count);
        return;
    }
    move_within(shelf, block, from, entry);
    if (was.need != entry->need || was.hold != entry->hold)
        change(shelf, block, was.need, was.hold, entry);
}

bool shelf_note(struct shelf *shelf, const struct shelf_entry *now)
{
    struct shelf_block *block;
    struct shelf_entry *entry = find(shelf, now->key, &block), was = *entry;

    put(block, entry, now, counted(block, &was));
    if (was.need == now->need && was.hold == now->hold)
        return false;
    change(shelf, block, was.need, was.hold, entry);
    return true;
}

/* --- in order -------------------------------------------------------------- */

static const struct shelf_entry *next_in(const struct shelf_block *block, uint32_t index,
                                         const struct shelf_filter *filter)
{
    const struct shelf_entry *entry = &block->entries[index];
    const struct shelf_entry *end = &block->entries[block->count];

    if (filter->by == SHELF_BY_NEED)
        while (entry < end && ((double)entry->need > filter->room ||
                               ((double)entry->most > filter->standing &&
                                (double)entry->hold > filter->node_room)))
            entry++;
    else if (filter->by == SHELF_BY_HOLD)
        while (entry < end && (double)entry->hold > filter->node_room)
            entry++;
    return entry < end ? entry : NULL;
}

static const struct shelf_entry *next_from(const struct shelf *shelf, uint32_t b,
                                           const struct shelf_filter *filter)
{
    for (; b < shelf->block_count; b++) {
        const struct shelf_block *block = &shelf->blocks[b];
        const struct shelf_entry *entry;

        if ((filter->by == SHELF_BY_NEED && (double)block->need > filter->room) ||
            (filter->by == SHELF_BY_HOLD && (double)block->hold > filter->node_room))
            continue;
        if ((entry = next_in(block, 0, filter)) != NULL)
            return entry;
    }
    return NULL;
}

const struct shelf_entry *shelf_first(const struct shelf *shelf, const struct shelf_filter *filter)
{
    return next_from(shelf, 0, filter);
}

const struct shelf_entry *shelf_after(const struct shelf *shelf, uint64_t key,
                                      const struct shelf_filter *filter)
{
    const struct shelf_entry *entry = shelf_find(shelf, key);
    const struct shelf_block *block = entry ? block_of(shelf, entry) : find_block(shelf, key);
    uint32_t index = entry ? (uint32_t)(entry - block->entries) + 1 : find_index(block, key);

    entry = next_in(block, index, filter);
    return entry ? entry : next_from(shelf, (uint32_t)(block - shelf->blocks) + 1, filter);
}

float shelf_standing(const struct shelf *shelf)
{
    float standing = SHELF_NEVER;

    for (uint32_t b = 0; b < shelf->block_count; b++)
        for (uint32_t i = 0; i < shelf->blocks[b].count; i++) {
            const struct shelf_entry *entry = &shelf->blocks[b].entries[i];

            standing = lesser(standing, entry->most >= 0 ? entry->most : entry->need);
        }
    return standing;
}
