/* SPDX-License-Identifier: Apache-2.0 */
/* base_results.c - test: paths of --fetch, links in archives of results, and the list of results */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/results.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void paths_are_split_at_commas(void **state)
{
    const char *text = "out.csv,a\\,b,plots/*.png,./x", *const start = text;
    char path[RESULTS_TEXT_MAX];
    static const char *const expected[] = { "out.csv", "a,b", "plots/*.png", "./x" };

    (void)state;
    assert_true(results_paths_valid(start));
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(results_next_path(&text, path), 1);
        assert_string_equal(path, expected[i]);
    }
    assert_int_equal(results_next_path(&text, path), 0);
}

static void paths_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const wrong[] = { "",     ",",  "a,",   ",a",     "a,,b", "/etc",
                                         "a,/b", "..", "../a", "a/../b", "a/.." };
    static const char *const right[] = { "a", "...", "..a", "a..", "a/.b", ".", "a\\,..b" };
    char many[2 * (RESULTS_PATHS_MAX + 2)], large[RESULTS_TEXT_MAX + 1];

    (void)state;
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_false(results_paths_valid(wrong[i]));
    for (size_t i = 0; i < LENGTH(right); i++)
        assert_true(results_paths_valid(right[i]));
    memset(large, 'a', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    assert_false(results_paths_valid(large));
    assert_true(results_paths_valid(large + 1));
    many[0] = '\0';
    for (size_t i = 0; i < RESULTS_PATHS_MAX; i++)
        snprintf(many + strlen(many), 4, i ? ",a" : "a");
    assert_true(results_paths_valid(many));
    snprintf(many + strlen(many), 4, ",a");
    assert_false(results_paths_valid(many));
}

static void links_that_lead_outside_are_found(void **state)
{
    static const struct {
        const char *path, *target;
        int stays;
    } cases[] = {
        { "l", "a", 1 },
        { "l", "a/b", 1 },
        { "l", ".", 1 },
        { "l", "./a", 1 },
        { "l", "..", 0 },
        { "l", "../a", 0 },
        { "l", "/a", 0 },
        { "l", "", 0 },
        { "d/l", "../a", 1 },
        { "d/l", "..", 1 },
        { "d/l", "../..", 0 },
        { "d/l", "../../a", 0 },
        { "d/e/l", "../../a", 1 },
        { "./l", "../a", 0 },
        { "./d/l", "../a", 1 },
        { "d//l", "../../a", 0 },
        { "d/l", "a/..", 0 },
        { "d/l", "../a/../b", 0 },
        { "d/l", "./../a", 1 },
        { "d/l", ".././../a", 0 },
        { "l", "..a", 1 },
        { "l", "...", 1 },
        { "d/l", "..a/../../b", 0 },
        { "../l", "a", 0 },
        { "d/", "..", 0 },
        { "d/l", ".a/..", 0 },
        { "d/l", "//a", 0 },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (results_link_stays_inside(cases[i].path, cases[i].target) != (cases[i].stays != 0))
            fail_msg("%s -> %s: expected %d", cases[i].path, cases[i].target, cases[i].stays);
}

static void list_is_read_as_it_was_written(void **state)
{
    struct results written = { .bytes = 123456789012, .entries = 7 }, read;
    char text[RESULTS_LIST_MAX];
    size_t size;

    (void)state;
    for (size_t i = 0; i < RESULTS_HASH_BYTES; i++)
        written.sha256[i] = (uint8_t)(i * 37);
    results_add_problem(&written, "gone: no such\nfile");
    results_leave_out(&written, "a b");
    results_leave_out(&written, "c");
    size = results_format(&written, text);
    assert_int_equal(results_parse(text, size, &read), 0);
    assert_int_equal(read.bytes, written.bytes);
    assert_int_equal(read.entries, 7);
    assert_memory_equal(read.sha256, written.sha256, RESULTS_HASH_BYTES);
    assert_int_equal(read.problem_count, 1);
    assert_string_equal(read.problems[0], "gone: no such?file");
    assert_int_equal(read.left_out, 2);
    assert_string_equal(read.left_out_path, "a b");
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(results_parse(text, cut, &read), -EINVAL);
}

static void list_of_many_problems_is_bounded(void **state)
{
    struct results written = { .bytes = INT64_MAX, .entries = INT64_MAX, .left_out = INT64_MAX - 1 }, read;
    char text[RESULTS_LIST_MAX], large[2 * RESULTS_PROBLEM_MAX];

    (void)state;
    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    memset(written.left_out_path, 'y', sizeof(written.left_out_path) - 1);
    for (int i = 0; i < 100; i++)
        results_add_problem(&written, "%s", large);
    assert_int_equal(written.problem_count, RESULTS_PROBLEMS_MAX);
    assert_string_equal(written.problems[RESULTS_PROBLEMS_MAX - 1], "more problems are not listed");
    assert_true(results_format(&written, text) < RESULTS_LIST_MAX);
    /* Sizes beyond the limit are refused. */
    assert_int_equal(results_parse(text, strlen(text), &read), -EINVAL);
}

static void malformed_list_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "end\n",
        "creel-results 2\nend\n",
        "creel-results 1\n",
        "creel-results 1\nend",
        "creel-results 1\nend\nx\n",
        "creel-results 1\nbytes -1\nend\n",
        "creel-results 1\nbytes x\nend\n",
        "creel-results 1\nwhat 1\nend\n",
        "creel-results 1\nsha256 00\nend\n",
        "creel-results 1\nleft-out 1\nend\n",
        "creel-results 1\nleft-out x y\nend\n",
    };
    struct results read;

    (void)state;
    for (size_t i = 0; i < LENGTH(wrong); i++)
        assert_int_equal(results_parse(wrong[i], strlen(wrong[i]), &read), -EINVAL);
    assert_int_equal(results_parse("creel-results 1\nproblem a\0b\nend\n", 31, &read), -EINVAL);
    assert_int_equal(results_parse("creel-results 1\nend\n", 20, &read), 0);
    assert_int_equal(read.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_split_at_commas),
        cmocka_unit_test(paths_that_lead_elsewhere_are_refused),
        cmocka_unit_test(links_that_lead_outside_are_found),
        cmocka_unit_test(list_is_read_as_it_was_written),
        cmocka_unit_test(list_of_many_problems_is_bounded),
        cmocka_unit_test(malformed_list_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
