/* SPDX-License-Identifier: Apache-2.0 */
/* jobs_depends.c - tests: what users write about jobs that others depend on */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/depends.h"

static void expect(const char *text, const char *expected)
{
    struct arena *arena = arena_new();
    struct err err = { .text = "" };
    struct depends depends;
    char got[256] = "";

    if (depends_parse(arena, text, &depends, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < depends.count; i++)
        snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s=%s",
                 i == 0                  ? ""
                 : depends.one_is_enough ? " | "
                                         : " & ",
                 depends_word(depends.items[i].on), depends.items[i].id ? depends.items[i].id : "-");
    assert_string_equal(got, expected);
    arena_free(arena);
}

static void refuse(const char *text, int code, const char *words)
{
    struct arena *arena = arena_new();
    struct err err = { .text = "" };
    struct depends depends;

    assert_int_equal(depends_parse(arena, text, &depends, &err), -code);
    if (!strstr(err.text, words))
        fail_msg("%s: %s", text, err.text);
    arena_free(arena);
}

static void conditions_and_ids(void **state)
{
    (void)state;
    expect("ok:41", "ok=41");
    expect("ok:_0041:42,any:application_1700000000000_0043",
           "ok=_0041 & ok=42 & any=application_1700000000000_0043");
    expect("notok:1?after:2", "notok=1 | after=2");
    expect("singleton", "singleton=-");
    expect("corr:7:8,after:9", "corr=7 & corr=8 & after=9");
    expect("after:7,singleton", "after=7 & singleton=-");
}

static void words_of_slurm(void **state)
{
    (void)state;
    expect("afterok:1:2", "ok=1 & ok=2");
    expect("aftercorr:1", "corr=1");
    expect("afterany:1?afternotok:2", "any=1 | notok=2");
}

static void malformed_dependencies_are_refused(void **state)
{
    (void)state;
    refuse("", EINVAL, "dependency \"\"");
    refuse("41", EINVAL, "expected ok:ID, any:ID, notok:ID, after:ID, corr:ID or singleton");
    refuse("soon:41", EINVAL, "dependency \"soon:41\"");
    refuse("ok", EINVAL, "on which job?");
    refuse("ok:", EINVAL, "an id is missing");
    refuse("ok:1::2", EINVAL, "an id is missing");
    refuse("after:1+5", EINVAL, "a delay (+MINUTES) is not supported");
    refuse("ok:1,", EINVAL, "dependency \"\"");
    refuse("singleton:4", EINVAL, "singleton has no id");
    refuse("ok:1,any:2?ok:3", EINVAL, "cannot be mixed");
    refuse("ok:1?corr:2", EINVAL, "corr and '?' cannot be combined");
    refuse("corr", EINVAL, "on which job?");
}

/* Adds ":ID" for each id from 1 to COUNT to TEXT of SIZE bytes. */
static void add_ids(char *text, size_t size, int count)
{
    size_t length = strlen(text);

    for (int i = 1; i <= count; i++)
        length += (size_t)snprintf(text + length, size - length, ":%d", i);
}

static size_t count_of(const char *text)
{
    struct arena *arena = arena_new();
    struct depends depends;
    size_t count;

    assert_int_equal(depends_parse(arena, text, &depends, NULL), 0);
    count = depends.count;
    arena_free(arena);
    return count;
}

static void number_of_dependencies_is_bounded(void **state)
{
    static char text[16 * (DEPENDS_MAX + 2)];

    (void)state;
    strcpy(text, "ok");
    add_ids(text, sizeof(text), DEPENDS_MAX);
    assert_int_equal(count_of(text), DEPENDS_MAX);
    strcat(text, ":7,ok:8");
    assert_int_equal(count_of(text), DEPENDS_MAX);
    strcat(text, ",any:8");
    refuse(text, EMSGSIZE, "more than 1000 jobs and tasks");
}

static void a_job_counts_once(void **state)
{
    static char text[3 + 2 * (DEPENDS_MAX + 2)];

    (void)state;
    expect("ok:1:2:1,singleton,any:1,singleton", "ok=1 & ok=2 & singleton=- & any=1");
    strcpy(text, "ok");
    for (int i = 0; i <= DEPENDS_MAX; i++)
        strcat(text, ":1");
    expect(text, "ok=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_and_ids),
        cmocka_unit_test(words_of_slurm),
        cmocka_unit_test(malformed_dependencies_are_refused),
        cmocka_unit_test(number_of_dependencies_is_bounded),
        cmocka_unit_test(a_job_counts_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
