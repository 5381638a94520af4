/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - sorted blocks of keys, and what is said of whom they stand for */
#include "rm/sched/capacity/shelf.h"

#include <assert.h>
#include <string.h>

#include "common/base/mem.h"

#define BLOCK_SIZE 64                   /* keys; a block below a quarter of that joins a neighbour */

static uint32_t rank_of(const struct shelf *shelf, uint64_t key)
{
    return (uint32_t)key & shelf->rank_mask;
}

/* Blocks from FROM on are others. */
static void number_blocks(struct shelf *shelf, size_t from)
{
    for (size_t b = from; b < shelf->block_count; b++)
        shelf->owners[shelf->blocks[b].run] = (uint32_t)b;
}

struct shelf *shelf_new(uint32_t children)
{
    uint32_t size = children < BLOCK_SIZE ? (children > 0 ? children : 1) : BLOCK_SIZE;
    uint32_t most = children < BLOCK_SIZE ? 1 : children / (BLOCK_SIZE / 8) + 2;
    size_t head = sizeof(struct shelf) + most * sizeof(struct shelf_block), keys = (size_t)most * size;
    size_t each = sizeof(void *) + sizeof(struct shelf_word) + sizeof(uint32_t);
    struct shelf *shelf = mem_alloc0(head + keys * sizeof(uint64_t) + children * each +
                                     most * sizeof(uint32_t));

    shelf->keys = (uint64_t *)(void *)((char *)shelf + head);
    shelf->parts = (struct queue_part **)(void *)(shelf->keys + keys);
    shelf->words = (struct shelf_word *)(void *)(shelf->parts + children);
    shelf->runs = (uint32_t *)(void *)(shelf->words + children);
    shelf->owners = shelf->runs + children;
    shelf->block_size = size;
    shelf->block_most = most;
    shelf->room_for = children;
    while (children > 1 && (children - 1) >> shelf->rank_bits > 0)
        shelf->rank_bits++;
    shelf->rank_mask = ((uint32_t)1 << shelf->rank_bits) - 1;
    for (uint32_t b = 0; b < most; b++)
        shelf->blocks[b].run = b;
    shelf_clear(shelf);
    return shelf;
}

void shelf_clear(struct shelf *shelf)
{
    for (uint32_t b = 0; b < shelf->block_most; b++) {
        uint32_t run = shelf->blocks[b].run;

        shelf->blocks[b] = (struct shelf_block){ .run = run, .need = SHELF_NEVER, .hold = SHELF_NEVER,
                                                 .keys = shelf->keys + (size_t)run * shelf->block_size };
    }
    for (uint32_t i = 0; i < shelf->room_for; i++)
        shelf->runs[i] = SHELF_NONE;
    shelf->block_count = 1;
    number_blocks(shelf, 0);
    shelf->need = shelf->hold = SHELF_NEVER;
    shelf->loose = SHELF_NO_KEY;
}

/* --- where ----------------------------------------------------------------- */

/* The block that should get KEY: the last that does not begin behind it. */
static struct shelf_block *find_block(const struct shelf *shelf, uint64_t key)
{
    uint32_t low = 0, high = shelf->block_count;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (shelf->blocks[middle].keys[0] <= key)
            low = middle;
        else
            high = middle;
    }
    return (struct shelf_block *)(uintptr_t)&shelf->blocks[low];
}

/* How many keys of BLOCK are before KEY. Without a branch: every second would be foreseen wrongly. */
static uint32_t find_index(const struct shelf_block *block, uint64_t key)
{
    const uint64_t *base = block->keys;
    size_t left = block->count;

    while (left > 1) {
        size_t half = left / 2;

        base += half & (0 - (size_t)(base[half - 1] < key));
        left -= half;
    }
    return (uint32_t)(base - block->keys) + (left == 1 && *base < key ? 1u : 0u);
}

/* The block that has the key of RANK. */
static inline struct shelf_block *block_of(const struct shelf *shelf, uint32_t rank)
{
    uint32_t b = shelf->block_count > 1 ? shelf->owners[shelf->runs[rank]] : 0;

    assert(shelf->runs[rank] != SHELF_NONE);
    return (struct shelf_block *)(uintptr_t)&shelf->blocks[b];
}

/* --- the least of all ------------------------------------------------------ */

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

/* Nobody in BLOCK says less than NEED and HOLD: who says as little is the last to be looked at. */
static void sum_block(const struct shelf *shelf, struct shelf_block *block, float need, float hold)
{
    const uint64_t *key = block->keys, *end = key + block->count;
    float least_need = SHELF_NEVER, least_hold = SHELF_NEVER;

    for (; key < end && (least_need > need || least_hold > hold); key++) {
        const struct shelf_word *word = &shelf->words[rank_of(shelf, *key)];

        least_need = lesser(least_need, word->need);
        least_hold = lesser(least_hold, word->hold);
    }
    block->need = least_need;
    block->hold = least_hold;
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

/* One of BLOCK that said NEED and HOLD now says, or there is now one that says, NOW. */
static void change(struct shelf *shelf, struct shelf_block *block, float need, float hold,
                   const struct shelf_word *now)
{
    float need_before = block->need, hold_before = block->hold;

    if ((need <= block->need && now->need > need) || (hold <= block->hold && now->hold > hold)) {
        sum_block(shelf, block, lesser(need_before, now->need), lesser(hold_before, now->hold));
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

/* --- passes ---------------------------------------------------------------- */

#define FROM_COUNTS 1u

static uint32_t counted(const struct shelf_block *block, const struct shelf_word *word)
{
    return word->from & FROM_COUNTS ? (2 * block->passes + FROM_COUNTS - word->from) / 2 : 0;
}

/* What WORD of BLOCK says from now on, after it was counted COUNT times. */
static void say(const struct shelf_block *block, struct shelf_word *word, const struct shelf_entry *entry,
                uint32_t count)
{
    word->need = entry->need;
    word->hold = entry->hold;
    word->most = entry->most;
    word->from = 2 * (block->passes - count) + (entry->counts ? FROM_COUNTS : 0);
}

/* The same of one that was there before; false if its need and hold are what they were. */
static bool say_anew(struct shelf *shelf, struct shelf_block *block, struct shelf_word *word,
                     const struct shelf_entry *entry)
{
    float need = word->need, hold = word->hold;

    say(block, word, entry, counted(block, word));
    if (need == entry->need && hold == entry->hold)
        return false;
    change(shelf, block, need, hold, word);
    return true;
}

uint32_t shelf_counted(const struct shelf *shelf, uint64_t key)
{
    uint32_t rank = rank_of(shelf, key);

    return counted(block_of(shelf, rank), &shelf->words[rank]);
}

/* --- in and out ------------------------------------------------------------ */

/* COUNT keys at the end of BLOCK, which came from SOURCE, are its own. */
static void own(struct shelf *shelf, const struct shelf_block *source, struct shelf_block *block,
                uint32_t count)
{
    for (uint32_t i = block->count - count; i < block->count; i++) {
        uint32_t rank = rank_of(shelf, block->keys[i]);

        shelf->runs[rank] = block->run;
        shelf->words[rank].from += 2 * (block->passes - source->passes);
    }
}

/* A full block gives its second half to a spare one behind it. */
static void split(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);
    struct shelf_block spare = shelf->blocks[shelf->block_count];

    assert(shelf->block_count < shelf->block_most);
    spare.count = block->count / 2;
    spare.passes = block->passes;
    block->count -= spare.count;
    memcpy(spare.keys, &block->keys[block->count], spare.count * sizeof(*spare.keys));
    own(shelf, block, &spare, spare.count);
    sum_block(shelf, &spare, block->need, block->hold);
    sum_block(shelf, block, block->need, block->hold);
    memmove(&shelf->blocks[at + 2], &shelf->blocks[at + 1],
            (shelf->block_count - at - 1) * sizeof(*block));
    shelf->blocks[at + 1] = spare;
    shelf->block_count++;
    number_blocks(shelf, at + 1);
}

/* BLOCK takes in the keys of the one behind it, and that becomes a spare one. */
static void join(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);
    struct shelf_block next = shelf->blocks[at + 1];

    memcpy(&block->keys[block->count], next.keys, next.count * sizeof(*next.keys));
    block->count += next.count;
    own(shelf, &next, block, next.count);
    block->need = lesser(block->need, next.need);
    block->hold = lesser(block->hold, next.hold);
    shelf->block_count--;
    memmove(&shelf->blocks[at + 1], &shelf->blocks[at + 2],
            (shelf->block_count - at - 1) * sizeof(*block));
    next.count = 0;
    shelf->blocks[shelf->block_count] = next;
    number_blocks(shelf, at);
}

static bool fits_with_next(const struct shelf *shelf, size_t at)
{
    uint32_t first = shelf->blocks[at].count, second = shelf->blocks[at + 1].count;

    return first == 0 || second == 0 || first + second <= shelf->block_size * 3 / 4;
}

/* Of two neighbours one has a quarter, and none is empty but the only one: BLOCK_MOST are enough for that. */
static void join_if_few(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);

    if (block->count >= BLOCK_SIZE / 4)
        return;
    if (at + 1 < shelf->block_count && fits_with_next(shelf, at))
        join(shelf, block);
    else if (at > 0 && fits_with_next(shelf, at - 1))
        join(shelf, block - 1);
}

static void enter(struct shelf *shelf, const struct shelf_entry *entry, uint32_t count)
{
    struct shelf_block *block = find_block(shelf, entry->key);
    uint32_t rank = rank_of(shelf, entry->key), index;

    if (block->count == shelf->block_size) {
        split(shelf, block);
        block = find_block(shelf, entry->key);
    }
    index = find_index(block, entry->key);
    memmove(&block->keys[index + 1], &block->keys[index], (block->count - index) * sizeof(*block->keys));
    block->keys[index] = entry->key;
    block->count++;
    shelf->parts[rank] = entry->part;
    shelf->runs[rank] = block->run;
    say(block, &shelf->words[rank], entry, count);
    change(shelf, block, SHELF_NEVER, SHELF_NEVER, &shelf->words[rank]);
}

static void leave(struct shelf *shelf, uint64_t key)
{
    static const struct shelf_word nobody = { .need = SHELF_NEVER, .hold = SHELF_NEVER };
    uint32_t rank = rank_of(shelf, key);
    struct shelf_block *block = block_of(shelf, rank);
    uint32_t index = find_index(block, key);

    block->count--;
    memmove(&block->keys[index], &block->keys[index + 1], (block->count - index) * sizeof(*block->keys));
    shelf->runs[rank] = SHELF_NONE;
    change(shelf, block, shelf->words[rank].need, shelf->words[rank].hold, &nobody);
    join_if_few(shelf, block);
}

/* KEY is to be NOW, within one block: what lies between moves by one. */
static void move_within(struct shelf_block *block, uint64_t key, uint64_t now)
{
    uint64_t *from = &block->keys[find_index(block, key)], *to;

    if ((from == block->keys || from[-1] < now) &&
        (from + 1 == block->keys + block->count || now < from[1])) {
        *from = now;
        return;
    }
    to = &block->keys[find_index(block, now)];
    if (to > from) {
        to--;                           /* the one that leaves was counted */
        memmove(from, from + 1, (size_t)(to - from) * sizeof(*from));
    } else {
        memmove(to + 1, to, (size_t)(from - to) * sizeof(*from));
    }
    *to = now;
}

static struct shelf_entry entry_of(const struct shelf *shelf, uint64_t key)
{
    uint32_t rank = rank_of(shelf, key);
    const struct shelf_word *word = &shelf->words[rank];

    return (struct shelf_entry){ .key = key, .part = shelf->parts[rank], .need = word->need,
                                 .hold = word->hold, .most = word->most,
                                 .counts = word->from & FROM_COUNTS };
}

/* Who is loose goes where its key belongs. */
static void settle(struct shelf *shelf)
{
    uint64_t now = shelf->loose, key = shelf->stands_as;
    uint32_t rank, count;
    struct shelf_block *block;
    struct shelf_entry entry;

    if (now == SHELF_NO_KEY)
        return;
    shelf->loose = SHELF_NO_KEY;
    rank = rank_of(shelf, now);
    block = block_of(shelf, rank);
    if (shelf->block_count == 1 || find_block(shelf, now) == block) {
        move_within(block, key, now);
        return;
    }
    entry = entry_of(shelf, now);
    count = counted(block, &shelf->words[rank]);
    leave(shelf, key);
    enter(shelf, &entry, count);
}

void shelf_enter(struct shelf *shelf, const struct shelf_entry *entry)
{
    settle(shelf);
    enter(shelf, entry, 0);
}

void shelf_leave(struct shelf *shelf, uint64_t key)
{
    settle(shelf);
    leave(shelf, key);
}

void shelf_move(struct shelf *shelf, uint64_t key, const struct shelf_entry *entry)
{
    uint32_t rank = rank_of(shelf, key);

    if (shelf->loose != key) {
        settle(shelf);
        shelf->stands_as = key;
    }
    shelf->loose = entry->key != shelf->stands_as ? entry->key : SHELF_NO_KEY;
    say_anew(shelf, block_of(shelf, rank), &shelf->words[rank], entry);
}

bool shelf_note(struct shelf *shelf, const struct shelf_entry *now)
{
    uint32_t rank = rank_of(shelf, now->key);

    return say_anew(shelf, block_of(shelf, rank), &shelf->words[rank], now);
}

bool shelf_find(const struct shelf *shelf, uint64_t key, struct shelf_entry *ret)
{
    uint64_t standing = key == shelf->loose ? shelf->stands_as : key;
    uint32_t rank = rank_of(shelf, key), index;
    const struct shelf_block *block;

    if (rank >= shelf->room_for || shelf->runs[rank] == SHELF_NONE)
        return false;
    block = block_of(shelf, rank);
    index = find_index(block, standing);
    *ret = entry_of(shelf, key);
    return index < block->count && block->keys[index] == standing &&
           (key == shelf->loose || key != shelf->stands_as || shelf->loose == SHELF_NO_KEY);
}

/* --- in order -------------------------------------------------------------- */

/* Without a branch: which of the three decides is hard to foresee. */
static inline bool passes(const struct shelf_word *word, const struct shelf_filter *filter)
{
    int wants = (double)word->need <= filter->room, unknown = (double)word->most <= filter->standing;

    return wants & (unknown | ((double)word->hold <= filter->node_room));
}

/* Whoever passes first, from INDEX in BLOCK on. */
static struct queue_part *first_from(const struct shelf *shelf, const struct shelf_block *block,
                                     uint32_t index, const struct shelf_filter *filter)
{
    const struct shelf_block *end = &shelf->blocks[shelf->block_count];
    bool by_hold = filter->standing < 0;

    for (; block < end; block++, index = 0) {
        if ((double)block->need > filter->room || (by_hold && (double)block->hold > filter->node_room))
            continue;
        for (; index < block->count; index++) {
            uint32_t rank = rank_of(shelf, block->keys[index]);

            if (passes(&shelf->words[rank], filter))
                return shelf->parts[rank];
        }
    }
    return NULL;
}

/* Is KEY, of who is loose, before all others? */
static bool is_first(const struct shelf *shelf, uint64_t key)
{
    const struct shelf_block *block = shelf->blocks;

    if (block->keys[0] != shelf->stands_as)
        return key < block->keys[0];
    if (block->count > 1)
        return key < block->keys[1];
    return shelf->block_count == 1 || key < block[1].keys[0];
}

struct queue_part *shelf_first(struct shelf *shelf, const struct shelf_filter *filter)
{
    uint64_t loose = shelf->loose;

    if (loose != SHELF_NO_KEY && is_first(shelf, loose) &&
        passes(&shelf->words[rank_of(shelf, loose)], filter))
        return shelf->parts[rank_of(shelf, loose)];
    settle(shelf);
    return first_from(shelf, shelf->blocks, 0, filter);
}

struct queue_part *shelf_after(struct shelf *shelf, uint64_t key,
                               const struct shelf_filter *filter)
{
    const struct shelf_block *block;

    settle(shelf);
    block = find_block(shelf, key);
    return first_from(shelf, block, find_index(block, key + 1), filter);
}

void shelf_pass(struct shelf *shelf, uint64_t key)
{
    uint32_t mask = shelf->rank_mask, served = (uint32_t)key & mask;
    struct shelf_word *words = shelf->words;
    const struct shelf_block *block;

    if (shelf->loose != SHELF_NO_KEY && rank_of(shelf, shelf->loose) != served)
        settle(shelf);
    block = find_block(shelf, key);
    for (struct shelf_block *before = shelf->blocks; before < block; before++)
        before->passes++;
    if (shelf->block_count > 1 && shelf->runs[served] != SHELF_NONE && block_of(shelf, served) < block)
        words[served].from += 2;        /* wherever it is by now, nobody is counted for itself */
    for (const uint64_t *before = block->keys, *end = before + block->count; before < end && *before < key;
         before++) {
        uint32_t rank = (uint32_t)*before & mask;

        words[rank].from -= rank != served ? 2 : 0;
    }
}

float shelf_standing(const struct shelf *shelf)
{
    float standing = SHELF_NEVER;

    for (uint32_t b = 0; b < shelf->block_count; b++)
        for (uint32_t i = 0; i < shelf->blocks[b].count; i++) {
            const struct shelf_word *word = &shelf->words[rank_of(shelf, shelf->blocks[b].keys[i])];

            standing = lesser(standing, word->most >= 0 ? word->most : word->need);
        }
    return standing;
}
