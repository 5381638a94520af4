/* SPDX-License-Identifier: Apache-2.0 */
/* jobs_array.c - tests: which tasks an array has, and their states */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/base/text_builder.h"
#include "common/base/job/array_spec.h"
#include "rm/jobs/array_states.h"

static void expect(const char *text, const char *expected, uint32_t at_once)
{
    struct err err = { .text = "" };
    struct array_spec spec;
    char got[256] = "";

    if (array_spec_parse(text, &spec, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < spec.count; i++) {
        uint32_t position = 0;

        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%u", i ? " " : "",
                 array_spec_index(&spec, i));
        assert_true(array_spec_position(&spec, array_spec_index(&spec, i), &position));
        assert_int_equal(position, i);
    }
    assert_string_equal(got, expected);
    assert_int_equal(spec.at_once, at_once);
    array_spec_done(&spec);
}

static void refuse(const char *text, int code, const char *words)
{
    struct err err = { .text = "" };
    struct array_spec spec;

    if (array_spec_parse(text, &spec, &err) != -code)
        fail_msg("\"%s\": %s", text, err.text);
    if (!strstr(err.text, words))
        fail_msg("%s: %s", text, err.text);
}

static void ranges_and_steps(void **state)
{
    (void)state;
    expect("7", "7", 0);
    expect("0-3", "0 1 2 3", 0);
    expect("0-15:4%3", "0 4 8 12", 3);
    expect("20,0-4:2,10-11%1", "0 2 4 10 11 20", 1);
    expect("2147483647", "2147483647", 0);
    expect("5-5:9", "5", 0);
}

static void malformed_arrays_are_refused(void **state)
{
    static const char *const words[] = {
        "",      ",",    "1,",         "-1",    "3-1", "1-", "a",   "1:2",
        "0-4:0", "0-4:", "2147483648", "0-9:x", "1 2", "+1", "0x1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        refuse(words[i], EINVAL, "expected an index");
    refuse("0-9%", EINVAL, "at a time");
    refuse("0-9%0", EINVAL, "at a time");
    refuse("0-9%2%3", EINVAL, "at a time");
    refuse("0-9,5", EINVAL, "index 5 comes twice");
    refuse("1,1", EINVAL, "index 1 comes twice");
    refuse("0-1000000", EMSGSIZE, "more than 1000000 tasks");
    refuse("0-2147483647", EMSGSIZE, "more than 1000000 tasks");
}

/* The error names the beginning of an array that is too long for it. */
static void an_array_with_too_many_ranges(void **state)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;
    scoped_free char *array = NULL;

    (void)state;
    for (unsigned i = 0; i <= ARRAY_RANGES_MAX; i++)
        text_builder_printf(&text, "%s%u", i == 0 ? "" : ",", 2 * i);
    array = text_builder_finish(&text);
    refuse(array, EMSGSIZE, "array 0,2,4,6,8,10,12,");
    refuse(array, EMSGSIZE, "...: it has more than 10000 ranges");
}

static void indexes_that_are_not_there(void **state)
{
    struct array_spec spec;
    uint32_t position;

    (void)state;
    assert_int_equal(array_spec_parse("10-20:5,30", &spec, NULL), 0);
    assert_false(array_spec_position(&spec, 9, &position));
    assert_false(array_spec_position(&spec, 11, &position));
    assert_false(array_spec_position(&spec, 25, &position));
    assert_false(array_spec_position(&spec, 31, &position));
    array_spec_done(&spec);
}

static void check_subset(const char *text, const char *other_text)
{
    struct array_spec spec, other;
    uint32_t missing = UINT32_MAX, expected = UINT32_MAX, position;

    assert_int_equal(array_spec_parse(text, &spec, NULL), 0);
    assert_int_equal(array_spec_parse(other_text, &other, NULL), 0);
    for (uint32_t i = 0; i < other.count && expected == UINT32_MAX; i++)
        if (!array_spec_position(&spec, array_spec_index(&other, i), &position))
            expected = array_spec_index(&other, i);
    if (array_spec_contains(&spec, &other, &missing) != (expected == UINT32_MAX) || missing != expected)
        fail_msg("%s in %s: %u is missing, not %u", other_text, text, missing, expected);
    array_spec_done(&spec);
    array_spec_done(&other);
}

/* The check by ranges finds what the check of each index finds. */
static void subsets_are_found_by_ranges(void **state)
{
    static const char *const texts[] = {
        "0",
        "1",
        "0-99",
        "0-99:2",
        "1-99:2",
        "0-99:3",
        "5-95:6",
        "0-98:7,99",
        "0-49,50-99",
        "0-49:2,50-99:5",
        "3-99:12",
        "9-93:21",
        "1-7:6,8,10-40:10",
        "2147483647",
        "2147483640-2147483647:7",
        "0-2147483647:2147483646",
        "1-2147483647:1073741823",
        "17-99:4,500-900:9",
        "500-900:18",
        "0-999999",
        "0-999999:999999",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
            check_subset(texts[i], texts[k]);
}

static void tasks_wait_in_order(void **state)
{
    struct array_states states;
    uint32_t position = 99;

    (void)state;
    array_states_init(&states, 5);
    assert_true(array_states_next(&states, &position));
    assert_int_equal(position, 0);
    for (uint32_t i = 0; i < 5; i++)
        array_states_set(&states, i, ARRAY_TASK_LIVE);
    assert_false(array_states_next(&states, &position));
    array_states_set(&states, 3, ARRAY_TASK_WAITS);
    array_states_set(&states, 1, ARRAY_TASK_WAITS);
    assert_true(array_states_next(&states, &position));
    assert_int_equal(position, 1);
    assert_int_equal(states.counts[ARRAY_TASK_LIVE], 3);
    array_states_done(&states);
}

static size_t expect_round_trip(const struct array_states *states)
{
    struct array_states copy;
    size_t size;
    uint8_t *packed = array_states_pack(states, &size);

    array_states_init(&copy, states->count);
    assert_true(array_states_unpack(&copy, packed, size));
    for (uint32_t i = 0; i < states->count; i++) {
        enum array_task was = array_states_get(states, i);

        assert_int_equal(array_states_get(&copy, i), was == ARRAY_TASK_LIVE ? ARRAY_TASK_WAITS : was);
    }
    for (size_t i = 0; i + 1 < size && size < 100; i++) { /* cut short: refused */
        assert_false(array_states_unpack(&copy, packed, i));
        assert_int_equal(copy.counts[ARRAY_TASK_WAITS], states->count);
    }
    array_states_done(&copy);
    free(packed);
    return size;
}

static void states_are_packed_shortly(void **state)
{
    struct array_states states;
    struct rng rng;
    uint32_t i;

    (void)state;
    array_states_init(&states, 1000000);
    assert_true(expect_round_trip(&states) < 10);
    for (i = 0; i < 400000; i++)
        array_states_set(&states, i, ARRAY_TASK_OK);
    array_states_set(&states, 1234, ARRAY_TASK_FAILED);
    array_states_set(&states, 400000, ARRAY_TASK_LIVE);
    assert_true(expect_round_trip(&states) < 30);
    rng_seed(&rng, 7);
    for (i = 0; i < states.count; i++)
        array_states_set(&states, i, (enum array_task)rng_below(&rng, ARRAY_TASK_STATES));
    assert_int_equal(expect_round_trip(&states), 250001);
    array_states_done(&states);
}

static void damaged_bytes_are_noticed(void **state)
{
    struct array_states states;

    (void)state;
    array_states_init(&states, 10);
    assert_false(array_states_unpack(&states, (const uint8_t *)"", 0));
    assert_false(array_states_unpack(&states, (const uint8_t *)"\x03\x28", 2));
    assert_false(array_states_unpack(&states, (const uint8_t *)"\x01\x2c", 2)); /* 11 tasks */
    assert_false(array_states_unpack(&states, (const uint8_t *)"\x01\x24", 2)); /* 9 */
    assert_false(array_states_unpack(&states, (const uint8_t *)"\x01\x29", 2)); /* live */
    assert_false(array_states_unpack(&states, (const uint8_t *)"\x01\xff\xff\xff\xff\xff\xff\xff", 8));
    assert_true(array_states_unpack(&states, (const uint8_t *)"\x01\x2a", 2)); /* all of them ok */
    assert_int_equal(states.counts[ARRAY_TASK_OK], 10);
    array_states_done(&states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_and_steps),
        cmocka_unit_test(malformed_arrays_are_refused),
        cmocka_unit_test(indexes_that_are_not_there),
        cmocka_unit_test(subsets_are_found_by_ranges),
        cmocka_unit_test(an_array_with_too_many_ranges),
        cmocka_unit_test(tasks_wait_in_order),
        cmocka_unit_test(indexes_that_are_not_there),
        cmocka_unit_test(tasks_wait_in_order),
        cmocka_unit_test(states_are_packed_shortly),
        cmocka_unit_test(damaged_bytes_are_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
