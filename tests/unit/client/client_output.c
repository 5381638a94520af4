/* SPDX-License-Identifier: Apache-2.0 */
/* client_output.c - test: tables that fit the terminal, CSV, valid JSON */
#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/json_writer.h"
#include "client/cli/show/show_node.h"
#include "common/io/loop/loop.h"
#include "client/cli/frame/table.h"

static const struct table_column columns[] = {
    { "name", "NAME", TABLE_CUT },
    { "mem", "MEM", TABLE_RIGHT },
    { "id", "ID", TABLE_WIDE },
    { "reason", "REASON", TABLE_CUT },
};

static struct table *sample(void)
{
    struct table *table = table_new(columns, 4);

    table_row(table);
    table_text(table, "beta");
    table_number(table, 9);
    table_text(table, "i2");
    table_text(table, "a long story, told\nin two lines");
    table_row(table);
    table_text(table, "alpha");
    table_number(table, 10);
    table_text(table, "i1");
    table_text(table, "");
    return table;
}

static char *print(struct table *table, size_t width, bool header)
{
    struct table_style style = { .width = width, .header = header };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    table_print(table, &style, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void piped_tables_are_whole_and_aligned(void **state)
{
    struct table *table = sample();
    char *text = print(table, 0, true);

    (void)state;
    assert_string_equal(text, "NAME   MEM  REASON\n"
                              "beta     9  a long story, told in two lines\n"
                              "alpha   10\n");
    free(text);
    text = print(table, 0, false);
    assert_non_null(strstr(text, "beta"));
    assert_null(strstr(text, "NAME"));
    free(text);
    table_free(table);
}

static void rows_are_cut_after_sorting(void **state)
{
    struct table *table = sample();
    char *text;

    (void)state;
    assert_int_equal(table_sort(table, "name", NULL), 0);
    table_cut(table, 5);
    assert_int_equal(table_row_count(table), 2);
    table_cut(table, 1);
    text = print(table, 0, false);
    assert_string_equal(text, "alpha  10\n");
    free(text);
    table_free(table);
}

static void narrow_terminal_omits_columns(void **state)
{
    static const struct table_column wide[] = {
        { "node", "NODE", 0 },         { "state", "STATE", TABLE_STATE }, { "mem", "MEM", TABLE_RIGHT },
        { "rack", "RACK", TABLE_CUT }, { "report", "REPORT", TABLE_CUT },
    };
    static const struct {
        size_t width;
        const char *text;
    } cases[] = {
        { 40, "NODE         STATE    MEM  RACK\n10.0.0.1:80  RUNNING  512  /default-rack\n" },
        { 33, "NODE         STATE    MEM  RACK\n10.0.0.1:80  RUNNING  512  /de...\n" },
        { 30, "NODE         STATE    RACK\n10.0.0.1:80  RUNNING  /defa...\n" },
        { 20, "NODE         RACK\n10.0.0.1:80  /def...\n" },
        { 5, "NODE\n10.0.0.1:80\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct table *table = table_new(wide, 5);
        char *text;

        table_row(table);
        table_text(table, "10.0.0.1:80");
        table_text(table, "RUNNING");
        table_number(table, 512);
        table_text(table, "/default-rack");
        table_text(table, "");
        text = print(table, cases[i].width, true);
        assert_string_equal(text, cases[i].text);
        free(text);
        table_free(table);
    }
}

static void narrow_terminal_keeps_the_reason(void **state)
{
    static const struct table_column apps[] = {
        { "app", "APP", 0 },           { "name", "NAME", TABLE_CUT },     { "mem", "MEM", TABLE_RIGHT },
        { "age", "AGE", TABLE_RIGHT }, { "reason", "REASON", TABLE_CUT }, { "id", "ID", TABLE_WIDE },
    };
    static const struct {
        size_t width;
        const char *text;
    } cases[] = {
        { 60, "APP    NAME      MEM    AGE  REASON\n"
              "_0042  training  16M  00:10  killed by the kernel: memory...\n" },
        { 40, "APP    NAME     MEM    AGE  REASON\n_0042  trai...  16M  00:10  killed by...\n" },
        { 36, "APP    NAME      MEM  REASON\n_0042  training  16M  killed by t...\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct table *table = table_new(apps, 6);
        char *text;

        table_row(table);
        table_text(table, "_0042");
        table_text(table, "training");
        table_text(table, "16M");
        table_text(table, "00:10");
        table_text(table, "killed by the kernel: memory limit 16 MiB reached");
        table_text(table, "");
        text = print(table, cases[i].width, true);
        assert_string_equal(text, cases[i].text);
        free(text);
        table_free(table);
    }
}

static void narrow_terminal_keeps_columns_of_results(void **state)
{
    static const struct table_column containers[] = {
        { "container", "CONTAINER", 0 },
        { "node", "NODE", 0 },
        { "mem", "MEM", TABLE_RIGHT },
        { "exit", "EXIT", TABLE_RIGHT | TABLE_KEEP },
        { "diagnostics", "DIAGNOSTICS", TABLE_CUT },
    };
    static const struct {
        size_t width;
        const char *text;
    } cases[] = {
        { 60, "CONTAINER  NODE     MEM  EXIT  DIAGNOSTICS\n01_000001  n1:8041  16M   137  killed\n" },
        { 40, "CONTAINER  NODE     EXIT  DIAGNOSTICS\n01_000001  n1:8041   137  killed\n" },
        { 30, "CONTAINER  EXIT  DIAGNOSTICS\n01_000001   137  killed\n" },
        { 20, "CONTAINER\n01_000001\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct table *table = table_new(containers, 5);
        char *text;

        table_row(table);
        table_text(table, "01_000001");
        table_text(table, "n1:8041");
        table_text(table, "16M");
        table_number(table, 137);
        table_text(table, "killed");
        text = print(table, cases[i].width, true);
        assert_string_equal(text, cases[i].text);
        free(text);
        table_free(table);
    }
}

static void an_empty_table_has_its_titles(void **state)
{
    struct table *table = table_new(columns, 4);
    char *text = print(table, 0, true);

    (void)state;
    assert_string_equal(text, "NAME  MEM  REASON\n");
    free(text);
    text = print(table, 0, false);
    assert_string_equal(text, "");
    free(text);
    table_free(table);
}

static void a_narrow_terminal_cuts_the_last_free_text_first(void **state)
{
    struct table *table = sample();
    char *text = print(table, 30, true);

    (void)state;
    assert_non_null(strstr(text, "beta     9  a long story, t...\n"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_in_range(strlen(line), 0, 30);
    free(text);
    table_free(table);
}

static void wide_characters_are_measured(void **state)
{
    static const struct table_column one[] = { { "x", "X", TABLE_CUT } };
    struct table *table = table_new(one, 1);
    char *text;

    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        fail_msg("this machine has no locale C.UTF-8");
    table_row(table);
    table_text(table, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97");
    text = print(table, 8, false);
    assert_string_equal(text, "\xe6\xbc\xa2\xe5\xad\x97...\n");
    free(text);
    table_free(table);
    setlocale(LC_CTYPE, "C");
}

static void columns_are_chosen_by_key_or_title(void **state)
{
    struct table *table = sample();
    struct err err = { 0 };
    char *text;

    (void)state;
    assert_int_equal(table_choose(table, "ID,mem", false, &err), 0);
    text = print(table, 0, true);
    assert_string_equal(text, "ID  MEM\ni2    9\ni1   10\n");
    free(text);
    assert_int_equal(table_choose(table, "mem,colour", false, &err), -EINVAL);
    assert_non_null(strstr(err.text, "\"colour\"; there are: name,mem,id,reason"));
    assert_int_equal(table_choose(table, ",", false, &err), -EINVAL);
    table_free(table);
}

static void numbers_sort_as_numbers(void **state)
{
    static const struct {
        const char *keys;
        size_t first;
    } table_of_keys[] = { { "mem", 0 }, { "-mem", 1 }, { "name", 1 }, { "-name,mem", 0 } };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct table *table = sample();

        assert_int_equal(table_sort(table, table_of_keys[i].keys, NULL), 0);
        assert_int_equal(table_source(table, 0), table_of_keys[i].first);
        table_free(table);
    }
    {
        struct table *table = sample();
        struct err err = { 0 };

        assert_int_equal(table_sort(table, "size", &err), -EINVAL);
        assert_int_equal(table_source(table, 0), 0);
        table_free(table);
    }
}

static void csv_is_quoted(void **state)
{
    struct table *table = table_new(columns, 4);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    table_row(table);
    table_text(table, "say \"hi\"");
    table_number(table, 1);
    table_text(table, "x");
    table_text(table, "a,b");
    assert_int_equal(table_choose(table, NULL, true, NULL), 0);
    table_print_csv(table, true, out);
    fclose(out);
    assert_string_equal(text, "name,mem,id,reason\r\n\"say \"\"hi\"\"\",1,x,\"a,b\"\r\n");
    free(text);
    table_free(table);
}

/* --- JSON ------------------------------------------------------------------ */

static json_t *written(void (*write)(struct json_writer *json), bool compact, char **text)
{
    struct json_writer json;
    json_error_t error;
    json_t *read;
    size_t size;
    FILE *out = open_memstream(text, &size);

    json_init(&json, out, compact);
    write(&json);
    json_finish(&json);
    fclose(out);
    read = json_loads(*text, JSON_DECODE_ANY, &error);
    if (!read)
        fail_msg("%s at %d:%d in %s", error.text, error.line, error.column, *text);
    return read;
}

static void write_everything(struct json_writer *json)
{
    json_begin_object(json, NULL);
    json_text(json, "text", "tab\t quote\" slash\\ line\n bell\a del\x7f \xc3\xa4 \xf0\x9f\xa7\xb6");
    json_text(json, "broken",
              "a\xff"
              "b\xc3(\xed\xa0\x80\xe2\x82");
    json_int(json, "least", INT64_MIN);
    json_uint(json, "most", UINT64_C(9007199254740993));
    json_double(json, "half", 0.5);
    json_double(json, "tenth", (double)0.1f);
    json_double(json, "zero", 0);
    json_bool(json, "yes", true);
    json_text_if(json, "absent", "");
    json_time(json, "born", INT64_C(1790000000123));
    json_time(json, "never", 0);
    json_begin_array(json, "empty");
    json_end_array(json);
    json_begin_array(json, "list");
    json_int(json, NULL, 1);
    json_begin_object(json, NULL);
    json_end_object(json);
    json_text(json, NULL, "x");
    json_end_array(json);
    json_end_object(json);
}

static void json_output_equals_the_reply(void **state)
{
    (void)state;
    for (int compact = 0; compact < 2; compact++) {
        char *text;
        json_t *read = written(write_everything, compact, &text);

        assert_string_equal(json_string_value(json_object_get(read, "text")),
                            "tab\t quote\" slash\\ line\n bell\a del\x7f \xc3\xa4 \xf0\x9f\xa7\xb6");
        assert_non_null(strstr(json_string_value(json_object_get(read, "broken")), "a\xef\xbf\xbd"));
        assert_true(json_integer_value(json_object_get(read, "least")) == INT64_MIN);
        assert_true(json_integer_value(json_object_get(read, "most")) == 9007199254740993);
        assert_true(json_real_value(json_object_get(read, "half")) == 0.5);
        assert_non_null(strstr(text, compact ? "\"tenth\":0.1" : "\"tenth\": 0.1"));
        assert_true(json_is_true(json_object_get(read, "yes")));
        assert_null(json_object_get(read, "absent"));
        assert_string_equal(json_string_value(json_object_get(read, "bornAt")), "2026-09-21T14:13:20.123Z");
        assert_true(json_integer_value(json_object_get(read, "bornMs")) == 1790000000123);
        assert_null(json_object_get(read, "neverAt"));
        assert_int_equal(json_array_size(json_object_get(read, "list")), 3);
        assert_int_equal(json_array_size(json_object_get(read, "empty")), 0);
        assert_ptr_equal(strchr(text, '\n'), compact ? text + strlen(text) - 1 : strchr(text, '\n'));
        json_decref(read);
        free(text);
    }
}

static void the_report_of_a_node_counts_the_containers_that_do_not_end(void **state)
{
    struct creel_node node = { .stuck_report = "7_01_000002: process 9 is in state D",
                               .containers_stuck = 1 };
    char text[200];

    (void)state;
    assert_string_equal(show_node_stuck(&node, text, sizeof(text)), node.stuck_report);
    node.containers_stuck = 4;
    assert_string_equal(show_node_stuck(&node, text, sizeof(text)),
                        "7_01_000002: process 9 is in state D; 3 more containers");
    assert_string_equal(show_node_report(&node, text, sizeof(text)),
                        "7_01_000002: process 9 is in state D; 3 more containers");
}

/* No time is printed that would be the end of a container that cannot end. */
static void a_node_whose_container_cannot_end_has_no_end(void **state)
{
    struct creel_node node = {
        .state = CREEL_NODE_DRAINING, .containers = 1, .containers_stuck = 1, .containers_end_ms = 1
    };
    char text[200];

    (void)state;
    assert_string_equal(show_node_end(&node, text), "stuck");
    assert_string_equal(show_node_left(&node, text, sizeof(text)), "1 container left; 1 cannot end");
    node.containers = 2;
    node.containers_end_ms = loop_now_ms() + 3600900;
    assert_string_equal(show_node_end(&node, text), "stuck");
    assert_string_equal(show_node_left(&node, text, sizeof(text)),
                        "2 containers left; 1 cannot end, the other ends in 01:00:00 at the latest");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_of_a_node_counts_the_containers_that_do_not_end),
        cmocka_unit_test(a_node_whose_container_cannot_end_has_no_end),
        cmocka_unit_test(piped_tables_are_whole_and_aligned),
        cmocka_unit_test(rows_are_cut_after_sorting),
        cmocka_unit_test(narrow_terminal_omits_columns),
        cmocka_unit_test(narrow_terminal_keeps_the_reason),
        cmocka_unit_test(narrow_terminal_keeps_columns_of_results),
        cmocka_unit_test(an_empty_table_has_its_titles),
        cmocka_unit_test(a_narrow_terminal_cuts_the_last_free_text_first),
        cmocka_unit_test(wide_characters_are_measured),
        cmocka_unit_test(columns_are_chosen_by_key_or_title),
        cmocka_unit_test(numbers_sort_as_numbers),
        cmocka_unit_test(csv_is_quoted),
        cmocka_unit_test(json_output_equals_the_reply),
    };

    return cmocka_run_group_tests_name("client_output", tests, NULL, NULL);
}
