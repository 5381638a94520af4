/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/soft_limits.h"

static const struct soft_limit *limit_of(const struct soft_limits *limits, const char *name)
{
    for (int i = 0; i < SOFT_LIMITS; i++)
        if (strcmp(soft_limit_kinds[i].name, name) == 0)
            return &limits->of[i];
    fail_msg("there is no limit %s", name);
    return NULL;
}

static size_t count_given(const struct soft_limits *limits)
{
    size_t count = 0;

    for (int i = 0; i < SOFT_LIMITS; i++)
        count += limits->of[i].given;
    return count;
}

static void limits_are_read(void **state)
{
    struct soft_limits limits;

    (void)state;
    assert_true(soft_limits_read("CORE=0,NOFILE=4096?,STACK=unlimited,CPU=18446744073709551614", &limits));
    assert_int_equal(count_given(&limits), 4);
    assert_true(limit_of(&limits, "CORE")->given);
    assert_int_equal(limit_of(&limits, "CORE")->value, 0);
    assert_false(limit_of(&limits, "CORE")->is_quiet);
    assert_int_equal(limit_of(&limits, "NOFILE")->value, 4096);
    assert_true(limit_of(&limits, "NOFILE")->is_quiet);
    assert_true(limit_of(&limits, "STACK")->value == RLIM_INFINITY);
    assert_true(limit_of(&limits, "CPU")->value == RLIM_INFINITY - 1);
    assert_true(soft_limits_read("", &limits));
    assert_int_equal(count_given(&limits), 0);
}

static void malformed_limits_are_refused(void **state)
{
    static const char *const texts[] = {
        "CORE",
        "CORE=",
        "=0",
        "CORE=0,",
        ",CORE=0",
        "CORE=-1",
        "CORE= 1",
        "CORE=1 ",
        "CORE=0,CORE=0",
        "CORE=0x10",
        "CORE=1k",
        "HEAP=1",
        "CORE=?",
        "CORE=0??",
        "CORE=unlimitedx",
        "CORE=0;AS",
        "RLIMIT_CORE=0",
        "CORE=0\n",
        "CORE=18446744073709551615",
        "CORE=18446744073709551616",
    };
    struct soft_limits limits;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (soft_limits_read(texts[i], &limits))
            fail_msg("\"%s\" was accepted", texts[i]);
}

/* The names of sbatch, with which RLIMIT_ may be written, too. */
static void limits_are_chosen_by_the_names_of_sbatch(void **state)
{
    static const struct {
        const char *names, *chosen; /* NULL: refused */
    } cases[] = {
        { "ALL", "AS CORE CPU DATA FSIZE MEMLOCK NOFILE NPROC RSS STACK " },
        { "all", "AS CORE CPU DATA FSIZE MEMLOCK NOFILE NPROC RSS STACK " },
        { "NONE", "" },
        { "NOFILE", "NOFILE " },
        { "stack,RLIMIT_CORE,STACK", "CORE STACK " },
        { "", NULL },
        { "ALL,CORE", NULL },
        { "CORE,", NULL },
        { ",CORE", NULL },
        { "NOFILES", NULL },
        { "RLIMIT_", NULL },
        { "NICE", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool chosen[SOFT_LIMITS];
        size_t used = 0;
        char names[128] = "";

        assert_int_equal(soft_limits_choose(cases[i].names, chosen), cases[i].chosen != NULL);
        for (int k = 0; cases[i].chosen != NULL && k < SOFT_LIMITS; k++)
            if (chosen[k])
                used += (size_t)snprintf(names + used, sizeof(names) - used, "%s ", soft_limit_kinds[k].name);
        assert_string_equal(names, cases[i].chosen ? cases[i].chosen : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(malformed_limits_are_refused),
        cmocka_unit_test(limits_are_chosen_by_the_names_of_sbatch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
