/* SPDX-License-Identifier: Apache-2.0 */
/* base_host_range.c - test: ranges of hosts are expanded and folded */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/host_range.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the names of TEXT with a blank between them; the caller frees it. */
static char *expanded(const char *text)
{
    struct host_names names = { 0 };
    struct err err = { 0 };
    struct text_builder joined = TEXT_BUILDER_MALLOC;

    assert_int_equal(host_range_expand(text, &names, &err), 0);
    for (size_t i = 0; i < names.count; i++)
        text_builder_printf(&joined, "%s%s", i > 0 ? " " : "", names.items[i]);
    assert_null(names.items[names.count]);
    host_names_done(&names);
    return text_builder_finish(&joined);
}

static void ranges_are_expanded(void **state)
{
    static const char *const cases[][2] = {
        { "n7", "n7" },
        { "n7:8041", "n7:8041" },
        { "n[1-3]", "n1 n2 n3" },
        { "n[08-11,15]:8041", "n08:8041 n09:8041 n10:8041 n11:8041 n15:8041" },
        { "n[9-10]", "n9 n10" },
        { "n[001]", "n001" },
        { "rack[1-2]-n[3,5].example.org", "rack1-n3.example.org rack2-n3.example.org rack1-n5.example.org "
                                          "rack2-n5.example.org" },
        { "login,n[1-2],n2", "login n1 n2" },
        { "10.0.0.[7-8]", "10.0.0.7 10.0.0.8" },
        { "[fe80::1]:8041", "[fe80::1]:8041" },
        { "[1-2].example.org", "1.example.org 2.example.org" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        scoped_free char *names = expanded(cases[i][0]);

        assert_string_equal(names, cases[i][1]);
    }
}

static void a_malformed_range_is_refused_and_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "",
        "n[",
        "n[]",
        "n[1",
        "n[1-",
        "n[1-]",
        "n[-3]",
        "n[3-1]",
        "n[1-2-3]",
        "n[a-c]",
        "n]",
        "n[1,]",
        "n[,1]",
        "n1,",
        ",n1",
        "n1,,n2",
        "n[1 - 2]",
        "n[[1-2]]",
        "n[1-2]]",
        "n[0x1]",
        "n[1234567890]",
        "n[1-1234567890]",
    };
    struct host_names names = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(host_range_expand("here", &names, &err), 0);
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_int_equal(host_range_expand(bad[i], &names, &err), -EINVAL);
        assert_non_null(strstr(err.text, "expected hosts, as n7 or n[1-40]"));
        assert_int_equal(names.count, 1);
        assert_string_equal(names.items[0], "here");
    }
    host_names_done(&names);
}

static void number_of_hosts_is_limited(void **state)
{
    static const char *const large[] = { "n[1-10001]", "n[0-999999999]", "n[1-9999],x,y", "r[1-101]n[1-100]",
                                         "n[1-5000,1-5001]" };
    struct host_names names = { 0 };
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < LENGTH(large); i++)
        assert_int_equal(host_range_expand(large[i], &names, &err), -E2BIG);
    assert_int_equal(names.count, 0);
    assert_int_equal(host_range_expand("n[1-10000]", &names, &err), 0);
    assert_int_equal(names.count, 10000);
    assert_int_equal(host_range_expand("m", &names, &err), -E2BIG);
    assert_string_equal(err.text, "m: more than 10000 hosts");
    host_names_done(&names);
}

static void long_name_is_refused(void **state)
{
    char text[HOST_RANGE_NAME_SIZE + 40];
    struct host_names names = { 0 };

    (void)state;
    memset(text, 'n', sizeof(text));
    text[HOST_RANGE_NAME_SIZE] = '\0';
    assert_int_equal(host_range_expand(text, &names, NULL), -EINVAL);
    snprintf(text + HOST_RANGE_NAME_SIZE - 5, sizeof(text) - HOST_RANGE_NAME_SIZE + 5, "[0000001]");
    assert_int_equal(host_range_expand(text, &names, NULL), -EINVAL);
    assert_int_equal(names.count, 0);
}

static void names_are_folded(void **state)
{
    static const struct {
        const char *names[8], *text;
    } cases[] = {
        { { NULL }, "" },
        { { "n7" }, "n7" },
        { { "n3", "n1", "n2", "n1" }, "n[1-3]" },
        { { "n10", "n9", "n7" }, "n[7,9-10]" },
        { { "n08", "n09", "n10", "login" }, "login,n[08-10]" },
        { { "n1", "n01", "n02" }, "n[1,01-02]" },
        { { "n1.example.org", "n2.example.org", "n3" }, "n3,n[1-2].example.org" },
        { { "n1:8041", "n2:8041" }, "n[1-2]:8041" },
        { { "10.0.0.7", "10.0.0.8" }, "10.0.0.[7-8]" },
        { { "localhost:8041", "localhost:8042" }, "localhost:[8041-8042]" },
        { { "n", "n1", "n2" }, "n,n[1-2]" },
        { { "n99", "n100", "n101" }, "n[99-101]" },
        { { "n099", "n100" }, "n[099-100]" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        size_t count = 0;
        scoped_free char *text = NULL;

        while (cases[i].names[count])
            count++;
        text = host_range_fold(cases[i].names, count);
        assert_string_equal(text, cases[i].text);
    }
}

static void names_are_folded_in_their_order_or_sorted(void **state)
{
    static const struct {
        const char *list, *folded,
            *sorted; /* as scontrol show hostlist and hostlistsorted of Slurm print them */
    } cases[] = {
        { "n2,n1", "n[2,1]", "n[1-2]" },
        { "a1,a2,b", "a[1-2],b", "a[1-2],b" },
        { "n[1-3],n[2-5]", "n[1-3,2-5]", "n[1-2,2-3,3-5]" },
        { "n1,n1,n2,n1", "n[1,1-2,1]", "n[1,1,1-2]" },
        { "n1,n1", "n[1,1]", "n[1,1]" },
        { "a,b,a", "a,b,a", "a,a,b" },
        { "n5,a,n6", "n5,a,n6", "a,n[5-6]" },
        { "n09,n10,n11", "n[09-11]", "n[09-11]" },
        { "n1,n2,n01,n02,n3", "n[1-2,01-02,3]", NULL },
        { "n01,n02,n3", "n[01-02,3]", "n[3,01-02]" },
        { "n08,n9,n10", "n[08,9-10]", "n[9-10,08]" },
        { "n099,n100", "n[099-100]", "n[099-100]" },
        { "n1,n01", "n[1,01]", "n[1,01]" },
        { "n0,n00", "n[0,00]", "n[0,00]" },
        { "001,002", "[001-002]", "[001-002]" },
        { "n1x,n2x", "n1x,n2x", "n1x,n2x" },
        { "n1-ib,n2-ib", "n1-ib,n2-ib", "n1-ib,n2-ib" },
        { "n1.d.org,n2.d.org", "n1.d.org,n2.d.org", "n1.d.org,n2.d.org" },
        { "gpu-1-1,gpu-1-2,gpu-2-1", "gpu-1-[1-2],gpu-2-1", "gpu-1-[1-2],gpu-2-1" },
        { "n[1-2]m[3-4]", "n1m[3-4],n2m[3-4]", "n1m[3-4],n2m[3-4]" },
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct host_names names = { 0 };
        scoped_free char *folded = NULL, *sorted = NULL;

        assert_int_equal(host_range_expand_all(cases[i].list, &names, NULL), 0);
        folded = host_range_fold_all((const char *const *)names.items, names.count, false);
        sorted = host_range_fold_all((const char *const *)names.items, names.count, true);
        assert_string_equal(folded, cases[i].folded);
        if (cases[i].sorted)
            assert_string_equal(sorted, cases[i].sorted);
        host_names_done(&names);
    }
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* TEXT expands to the names of EXPECTED, in any order if SORTED. */
static void expect_names(const char *text, struct host_names *expected, bool sorted)
{
    struct host_names names = { 0 };

    if (expected->count == 0)
        return;
    assert_int_equal(host_range_expand_all(text, &names, NULL), 0);
    assert_int_equal(names.count, expected->count);
    if (sorted) {
        qsort(names.items, names.count, sizeof(*names.items), compare_texts);
        qsort(expected->items, expected->count, sizeof(*expected->items), compare_texts);
    }
    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.items[i], expected->items[i]) != 0)
            fail_msg("%s: expected %s, got %s", text, expected->items[i], names.items[i]);
    host_names_done(&names);
}

static void what_is_folded_expands_to_the_same_names(void **state)
{
    static const char *const lists[] = {
        "n7",
        "n[1-3]x",
        "n[08-11]",
        "n[1,01,001,2,02]",
        "r[1-2]n[01-03]",
        "a[1-2]b[3-4]c",
        "rack[1-2]-n[01-12,15]-ib",
        "n[1-2].example.org,n3.example.org,n4",
        "10.0.0.[7-9],[fe80::1],n1",
        "n1000000000,n1000000001,n00000000001,n00000000002",
        "login,n9,n10,n099,n100,n0099,n00,n0",
        "[1-3],[01-03],1a,2a",
        "n[1-2][3-4],n12",
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(lists); i++) {
        scoped_free char *folded = NULL, *sorted = NULL, *unique = NULL;
        struct host_names names = { 0 };

        assert_int_equal(host_range_expand_all(lists[i], &names, NULL), 0);
        folded = host_range_fold_all((const char *const *)names.items, names.count, false);
        sorted = host_range_fold_all((const char *const *)names.items, names.count, true);
        expect_names(folded, &names, false);
        expect_names(sorted, &names, true);
        unique = host_range_fold((const char *const *)names.items, names.count);
        expect_names(unique, &names, true);
        host_names_done(&names);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_expanded),
        cmocka_unit_test(a_malformed_range_is_refused_and_changes_nothing),
        cmocka_unit_test(number_of_hosts_is_limited),
        cmocka_unit_test(long_name_is_refused),
        cmocka_unit_test(names_are_folded),
        cmocka_unit_test(names_are_folded_in_their_order_or_sorted),
        cmocka_unit_test(what_is_folded_expands_to_the_same_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
