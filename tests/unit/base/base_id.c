/* SPDX-License-Identifier: Apache-2.0 */
/* base_id.c - test: formatting and parsing of YARN ids, and rejection of invalid ids */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "common/base/id.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct container_id container(int64_t cluster, uint32_t seq, uint32_t attempt, uint32_t epoch,
                                     uint32_t number)
{
    return (struct container_id){ .attempt = { .app = { cluster, seq }, .attempt = attempt },
                                  .epoch = epoch,
                                  .number = number };
}

static void apps_there_and_back(void **state)
{
    static const struct {
        struct app_id id;
        const char *text;
    } cases[] = {
        { { 1700000000000, 1 }, "application_1700000000000_0001" },
        { { 1700000000000, 9999 }, "application_1700000000000_9999" },
        { { 1700000000000, 10000 }, "application_1700000000000_10000" },
        { { 0, 1 }, "application_0_0001" },
        { { INT64_MAX, UINT32_MAX }, "application_9223372036854775807_4294967295" },
    };
    char text[ID_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct app_id id;

        assert_string_equal(app_id_format(&cases[i].id, text), cases[i].text);
        assert_true(app_id_parse(text, &id));
        assert_int_equal(app_id_compare(&id, &cases[i].id), 0);
    }
}

static void attempts_there_and_back(void **state)
{
    const struct attempt_id id = { .app = { 1700000000000, 12 }, .attempt = 2 };
    struct attempt_id found;
    char text[ID_TEXT_MAX];

    (void)state;
    assert_string_equal(attempt_id_format(&id, text), "appattempt_1700000000000_0012_000002");
    assert_true(attempt_id_parse(text, &found));
    assert_int_equal(app_id_compare(&found.app, &id.app), 0);
    assert_int_equal(found.attempt, 2);
}

static void containers_there_and_back(void **state)
{
    static const struct {
        int64_t cluster;
        uint32_t seq, attempt, epoch, number;
        const char *text;
    } cases[] = {
        { 1700000000000, 1, 1, 0, 1, "container_1700000000000_0001_01_000001" },
        { 1700000000000, 1, 1, 3, 12, "container_e03_1700000000000_0001_01_000012" },
        { 1700000000000, 1, 100, 123, 1234567, "container_e123_1700000000000_0001_100_1234567" },
        { INT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
          "container_e4294967295_9223372036854775807_4294967295_4294967295_4294967295" },
    };
    char text[ID_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct container_id id = container(cases[i].cluster, cases[i].seq, cases[i].attempt, cases[i].epoch,
                                           cases[i].number),
                            found;

        assert_string_equal(container_id_format(&id, text), cases[i].text);
        assert_true(container_id_parse(text, &found));
        assert_int_equal(container_id_compare(&id, &found), 0);
    }
}

static void malformed_ids_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "application",
        "application_",
        "application_1",
        "application_1_",
        "application_1_1",
        "application_1_001",
        "application_1_00001",
        "application_01_0001",
        "application_1_0001 ",
        " application_1_0001",
        "application_1_0001x",
        "application_-1_0001",
        "Application_1_0001",
        "application_9223372036854775808_0001",
        "application_1_4294967296",
        "application_1_99999999999999999999",
        "application_+1_0001",
        "application_1_0001_000001",
        "appattempt_1_0001",
        "appattempt_1_0001_1",
        "appattempt_1_0001_0000001",
        "appattempt_1_0001_000001_",
        "appattempt_1_0001_4294967296",
        "container_1_0001_01",
        "container_1_0001_1_000001",
        "container_1_0001_01_00001",
        "container_e_1_0001_01_000001",
        "container_e1_1_0001_01_000001",
        "container_e00_1_0001_01_000001",
        "container_e001_1_0001_01_000001",
        "container_e01_e01_1_0001_01_000001",
        "container_e011_0001_01_000001",
        "container_1_0001_01_000001\n",
        "container_1_0001_01_000001_1",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct app_id app = { 42, 43 };
        struct attempt_id attempt = { .app = { 42, 43 }, .attempt = 44 };
        struct container_id id = container(42, 43, 44, 45, 46);

        if (app_id_parse(bad[i], &app) || attempt_id_parse(bad[i], &attempt) ||
            container_id_parse(bad[i], &id))
            fail_msg("\"%s\" was taken for an id", bad[i]);
        assert_true(app.cluster_ms == 42 && app.seq == 43);
        assert_true(attempt.app.cluster_ms == 42 && attempt.app.seq == 43 && attempt.attempt == 44);
        assert_true(id.attempt.app.cluster_ms == 42 && id.epoch == 45 && id.number == 46);
    }
}

/* Each id is smaller than the next one: compares cluster, app, attempt, epoch, number. */
static void order(void **state)
{
    const struct container_id sorted[] = {
        container(1, 1, 1, 0, 1), container(1, 1, 1, 0, 2),         container(1, 1, 1, 1, 1),
        container(1, 1, 2, 0, 1), container(1, 2, 1, 0, 1),         container(1, UINT32_MAX, 1, 0, 1),
        container(2, 1, 1, 0, 1), container(INT64_MAX, 1, 1, 0, 1),
    };

    (void)state;
    for (size_t i = 0; i < COUNT(sorted); i++)
        for (size_t j = 0; j < COUNT(sorted); j++) {
            int got = container_id_compare(&sorted[i], &sorted[j]);

            assert_int_equal((got > 0) - (got < 0), (i > j) - (i < j));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apps_there_and_back),
        cmocka_unit_test(attempts_there_and_back),
        cmocka_unit_test(containers_there_and_back),
        cmocka_unit_test(malformed_ids_are_refused),
        cmocka_unit_test(order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
