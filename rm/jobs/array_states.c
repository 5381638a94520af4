/* SPDX-License-Identifier: Apache-2.0 */
/* array_states.c - stores the states of the tasks of a job array, two bits for each task */
#include "rm/jobs/array_states.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

enum { PACKED_RUNS = 1, PACKED_BITS = 2 }; /* the first byte of the encoded states: their encoding */

size_t array_states_bytes(uint32_t count)
{
    return ((size_t)count + 3) / 4;
}

void array_states_init(struct array_states *states, uint32_t count)
{
    *states = (struct array_states){ .count = count, .counts = { [ARRAY_TASK_WAITS] = count } };
}

static void make_bits(struct array_states *states)
{
    if (states->bits == NULL)
        states->bits = mem_alloc0(array_states_bytes(states->count) + 1);
}

void array_states_done(struct array_states *states)
{
    free(states->bits);
    *states = (struct array_states){ .count = 0 };
}

enum array_task array_states_get(const struct array_states *states, uint32_t position)
{
    if (states->bits == NULL)
        return ARRAY_TASK_WAITS;
    return (enum array_task)(states->bits[position / 4] >> (position % 4 * 2) & 3);
}

void array_states_set(struct array_states *states, uint32_t position, enum array_task state)
{
    unsigned shift = position % 4 * 2;
    uint8_t *byte;

    if (states->bits == NULL && state == ARRAY_TASK_WAITS)
        return;
    make_bits(states);
    byte = &states->bits[position / 4];
    states->counts[array_states_get(states, position)]--;
    states->counts[state]++;
    *byte = (uint8_t)((*byte & ~(3u << shift)) | (unsigned)state << shift);
    if (state == ARRAY_TASK_WAITS && position < states->next)
        states->next = position;
}

bool array_states_next(struct array_states *states, uint32_t *position)
{
    if (states->counts[ARRAY_TASK_WAITS] == 0)
        return false;
    while (array_states_get(states, states->next) != ARRAY_TASK_WAITS)
        states->next++;
    *position = states->next;
    return true;
}

/* --- packed ------------------------------------------------------------------- */

static enum array_task stored_state(const struct array_states *states, uint32_t position)
{
    enum array_task state = array_states_get(states, position);

    return state == ARRAY_TASK_LIVE ? ARRAY_TASK_WAITS : state;
}

/* Encodes a run of LENGTH tasks in STATE as a variable-length number, seven bits in a byte, with STATE in the
 * lowest two bits. Returns the number of bytes written. */
static size_t put_run(uint8_t *at, uint32_t length, enum array_task state)
{
    uint64_t value = (uint64_t)length << 2 | (unsigned)state;
    size_t size = 0;

    do {
        at[size++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
    return size;
}

static uint8_t *pack_bits(const struct array_states *states, size_t *size)
{
    struct array_states copy;
    uint8_t *packed;

    array_states_init(&copy, states->count);
    for (uint32_t i = 0; i < states->count; i++)
        array_states_set(&copy, i, stored_state(states, i));
    make_bits(&copy);
    *size = array_states_bytes(states->count) + 1;
    packed = mem_alloc(*size);
    packed[0] = PACKED_BITS;
    memcpy(packed + 1, copy.bits, *size - 1);
    array_states_done(&copy);
    return packed;
}

uint8_t *array_states_pack(const struct array_states *states, size_t *size)
{
    size_t room = states->bits ? array_states_bytes(states->count) + 16 : 16;
    uint8_t *packed = mem_alloc(room);

    packed[0] = PACKED_RUNS;
    *size = 1;
    if (states->bits == NULL && states->count > 0) {
        *size += put_run(packed + 1, states->count, ARRAY_TASK_WAITS);
        return packed;
    }
    for (uint32_t i = 0, length; i < states->count; i += length) {
        enum array_task state = stored_state(states, i);

        for (length = 1; i + length < states->count && stored_state(states, i + length) == state; length++)
            ;
        if (*size + 8 > room) { /* the plain bits are shorter */
            free(packed);
            return pack_bits(states, size);
        }
        *size += put_run(packed + *size, length, state);
    }
    return packed;
}

static bool parse_run(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift <= 35; shift += 7) {
        uint8_t byte = *(*at)++;

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool unpack_runs(struct array_states *states, const uint8_t *at, const uint8_t *end)
{
    uint32_t position = 0;
    uint64_t run;

    while (at < end) {
        if (!parse_run(&at, end, &run) || run >> 2 == 0 || run >> 2 > states->count - position ||
            (run & 3) == ARRAY_TASK_LIVE)
            return false;
        for (uint64_t length = run >> 2; length > 0; length--)
            array_states_set(states, position++, (enum array_task)(run & 3));
    }
    return position == states->count;
}

static bool unpack_bits(struct array_states *states, const uint8_t *bytes, size_t size)
{
    if (size != array_states_bytes(states->count))
        return false;
    for (uint32_t i = 0; i < states->count; i++) {
        unsigned state = bytes[i / 4] >> (i % 4 * 2) & 3;

        if (state == ARRAY_TASK_LIVE)
            return false;
        array_states_set(states, i, (enum array_task)state);
    }
    return true;
}

bool array_states_unpack(struct array_states *states, const uint8_t *bytes, size_t size)
{
    uint32_t count = states->count;
    bool good = size > 0 && (bytes[0] == PACKED_RUNS   ? unpack_runs(states, bytes + 1, bytes + size)
                             : bytes[0] == PACKED_BITS ? unpack_bits(states, bytes + 1, size - 1)
                                                       : false);

    if (good)
        return true;
    array_states_done(states);
    array_states_init(states, count);
    return false;
}
