/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marks.c - turns picks into marks: a container gets a notice once, and is killed if picked after the wait
 * (7.6)
 *
 * The records are in a hash table with open addressing. When an entry is removed, the entries after it move
 * up, so that the table is never rebuilt.
 */
#include <assert.h>

#include "common/base/mem.h"
#include "rm/sched/preempt/internal.h"

static size_t home_of(const struct preempt *preempt, uint64_t id)
{
    id = (id ^ (id >> 33)) * 0xff51afd7ed558ccdULL;
    id = (id ^ (id >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return (size_t)(id ^ (id >> 33)) & (preempt->slot_count - 1);
}

/* Returns the slot where ID is, or would be inserted. */
static size_t slot_of(const struct preempt *preempt, uint64_t id)
{
    size_t at = home_of(preempt, id);

    while (preempt->slots[at].taken && preempt->slots[at].id != id)
        at = (at + 1) & (preempt->slot_count - 1);
    return at;
}

/* Makes room for MORE entries, with half of the slots free. */
static void grow(struct preempt *preempt, size_t more)
{
    struct memory *old = preempt->slots;
    size_t old_count = preempt->slot_count, wanted = preempt->remembered + more;

    if (2 * wanted <= old_count)
        return;
    preempt->slot_count = old_count > 0 ? old_count : 256;
    while (preempt->slot_count < 2 * wanted)
        preempt->slot_count *= 2;
    preempt->slots = mem_array0(preempt->slot_count, sizeof(struct memory));
    for (size_t i = 0; i < old_count; i++)
        if (old[i].taken)
            preempt->slots[slot_of(preempt, old[i].id)] = old[i];
    free(old);
}

struct memory *marks_find(const struct preempt *preempt, uint64_t id)
{
    struct memory *memory;

    if (preempt->slot_count == 0)
        return NULL;
    memory = &preempt->slots[slot_of(preempt, id)];
    return memory->taken ? memory : NULL;
}

struct memory *marks_add(struct preempt *preempt, uint64_t id)
{
    struct memory *memory = marks_find(preempt, id);

    if (memory != NULL)
        return memory;
    if (preempt->remembered >= PREEMPT_REMEMBERED_MAX)
        return NULL;
    grow(preempt, 1);
    memory = &preempt->slots[slot_of(preempt, id)];
    *memory = (struct memory){ .id = id, .taken = true };
    preempt->remembered++;
    return memory;
}

/* Removes the entry at HOLE. Entries after it in the same run move up if that does not bring them before
 * their home slot. */
static void remove_slot(struct preempt *preempt, size_t hole)
{
    size_t mask = preempt->slot_count - 1;

    assert(preempt->slots[hole].taken);
    preempt->remembered--;
    for (size_t at = (hole + 1) & mask; preempt->slots[at].taken; at = (at + 1) & mask) {
        size_t home = home_of(preempt, preempt->slots[at].id);

        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        preempt->slots[hole] = preempt->slots[at];
        hole = at;
    }
    preempt->slots[hole].taken = false;
}

void preempt_forget(struct preempt *preempt, uint64_t id)
{
    struct memory *memory = marks_find(preempt, id);

    if (memory != NULL)
        remove_slot(preempt, (size_t)(memory - preempt->slots));
}

bool preempt_is_picked(const struct preempt *preempt, uint64_t id)
{
    const struct memory *memory = marks_find(preempt, id);

    return memory != NULL && memory->round == preempt->round;
}

bool preempt_gainer(const struct preempt *preempt, uint64_t id, uint32_t *gainer)
{
    const struct memory *memory = marks_find(preempt, id);

    if (memory == NULL || !memory->marked)
        return false;
    *gainer = memory->round == preempt->round ? memory->gainer : PREEMPT_NONE;
    return true;
}

size_t preempt_remembered(const struct preempt *preempt)
{
    return preempt->remembered;
}

/* --- acting on picks --------------------------------------------------------------- */

static struct preempt_mark *add_mark(struct preempt_marks *marks, const struct pick *pick,
                                     enum preempt_act act)
{
    struct preempt_mark *mark;

    mem_grow(marks->items, marks->count, marks->capacity);
    mark = &marks->items[marks->count++];
    *mark = (struct preempt_mark){
        .container = pick->container.handle,
        .app = pick->container.app,
        .id = pick->container.id,
        .act = act,
        .selector = pick->selector,
        .reserved = pick->container.reserved,
        .leaf = pick->container.leaf,
        .gainer = pick->gainer,
    };
    return mark;
}

static void act_on(struct preempt *preempt, const struct pick *pick, struct preempt_marks *marks)
{
    const struct preempt_settings *settings = &preempt->settings;
    int64_t wait_ms = pick->selector == PREEMPT_BY_BALANCE ? settings->balance_wait_ms : settings->wait_ms;
    struct memory *memory = marks_add(preempt, pick->container.id);

    if (memory == NULL) /* table full: wait for a later round */
        return;
    memory->round = preempt->round;
    memory->gainer = pick->gainer;
    /* Differs: YARN kills by the wait that is configured now, regardless of the announced time. creel
     * announces an earlier time first. */
    if (!memory->marked || memory->wait_ms > wait_ms) {
        struct preempt_mark *mark = add_mark(marks, pick, PREEMPT_NOTIFY);

        memory->marked = true;
        memory->container = pick->container.reserved ? NULL : pick->container.handle;
        memory->first_ms = preempt->now_ms;
        memory->wait_ms = wait_ms;
        mark->kill_ms = wait_ms > INT64_MAX - preempt->now_ms ? INT64_MAX : preempt->now_ms + wait_ms;
    } else if (preempt->now_ms - memory->first_ms >= wait_ms) {
        add_mark(marks, pick, PREEMPT_KILL);
        remove_slot(preempt, (size_t)(memory - preempt->slots));
    }
}

/* Returns true if the record is older than twice the wait, or was only picked and never marked.
 * Differs: a mark for balance is kept for twice its own wait, so that the container can be killed. In YARN it
 * is removed after twice the shorter wait, and announced again. */
static bool is_stale(const struct preempt *preempt, const struct memory *memory)
{
    return !memory->marked || preempt->now_ms - memory->first_ms - memory->wait_ms > memory->wait_ms;
}

/* Differs: YARN's application master is not informed that the record was dropped. */
static void withdraw(struct preempt *preempt, size_t slot, struct preempt_marks *marks)
{
    const struct memory *memory = &preempt->slots[slot];

    if (memory->container) {
        mem_grow(marks->items, marks->count, marks->capacity);
        marks->items[marks->count++] = (struct preempt_mark){
            .container = memory->container,
            .id = memory->id,
            .act = PREEMPT_WITHDRAW,
            .leaf = PREEMPT_NONE,
            .gainer = PREEMPT_NONE,
        };
    }
    remove_slot(preempt, slot);
}

void preempt_withdraw_all(struct preempt *preempt, struct preempt_marks *marks)
{
    for (size_t i = 0; i < preempt->slot_count;)
        if (preempt->slots[i].taken)
            withdraw(preempt, i, marks);
        else
            i++;
}

void marks_act(struct preempt *preempt, struct preempt_marks *marks)
{
    size_t room = PREEMPT_REMEMBERED_MAX - preempt->remembered;

    if (!preempt->settings.observe_only)
        grow(preempt, preempt->picks.count < room ? preempt->picks.count : room);
    for (size_t i = 0; i < preempt->picks.count && !preempt->settings.observe_only; i++) {
        const struct pick *pick = &preempt->picks.items[i];

        if (pick->release)
            add_mark(marks, pick, PREEMPT_RELEASE);
        else
            act_on(preempt, pick, marks);
    }
    for (size_t i = 0; i < preempt->slot_count;)
        if (preempt->slots[i].taken && is_stale(preempt, &preempt->slots[i]))
            withdraw(preempt, i, marks);
        else
            i++;
}
