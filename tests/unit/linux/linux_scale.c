/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_scale.c - test: the runtime with many containers, and with too few file descriptors
 *
 * Needs root and this machine's cgroups.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/unit/linux/linux_fixture.h"

#define APP "application_1700000000000_0001"
#define MANY 150

static char *id_of(int number)
{
    return mem_printf("container_1700000000000_0001_01_%06d", number);
}

/* --- records ----------------------------------------------------------------- */

static void has_state(struct fixture *fixture, const char *id, const char *file, bool expected)
{
    scoped_free char *path = mem_printf("state/containers/%s%s%s", id, *file ? "/" : "", file);

    if (fixture_has(fixture, path) != expected)
        fail_msg("%s is %s", path, expected ? "missing" : "there");
}

static void test_records_and_tombstones(void **state)
{
    struct fixture *fixture = *state;
    struct err err = { .code = 0 };
    char *ids[MANY];

    for (int i = 0; i < MANY; i++)
        ids[i] = i == 70 ? mem_strdup("../evil") : id_of(i + 1);
    assert_int_equal(runtime_save(fixture->runtime, ids[3], "older", 5, NULL), 0);
    runtime_acknowledge(fixture->runtime, ids[3]);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(runtime_save(fixture->runtime, ids[i], "grant", 5, &err), i == 70  ? -EINVAL
                                                                                   : i == 3 ? -EEXIST
                                                                                            : 0);
        if (i == 70)
            assert_non_null(strstr(err.text, "../evil"));
        if (i == 3)
            assert_non_null(strstr(err.text, "has run and ended"));
        if (i != 70 && i != 3)
            has_state(fixture, ids[i], "record", true);
        if (i != 70)
            has_state(fixture, ids[i], "record.new", false);
    }
    for (int i = 0; i < MANY; i++) {
        runtime_acknowledge(fixture->runtime, ids[i]);
        if (i == 70)
            continue;
        has_state(fixture, ids[i], "acked", true);
        has_state(fixture, ids[i], "record", false);
    }
    runtime_cleanup_app(fixture->runtime, APP, 0);
    for (int i = 0; i < MANY; i++) {
        if (i != 70)
            has_state(fixture, ids[i], "", false);
        free(ids[i]);
    }
}

/* Cleaning up an application must not affect containers of other applications. */
static void test_other_containers_are_kept(void **state)
{
    static const char other[] = "container_1700000000000_0002_01_000001";
    struct fixture *fixture = *state;

    assert_int_equal(runtime_save(fixture->runtime, other, "grant", 5, NULL), 0);
    for (int i = 1; i <= 3; i++) {
        scoped_free char *id = id_of(i);

        assert_int_equal(runtime_save(fixture->runtime, id, "grant", 5, NULL), 0);
    }
    runtime_cleanup_app(fixture->runtime, APP, 0);
    has_state(fixture, "container_1700000000000_0001_01_000003", "", false);
    has_state(fixture, other, "record", true);
}

/* --- descriptors -------------------------------------------------------------- */

static void set_limit(rlim_t files)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = files;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Without free descriptors a launch fails without leaving anything, and can be retried later. */
static void test_too_few_descriptors(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *id = id_of(1);
    struct launch plan = fixture_plan(id, SHELL("exit 3"));
    int groups = fixture_groups(fixture);
    struct rlimit before;
    struct err err = { .code = 0 };

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(runtime_save(fixture->runtime, id, "grant", 5, NULL), 0);
    set_limit(100);
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), -EMFILE);
    assert_non_null(strstr(err.text, "open files"));
    set_limit(before.rlim_cur);
    assert_int_equal(fixture_groups(fixture), groups);
    assert_false(fixture_has(fixture, "local/usercache/nobody/appcache/" APP
                                      "/container_1700000000000_0001_01_000001"));
    assert_int_equal(runtime_launch(fixture->runtime, &plan, &err), 0);
    assert_int_equal(fixture_wait(fixture, id, RUNTIME_EXITED).end.exit_status, 3);
    runtime_cleanup(fixture->runtime, id);
}

/* --- starts ------------------------------------------------------------------- */

/* Continues the removal of directories. Returns whether the directory of the user is gone. */
static bool user_is_gone(struct fixture *fixture)
{
    struct runtime_event event;

    runtime_poll(fixture->runtime, &event); /* removal continues in small steps */
    return !fixture_has(fixture, "local/usercache/nobody");
}

static void test_a_thousand_at_once(void **state)
{
    enum { COUNT = 1000, FDS_EACH = 3 };
    struct fixture *fixture = *state;
    scoped_free char *fifo = mem_printf("%s/go", fixture->base);
    scoped_free char *script = mem_printf("read go <%s; exit 5", fifo);
    struct rlimit before;
    int running = 0, ended = 0, fd;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    if (before.rlim_max < COUNT * FDS_EACH + 200)
        skip();
    set_limit(before.rlim_max);
    assert_int_equal(mkfifo(fifo, 0666), 0);
    assert_int_equal(chmod(fifo, 0666), 0);
    fd = open(fifo, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    for (int i = 0; i < COUNT; i++) {
        scoped_free char *id = id_of(i + 1);
        struct launch plan = fixture_plan(id, SHELL(script));

        fixture_launch(fixture, &plan);
    }
    while (running < COUNT)
        running += fixture_event(fixture).kind == RUNTIME_RUNNING;
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(write(fd, "\n", 1), 1);
    while (ended < COUNT) {
        struct runtime_event event = fixture_event(fixture);

        assert_int_equal(event.kind, RUNTIME_EXITED);
        assert_int_equal(event.end.exit_status, 5);
        runtime_acknowledge(fixture->runtime, event.container_id);
        runtime_cleanup(fixture->runtime, event.container_id);
        ended++;
    }
    close(fd);
    runtime_cleanup_app(fixture->runtime, APP, 0);
    fixture_until(fixture, user_is_gone);
    set_limit(before.rlim_cur);
}

/* --- time ----------------------------------------------------------------------- */

/* The runtime's descriptor signals the end of each stopped container: the agent needs no other poll after
 * a stop. Stops many containers at once, which ignore SIGTERM (as soon as each has confirmed that). */
static void test_many_are_stopped_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_event event;
    int running = 0, ended = 0;

    for (int i = 1; i <= 20; i++) {
        scoped_free char *id = id_of(i);
        struct launch plan = fixture_plan(id, SHELL("trap '' TERM; sleep 1000; sleep 1000"));

        fixture_launch(fixture, &plan);
    }
    while (running < 20)
        running += fixture_event(fixture).kind == RUNTIME_RUNNING;
    while (runtime_poll(fixture->runtime, &event))
        fail_msg("%s ended", event.container_id);
    for (int i = 1; i <= 20; i++) {
        scoped_free char *id = id_of(i);

        runtime_stop(fixture->runtime, id);
    }
    while (ended < 20) {
        event = fixture_event(fixture);
        assert_int_equal(event.kind, RUNTIME_EXITED);
        assert_true(event.end.exit_status == 137 || event.end.exit_status == 143);
        runtime_cleanup(fixture->runtime, event.container_id);
        ended++;
    }
}

/* The logs of each of many applications are removed when their retention time has passed. */
static void test_many_retentions(void **state)
{
    struct fixture *fixture = *state;
    struct runtime_event event;

    for (int i = 1; i <= 200; i++) {
        scoped_free char *app = mem_printf("application_1700000000000_%04d", i);
        scoped_free char *logs = mem_printf("%s/%s", fixture->logs, app);

        assert_int_equal(mkdir(logs, 0755), 0);
        runtime_cleanup_app(fixture->runtime, app, i % 2 ? 0 : 3600000);
    }
    fixture_restart(fixture);
    for (int i = 1; i <= 200; i++) {
        scoped_free char *app = mem_printf("logs/application_1700000000000_%04d", i);

        while (i % 2 && fixture_has(fixture, app))
            runtime_poll(fixture->runtime, &event);
        assert_int_equal(fixture_has(fixture, app), i % 2 == 0);
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_records_and_tombstones),   CASE(test_other_containers_are_kept),
        CASE(test_too_few_descriptors),      CASE(test_a_thousand_at_once),
        CASE(test_many_are_stopped_at_once), CASE(test_many_retentions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
