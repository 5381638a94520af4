/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - blocks of children, and what is said of them */
#include "rm/sched/capacity/shelf.h"

#include <assert.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "rm/sched/capacity/lanes.h"

#define BLOCK_BITS 6
#define BLOCK_SIZE (1u << BLOCK_BITS)   /* children; two neighbours that have three quarters of that join */
#define BLOCK_JOINS (BLOCK_SIZE * 3 / 4)
#define NOT_KNOWN 0.0                   /* less than any key */

static uint32_t rank_of(const struct shelf *shelf, uint64_t key)
{
    return (uint32_t)key & shelf->rank_mask;
}

static uint32_t rank_of_number(const struct shelf *shelf, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    return rank_of(shelf, bits);
}

/* Blocks from FROM on are others. */
static void number_blocks(struct shelf *shelf, size_t from)
{
    for (size_t b = from; b < shelf->block_count; b++)
        shelf->owners[shelf->blocks[b].run] = (uint32_t)b;
}

static void empty_place(const struct shelf_block *block, uint32_t place)
{
    block->keys[place] = INFINITY;
    block->needs[place] = block->holds[place] = block->mosts[place] = SHELF_NEVER;
}

/* The arrays of a block, one behind the other. Returns what is behind them. */
static char *lay_out(struct shelf_block *block, char *memory, uint32_t size)
{
    block->keys = (double *)(void *)memory;
    block->needs = (float *)(void *)(block->keys + size);
    block->holds = block->needs + size;
    block->mosts = block->holds + size;
    block->froms = (uint32_t *)(void *)(block->mosts + size);
    return (char *)(block->froms + size);
}

static void lay_out_all(struct shelf *shelf, char *memory, uint32_t children, uint32_t size, uint32_t most)
{
    shelf->block_size = size;
    shelf->block_most = most;
    for (uint32_t b = 0; b < most; b++) {
        shelf->blocks[b].run = b;
        memory = lay_out(&shelf->blocks[b], memory, size);
    }
    shelf->parts = (struct queue_part **)(void *)memory;
    shelf->where = (uint32_t *)(void *)(shelf->parts + children);
    shelf->owners = shelf->where + children;
}

static size_t whole_lanes(size_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

struct shelf *shelf_new(uint32_t children)
{
    size_t size = children < BLOCK_SIZE ? whole_lanes(children > 0 ? children : 1) : BLOCK_SIZE;
    uint32_t most = children <= BLOCK_SIZE ? 1 : 2 * children / BLOCK_JOINS + 3;
    size_t run = size * (sizeof(double) + 3 * sizeof(float) + sizeof(uint32_t));
    size_t head = sizeof(struct shelf) + most * sizeof(struct shelf_block);
    size_t behind = children * (sizeof(void *) + sizeof(uint32_t)) + most * sizeof(uint32_t);
    struct shelf *shelf;

    head = (head + LANES_ALIGNMENT - 1) / LANES_ALIGNMENT * LANES_ALIGNMENT;
    shelf = mem_aligned0(LANES_ALIGNMENT, head + most * run + behind);
    lay_out_all(shelf, (char *)shelf + head, children, (uint32_t)size, most);
    shelf->room_for = children;
    while (children > 1 && (children - 1) >> shelf->rank_bits > 0)
        shelf->rank_bits++;
    shelf->rank_mask = ((uint32_t)1 << shelf->rank_bits) - 1;
    shelf_clear(shelf);
    return shelf;
}

void shelf_clear(struct shelf *shelf)
{
    for (uint32_t b = 0; b < shelf->block_most; b++) {
        struct shelf_block *block = &shelf->blocks[b];

        block->count = block->passes = 0;
        block->bound = block->first = NOT_KNOWN;
        block->need = block->hold = SHELF_NEVER;
        for (uint32_t i = 0; i < shelf->block_size; i++)
            empty_place(block, i);
    }
    for (uint32_t i = 0; i < shelf->room_for; i++)
        shelf->where[i] = SHELF_NONE;
    shelf->block_count = 1;
    shelf->count = shelf->counting = 0;
    number_blocks(shelf, 0);
    shelf->need = shelf->hold = SHELF_NEVER;
}

/* --- where ----------------------------------------------------------------- */

/* The block that should have KEY: the last that is not bound to have what is behind it. */
static struct shelf_block *find_block(const struct shelf *shelf, double key)
{
    uint32_t low = 0, high = shelf->block_count;

    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        if (shelf->blocks[middle].bound <= key)
            low = middle;
        else
            high = middle;
    }
    return (struct shelf_block *)(uintptr_t)&shelf->blocks[low];
}

/* The block that has the child of RANK, and at which place. */
static inline struct shelf_block *block_of(const struct shelf *shelf, uint32_t rank, uint32_t *place)
{
    uint32_t where = shelf->where[rank], b = 0;

    assert(where != SHELF_NONE);
    *place = where % BLOCK_SIZE;
    if (shelf->block_count > 1)
        b = shelf->owners[where >> BLOCK_BITS];
    return (struct shelf_block *)(uintptr_t)&shelf->blocks[b];
}

static inline bool belongs(const struct shelf *shelf, const struct shelf_block *block, double key)
{
    const struct shelf_block *end = &shelf->blocks[shelf->block_count - 1];

    return shelf->block_count == 1 || (key >= block->bound && (block == end || key < block[1].bound));
}

/* --- the least of all ------------------------------------------------------ */

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static uint32_t vectors_of(const struct shelf_block *block)
{
    return (block->count + LANES - 1) / LANES;
}

static void sum_block(struct shelf_block *block)
{
    lane_floats need = lanes_of_float(SHELF_NEVER), hold = need;
    uint32_t vectors = vectors_of(block);

    for (uint32_t i = 0; i < vectors; i++) {
        need = lanes_lesser(need, *lanes_floats(block->needs, i));
        hold = lanes_lesser(hold, *lanes_floats(block->holds, i));
    }
    block->need = lanes_least(need);
    block->hold = lanes_least(hold);
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
                   const struct shelf_entry *now)
{
    float need_before = block->need, hold_before = block->hold;

    if ((need <= block->need && now->need > need) || (hold <= block->hold && now->hold > hold)) {
        sum_block(block);
    } else {
        block->need = lesser(block->need, now->need);
        block->hold = lesser(block->hold, now->hold);
    }
    if (shelf->block_count == 1) {
        shelf->need = block->need;
        shelf->hold = block->hold;
    } else if ((need_before <= shelf->need && block->need > need_before) ||
        (hold_before <= shelf->hold && block->hold > hold_before)) {
        sum_up(shelf);
    } else {
        shelf->need = lesser(shelf->need, block->need);
        shelf->hold = lesser(shelf->hold, block->hold);
    }
}

static double first_of(struct shelf_block *block)
{
    lane_doubles first = lanes_of_double(INFINITY), second = first;
    uint32_t vectors = vectors_of(block);

    if (block->first > NOT_KNOWN)
        return block->first;
    for (uint32_t i = 0; i < vectors; i++) {
        first = lanes_lesser_double(first, *lanes_doubles(block->keys, 2 * i));
        second = lanes_lesser_double(second, *lanes_doubles(block->keys, 2 * i + 1));
    }
    block->first = lanes_least_double(lanes_lesser_double(first, second));
    return block->first;
}

/* --- passes ---------------------------------------------------------------- */

#define FROM_COUNTS 1u

static uint32_t counted(const struct shelf_block *block, uint32_t place)
{
    uint32_t from = block->froms[place];

    return from & FROM_COUNTS ? (2 * block->passes + FROM_COUNTS - from) / 2 : 0;
}

/* What the child at PLACE of BLOCK says from now on, after it was counted COUNT times. */
static inline void say(struct shelf *shelf, const struct shelf_block *block, uint32_t place,
                const struct shelf_entry *entry, uint32_t count)
{
    shelf->counting += (entry->counts ? 1u : 0u) - (block->froms[place] & FROM_COUNTS);
    block->needs[place] = entry->need;
    block->holds[place] = entry->hold;
    block->mosts[place] = entry->most;
    block->froms[place] = 2 * (block->passes - count) + (entry->counts ? FROM_COUNTS : 0);
}

/* The same of one that was there before; false if its need and hold are what they were. */
static inline bool say_anew(struct shelf *shelf, struct shelf_block *block, uint32_t place,
                     const struct shelf_entry *entry)
{
    float need = block->needs[place], hold = block->holds[place];

    say(shelf, block, place, entry, counted(block, place));
    if (need == entry->need && hold == entry->hold)
        return false;
    change(shelf, block, need, hold, entry);
    return true;
}

uint32_t shelf_counted(const struct shelf *shelf, uint64_t key)
{
    uint32_t place;
    const struct shelf_block *block = block_of(shelf, rank_of(shelf, key), &place);

    return counted(block, place);
}

/* --- in and out ------------------------------------------------------------ */

/* What stands at FROM of SOURCE stands at TO of BLOCK, too; how often it was counted stays. */
static void copy_place(struct shelf *shelf, const struct shelf_block *source, uint32_t from,
                       const struct shelf_block *block, uint32_t to)
{
    block->keys[to] = source->keys[from];
    block->needs[to] = source->needs[from];
    block->holds[to] = source->holds[from];
    block->mosts[to] = source->mosts[from];
    block->froms[to] = source->froms[from] + 2 * (block->passes - source->passes);
    shelf->where[rank_of_number(shelf, block->keys[to])] = block->run << BLOCK_BITS | to;
}

/* The last comes to PLACE, which is nobody's any more. */
static void close_gap(struct shelf *shelf, struct shelf_block *block, uint32_t place)
{
    if (block->keys[place] <= block->first)
        block->first = NOT_KNOWN;
    block->count--;
    if (place < block->count)
        copy_place(shelf, block, block->count, block, place);
    empty_place(block, block->count);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Half of BLOCK's keys are below. */
static double middle_of(const struct shelf_block *block)
{
    double sorted[BLOCK_SIZE];

    memcpy(sorted, block->keys, sizeof(sorted));
    qsort(sorted, BLOCK_SIZE, sizeof(sorted[0]), compare_numbers);
    return sorted[BLOCK_SIZE / 2];
}

/* A full block gives those from its middle on to a spare one behind it. */
static void split(struct shelf *shelf, struct shelf_block *block)
{
    size_t at = (size_t)(block - shelf->blocks);
    struct shelf_block spare = shelf->blocks[shelf->block_count];

    assert(shelf->block_count < shelf->block_most);
    spare.passes = block->passes;
    spare.bound = spare.first = middle_of(block);
    for (uint32_t place = block->count; place-- > 0;)
        if (block->keys[place] >= spare.bound) {
            copy_place(shelf, block, place, &spare, spare.count++);
            close_gap(shelf, block, place);
        }
    sum_block(&spare);
    sum_block(block);
    memmove(&shelf->blocks[at + 2], &shelf->blocks[at + 1],
            (shelf->block_count - at - 1) * sizeof(*block));
    shelf->blocks[at + 1] = spare;
    shelf->block_count++;
    number_blocks(shelf, at + 1);
}

/* The block AT takes in the children of the one behind it, and that becomes a spare one. */
static void join(struct shelf *shelf, size_t at)
{
    struct shelf_block *block = &shelf->blocks[at], next = block[1];

    for (uint32_t place = 0; place < next.count; place++) {
        copy_place(shelf, &next, place, block, block->count++);
        empty_place(&next, place);
    }
    block->first = NOT_KNOWN;
    block->need = lesser(block->need, next.need);
    block->hold = lesser(block->hold, next.hold);
    shelf->block_count--;
    memmove(&shelf->blocks[at + 1], &shelf->blocks[at + 2],
            (shelf->block_count - at - 1) * sizeof(*block));
    next.count = 0;
    shelf->blocks[shelf->block_count] = next;
    number_blocks(shelf, at);
}

/* Any two neighbours have more than BLOCK_JOINS: so BLOCK_MOST are enough. */
static void join_if_few(struct shelf *shelf, size_t at)
{
    if (at + 1 < shelf->block_count &&
        shelf->blocks[at].count + shelf->blocks[at + 1].count <= BLOCK_JOINS)
        join(shelf, at);
}

static void join_around(struct shelf *shelf, size_t at)
{
    join_if_few(shelf, at);
    if (at > 0)
        join_if_few(shelf, at - 1);
}

static void enter(struct shelf *shelf, const struct shelf_entry *entry, uint32_t count)
{
    double key = shelf_number(entry->key);
    struct shelf_block *block = find_block(shelf, key);
    uint32_t rank = rank_of(shelf, entry->key), place;

    if (block->count == shelf->block_size) {
        size_t at = (size_t)(block - shelf->blocks);

        split(shelf, block);
        join_around(shelf, at + 1);
        join_around(shelf, at);
        block = find_block(shelf, key);
    }
    place = block->count++;
    block->keys[place] = key;
    block->first = key < block->first ? key : block->first;
    block->froms[place] = 0;
    shelf->count++;
    shelf->parts[rank] = entry->part;
    shelf->where[rank] = block->run << BLOCK_BITS | place;
    say(shelf, block, place, entry, count);
    change(shelf, block, SHELF_NEVER, SHELF_NEVER, entry);
}

static void leave(struct shelf *shelf, uint64_t key)
{
    static const struct shelf_entry nobody = { .need = SHELF_NEVER, .hold = SHELF_NEVER };
    uint32_t rank = rank_of(shelf, key), place;
    struct shelf_block *block = block_of(shelf, rank, &place);
    float need = block->needs[place], hold = block->holds[place];

    shelf->counting -= block->froms[place] & FROM_COUNTS;
    shelf->count--;
    shelf->where[rank] = SHELF_NONE;
    close_gap(shelf, block, place);
    change(shelf, block, need, hold, &nobody);
    join_around(shelf, (size_t)(block - shelf->blocks));
}

void shelf_enter(struct shelf *shelf, const struct shelf_entry *entry)
{
    enter(shelf, entry, 0);
}

void shelf_leave(struct shelf *shelf, uint64_t key)
{
    leave(shelf, key);
}

/* The child at PLACE of BLOCK, which stays there, gets another KEY. */
static void change_key(struct shelf_block *block, uint32_t place, double key)
{
    if (key <= block->first)
        block->first = key;
    else if (block->keys[place] <= block->first)
        block->first = NOT_KNOWN;
    block->keys[place] = key;
}

void shelf_move(struct shelf *shelf, uint64_t key, const struct shelf_entry *entry)
{
    uint32_t place, count;
    struct shelf_block *block = block_of(shelf, rank_of(shelf, key), &place);
    double now = shelf_number(entry->key);

    if (belongs(shelf, block, now)) {
        change_key(block, place, now);
        say_anew(shelf, block, place, entry);
        return;
    }
    count = counted(block, place);
    leave(shelf, key);
    enter(shelf, entry, count);
}

bool shelf_note(struct shelf *shelf, const struct shelf_entry *now)
{
    uint32_t place;
    struct shelf_block *block = block_of(shelf, rank_of(shelf, now->key), &place);

    return say_anew(shelf, block, place, now);
}

bool shelf_find(const struct shelf *shelf, uint64_t key, struct shelf_entry *ret)
{
    uint32_t rank = rank_of(shelf, key), place;
    const struct shelf_block *block;

    if (rank >= shelf->room_for || shelf->where[rank] == SHELF_NONE)
        return false;
    block = block_of(shelf, rank, &place);
    *ret = (struct shelf_entry){ .key = key, .part = shelf->parts[rank], .need = block->needs[place],
                                 .hold = block->holds[place], .most = block->mosts[place],
                                 .counts = block->froms[place] & FROM_COUNTS };
    return block->keys[place] == shelf_number(key) && belongs(shelf, block, block->keys[place]) &&
           (block->first == NOT_KNOWN || block->first <= block->keys[place]);
}

/* --- in order -------------------------------------------------------------- */

static bool passes(const struct shelf_block *block, uint32_t place, const struct shelf_filter *filter)
{
    return (double)block->needs[place] <= filter->room &&
           ((double)block->mosts[place] <= filter->standing ||
            (double)block->holds[place] <= filter->node_room);
}

/* The filter as floats: what is between two of them may count as the larger, and lets pass whoever says just
 * that. */
struct lane_filter {
    lane_floats room, node_room, standing;
};

static inline lane_words fails(const struct shelf_block *block, uint32_t i, const struct lane_filter *filter)
{
    return (*lanes_floats(block->needs, i) > filter->room) |
           ((*lanes_floats(block->mosts, i) > filter->standing) &
            (*lanes_floats(block->holds, i) > filter->node_room));
}

/* The least key of BLOCK's, behind BEHIND, that passes; infinite if none does. */
static double first_passing(const struct shelf_block *block, double behind, const struct lane_filter *filter)
{
    lane_doubles least = lanes_of_double(INFINITY), before = lanes_of_double(behind);

    for (uint32_t i = 0; i < vectors_of(block); i++) {
        lane_doubles low = *lanes_doubles(block->keys, 2 * i), high = *lanes_doubles(block->keys, 2 * i + 1);
        lane_words failing = fails(block, i, filter);

        low = lanes_spoil(lanes_low(failing) | (lane_words)(low <= before), low);
        high = lanes_spoil(lanes_high(failing) | (lane_words)(high <= before), high);
        least = lanes_lesser_double(high, lanes_lesser_double(low, least));
    }
    return lanes_least_double(least);
}

/* Whoever passes first, behind BEHIND, which is BLOCK's, and in those behind it. */
static struct queue_part *first_from(const struct shelf *shelf, const struct shelf_block *block,
                                     double behind, const struct shelf_filter *filter)
{
    const struct shelf_block *end = &shelf->blocks[shelf->block_count];
    const struct lane_filter lanes = {
        lanes_of_float((float)filter->room), lanes_of_float((float)filter->node_room),
        lanes_of_float((float)filter->standing),
    };
    bool by_hold = filter->standing < 0;

    for (; block < end; block++) {
        double key;

        if ((double)block->need > filter->room || (by_hold && (double)block->hold > filter->node_room))
            continue;
        key = first_passing(block, behind, &lanes);
        if (key < (double)INFINITY)
            return shelf->parts[rank_of_number(shelf, key)];
    }
    return NULL;
}

struct queue_part *shelf_first(struct shelf *shelf, const struct shelf_filter *filter)
{
    if (shelf->blocks[0].count > 0) {
        uint32_t rank = rank_of_number(shelf, first_of(shelf->blocks)), place;
        const struct shelf_block *block = block_of(shelf, rank, &place);

        if (passes(block, place, filter))
            return shelf->parts[rank];          /* so it is, mostly, where all ask for the same */
    }
    return first_from(shelf, shelf->blocks, NOT_KNOWN, filter);
}

struct queue_part *shelf_after(const struct shelf *shelf, uint64_t key, const struct shelf_filter *filter)
{
    double behind = shelf_number(key);

    return first_from(shelf, find_block(shelf, behind), behind, filter);
}

/* Those of BLOCK before BEHIND were counted once more. */
static void count_before(const struct shelf_block *block, double behind)
{
    lane_doubles most = lanes_of_double(behind);
    uint32_t vectors = vectors_of(block);
    const double *keys = block->keys;
    uint32_t *froms = block->froms;

    for (uint32_t i = 0; i < vectors; i++) {
        lane_words before = lanes_join((lane_words)(*lanes_doubles(keys, 2 * i) < most),
                                       (lane_words)(*lanes_doubles(keys, 2 * i + 1) < most));

        *lanes_words(froms, i) += before + before;      /* two less where it is so */
    }
}

void shelf_pass(struct shelf *shelf, uint64_t key)
{
    uint32_t rank = rank_of(shelf, key), place = 0, from = 0;
    struct shelf_block *block, *served = NULL;
    double behind = shelf_number(key);

    if (shelf->counting == 0)
        return;
    block = find_block(shelf, behind);
    if (block == shelf->blocks && behind <= first_of(block))
        return;                         /* nobody was passed over */
    for (struct shelf_block *before = shelf->blocks; before < block; before++)
        before->passes++;
    if (shelf->where[rank] != SHELF_NONE) {
        served = block_of(shelf, rank, &place);
        from = served->froms[place] + (served < block ? 2 : 0);
    }
    count_before(block, behind);
    if (served)
        served->froms[place] = from;    /* wherever it is by now, nobody is counted for itself */
}

float shelf_standing(const struct shelf *shelf)
{
    lane_floats standing = lanes_of_float(SHELF_NEVER), zero = lanes_of_float(0);

    for (uint32_t b = 0; b < shelf->block_count; b++)
        for (uint32_t i = 0; i < vectors_of(&shelf->blocks[b]); i++) {
            lane_floats most = *lanes_floats(shelf->blocks[b].mosts, i);
            lane_floats need = *lanes_floats(shelf->blocks[b].needs, i);

            standing = lanes_lesser(lanes_choose(most >= zero, most, need), standing);
        }
    return lanes_least(standing);
}
