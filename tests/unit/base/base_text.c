/* SPDX-License-Identifier: Apache-2.0 */
/* base_text.c - test: parsing of numbers, sizes and durations, and formatting for tables */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <signal.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/base/text_print.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED INT64_C(-777)

struct number_case {
    const char *text;
    bool good;
    int64_t value;
};

typedef bool parse_fn(const char *text, int64_t *value);

static bool parse_bytes(const char *text, int64_t *value)
{
    return text_parse_size_bytes(text, 1, value);
}

static bool parse_mb(const char *text, int64_t *value)
{
    return text_parse_size_bytes(text, 1 << 20, value);
}

static bool parse_ms(const char *text, int64_t *value)
{
    return text_parse_duration_ms(text, 1, value);
}

static bool parse_seconds(const char *text, int64_t *value)
{
    return text_parse_duration_ms(text, 1000, value);
}

static void run(const struct number_case *cases, size_t count, parse_fn *parse)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value = UNTOUCHED;
        bool good = parse(cases[i].text, &value);
        int64_t expected = cases[i].good ? cases[i].value : UNTOUCHED;

        if (good != cases[i].good || value != expected)
            fail_msg("\"%s\": got %d, %" PRId64 ", expected %d, %" PRId64, cases[i].text, good, value,
                     cases[i].good, expected);
    }
}

static void integers(void **state)
{
    static const struct number_case cases[] = {
        { "0", true, 0 },
        { "-0", true, 0 },
        { "+7", true, 7 },
        { "007", true, 7 },
        { "1024", true, 1024 },
        { "0x400", true, 1024 },
        { "0X4fF", true, 0x4ff },
        { "-0x10", true, -16 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "0x7fffffffffffffff", true, INT64_MAX },
        { "-0x8000000000000000", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "0x8000000000000000", false, 0 },
        { "99999999999999999999999", false, 0 },
        { "", false, 0 },
        { "-", false, 0 },
        { "+", false, 0 },
        { "0x", false, 0 },
        { "0x0x10", false, 0 },
        { "--5", false, 0 },
        { "+-5", false, 0 },
        { "0x-5", false, 0 },
        { "12a", false, 0 },
        { "a", false, 0 },
        { "1.0", false, 0 },
        { "1e3", false, 0 },
        { " 1", false, 0 },
        { "1 ", false, 0 },
        { "1,000", false, 0 },
        { "\xd9\xa3", false, 0 },
    };

    (void)state;
    run(cases, COUNT(cases), text_parse_int64);
}

static void sizes(void **state)
{
    static const struct number_case cases[] = {
        { "512", true, 512 },
        { "0x10", true, 16 },
        { "1k", true, 1024 },
        { "1K", true, 1024 },
        { "1kb", true, 1024 },
        { "1KiB", true, 1024 },
        { "512m", true, INT64_C(512) << 20 },
        { "2048 MB", true, INT64_C(2) << 30 },
        { "1.5g", true, INT64_C(3) << 29 },
        { ".5k", true, 512 },
        { "+2k", true, 2048 },
        { "-2k", true, -2048 },
        { "10b", true, 10 },
        { "1T", true, INT64_C(1) << 40 },
        { "1p", true, INT64_C(1) << 50 },
        { "0.3k", true, 307 },
        { "1.9", true, 1 },
        { "0.0000000001g", true, 0 },
        { "9007199254740993b", true, INT64_C(9007199254740993) },
        { "9007199254740993", true, INT64_C(9007199254740993) },
        { "8191p", true, INT64_C(8191) << 50 },
        { "8192p", false, 0 },
        { "99999999p", false, 0 },
        { "9223372036854775808b", false, 0 },
        { "99999999999999999999k", false, 0 },
        { "", false, 0 },
        { "k", false, 0 },
        { ".", false, 0 },
        { "-", false, 0 },
        { "1kk", false, 0 },
        { "1bb", false, 0 },
        { "1bib", false, 0 },
        { "1x", false, 0 },
        { "1 ", false, 0 },
        { " 1k", false, 0 },
        { "1k ", false, 0 },
        { "0x10k", false, 0 },
        { "1e3k", false, 0 },
        { "inf", false, 0 },
        { "nan", false, 0 },
        { "1..5k", false, 0 },
        { "1,5k", false, 0 },
    };
    static const struct number_case in_mb[] = {
        { "512", true, INT64_C(512) << 20 },
        { "512k", true, 512 << 10 },
        { "0.5", true, 1 << 19 },
        { "9223372036854775807", false, 0 },
        { "8796093022208", false, 0 },
        { "8796093022207", true, INT64_C(8796093022207) << 20 },
    };

    (void)state;
    run(cases, COUNT(cases), parse_bytes);
    run(in_mb, COUNT(in_mb), parse_mb);
}

static void durations(void **state)
{
    static const struct number_case cases[] = {
        { "90", true, 90 },
        { "500ms", true, 500 },
        { "30s", true, 30000 },
        { "5m", true, 300000 },
        { "2h", true, 7200000 },
        { "1d", true, 86400000 },
        { "1.5h", true, 5400000 },
        { "2 S", true, 2000 },
        { "5MS", true, 5 },
        { "1500us", true, 1 },
        { "999us", true, 0 },
        { "1999999ns", true, 1 },
        { "-5s", true, -5000 },
        { "0x10", true, 16 },
        { "0.001s", true, 1 },
        { "106751991167d", true, INT64_C(106751991167) * 86400000 },
        { "106751991168d", false, 0 },
        { "9223372036854775807s", false, 0 },
        { "9223372036854775807ns", true, INT64_C(9223372036854) },
        { "5sec", false, 0 },
        { "5 min", false, 0 },
        { "1w", false, 0 },
        { "s", false, 0 },
        { "", false, 0 },
        { "1s ", false, 0 },
        { "1m30s", false, 0 },
        { "1e2s", false, 0 },
        { "ten", false, 0 },
    };
    static const struct number_case in_seconds[] = {
        { "90", true, 90000 }, { "1.5", true, 1500 },
        { "90ms", true, 90 },  { "9223372036854775807", false, 0 },
        { "1.5 ", false, 0 },
    };

    (void)state;
    run(cases, COUNT(cases), parse_ms);
    run(in_seconds, COUNT(in_seconds), parse_seconds);
}

static bool parse_time(const char *text, int64_t *value)
{
    return text_parse_time_ms(text, 1000, value);
}

static void times_of_batch_systems(void **state)
{
    static const struct number_case cases[] = {
        { "90", true, 90000 },
        { "90m", true, 5400000 },
        { "2h", true, 7200000 },
        { "10:00", true, 600000 },
        { "100:30", true, 6030000 },
        { "1:30:00", true, 5400000 },
        { "48:00:00", true, 172800000 },
        { "2-00:00:00", true, 172800000 },
        { "2-12", true, 216000000 },
        { "2-12:30", true, 217800000 },
        { "0-00:00:01", true, 1000 },
        { "999999999-23:59:59", true, INT64_C(86399999999999000) },
        { "10:60", false, 0 },
        { "1:60:00", false, 0 },
        { "2-24", false, 0 },
        { "1:2:3:4", false, 0 },
        { "1:", false, 0 },
        { ":1", false, 0 },
        { "2-", false, 0 },
        { "2-1-1", false, 0 },
        { "1:30h", false, 0 },
        { "1:-3", false, 0 },
        { " 1:30", false, 0 },
        { "1000000000:00", false, 0 },
        { "", false, 0 },
    };

    (void)state;
    run(cases, COUNT(cases), parse_time);
}

static void floats(void **state)
{
    static const struct {
        const char *text;
        bool good;
        double value;
    } cases[] = {
        { "0", true, 0 },      { "0.8", true, 0.8 },  { "-1.0", true, -1 },     { "+.5", true, 0.5 },
        { "5.", true, 5 },     { "1e3", true, 1000 }, { "2.5E-1", true, 0.25 }, { "1e400", false, 0 },
        { "", false, 0 },      { ".", false, 0 },     { "-", false, 0 },        { "e5", false, 0 },
        { "0x10", false, 0 },  { "nan", false, 0 },   { "-inf", false, 0 },     { "infinity", false, 0 },
        { " 1", false, 0 },    { "1 ", false, 0 },    { "1f", false, 0 },       { "0,8", false, 0 },
        { "1.2.3", false, 0 }, { "80%", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = -777;
        bool good = text_parse_double(cases[i].text, &value);

        if (good != cases[i].good || value != (cases[i].good ? cases[i].value : -777))
            fail_msg("\"%s\": got %d, %g", cases[i].text, good, value);
    }
}

static void signals(void **state)
{
    int number = 0;

    (void)state;
    assert_true(text_parse_signal("USR1", &number));
    assert_int_equal(number, SIGUSR1);
    assert_true(text_parse_signal("sigterm", &number));
    assert_int_equal(number, SIGTERM);
    assert_false(text_parse_signal("KILL", &number));
    assert_false(text_parse_signal("", &number));
    assert_false(text_parse_signal("SIG", &number));
    assert_int_equal(number, SIGTERM);
}

static void trimming(void **state)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        { "", "" },           { " ", "" },
        { "a", "a" },         { "\n\t a b \r\n", "a b" },
        { "\v\fx\v\f", "x" }, { "\xc2\xa0x", "\xc2\xa0x" },
    };
    char text[32];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof(text), "%s", cases[i].in);
        assert_string_equal(text_trim(text), cases[i].out);
    }
}

static void words_of_a_list(void **state)
{
    static const struct {
        const char *list, *words;
    } cases[] = {
        { "", "" }, { "a", "a|" }, { "a, b c ,d", "a|b c|d|" }, { " ,,\ta\n, ,", "a|" }, { ",", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char list[32], words[32] = "", *rest = list, *word;

        snprintf(list, sizeof(list), "%s", cases[i].list);
        while ((word = text_next_word(&rest)) != NULL)
            snprintf(words + strlen(words), sizeof(words) - strlen(words), "%s|", word);
        assert_string_equal(words, cases[i].words);
        assert_null(text_next_word(&rest));
    }
}

static void comparing(void **state)
{
    (void)state;
    assert_true(text_equal(NULL, NULL));
    assert_false(text_equal(NULL, ""));
    assert_false(text_equal("", NULL));
    assert_true(text_equal("a", "a"));
    assert_false(text_equal("a", "A"));
    assert_true(text_has_prefix("yarn.x", "yarn."));
    assert_true(text_has_prefix("x", ""));
    assert_false(text_has_prefix("yarn", "yarn."));
    assert_int_equal(text_hash(""), 2166136261U);
    assert_int_equal(text_hash("a"), 0xe40c292cU);
    assert_true(text_has_suffix("a-secs", "-secs"));
    assert_true(text_has_suffix("x", ""));
    assert_false(text_has_suffix("secs", "-secs"));
}

static void memory_for_tables(void **state)
{
    static const struct {
        int64_t mb;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 1, "1M" },
        { 1023, "1023M" },
        { 1024, "1.0G" },
        { 1536, "1.5G" },
        { 16384, "16.0G" },
        { 102912, "100.5G" },
        { 1048524, "1023.9G" },
        { 1048575, "1.0T" },
        { 1048576, "1.0T" },
        { INT64_C(1) << 40, "1.0E" },
        { INT64_MAX, "8388608.0E" },
        { -5, "-5M" },
        { -2048, "-2.0G" },
        { INT64_MIN, "-8388608.0E" },
    };
    char text[TEXT_SIZE_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(text_format_mb(cases[i].mb, text), cases[i].text);
}

static void elapsed_for_tables(void **state)
{
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        { 0, "00:00" },          { 999, "00:00" },        { 12000, "00:12" },       { 3599999, "59:59" },
        { 3600000, "01:00:00" }, { 3789000, "01:03:09" }, { 86399999, "23:59:59" }, { 86400000, "1d00h" },
        { 183600000, "2d03h" },  { -1, "00:00" },         { INT64_MIN, "00:00" },
    };
    char text[TEXT_SIZE_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(text_format_elapsed_ms(cases[i].ms, text), cases[i].text);
    assert_true(strlen(text_format_elapsed_ms(INT64_MAX, text)) < TEXT_SIZE_MAX);
}

static void times_for_messages(void **state)
{
    char text[TEXT_SIZE_MAX];

    (void)state;
    assert_string_equal(text_format_utc(0, text), "1970-01-01T00:00:00Z");
    assert_string_equal(text_format_utc(INT64_C(1700000000999), text), "2023-11-14T22:13:20Z");
    assert_true(strlen(text_format_utc(INT64_MAX, text)) < TEXT_SIZE_MAX);
    assert_true(strlen(text_format_utc(INT64_MIN, text)) < TEXT_SIZE_MAX);
}

static void names_of_racks_and_addresses_of_the_web(void **state)
{
    (void)state;
    assert_true(text_is_rack("/default-rack"));
    assert_true(text_is_rack("/dc1/r1"));
    assert_false(text_is_rack("/"));
    assert_false(text_is_rack("r1"));
    assert_false(text_is_rack("USR1@60"));
    assert_false(text_is_rack("/r 1"));
    assert_true(text_is_rack("/dc_1/row-2/r3.b"));
    assert_false(text_is_rack(""));
    assert_false(text_is_rack("//r1"));
    assert_false(text_is_rack("/r1/"));
    assert_false(text_is_rack("/<script>"));
    assert_false(text_is_rack("/a@60"));
    assert_true(text_is_label("gpu-80_g"));
    assert_true(text_is_label("8"));
    assert_false(text_is_label(""));
    assert_false(text_is_label("-gpu"));
    assert_false(text_is_label("_gpu"));
    assert_false(text_is_label("bad label!"));
    assert_false(text_is_label("a.b"));
    assert_true(text_is_web_address("http://am:8080/x?y=1"));
    assert_true(text_is_web_address("HTTPS://am"));
    assert_false(text_is_web_address("javascript:alert(1)"));
    assert_false(text_is_web_address("am:8080"));
    assert_false(text_is_web_address("http://a b"));
    assert_false(text_is_web_address(""));
}

static void texts_that_do_not_fit_have_a_mark(void **state)
{
    char text[16] = "";

    (void)state;
    text_print(text, sizeof(text), "%s", "fifteen letters");
    assert_string_equal(text, "fifteen letters");
    text_print(text, sizeof(text), "%s", "sixteen letters!");
    assert_string_equal(text, "sixteen lett...");
    text_print(text, sizeof(text), "%s", "a letter ab\xc3\xa9 more");
    assert_string_equal(text, "a letter ab...");
    text_print(text, sizeof(text), "%s", "one");
    text_print_more(text, sizeof(text), "%s", "two");
    assert_string_equal(text, "one; two");
    text_print_more(text, sizeof(text), "%s", "");
    assert_string_equal(text, "one; two");
    text_print_more(text, sizeof(text), "%s", "and three");
    assert_string_equal(text, "one; two; an...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_racks_and_addresses_of_the_web),
        cmocka_unit_test(integers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
        cmocka_unit_test(times_of_batch_systems),
        cmocka_unit_test(floats),
        cmocka_unit_test(signals),
        cmocka_unit_test(trimming),
        cmocka_unit_test(words_of_a_list),
        cmocka_unit_test(comparing),
        cmocka_unit_test(memory_for_tables),
        cmocka_unit_test(elapsed_for_tables),
        cmocka_unit_test(times_for_messages),
        cmocka_unit_test(texts_that_do_not_fit_have_a_mark),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
