/* SPDX-License-Identifier: Apache-2.0 */
/* rm_backups.c - automatic backups of the state: made, counted, and removed when they are old */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "rm/net/rescue/backups.h"

struct world {
    char *state, *directory; /* STATE is the scratch directory, DIRECTORY is in it */
    struct store *store;
    struct backups_settings settings;
};

static int set_up(void **state)
{
    struct world *world = mem_new0(struct world);

    world->state = scratch_make();
    world->directory = mem_printf("%s/backups", world->state);
    world->store = open_store(world->state);
    world->settings = (struct backups_settings){ world->state, world->directory, 1000, 2 };
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    store_close(world->store);
    scratch_remove(world->state);
    free(world->directory);
    free(world);
    return 0;
}

static bool is_there(const struct world *world, const char *name)
{
    scoped_free char *file = mem_printf("%s/%s", world->directory, name);

    return access(file, F_OK) == 0;
}

static void the_newest_are_kept(void **state)
{
    struct world *world = *state;
    scoped_free char *other = mem_printf("%s/creel-all.tar", world->directory);
    struct err err = { 0 };
    int fd;

    assert_int_equal(backups_find(world->directory, 1000).newest_ms, 0);
    assert_ok(backups_make(&world->settings, 1000, &err), err);
    assert_int_equal(backups_find(world->directory, 1000).newest_ms, 1000);
    fd = open(other, O_WRONLY | O_CREAT, 0600);
    close(fd);
    assert_ok(backups_make(&world->settings, 2000, &err), err);
    assert_ok(backups_make(&world->settings, 3000, &err), err);
    assert_false(is_there(world, "creel-state-19700101T000001Z.db"));
    assert_true(is_there(world, "creel-state-19700101T000002Z.db"));
    assert_true(is_there(world, "creel-state-19700101T000003Z.db"));
    assert_true(is_there(world, "creel-all.tar"));
}

/* Makes a file that is no database. */
static void put_empty(const struct world *world, const char *name)
{
    scoped_free char *file = mem_printf("%s/%s", world->directory, name);

    assert_int_equal(close(open(file, O_WRONLY | O_CREAT, 0600)), 0);
}

static void backups_from_the_future_are_named_and_remove_none(void **state)
{
    struct world *world = *state;
    struct backups_found found;
    struct err err = { 0 };

    assert_ok(backups_make(&world->settings, NOW_MS + 3600000, &err), err); /* the clock was wrong */
    assert_ok(backups_make(&world->settings, NOW_MS + 7200000, &err), err);
    assert_ok(backups_make(&world->settings, NOW_MS + 9000000, &err), err);
    for (int64_t i = 0; i < 3; i++) {
        assert_ok(backups_make(&world->settings, NOW_MS + 1000 * i, &err), err);
        found = backups_find(world->directory, NOW_MS + 1000 * i);
        assert_int_equal(found.newest_ms, NOW_MS + 1000 * i);
        assert_string_equal(found.future, "creel-state-20231115T004320Z.db");
    }
    assert_false(is_there(world, "creel-state-20231114T221320Z.db")); /* the oldest of three */
    assert_true(is_there(world, "creel-state-20231114T221321Z.db"));
    assert_true(is_there(world, "creel-state-20231114T221322Z.db"));
    assert_true(is_there(world, "creel-state-20231115T001320Z.db"));
}

static void files_that_are_no_backups_are_not_counted(void **state)
{
    struct world *world = *state;
    struct err err = { 0 };

    assert_ok(backups_make(&world->settings, 1000, &err), err);
    put_empty(world, "creel-state-19700101T000009Z.db");
    put_empty(world, "creel-state-zzz.db");
    assert_int_equal(backups_find(world->directory, 20000).newest_ms, 1000);
    assert_string_equal(backups_find(world->directory, 20000).future, "");
    assert_ok(backups_make(&world->settings, 20000, &err), err);
    assert_true(is_there(world, "creel-state-19700101T000001Z.db"));
    assert_true(is_there(world, "creel-state-19700101T000020Z.db"));
}

static void only_the_owner_can_read_them(void **state)
{
    struct world *world = *state;
    scoped_free char *file = mem_printf("%s/creel-state-19700101T000001Z.db", world->directory);
    struct stat status;
    struct err err = { 0 };

    assert_ok(backups_make(&world->settings, 1000, &err), err);
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(stat(world->directory, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
}

static void a_directory_that_cannot_be_made_is_named(void **state)
{
    struct world *world = *state;
    struct err err = { 0 };

    world->settings.directory = "/nowhere/at/all";
    assert_int_equal(backups_make(&world->settings, 1000, &err), -ENOENT);
    assert_contains(err.text, "/nowhere/at/all: the directory of backups cannot be made");
}

static void a_relative_directory_is_refused(void **state)
{
    struct world *world = *state;
    struct backups *backups = NULL;
    struct err err = { 0 };

    world->settings.directory = "backups";
    assert_int_equal(backups_new(NULL, &world->settings, &backups, &err), -EINVAL);
    assert_contains(err.text, "creel.state.backup-directory: \"backups\": has to begin at /");
}

/* --- the thread: it looks at the directory again and again */

struct watched {
    struct loop *loop;
    struct backups *backups;
};

static void stop_when_idle(void *context)
{
    struct watched *watched = context;

    if (backups_state(watched->backups).started_ms == 0)
        loop_stop(watched->loop);
    else
        loop_add_timer(watched->loop, 1, stop_when_idle, watched);
}

static struct backups_state look(struct watched *watched, int64_t now_ms)
{
    backups_check(watched->backups, now_ms);
    loop_add_timer(watched->loop, 0, stop_when_idle, watched);
    loop_run(watched->loop);
    return backups_state(watched->backups);
}

static void watch(struct world *world, struct watched *watched)
{
    struct err err = { 0 };

    world->settings.interval_ms = 86400000;
    assert_int_equal(loop_new(&watched->loop, NULL), 0);
    assert_ok(backups_new(watched->loop, &world->settings, &watched->backups, &err), err);
    assert_int_equal(look(watched, NOW_MS).newest_ms, NOW_MS);
}

static void end(struct watched *watched)
{
    assert_true(backups_free(watched->backups));
    loop_free(watched->loop);
}

static void run(const struct world *world, const char *command)
{
    scoped_free char *line = mem_printf("cd %s && %s", world->state, command);

    assert_int_equal(system(line), 0);
}

static void a_backup_that_is_cut_or_removed_is_replaced_at_the_next_look(void **state)
{
    struct world *world = *state;
    struct watched watched;

    watch(world, &watched);
    run(world, "truncate -s 5000 backups/*.db");
    assert_int_equal(look(&watched, NOW_MS + BACKUPS_LOOK_MS).newest_ms, NOW_MS + BACKUPS_LOOK_MS);
    run(world, "rm backups/*.db");
    assert_int_equal(look(&watched, NOW_MS + 2 * BACKUPS_LOOK_MS).newest_ms, NOW_MS + 2 * BACKUPS_LOOK_MS);
    assert_null(backups_state(watched.backups).problem);
    end(&watched);
}

static void a_directory_that_is_gone_is_not_made_again(void **state)
{
    struct world *world = *state;
    struct watched watched;

    watch(world, &watched);
    run(world, "mv backups away");
    assert_contains(look(&watched, NOW_MS + BACKUPS_LOOK_MS).problem, "backups: mount it, or make it again");
    assert_int_equal(access(world->directory, F_OK), -1);
    run(world, "mv away backups");
    assert_null(look(&watched, NOW_MS + 2 * BACKUPS_LOOK_MS).problem);
    assert_int_equal(backups_state(watched.backups).newest_ms, NOW_MS);
    end(&watched);
}

/* Looks at NOW_AT_MS. Returns whether the log has the line that the newest backup is gone. */
static bool logs_loss(const struct world *world, struct watched *watched, int64_t now_at_ms)
{
    scoped_free char *path = mem_printf("%s/log", world->state), *text = NULL;
    int saved = dup(STDERR_FILENO), fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    bool lost;

    assert_true(saved >= 0 && fd >= 0);
    (void)dup2(fd, STDERR_FILENO);
    (void)look(watched, now_at_ms);
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(file_read(fd, 100000, &text, NULL), 0);
    lost = strstr(text, "the newest backup of the state was removed, cut or replaced") != NULL;
    (void)close(fd);
    return lost;
}

static void a_clock_that_is_set_back_removes_no_backup(void **state)
{
    struct world *world = *state;
    struct watched watched;

    watch(world, &watched);
    assert_false(logs_loss(world, &watched, NOW_MS - 3600000));
    assert_string_equal(backups_state(watched.backups).future, "creel-state-20231114T221320Z.db");
    assert_false(logs_loss(world, &watched, NOW_MS + BACKUPS_LOOK_MS));
    run(world, "rm backups/creel-state-20231114T221320Z.db");
    assert_true(logs_loss(world, &watched, NOW_MS + 2 * BACKUPS_LOOK_MS));
    end(&watched);
}

/* The thread of the backups writes it, so that a directory that does not answer blocks nothing else. */
static void a_state_without_a_file_is_saved_beside_the_backups(void **state)
{
    struct world *world = *state;
    scoped_free char *file = mem_printf("%s/state.rescued-1.db", world->directory);
    struct store_decision decision;
    struct watched watched;
    struct err err = { 0 };

    watch(world, &watched);
    run(world, "rm state.db");
    assert_ok(backups_rescue(watched.backups, world->store, file, &err), err);
    assert_true(backups_rescue(watched.backups, world->store, "/does/not/exist/s.db", &err) < 0);
    assert_contains(err.text, "/does/not/exist/s.db");
    end(&watched);
    store_close(world->store);
    assert_ok(store_restore(world->state, file, NOW_MS, &decision, &err), err);
    store_decision_done(&decision);
    world->store = open_store(world->state);
}

/* Ends WATCHED, as at a stop of the resource manager, and begins again: nothing is known of the last look. */
static void start_again(const struct world *world, struct watched *watched)
{
    struct err err = { 0 };

    assert_true(backups_free(watched->backups));
    assert_ok(backups_new(watched->loop, &world->settings, &watched->backups, &err), err);
}

static void a_directory_that_is_not_mounted_at_a_start_gets_no_backup(void **state)
{
    struct world *world = *state;
    struct watched watched;

    watch(world, &watched);
    run(world, "mv backups mounted"); /* without its mount, the path is gone, or an empty directory */
    start_again(world, &watched);
    assert_contains(look(&watched, NOW_MS + 1).problem, "backups: mount it, or make it again");
    run(world, "mkdir backups");
    start_again(world, &watched);
    assert_contains(look(&watched, NOW_MS + 2).problem,
                    "backups is not the directory that was used before: mount it again; to go on with this "
                    "one: rm ");
    run(world, "rmdir backups && mv mounted backups");
    start_again(world, &watched);
    assert_null(look(&watched, NOW_MS + 3).problem);
    assert_int_equal(backups_state(watched.backups).newest_ms, NOW_MS);
    end(&watched);
}

static void the_printed_command_accepts_another_directory(void **state)
{
    struct world *world = *state;
    struct watched watched;

    watch(world, &watched);
    run(world, "mv backups mounted && mkdir backups");
    start_again(world, &watched);
    assert_non_null(look(&watched, NOW_MS + 1).problem);
    run(world, "rm backup-directory");
    assert_null(look(&watched, NOW_MS + 1 + BACKUPS_LOOK_MS).problem);
    run(world, "mv backups new && mv mounted backups"); /* now the first one is another directory */
    start_again(world, &watched);
    assert_contains(look(&watched, NOW_MS + 2).problem, "is not the directory that was used before");
    end(&watched);
}

static void another_path_is_a_new_directory(void **state)
{
    struct world *world = *state;
    scoped_free char *other = mem_printf("%s/other", world->state);
    struct watched watched;

    watch(world, &watched);
    world->settings.directory = other;
    start_again(world, &watched);
    assert_null(look(&watched, NOW_MS + 1000).problem);
    assert_int_equal(backups_state(watched.backups).newest_ms, NOW_MS + 1000);
    end(&watched);
}

/* /dev/shm has the part of the other file system. */
static void a_directory_on_another_file_system_gets_no_backup(void **state)
{
    struct world *world = *state;
    char other[] = "/dev/shm/creel-test-XXXXXX";
    scoped_free char *link = NULL;
    struct stat here, there;
    struct watched watched;

    assert_non_null(mkdtemp(other));
    link = mem_printf("mv backups away && ln -s %s backups", other);
    watch(world, &watched);
    if (stat(world->directory, &here) == 0 && stat(other, &there) == 0 && here.st_dev != there.st_dev) {
        run(world, link);
        assert_contains(look(&watched, NOW_MS + BACKUPS_LOOK_MS).problem,
                        "is not the directory that was used before: mount it again");
        run(world, "rmdir $(readlink backups)"); /* it is empty */
    } else {
        assert_int_equal(rmdir(other), 0);
    }
    end(&watched);
}

/* Without a directory there is no thread, and nothing is reported. */
static void none_are_made_without_a_directory(void **state)
{
    struct world *world = *state;
    struct backups *backups = NULL;
    struct err err = { 0 };

    world->settings.directory = "";
    assert_ok(backups_new(NULL, &world->settings, &backups, &err), err);
    assert_null(backups);
    backups_check(backups, 5000);
    assert_string_equal(backups_state(backups).directory, "");
    assert_true(backups_free(backups));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(backups_from_the_future_are_named_and_remove_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_are_no_backups_are_not_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_owner_can_read_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_cannot_be_made_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_relative_directory_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_backup_that_is_cut_or_removed_is_replaced_at_the_next_look, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_clock_that_is_set_back_removes_no_backup, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_state_without_a_file_is_saved_beside_the_backups, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_is_gone_is_not_made_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_is_not_mounted_at_a_start_gets_no_backup, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_printed_command_accepts_another_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_path_is_a_new_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_on_another_file_system_gets_no_backup, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_are_made_without_a_directory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
