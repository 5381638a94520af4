/* SPDX-License-Identifier: Apache-2.0 */
/* rm_joined_keys.c - the copy of the keys of hosts that have joined: a state that was lost gets them back */
#include "tests/unit/store_support.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "rm/net/joined_keys.h"
#include "tests/unit/master_harness.h"

#define KEY_1 "1111111111111111111111111111111111111111"
#define KEY_2 "2222222222222222222222222222222222222222"

static struct harness h;

struct world {
    char *directory; /* the key directory */
    struct joined_keys *joined;
};

static void start(struct world *world)
{
    world->joined = joined_keys_new(world->directory);
    harness_init(&h);
    h.config.admin_users = "admin";
    harness_start(&h);
}

static void stop(struct world *world)
{
    harness_done(&h);
    joined_keys_free(world->joined);
}

/* A resource manager whose state was lost. */
static void start_again(struct world *world)
{
    stop(world);
    start(world);
}

static int set_up(void **state)
{
    struct world *world = mem_new0(struct world);

    world->directory = scratch_make();
    start(world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    stop(world);
    scratch_remove(world->directory);
    free(world);
    return 0;
}

static size_t adopt(struct world *world)
{
    size_t count = joined_keys_adopt(world->joined, h.master, h.now, &h.effects);

    harness_run_effects(&h);
    return count;
}

static void write_at(struct world *world, int64_t steady_ms)
{
    joined_keys_write(world->joined, h.master, steady_ms);
}

static void join(const char *host, const char *key)
{
    struct master_joined joined = { host, key, "0a1b2c3d", 1000 };

    assert_true(master_adopt_host(h.master, h.now, &joined, &h.effects));
    harness_run_effects(&h);
}

static char *path_of(const struct world *world, const char *name)
{
    return mem_printf("%s/%s", world->directory, name);
}

static void a_lost_state_gets_its_hosts_back(void **state)
{
    struct world *world = *state;

    assert_int_equal(adopt(world), 0);
    join("n1", KEY_1);
    join("n2", KEY_2);
    write_at(world, 0);
    assert_null(joined_keys_problem(world->joined));
    start_again(world);
    assert_null(master_joined_host(h.master, KEY_1));
    assert_int_equal(adopt(world), 2);
    assert_string_equal(master_joined_host(h.master, KEY_1), "n1");
    assert_string_equal(master_joined_host(h.master, KEY_2), "n2");
    harness_restart(&h); /* they are rows of the state now */
    assert_string_equal(master_joined_host(h.master, KEY_1), "n1");
}

static void a_host_of_the_state_keeps_its_key(void **state)
{
    struct world *world = *state;

    (void)adopt(world);
    join("n1", KEY_1);
    write_at(world, 0);
    start_again(world);
    join("n1", KEY_2);
    assert_int_equal(adopt(world), 0);
    assert_string_equal(master_joined_host(h.master, KEY_2), "n1");
    assert_null(master_joined_host(h.master, KEY_1));
}

static void no_file_is_made_before_a_host_joins(void **state)
{
    struct world *world = *state;
    scoped_free char *folder = path_of(world, JOINED_KEYS_FOLDER);

    (void)adopt(world);
    write_at(world, 0);
    assert_int_equal(access(folder, F_OK), -1);
}

static void a_list_that_others_can_write_admits_no_key(void **state)
{
    struct world *world = *state;
    scoped_free char *file = path_of(world, JOINED_KEYS_FILE);

    (void)adopt(world);
    join("n1", KEY_1);
    write_at(world, 0);
    start_again(world);
    assert_int_equal(chmod(file, 0666), 0);
    assert_int_equal(adopt(world), 0);
    assert_contains(joined_keys_problem(world->joined), "group or others can write it");
    write_at(world, 0); /* the list is not replaced by one without n1 */
    start_again(world);
    assert_int_equal(chmod(file, 0644), 0);
    assert_int_equal(adopt(world), 1);
}

static void lines_that_are_no_hosts_are_left_out(void **state)
{
    struct world *world = *state;
    scoped_free char *folder = path_of(world, JOINED_KEYS_FOLDER), *file = path_of(world, JOINED_KEYS_FILE);
    static const char text[] =
        "# a comment\n\nn1 short 0a1b2c3d 5\nn2\n../n3 " KEY_1 " 0a1b2c3d 5\nn4 " KEY_2 " 0a1b2c3d 5\n";
    int fd;

    assert_int_equal(mkdir(folder, 0755), 0);
    fd = open(file, O_WRONLY | O_CREAT, 0644);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_int_equal(adopt(world), 1);
    assert_string_equal(master_joined_host(h.master, KEY_2), "n4");
}

static void a_write_that_fails_is_reported_and_repeated(void **state)
{
    struct world *world = *state;
    scoped_free char *folder = path_of(world, JOINED_KEYS_FOLDER);
    int fd;

    (void)adopt(world);
    fd = open(folder, O_WRONLY | O_CREAT, 0644); /* a file, where the folder has to be */
    close(fd);
    join("n1", KEY_1);
    write_at(world, 1000);
    assert_contains(joined_keys_problem(world->joined), JOINED_KEYS_FILE);
    assert_int_equal(unlink(folder), 0);
    write_at(world, 1001); /* too early */
    assert_non_null(joined_keys_problem(world->joined));
    write_at(world, 1000 + 60000);
    assert_null(joined_keys_problem(world->joined));
    start_again(world);
    assert_int_equal(adopt(world), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_lost_state_gets_its_hosts_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_host_of_the_state_keeps_its_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_file_is_made_before_a_host_joins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_others_can_write_admits_no_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_that_are_no_hosts_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_write_that_fails_is_reported_and_repeated, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
