/* SPDX-License-Identifier: Apache-2.0 */
/* task_results.c - the results of the tasks that have ended, as bytes for the next attempt */
#include "common/base/job/task_results.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define VERSION 1
#define FORM_RUNS 0
#define FORM_BITMAP 1
#define VARINT_MAX 5 /* bytes of a number of 32 bits */

/* --- writing ---------------------------------------------------------------- */

struct writer {
    uint8_t *bytes; /* NULL: only counts */
    size_t size;
};

static void put_byte(struct writer *writer, uint8_t byte)
{
    if (writer->bytes)
        writer->bytes[writer->size] = byte;
    writer->size++;
}

static void put_number(struct writer *writer, uint32_t number)
{
    for (; number >= 0x80; number >>= 7)
        put_byte(writer, (uint8_t)(number | 0x80));
    put_byte(writer, (uint8_t)number);
}

static size_t bitmap_bytes(uint32_t count)
{
    return ((size_t)count + 7) / 8;
}

size_t task_results_least(uint32_t count)
{
    return 1 + VARINT_MAX + 1 + bitmap_bytes(count);
}

/* Writes the failures of the first END tasks. */
static void put_failures(struct writer *writer, const int16_t *results, uint32_t end)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < end; i++) {
        if (results[i] <= 0)
            continue;
        put_number(writer, i - next);
        put_byte(writer, (uint8_t)results[i]);
        next = i + 1;
    }
}

/* Returns a number of tasks, from task 0 on: the failures of these tasks fit into ROOM bytes. */
static uint32_t failures_that_fit(const int16_t *results, uint32_t count, size_t room)
{
    struct writer counted = { .bytes = NULL };
    uint32_t next = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (results[i] <= 0)
            continue;
        put_number(&counted, i - next);
        put_byte(&counted, 0);
        if (counted.size > room)
            return i;
        next = i + 1;
    }
    return count;
}

/* Returns whether task INDEX is written as ended. A failed task from END on is written as not ended. */
static bool has_ended(const int16_t *results, uint32_t index, uint32_t end)
{
    return results[index] == 0 || (results[index] > 0 && index < end);
}

/* Writes the runs. Stops early if WRITER has more than MOST bytes. */
static void put_runs(struct writer *writer, const int16_t *results, uint32_t count, uint32_t end, size_t most)
{
    bool ended = false;
    uint32_t length = 0;

    for (uint32_t i = 0; i < count && writer->size <= most; i++) {
        if (has_ended(results, i, end) != ended) {
            put_number(writer, length);
            ended = !ended;
            length = 0;
        }
        length++;
    }
    put_number(writer, length);
}

static void put_bitmap(struct writer *writer, const int16_t *results, uint32_t count, uint32_t end)
{
    for (uint32_t first = 0; first < count; first += 8) {
        uint8_t byte = 0;

        for (uint32_t i = first; i < count && i < first + 8; i++)
            if (has_ended(results, i, end))
                byte |= (uint8_t)(1u << (i - first));
        put_byte(writer, byte);
    }
}

size_t task_results_encode(const int16_t *results, uint32_t count, uint8_t *bytes, size_t most)
{
    struct writer writer = { .bytes = bytes }, runs = { .bytes = NULL };
    uint32_t end;

    assert(most >= task_results_least(count));
    end = failures_that_fit(results, count, most - task_results_least(count));
    put_byte(&writer, VERSION);
    put_number(&writer, count);
    put_runs(&runs, results, count, end, bitmap_bytes(count));
    if (runs.size <= bitmap_bytes(count)) {
        put_byte(&writer, FORM_RUNS);
        put_runs(&writer, results, count, end, SIZE_MAX);
    } else {
        put_byte(&writer, FORM_BITMAP);
        put_bitmap(&writer, results, count, end);
    }
    put_failures(&writer, results, end);
    assert(writer.size <= most);
    return writer.size;
}

/* --- reading ---------------------------------------------------------------- */

struct reader {
    const uint8_t *next, *end;
};

static bool get_byte(struct reader *reader, uint8_t *byte)
{
    if (reader->next == reader->end)
        return false;
    *byte = *reader->next++;
    return true;
}

static bool get_number(struct reader *reader, uint32_t *number)
{
    uint64_t value = 0;
    uint8_t byte;

    for (unsigned shift = 0; shift < 7 * VARINT_MAX; shift += 7) {
        if (!get_byte(reader, &byte))
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *number = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

static bool get_runs(struct reader *reader, int16_t *results, uint32_t count)
{
    bool ended = false;
    uint32_t done = 0, length;

    while (done < count) {
        if (!get_number(reader, &length) || length > count - done || (length == 0 && done > 0))
            return false;
        for (uint32_t i = 0; i < length; i++)
            results[done++] = ended ? 0 : TASK_NOT_ENDED;
        ended = !ended;
    }
    return true;
}

static bool get_bitmap(struct reader *reader, int16_t *results, uint32_t count)
{
    uint8_t byte = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (i % 8 == 0 && !get_byte(reader, &byte))
            return false;
        results[i] = byte & (1u << (i % 8)) ? 0 : TASK_NOT_ENDED;
    }
    return true;
}

static bool get_failures(struct reader *reader, int16_t *results, uint32_t count)
{
    uint32_t next = 0, between;
    uint8_t status;

    while (reader->next < reader->end) {
        if (!get_number(reader, &between) || between >= count - next || !get_byte(reader, &status))
            return false;
        next += between;
        if (status == 0 || results[next] != 0)
            return false;
        results[next++] = status;
    }
    return true;
}

int task_results_decode(const uint8_t *bytes, size_t size, int16_t *results, uint32_t count, struct err *err)
{
    struct reader reader = { bytes, bytes + size };
    uint32_t tasks;
    uint8_t version, form;

    if (!get_byte(&reader, &version) || version != VERSION)
        return err_set(err, EINVAL, "they are not in version %d of the format", VERSION);
    if (!get_number(&reader, &tasks) || !get_byte(&reader, &form))
        return err_set(err, EINVAL, "they end too early");
    if (tasks != count)
        return err_set(err, EINVAL, "they are of %u tasks, not of %u", tasks, count);
    if (form == FORM_RUNS ? !get_runs(&reader, results, count)
                          : form != FORM_BITMAP || !get_bitmap(&reader, results, count))
        return err_set(err, EINVAL, "the list of the ended tasks is damaged");
    if (!get_failures(&reader, results, count))
        return err_set(err, EINVAL, "the list of the failed tasks is damaged");
    return 0;
}
