/* SPDX-License-Identifier: Apache-2.0 */
/* client_amounts.c - test: parsing and printing of resources and signals in the command line */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/frame/amounts.h"
#include "client/cli/frame/signal_name.h"

/* Returns the resources of a node with licences and a disk. */
static struct creel_resource sample(int64_t memory_mb, int64_t licences, int64_t disk)
{
    return (struct creel_resource){
        .memory_mb = memory_mb,
        .vcores = licences,
        .others = { { "licence", licences, "" }, { "disk", disk, "Gi" } },
        .other_count = 2,
    };
}

/* --- parsing --------------------------------------------------------------- */

static void amounts_are_added_to_the_job(void **state)
{
    struct arena *arena = arena_new();
    struct creel_job job = { .memory_mb = 128, .vcores = 1 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(amounts_parse(arena, "memory=2g, vcores=3,licence=1", &job, &err), 0);
    assert_int_equal(job.memory_mb, 2048);
    assert_int_equal(job.vcores, 3);
    assert_int_equal(job.resource_count, 1);
    assert_int_equal(amounts_parse(arena, "disk=16Gi", &job, &err), 0);
    assert_int_equal(job.memory_mb, 2048);
    assert_int_equal(job.resource_count, 2);
    assert_string_equal(job.resources[0].name, "licence");
    assert_int_equal(job.resources[0].amount, 1);
    assert_string_equal(job.resources[0].unit, "");
    assert_string_equal(job.resources[1].name, "disk");
    assert_int_equal(job.resources[1].amount, 16);
    assert_string_equal(job.resources[1].unit, "Gi");
    arena_free(arena);
}

static void memory_has_the_units_of_memory_and_is_rounded_up(void **state)
{
    static const struct {
        const char *value;
        int64_t mb;
    } cases[] = {
        { "memory-mb=512", 512 }, { "memory=512", 512 }, { "mem=512M", 512 },
        { "mem=2GiB", 2048 },     { "memory=1100k", 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena *arena = arena_new();
        struct creel_job job = { 0 };
        struct err err = { 0 };

        if (amounts_parse(arena, cases[i].value, &job, &err) < 0)
            fail_msg("%s: %s", cases[i].value, err.text);
        assert_int_equal(job.memory_mb, cases[i].mb);
        arena_free(arena);
    }
}

static void a_mistake_is_named_and_changes_nothing(void **state)
{
    static const char *const cases[][2] = {
        { "licence=1,memory", "--resource memory: expected NAME=AMOUNT" },
        { "licence=1,memory=much", "--resource memory=much: expected a size" },
        { "licence=1,memory=0", "--resource memory=0: expected a size" },
        { "licence=1,vcores=0", "--resource vcores=0: expected a number from 1 to " },
        { "licence=1,vcores=two", "--resource vcores=two: expected a number from 1 to " },
        { "licence=1,licence=2", "--resource licence=2: licence is " },
        { "licence=1,=2", "--resource =2: expected NAME=AMOUNT" },
        { "licence=1,disk=16Xi", "--resource disk=16Xi: expected a whole number" },
        { "licence=1,disk=-1", "--resource disk=-1: expected a whole number" },
        { "a=1,b=1,c=1,d=1,e=1,f=1,g=1", "--resource g=1: there are at most 6 " },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena *arena = arena_new();
        struct creel_job job = { .memory_mb = 128, .vcores = 1 };
        struct err err = { 0 };

        assert_int_equal(amounts_parse(arena, cases[i][0], &job, &err), -EINVAL);
        if (strncmp(err.text, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("%s: \"%s\" does not begin with \"%s\"", cases[i][0], err.text, cases[i][1]);
        assert_int_equal(job.memory_mb, 128);
        assert_int_equal(job.vcores, 1);
        assert_int_equal(job.resource_count, 0);
        arena_free(arena);
    }
}

/* --- printing -------------------------------------------------------------- */

static void a_line_has_every_amount(void **state)
{
    struct creel_resource node = sample(1536, 1, 16), plain = { .memory_mb = 512, .vcores = 2 };
    char text[RECORD_AMOUNTS_MAX];

    (void)state;
    assert_string_equal(record_amounts(&plain, text), "512M, 2 vcores");
    assert_string_equal(record_amounts(&node, text), "1.5G, 1 vcore, 1 licence, 16Gi disk");
    assert_int_equal(amount_of_other(&node, "disk"), 16);
    assert_int_equal(amount_of_other(&node, "gpu"), 0);
}

static char *json_of(const struct creel_resource *amounts)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct json_writer json;

    json_init(&json, out, true);
    json_begin_object(&json, NULL);
    json_amounts(&json, "used", amounts);
    json_end_object(&json);
    json_finish(&json);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void json_names_further_types_only_where_there_are_any(void **state)
{
    struct creel_resource node = sample(512, 2, 16), plain = { .memory_mb = 512, .vcores = 2 };
    char *text = json_of(&plain);

    (void)state;
    assert_string_equal(text, "{\"used\":{\"memoryMb\":512,\"vcores\":2}}\n");
    free(text);
    text = json_of(&node);
    assert_string_equal(text, "{\"used\":{\"memoryMb\":512,\"vcores\":2,\"others\":["
                              "{\"name\":\"licence\",\"amount\":2},"
                              "{\"name\":\"disk\",\"amount\":16,\"unit\":\"Gi\"}]}}\n");
    free(text);
}

static void a_cell_shows_used_and_total(void **state)
{
    static const struct table_column columns[] = {
        { "mem", "MEM", TABLE_RIGHT },
        { "others", "OTHERS", 0 },
        { "of", "OF", 0 },
    };
    struct creel_resource used = sample(512, 1, 4), total = sample(2048, 2, 16);
    struct table_style style = { .width = 0, .header = false };
    struct table *table = table_new(columns, 3);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    table_row(table);
    memory_cell(table, used.memory_mb);
    others_cell(table, &used, NULL);
    others_cell(table, &used, &total);
    table_print(table, &style, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "512M  licence=1,disk=4Gi  licence=1/2,disk=4/16Gi\n");
    free(text);
    table_free(table);
}

/* --- signals --------------------------------------------------------------- */

static void signals_are_names_or_numbers(void **state)
{
    const struct {
        const char *text;
        int number; /* 0: none */
    } cases[] = {
        { "TERM", SIGTERM },
        { "SIGTERM", SIGTERM },
        { "sigusr1", SIGUSR1 },
        { "9", SIGKILL },
        { "RTMIN", SIGRTMIN },
        { "RTMIN+2", SIGRTMIN + 2 },
        { "SIGRTMAX-1", SIGRTMAX - 1 },
        { "RTMAX", SIGRTMAX },
        { "0", 0 },
        { "65", 0 },
        { "-1", 0 },
        { "TERMINATE", 0 },
        { "RTMIN-1", 0 },
        { "RTMAX+1", 0 },
        { "RTMIN+99", 0 },
        { "RTMIN+x", 0 },
        { "", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int number = -1;
        bool known = signal_name_parse(cases[i].text, &number);

        if (known != (cases[i].number != 0) || (known && number != cases[i].number))
            fail_msg("\"%s\": %s %d, expected %d", cases[i].text, known ? "known" : "unknown", number,
                     cases[i].number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_added_to_the_job),
        cmocka_unit_test(memory_has_the_units_of_memory_and_is_rounded_up),
        cmocka_unit_test(a_mistake_is_named_and_changes_nothing),
        cmocka_unit_test(a_line_has_every_amount),
        cmocka_unit_test(json_names_further_types_only_where_there_are_any),
        cmocka_unit_test(a_cell_shows_used_and_total),
        cmocka_unit_test(signals_are_names_or_numbers),
    };

    return cmocka_run_group_tests_name("client_amounts", tests, NULL, NULL);
}
