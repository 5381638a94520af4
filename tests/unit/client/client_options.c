/* SPDX-License-Identifier: Apache-2.0 */
/* client_options.c - test: command lines, suggestions after typing mistakes, ids, exit codes */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/frame/cli.h"
#include "client/cli/frame/options.h"
#include "client/cli/show/container_lookup.h"
#include "client/cli/frame/suggest.h"

static const struct option_spec own[] = {
    { 'n', "count", "N", "how many" },
    { 'f', "follow", NULL, "go on" },
    { 0, "timeout", "TIME", "own" },
    { 0, "limits", "[NAMES]", "some" },
    { 0 },
};

static const struct option_spec global[] = {
    { 'o', "output", "FORMAT", "format" },
    { 'v', "verbose", NULL, "say more" },
    { 0, "timeout", "TIME", "global" },
    { 0 },
};

static void options_are_accepted_at_any_position(void **state)
{
    static const char *const argv[] = { "a", "-n5", "--follow", "b", "-o", "json", "--", "-v", NULL };
    struct options options;

    (void)state;
    assert_int_equal(options_parse(argv, own, global, OPTIONS_ANYWHERE, &options, NULL), 0);
    assert_string_equal(options_get(&options, "count"), "5");
    assert_string_equal(options_get(&options, "output"), "json");
    assert_true(options_has(&options, "follow"));
    assert_false(options_has(&options, "verbose"));
    assert_int_equal(options.argument_count, 3);
    assert_string_equal(options.arguments[2], "-v");
    assert_null(options.arguments[3]);
    options_done(&options);
}

static void a_command_keeps_its_options(void **state)
{
    static const char *const argv[] = { "-n", "2", "ls", "-v", "-n", "7", NULL };
    struct options options;

    (void)state;
    assert_int_equal(options_parse(argv, own, global, OPTIONS_BEFORE_COMMAND, &options, NULL), 0);
    assert_string_equal(options_get(&options, "count"), "2");
    assert_false(options_has(&options, "verbose"));
    assert_int_equal(options.argument_count, 4);
    assert_string_equal(options.arguments[0], "ls");
    options_done(&options);
}

static void letters_join_and_the_last_value_wins(void **state)
{
    static const char *const argv[] = { "-fvn3", "--count=4", "--timeout=", NULL };
    struct options options;

    (void)state;
    assert_int_equal(options_parse(argv, own, global, OPTIONS_ANYWHERE, &options, NULL), 0);
    assert_true(options_has(&options, "follow") && options_has(&options, "verbose"));
    assert_string_equal(options_get(&options, "count"), "4");
    assert_string_equal(options_get(&options, "timeout"), "");
    /* The command's own option, not the global option of the same name. */
    assert_string_equal(options.items[options.count - 1].spec->help, "own");
    options_done(&options);
}

static void an_argument_in_brackets_may_be_missing(void **state)
{
    static const char *const argv[] = { "--limits", "a", "--limits=b", NULL };
    struct options options;

    (void)state;
    assert_int_equal(options_parse(argv, own, global, OPTIONS_ANYWHERE, &options, NULL), 0);
    assert_int_equal(options.count, 2);
    assert_string_equal(options.items[0].value, "");
    assert_string_equal(options.items[1].value, "b");
    assert_int_equal(options.argument_count, 1);
    assert_string_equal(options.arguments[0], "a");
    options_done(&options);
}

static void help_shows_letters_and_arguments(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    options_print(out, own);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "  -n, --count N                how many\n"
                              "  -f, --follow                 go on\n"
                              "      --timeout TIME           own\n"
                              "      --limits[=NAMES]         some\n");
    free(text);
}

static void mistakes_are_named(void **state)
{
    static const struct {
        const char *argv[3];
        const char *message;
    } table[] = {
        { { "--cuont", "1", NULL }, "did you mean --count?" },
        { { "--verbos", NULL, NULL }, "did you mean --verbose?" },
        { { "--qqqqqq", NULL, NULL }, "unknown option --qqqqqq" },
        { { "-x", NULL, NULL }, "unknown option -x" },
        { { "--count", NULL, NULL }, "needs a value: --count N" },
        { { "-n", NULL, NULL }, "needs a value: -n N" },
        { { "--follow=1", NULL, NULL }, "takes no value" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct options options;
        struct err err = { 0 };

        assert_int_equal(options_parse(table[i].argv, own, global, OPTIONS_ANYWHERE, &options, &err),
                         -EINVAL);
        assert_non_null(strstr(err.text, table[i].message));
        assert_int_equal(options.count, 0);
        assert_null(options.items);
    }
}

static void distances_count_steps(void **state)
{
    (void)state;
    assert_int_equal(suggest_distance("", "abc"), 3);
    assert_int_equal(suggest_distance("status", "status"), 0);
    assert_int_equal(suggest_distance("submti", "submit"), 1);
    assert_int_equal(suggest_distance("kil", "kill"), 1);
    assert_int_equal(suggest_distance("lgos", "logs"), 1);
    assert_int_equal(suggest_distance("wait", "list"), 3);
}

static void suggestions_are_near_or_none(void **state)
{
    static const char *const words[] = { "submit", "status", "kill", "logs" };
    static const char *const typed[][2] = {
        { "submti", "submit" }, { "stat", "status" },   { "kil", "kill" },
        { "log", "logs" },      { "frobnicate", NULL }, { "x", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
        struct suggestion best = { 0 };

        for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
            suggest_offer(&best, typed[i][0], words[k]);
        if (typed[i][1])
            assert_string_equal(best.text, typed[i][1]);
        else
            assert_null(best.text);
    }
    assert_string_equal(suggest_habit("squeue"), "app list");
    assert_string_equal(suggest_habit("sinfo"), "node list");
    assert_null(suggest_habit("submit"));
}

static void ids_are_shortened_between_numbers(void **state)
{
    static const struct {
        const char *full, *text;
        bool matches;
    } table[] = {
        { "container_1_0001_01_000003", "container_1_0001_01_000003", true },
        { "container_1_0001_01_000003", "01_000003", true },
        { "container_1_0001_01_000003", "1_000003", true },
        { "container_1_0001_01_000003", "_000003", true },
        { "container_1_0001_01_000003", "3", true },
        { "container_1_0001_01_000003", "03", true },
        { "container_1_0001_01_000013", "3", false },
        { "container_1_0001_01_000013", "13", true },
        { "container_1_0001_01_000003", "", false },
        { "container_1_0001_01_000003", "4", false },
        { "container_1_0001_11_000003", "1_000003", false },
        { "3", "container_1_0001_11_000003", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        assert_int_equal(container_id_matches(table[i].full, table[i].text), table[i].matches);
}

static void a_container_is_picked(void **state)
{
    struct creel_container items[] = {
        { .id = "container_1_0001_01_000001", .title = "" },
        { .id = "container_1_0001_01_000002", .title = "0" },
        { .id = "container_1_0001_02_000002", .title = "0" },
    };
    struct creel_containers list = { .count = 3, .items = items };
    const struct creel_container *found;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(container_lookup(&list, "1", &found, &err), 0);
    assert_ptr_equal(found, &items[0]);
    assert_int_equal(container_lookup(&list, "02_000002", &found, &err), 0);
    assert_ptr_equal(found, &items[2]);
    assert_int_equal(container_lookup(&list, "#0", &found, &err), 0);
    assert_ptr_equal(found, &items[2]);
    assert_int_equal(container_lookup(&list, "2", &found, &err), -EINVAL);
    assert_non_null(strstr(err.text, "container_1_0001_02_000002"));
    assert_int_equal(container_lookup(&list, "9", &found, &err), -ENOENT);
    assert_int_equal(container_lookup(&list, "#9", &found, &err), -ENOENT);
}

static void errors_have_their_exit_codes(void **state)
{
    static const struct {
        int code, exit_code;
    } table[] = {
        { EIO, 1 },          { EINVAL, 1 }, { ENOENT, 3 },  { EPERM, 4 },  { EACCES, 4 },
        { EHOSTUNREACH, 5 }, { EBUSY, 6 },  { EBADMSG, 7 }, { ERANGE, 8 }, { ETIMEDOUT, 124 },
        { EFBIG, 1 },        { ENOKEY, 4 }, { EPROTO, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct creel_error error = { .code = table[i].code };

        assert_int_equal(cli_exit_code(&error), table[i].exit_code);
    }
}

static void applications_have_their_exit_codes(void **state)
{
    static const struct {
        enum creel_final_status final_status;
        int exit_status, exit_code;
    } table[] = {
        { CREEL_FINAL_SUCCEEDED, 0, 0 },
        { CREEL_FINAL_FAILED, 7, 7 },
        { CREEL_FINAL_FAILED, 137, 137 },
        { CREEL_FINAL_FAILED, -104, 137 },
        { CREEL_FINAL_FAILED, CREEL_EXIT_NONE, 1 },
        { CREEL_FINAL_FAILED, 0, 1 },
        { CREEL_FINAL_FAILED, -100, 1 },
        { CREEL_FINAL_FAILED, 300, 255 },
        { CREEL_FINAL_KILLED, -106, 143 },
        { CREEL_FINAL_KILLED, CREEL_EXIT_NONE, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct creel_app app = {
            .final_status = table[i].final_status,
            .exit_status = table[i].exit_status,
        };

        assert_int_equal(cli_app_exit(&app), table[i].exit_code);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_accepted_at_any_position),
        cmocka_unit_test(a_command_keeps_its_options),
        cmocka_unit_test(letters_join_and_the_last_value_wins),
        cmocka_unit_test(an_argument_in_brackets_may_be_missing),
        cmocka_unit_test(help_shows_letters_and_arguments),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(distances_count_steps),
        cmocka_unit_test(suggestions_are_near_or_none),
        cmocka_unit_test(ids_are_shortened_between_numbers),
        cmocka_unit_test(a_container_is_picked),
        cmocka_unit_test(errors_have_their_exit_codes),
        cmocka_unit_test(applications_have_their_exit_codes),
    };

    return cmocka_run_group_tests_name("client_options", tests, NULL, NULL);
}
