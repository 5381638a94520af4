/* SPDX-License-Identifier: Apache-2.0 */
/* web_csv.c - test: cells of comma-separated values, and texts that a spreadsheet would take as a formula */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "web/text/csv.h"

static void expect(const struct csv *csv, const char *text)
{
    assert_int_equal(csv->size, strlen(text));
    assert_memory_equal(csv->bytes, text, strlen(text));
}

static void cells_are_quoted_if_they_need_it(void **state)
{
    struct arena *arena = arena_new();
    struct csv csv;

    (void)state;
    csv_begin(&csv, arena);
    csv_text(&csv, "");
    csv_text(&csv, "plain text");
    csv_text(&csv, "a,b");
    csv_text(&csv, "say \"yes\"");
    csv_text(&csv, "two\r\nlines");
    csv_text(&csv, "\xc3\xa4\x1b[1m");
    csv_end_row(&csv);
    expect(&csv, "\"\",plain text,\"a,b\",\"say \"\"yes\"\"\",\"two\r\nlines\",\"\xc3\xa4 [1m\"\r\n");
    csv_clear(&csv);
    csv_count(&csv, -5);
    csv_number(&csv, 0.25);
    csv_time(&csv, 1795500000000);
    csv_time(&csv, 0);
    csv_fraction(&csv, 0.1F);
    csv_end_row(&csv);
    csv_count(&csv, 7);
    csv_text(&csv, "");
    expect(&csv, "-5,0.25,2026-11-24T06:00:00Z,,0.1\r\n7,");
    arena_free(arena);
}

static void no_text_of_a_list_is_left_out(void **state)
{
    static const char *const texts[] = { "a", "workflowid:1", "" };
    struct arena *arena = arena_new();
    const char *many[64];
    char long_text[101];
    struct csv csv;

    (void)state;
    csv_begin(&csv, arena);
    csv_texts(&csv, texts, 1);
    csv_texts(&csv, texts, 3);
    csv_texts(&csv, texts, 0);
    csv_end_row(&csv);
    expect(&csv, "a,\"a,workflowid:1,\",\r\n");
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    for (size_t i = 0; i < 64; i++)
        many[i] = long_text;
    csv_clear(&csv);
    csv_texts(&csv, many, 64);
    assert_int_equal(csv.size, 64 * 101 - 1 + 2); /* with quotation marks */
    arena_free(arena);
}

static void a_formula_is_a_text(void **state)
{
    static const char *const formulas[][2] = {
        { "=1+1", "\"'=1+1\"" },
        { "+1", "\"'+1\"" },
        { "-2+3", "\"'-2+3\"" },
        { "@SUM(A1)", "\"'@SUM(A1)\"" },
        { "\t=1", "\"'\t=1\"" },
        { "\r=1", "\"'\r=1\"" },
        { "=HYPERLINK(\"http://x\",\"y\")", "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"" },
        { "a=1", "a=1" },
    };
    struct arena *arena = arena_new();

    (void)state;
    for (size_t i = 0; i < sizeof(formulas) / sizeof(*formulas); i++) {
        struct csv csv;

        csv_begin(&csv, arena);
        csv_text(&csv, formulas[i][0]);
        expect(&csv, formulas[i][1]);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_quoted_if_they_need_it),
        cmocka_unit_test(no_text_of_a_list_is_left_out),
        cmocka_unit_test(a_formula_is_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
