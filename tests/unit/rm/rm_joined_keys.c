/* SPDX-License-Identifier: Apache-2.0 */
/* rm_joined_keys.c - the copy of the keys of hosts that have joined: a state that was lost gets them back */
#include "tests/unit/store/store_support.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "rm/net/keys/joined_keys.h"
#include "tests/unit/master/master_harness.h"

#define KEY_1 "1111111111111111111111111111111111111111"
#define KEY_2 "2222222222222222222222222222222222222222"
#define KEY_3 "3333333333333333333333333333333333333333"

static struct harness h;

struct world {
    char *directory, *state; /* the key directory, and the state directory in it */
    struct loop *loop;
    struct store *store;
    struct joined_keys *joined;
};

static void start(struct world *world)
{
    struct err err = { 0 };

    assert_ok(loop_new(&world->loop, &err), err);
    world->store = open_store(world->state);
    assert_ok(joined_keys_new(world->loop, world->directory, world->store, &world->joined, &err), err);
    harness_init(&h);
    h.config.admin_users = "admin";
    harness_start(&h);
}

static void stop(struct world *world)
{
    harness_done(&h);
    assert_true(joined_keys_free(world->joined, JOINED_KEYS_STOP_MS));
    store_close(world->store);
    loop_free(world->loop);
}

static void empty_state(struct world *world)
{
    scratch_remove(world->state);
    world->state = mem_printf("%s/state", world->directory);
    assert_int_equal(mkdir(world->state, 0700), 0);
}

/* A resource manager whose state was lost. */
static void start_again(struct world *world)
{
    stop(world);
    empty_state(world);
    start(world);
}

static int set_up(void **state)
{
    struct world *world = mem_new0(struct world);

    world->directory = scratch_make();
    world->state = mem_printf("%s/state", world->directory);
    assert_int_equal(mkdir(world->state, 0700), 0);
    start(world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    stop(world);
    scratch_remove(world->directory);
    free(world->state);
    free(world);
    return 0;
}

/* Notes the changes in the effects, and carries these out; one commit. */
static void run_effects(struct world *world)
{
    struct err err = { 0 };

    for (size_t i = 0; i < h.effects.count; i++)
        if (h.effects.items[i].store_seq != 0 && master_changes_joined_hosts(&h.effects.items[i]))
            joined_keys_add(world->joined, h.effects.items[i].setting);
    harness_run_effects(&h);
    assert_ok(store_begin(world->store, &err), err);
    assert_ok(put_app(world->store, 1, &err), err);
    assert_ok(store_commit(world->store, &err), err);
}

static size_t adopt(struct world *world)
{
    size_t count = joined_keys_adopt(world->joined, h.master, h.now, &h.effects);

    run_effects(world);
    return count;
}

static void stop_loop(void *context)
{
    loop_stop(context);
}

/* Writes, and waits until the thread is done. */
static void write_at(struct world *world, int64_t steady_ms)
{
    joined_keys_write(world->joined, h.master, steady_ms);
    while (joined_keys_busy(world->joined)) {
        loop_add_timer(world->loop, 1, stop_loop, world->loop);
        loop_run(world->loop);
    }
}

static char *path_of(const struct world *world, const char *name)
{
    return mem_printf("%s/%s", world->directory, name);
}

/* Returns the file; the caller frees it. */
static char *read_file(const struct world *world)
{
    struct err err = { 0 };
    char *text;

    assert_ok(joined_file_read(world->directory, &text, &err), err);
    return text;
}

static void write_file(const struct world *world, const char *text)
{
    scoped_free char *folder = path_of(world, JOINED_KEYS_FOLDER);
    struct err err = { 0 };

    (void)mkdir(folder, 0755);
    assert_ok(joined_file_replace(world->directory, text, &err), err);
}

static void join_at(struct world *world, const char *host, const char *key, int64_t since_ms)
{
    struct master_joined joined = { host, key, "0a1b2c3d", since_ms };

    assert_true(master_adopt_host(h.master, h.now, &joined, &h.effects));
    run_effects(world);
}

static void join(struct world *world, const char *host, const char *key)
{
    join_at(world, host, key, 1000);
}

static void remove_host(struct world *world, const char *host)
{
    assert_true(master_remove_host(h.master, h.now, host, INT64_MAX, &h.effects));
    run_effects(world);
}

static void a_lost_state_gets_its_hosts_back(void **state)
{
    struct world *world = *state;

    assert_int_equal(adopt(world), 0);
    join(world, "n1", KEY_1);
    join(world, "n2", KEY_2);
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
    join(world, "n1", KEY_1);
    write_at(world, 0);
    start_again(world);
    join(world, "n1", KEY_2);
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
    join(world, "n1", KEY_1);
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

    write_file(world, "# a comment\n\nn1 short 0a1b2c3d 5\nn2\n../n3 " KEY_1 " 0a1b2c3d 5\nn4 " KEY_2
                      " 0a1b2c3d 5\n");
    assert_int_equal(adopt(world), 1);
    assert_string_equal(master_joined_host(h.master, KEY_2), "n4");
}

/* --- the log ----------------------------------------------------------------------- */

static void changes_are_appended(void **state)
{
    struct world *world = *state;
    scoped_free char *first = NULL, *second = NULL;

    (void)adopt(world);
    join(world, "n1", KEY_1);
    write_at(world, 0);
    first = read_file(world);
    join(world, "n2", KEY_2);
    write_at(world, 1);
    second = read_file(world);
    assert_memory_equal(second, first, strlen(first));
    assert_contains(second, "\nn2 " KEY_2 " 0a1b2c3d 1000\n@ ");
}

static void the_file_is_written_anew_when_it_has_grown(void **state)
{
    struct world *world = *state;
    scoped_free char *text = NULL;

    (void)adopt(world);
    for (int i = 0; i < 1000; i++) {
        join_at(world, "n1", KEY_1, 1000 + i);
        remove_host(world, "n1");
        write_at(world, i);
    }
    text = read_file(world);
    assert_true(strlen(text) < 1100 * (40 + sizeof("n1  0a1b2c3d 1000")));
    assert_contains(text, "\n-n1 1999\n");
}

static void an_incomplete_last_line_is_left_out(void **state)
{
    struct world *world = *state;
    scoped_free char *text = NULL;

    write_file(world, "n1 " KEY_1 " 0a1b2c3d 5\nn2 " KEY_2 " 0a1b2c3d 170000");
    assert_int_equal(adopt(world), 1);
    assert_null(master_joined_host(h.master, KEY_2));
    write_at(world, 0);
    text = read_file(world);
    assert_null(strstr(text, KEY_2));
}

/* The file still has n1, as it could not be written when n1 was removed. */
static void a_state_that_knows_the_file_is_right(void **state)
{
    struct world *world = *state;
    scoped_free char *before = NULL;

    (void)adopt(world);
    join(world, "n1", KEY_1);
    write_at(world, 0);
    before = read_file(world);
    remove_host(world, "n1");
    write_at(world, 1);
    stop(world);
    start(world); /* the same state, in which the harness has no hosts */
    write_file(world, before);
    assert_int_equal(adopt(world), 0);
    assert_null(master_joined_host(h.master, KEY_1));
    write_at(world, 0);
    start_again(world);
    assert_int_equal(adopt(world), 0); /* the file was written anew */
}

/* n1 was removed while the file was not written, and n2 was not. */
static void a_revocation_that_the_file_lacks_is_added_at_the_start(void **state)
{
    struct world *world = *state;
    scoped_free char *before = NULL, *after = NULL;

    (void)adopt(world);
    join(world, "n1", KEY_1);
    join(world, "n2", KEY_2);
    join_at(world, "n3", KEY_3, 2000);
    write_at(world, 0);
    before = read_file(world);
    stop(world);
    start(world); /* the same state; the harness has no hosts, and gets those that were not removed */
    join(world, "n2", KEY_2);
    write_file(world, before);
    assert_int_equal(adopt(world), 0);
    write_at(world, 0);
    after = read_file(world);
    assert_contains(after, "\n-n1 1000\n");
    assert_contains(after, "\n-n3 2000\n");
    assert_null(strstr(after, "\n-n2 "));
    start_again(world); /* with the hosts of an old backup */
    join(world, "n1", KEY_1);
    join(world, "n2", KEY_2);
    assert_int_equal(adopt(world), 0);
    assert_null(master_joined_host(h.master, KEY_1));
    assert_string_equal(master_joined_host(h.master, KEY_2), "n2");
}

/* A host whose line is behind the newest commit of the file is not known to the state as removed. */
static void a_line_behind_the_newest_commit_is_no_revocation(void **state)
{
    struct world *world = *state;
    scoped_free char *before = NULL, *longer = NULL, *after = NULL;

    (void)adopt(world);
    join(world, "n1", KEY_1);
    write_at(world, 0);
    before = read_file(world);
    longer = mem_printf("%sn2 " KEY_2 " 0a1b2c3d 1000\n", before);
    stop(world);
    start(world);
    join(world, "n1", KEY_1);
    write_file(world, longer);
    assert_int_equal(adopt(world), 0);
    write_at(world, 0);
    after = read_file(world);
    assert_null(strstr(after, "\n-n"));
}

static void a_list_that_is_not_there_is_no_problem(void **state)
{
    struct world *world = *state;

    assert_int_equal(adopt(world), 0);
    assert_null(joined_keys_problem(world->joined));
}

/* A FIFO without a reader is a disk that does not answer. */
static void a_write_that_hangs_does_not_delay_the_stop(void **state)
{
    struct world *world = *state;
    scoped_free char *file = path_of(world, JOINED_KEYS_FILE);
    struct joined_keys *hanging;
    struct err err = { 0 };

    (void)adopt(world);
    join(world, "n1", KEY_1);
    write_at(world, 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0644), 0);
    join(world, "n2", KEY_2);
    joined_keys_write(world->joined, h.master, 1);
    assert_true(joined_keys_busy(world->joined));
    hanging = world->joined;
    assert_false(joined_keys_free(hanging, 100));
    assert_int_equal(unlink(file), 0);
    assert_ok(joined_keys_new(world->loop, world->directory, world->store, &world->joined, &err), err);
}

static void an_old_state_gets_the_revocations_of_the_file(void **state)
{
    struct world *world = *state;

    (void)adopt(world);
    join(world, "n1", KEY_1);
    join(world, "n2", KEY_2);
    write_at(world, 0);
    remove_host(world, "n1");
    remove_host(world, "n2");
    write_at(world, 1);
    join_at(world, "n2", KEY_3, 2000);
    write_at(world, 2);
    start_again(world); /* also the file, which is written anew, keeps the revocations */
    assert_int_equal(adopt(world), 1);
    write_at(world, 0);
    start_again(world);
    join(world, "n1", KEY_1);
    join(world, "n2", KEY_2);
    assert_int_equal(adopt(world), 1);
    assert_null(master_joined_host(h.master, KEY_1));
    assert_null(master_joined_host(h.master, KEY_2));
    assert_string_equal(master_joined_host(h.master, KEY_3), "n2");
}

static void a_write_that_fails_is_reported_and_repeated(void **state)
{
    struct world *world = *state;
    scoped_free char *folder = path_of(world, JOINED_KEYS_FOLDER);
    int fd;

    (void)adopt(world);
    fd = open(folder, O_WRONLY | O_CREAT, 0644); /* a file, where the folder has to be */
    close(fd);
    join(world, "n1", KEY_1);
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
        cmocka_unit_test_setup_teardown(changes_are_appended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_file_is_written_anew_when_it_has_grown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_incomplete_last_line_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_state_that_knows_the_file_is_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_revocation_that_the_file_lacks_is_added_at_the_start, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_line_behind_the_newest_commit_is_no_revocation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_state_gets_the_revocations_of_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_write_that_fails_is_reported_and_repeated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_list_that_is_not_there_is_no_problem, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_write_that_hangs_does_not_delay_the_stop, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
