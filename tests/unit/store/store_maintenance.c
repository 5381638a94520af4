/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_maintenance.c - test: backup and restore of the store, states seen by agents, databases of earlier
 * versions
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <linux/magic.h>

static void commit_app(struct store *store, unsigned seq)
{
    struct err err = { 0 };

    assert_ok(store_begin(store, &err), err);
    assert_ok(put_app(store, seq, &err), err);
    assert_ok(store_commit(store, &err), err);
}

/* --- backup and restore ----------------------------------------------------------- */

static void backup(const char *directory, const char *file)
{
    struct store_report report;
    struct err err = { 0 };

    assert_ok(store_backup(directory, file, &report, &err), err);
    assert_int_equal(report.verdict, STORE_SOUND);
    store_report_done(&report);
}

/* Backs up a store that is open and in use; an existing file is not overwritten. */
static void a_running_store_is_backed_up(void **state)
{
    struct store *store = open_store(*state);
    scoped_free char *file = mem_printf("%s/saved", (char *)*state);
    struct store_report report;
    struct err err = { 0 };

    commit_app(store, 1);
    backup(*state, file);
    commit_app(store, 2);
    assert_int_equal(store_backup(*state, file, &report, &err), -EEXIST);
    store_report_done(&report);
    assert_int_equal(apps_of(store), 2);
    store_close(store);
}

static void database_with_lost_commits_is_not_backed_up(void **state)
{
    scoped_free char *file = mem_printf("%s/saved", (char *)*state);
    scoped_free char *copy = mem_printf("cd %s && cp state.db old", (char *)*state);
    scoped_free char *back = mem_printf("cd %s && cp old state.db", (char *)*state);
    struct store_report report;
    struct store *store;
    struct err err = { 0 };

    store_close(open_store(*state));
    assert_int_equal(system(copy), 0);
    store = open_store(*state);
    commit_app(store, 1);
    store_close(store);
    assert_int_equal(system(back), 0);
    assert_int_equal(store_backup(*state, file, &report, &err), -EBADMSG);
    assert_contains(err.text, "ends with commit 1, but the newest was 3");
    store_report_done(&report);
    assert_int_equal(access(file, F_OK), -1);
}

static void a_restored_store_gives_no_number_twice(void **state)
{
    scoped_free char *file = mem_printf("%s/saved", (char *)*state);
    struct store_decision decision;
    struct store *store = open_store(*state);
    struct err err = { 0 };

    commit_app(store, 1);
    backup(*state, file);
    store_close(store);
    for (unsigned start = 0; start < 3; start++) {
        store = open_store(*state);
        commit_app(store, 2 + start);
        assert_int_equal(store_restore(*state, file, NOW_MS, &decision, &err), -EBUSY);
        store_close(store);
    }
    assert_ok(store_restore(*state, file, NOW_MS, &decision, &err), err);
    assert_int_equal(decision.last_app_seq, 4);
    assert_non_null(decision.moved_to);
    store_decision_done(&decision);
    store = open_store(*state);
    assert_int_equal(apps_of(store), 1);
    assert_int_equal(store_last_app_seq(store), 4);
    assert_true(store_epoch(store) > 3);
    assert_int_equal(store_cluster_ms(store), NOW_MS);
    store_close(store);
}

/* The store cannot know how many numbers were used since the backup, so it skips a wide range. */
static void a_store_restored_on_another_disk_begins_far_above(void **state)
{
    scoped_free char *elsewhere = mem_printf("%s/elsewhere", (char *)*state);
    scoped_free char *make = mem_printf("mkdir %s", elsewhere);
    scoped_free char *file = mem_printf("%s/saved", (char *)*state);
    struct store_decision decision;
    struct store *store = open_store(*state);
    struct err err = { 0 };

    commit_app(store, 7);
    backup(*state, file);
    store_close(store);
    assert_int_equal(system(make), 0);
    assert_ok(store_restore(elsewhere, file, NOW_MS + 5, &decision, &err), err);
    store_decision_done(&decision);
    store = open_store(elsewhere);
    assert_int_equal(store_last_app_seq(store), 100007);
    assert_true(store_epoch(store) > 1000);
    assert_int_equal(store_cluster_ms(store), NOW_MS);
    store_close(store);
}

static void invalid_backup_is_not_restored(void **state)
{
    scoped_free char *file = mem_printf("%s/saved", (char *)*state);
    scoped_free char *make = mem_printf("seq 5000 >%s", file);
    struct store_decision decision;
    struct store *store = open_store(*state);
    struct err err = { 0 };

    commit_app(store, 1);
    store_close(store);
    assert_int_equal(system(make), 0);
    assert_int_equal(store_restore(*state, file, NOW_MS, &decision, &err), -EBADMSG);
    assert_contains(err.text, file);
    store_decision_done(&decision);
    store = open_store(*state);
    assert_int_equal(apps_of(store), 1);
    store_close(store);
}

/* What is not known to be local is not: there are more network file systems than any list has. */
static void only_known_file_systems_are_local(void **state)
{
    static const uint32_t local[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC,
                                      0x2fc12fc1 /* ZFS */ };
    static const uint32_t other[] = { NFS_SUPER_MAGIC,
                                      SMB2_SUPER_MAGIC,
                                      CEPH_SUPER_MAGIC,
                                      AFS_SUPER_MAGIC,
                                      OCFS2_SUPER_MAGIC,
                                      FUSE_SUPER_MAGIC,
                                      V9FS_MAGIC,
                                      0x0bd00bd0 /* Lustre */,
                                      0x47504653 /* GPFS */,
                                      0x01161970 /* GFS2 */,
                                      0x19830326 /* BeeGFS */,
                                      0 };
    uint32_t type;

    for (size_t i = 0; i < sizeof(local) / sizeof(*local); i++)
        assert_true(store_is_local_type(local[i]));
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
        assert_false(store_is_local_type(other[i]));
    assert_true(store_is_local(*state, &type));
    assert_int_not_equal(type, 0);
    assert_false(store_is_local("/proc", &type));
    assert_int_equal(type, PROC_SUPER_MAGIC);
    assert_false(store_is_local("/does/not/exist", &type));
}

static void a_file_that_is_removed_under_an_open_store_is_noticed_and_rescued(void **state)
{
    scoped_free char *place = mem_printf("%s/state.db", (char *)*state);
    scoped_free char *rescued = mem_printf("%s/rescued.db", (char *)*state);
    scoped_free char *replace = mem_printf("cd %s && cp state.db other && mv other state.db", (char *)*state);
    struct store_decision decision;
    struct store *store = open_store(*state);
    struct err err = { 0 };

    assert_int_equal(store_watch(store, &err), 0);
    assert_int_equal(system(replace), 0);
    assert_true(store_watch(store, &err) < 0);
    assert_int_equal(unlink(place), 0);
    assert_true(store_watch(store, &err) < 0);
    commit_app(store, 1);
    assert_ok(store_rescue(store, rescued, &err), err);
    store_close(store);
    assert_ok(store_restore(*state, rescued, NOW_MS, &decision, &err), err);
    store_decision_done(&decision);
    store = open_store(*state);
    assert_int_equal(apps_of(store), 1);
    store_close(store);
}

/* --- states seen by agents ----------------------------------------------------------- */

static Creel__History seen_of(struct store *store, uint8_t bytes[32])
{
    Creel__History history;

    store_history(store, &history);
    memcpy(bytes, history.store_id.data, 16);
    memcpy(bytes + 16, history.start_id.data, 16);
    history.store_id.data = bytes;
    history.start_id.data = bytes + 16;
    return history;
}

static void copy_state(const char *directory, const char *from, const char *to)
{
    scoped_free char *command =
        mem_printf("cd %s && mkdir -p %s && cp %sstate.db %shead %s", directory, to, from, from, to);

    assert_int_equal(system(command), 0);
}

static void recorded_commits_are_recognized(void **state)
{
    struct store *store = open_store(*state);
    uint8_t bytes[32];
    Creel__History seen;

    commit_app(store, 1);
    seen = seen_of(store, bytes);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_SEEN);
    commit_app(store, 2);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_SEEN);
    store_close(store);
    store = open_store(*state);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_SEEN);
    seen.commit++; /* the last commit of that start */
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_SEEN);
    seen.commit++;
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_NEWER);
    store_close(store);
}

/* The whole directory, with its head file, is an old copy: only the states that agents saw reveal that,
 * also when the copy has been used since. */
static void old_copy_of_the_directory_is_detected_by_the_commits_seen_by_agents(void **state)
{
    struct store *store = open_store(*state);
    uint8_t bytes[32];
    Creel__History seen;
    struct err err = { 0 };

    commit_app(store, 1);
    store_close(store);
    copy_state(*state, "", "old/");
    store = open_store(*state);
    commit_app(store, 2);
    seen = seen_of(store, bytes);
    store_close(store);
    copy_state(*state, "old/", "./");
    store = open_store(*state);
    for (unsigned seq = 2; seq < 6; seq++)
        commit_app(store, seq);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_NEWER);

    seen.last_app = 44;
    assert_ok(store_accept(store, &seen, &err), err);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_ACCEPTED);
    assert_int_equal(store_epoch(store), 2);
    assert_int_equal(store_last_app_seq(store), 44);
    store_close(store);
    store = open_store(*state);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_ACCEPTED);
    assert_int_equal(store_epoch(store), 3);
    store_close(store);
}

static void another_store_is_detected_and_can_be_accepted(void **state)
{
    scoped_free char *file = mem_printf("%s/state.db", (char *)*state);
    scoped_free char *head = mem_printf("%s/head", (char *)*state);
    struct store *store = open_store(*state);
    uint8_t bytes[32];
    Creel__History seen = seen_of(store, bytes);
    struct err err = { 0 };

    store_close(store);
    unlink(file);
    unlink(head);
    store = open_store(*state);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_OTHER);
    assert_ok(store_accept(store, &seen, &err), err);
    assert_int_equal(store_compare(store, &seen), STORE_COMPARED_ACCEPTED);
    assert_int_equal(store_epoch(store), 0);
    store_close(store);
}

/* --- databases of earlier versions ------------------------------------------------------ */

static void a_database_without_checksums_gets_them(void **state)
{
    struct store_report report;
    struct store *store;
    struct err err = { 0 };

    scratch_sql(*state, store_schema_3());
    assert_ok(store_check(*state, &report, &err), err);
    assert_int_equal(report.verdict, STORE_EARLIER);
    store_report_done(&report);
    store = open_store(*state);
    assert_int_equal(store_epoch(store), 5);
    assert_int_equal(store_last_app_seq(store), 9);
    assert_int_equal(apps_of(store), 1);
    store_close(store);
    assert_ok(store_check(*state, &report, &err), err);
    assert_int_equal(report.verdict, STORE_SOUND);
    store_report_done(&report);
    scratch_sql(*state, "UPDATE apps SET name = 'm'");
    assert_int_equal(store_open_sqlite(*state, NOW_MS, &store, &err), -EBADMSG);
    assert_contains(err.text, "table apps, row application_1700000000000_0009");
}

static void a_database_of_before_the_checksums_is_an_old_copy_afterwards(void **state)
{
    scoped_free char *file = mem_printf("%s/state.db", (char *)*state);
    struct store *store;
    struct err err = { 0 };

    scratch_sql(*state, store_schema_3());
    store_close(open_store(*state));
    unlink(file);
    scratch_sql(*state, store_schema_3());
    assert_int_equal(store_open_sqlite(*state, NOW_MS, &store, &err), -EBADMSG);
    assert_contains(err.text, "was written by an earlier creel");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_set_up, scratch_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_running_store_is_backed_up),
        TEST(database_with_lost_commits_is_not_backed_up),
        TEST(a_restored_store_gives_no_number_twice),
        TEST(a_store_restored_on_another_disk_begins_far_above),
        TEST(only_known_file_systems_are_local),
        TEST(a_file_that_is_removed_under_an_open_store_is_noticed_and_rescued),
        TEST(invalid_backup_is_not_restored),
        TEST(recorded_commits_are_recognized),
        TEST(old_copy_of_the_directory_is_detected_by_the_commits_seen_by_agents),
        TEST(another_store_is_detected_and_can_be_accepted),
        TEST(a_database_without_checksums_gets_them),
        TEST(a_database_of_before_the_checksums_is_an_old_copy_afterwards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
