/* SPDX-License-Identifier: Apache-2.0 */
/* rm_backups.c - automatic backups of the state: made, counted, and removed when they are old */
#include "tests/unit/store_support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "rm/net/backups.h"

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

    assert_int_equal(backups_newest_ms(world->directory), 0);
    assert_ok(backups_make(&world->settings, 1000, &err), err);
    assert_true(backups_newest_ms(world->directory) > 0);
    fd = open(other, O_WRONLY | O_CREAT, 0600);
    close(fd);
    assert_ok(backups_make(&world->settings, 2000, &err), err);
    assert_ok(backups_make(&world->settings, 3000, &err), err);
    assert_false(is_there(world, "creel-state-19700101T000001Z.db"));
    assert_true(is_there(world, "creel-state-19700101T000002Z.db"));
    assert_true(is_there(world, "creel-state-19700101T000003Z.db"));
    assert_true(is_there(world, "creel-all.tar"));
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
        cmocka_unit_test_setup_teardown(only_the_owner_can_read_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_cannot_be_made_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_relative_directory_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_are_made_without_a_directory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
