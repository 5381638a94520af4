/* SPDX-License-Identifier: Apache-2.0 */
/* store_upgrade.c - test: the state is copied before a new version changes its tables */
#include "tests/unit/store/store_support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "rm/store/store_upgrade.h"

#define DAY_MS INT64_C(86400000)

static char *upgrade(const char *directory, unsigned kept, int64_t now_ms)
{
    struct store_upgrade upgrade;
    struct err err = { 0 };

    assert_ok(store_upgrade_prepare(directory, kept, now_ms, &upgrade, &err), err);
    return upgrade.copy;
}

static int count_copies(const char *directory)
{
    DIR *list = opendir(directory);
    struct dirent *entry;
    int count = 0;

    assert_non_null(list);
    while ((entry = readdir(list)) != NULL)
        count += strncmp(entry->d_name, "state.db.schema-", 16) == 0;
    closedir(list);
    return count;
}

static void remove_database(const char *directory)
{
    static const char *const names[] = { "state.db", "state.db-wal", "state.db-shm", "head" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scoped_free char *path = mem_printf("%s/%s", directory, names[i]);

        (void)unlink(path);
    }
}

static void an_earlier_schema_is_copied_and_can_be_restored(void **state)
{
    scoped_free char *expected = mem_printf("%s/state.db.schema-3-20231114T221320Z", (char *)*state);
    scoped_free char *outside = mem_printf("%s/kept", (char *)*state), *copy = NULL;
    struct store_decision decision = { 0 };
    struct store_report report;
    struct stat status;
    struct store *store;
    struct err err = { 0 };

    scratch_sql(*state, store_schema_3());
    copy = upgrade(*state, 3, NOW_MS);
    assert_string_equal(copy, expected);
    assert_int_equal(stat(copy, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    store_close(open_store(*state));
    scratch_expect(*state, "PRAGMA user_version", "5");
    assert_null(upgrade(*state, 3, NOW_MS + DAY_MS)); /* nothing to do any more */
    assert_int_equal(count_copies(*state), 1);
    /* The copy is as it was. */
    assert_int_equal(rename(copy, outside), 0);
    assert_ok(store_restore(*state, outside, NOW_MS + DAY_MS, &decision, &err), err);
    store_decision_done(&decision);
    assert_ok(store_check(*state, &report, &err), err);
    assert_int_equal(report.verdict, STORE_SOUND);
    assert_int_equal(report.apps, 1);
    store_report_done(&report);
    store = open_store(*state);
    assert_true(store_last_app_seq(store) >= 9);
    store_close(store);
}

static void a_new_state_needs_no_copy(void **state)
{
    assert_null(upgrade(*state, 3, NOW_MS));
    store_close(open_store(*state));
    assert_null(upgrade(*state, 3, NOW_MS));
    assert_int_equal(count_copies(*state), 0);
}

static void the_newest_copies_are_kept(void **state)
{
    for (int i = 0; i < 5; i++) {
        scoped_free char *copy = NULL;

        remove_database(*state);
        scratch_sql(*state, store_schema_3());
        copy = upgrade(*state, 3, NOW_MS + i * DAY_MS);
        assert_non_null(copy);
        assert_int_equal(count_copies(*state), i < 3 ? i + 1 : 3);
        assert_int_equal(access(copy, F_OK), 0);
    }
}

/* A start that fails before the upgrade, again and again, must not replace all copies. */
static void a_copy_of_the_same_state_is_used_again(void **state)
{
    scoped_free char *first = NULL, *second = NULL;

    scratch_sql(*state, store_schema_3());
    first = upgrade(*state, 3, NOW_MS);
    second = upgrade(*state, 3, NOW_MS + DAY_MS);
    assert_string_equal(first, second);
    assert_int_equal(count_copies(*state), 1);
}

static void no_copy_if_none_is_wanted(void **state)
{
    struct store_upgrade upgrade;
    struct err err = { 0 };

    scratch_sql(*state, store_schema_3());
    assert_ok(store_upgrade_prepare(*state, 0, NOW_MS, &upgrade, &err), err);
    assert_null(upgrade.copy);
    assert_int_equal(upgrade.from, 3);
    assert_int_equal(upgrade.to, 5);
    assert_int_equal(count_copies(*state), 0);
}

static void a_damaged_state_is_left_to_the_start(void **state)
{
    struct store_upgrade upgrade;
    struct store *store;
    struct err err = { 0 };

    store_close(open_store(*state));
    scratch_sql(*state, "UPDATE meta SET value = 7 WHERE name = 'epoch'; PRAGMA user_version = 4");
    assert_ok(store_upgrade_prepare(*state, 3, NOW_MS, &upgrade, &err), err);
    assert_null(upgrade.copy);
    assert_int_equal(count_copies(*state), 0);
    assert_int_equal(store_open_sqlite(*state, NOW_MS, &store, &err), -EBADMSG);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_earlier_schema_is_copied_and_can_be_restored),
        TEST(a_new_state_needs_no_copy),
        TEST(the_newest_copies_are_kept),
        TEST(a_copy_of_the_same_state_is_used_again),
        TEST(no_copy_if_none_is_wanted),
        TEST(a_damaged_state_is_left_to_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
