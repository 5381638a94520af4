/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_usage.c - test: measurement of the disk usage of a container's working directory
 *
 * Needs root.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"

#define ID "container_1700000000000_0001_01_00000"
#define MIB ((uint64_t)1 << 20)

struct measured {
    int count;
    uint64_t bytes; /* bytes of the last measurement */
    bool too_deep;
    char id[80];
};

static void note(void *context, const char *container_id, uint64_t bytes, bool too_deep)
{
    struct measured *measured = context;

    measured->count++;
    measured->bytes = bytes;
    measured->too_deep = too_deep;
    strncpy(measured->id, container_id, sizeof(measured->id) - 1);
}

static struct measured measure(struct fixture *fixture, uint64_t max_bytes)
{
    struct measured measured = { .count = 0 };

    for (int i = 0; i < 1000 && measured.count == 0; i++)
        runtime_measure_disks(fixture->runtime, max_bytes, note, &measured);
    return measured;
}

static bool has_spoken(struct fixture *fixture)
{
    scoped_free char *out = fixture_log(fixture, ID "1", "stdout");

    return strstr(out, "ready") != NULL;
}

/* Starts a container that has run SCRIPT and then waits. */
static void start(struct fixture *fixture, const char *script)
{
    scoped_free char *text = mem_printf("%s; echo ready; exec sleep 1000", script);
    struct launch plan = fixture_plan(ID "1", SHELL(text));

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    fixture_until(fixture, has_spoken);
}

static void stop(struct fixture *fixture, const char *id)
{
    runtime_kill(fixture->runtime, id);
    fixture_wait(fixture, id, RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, id);
}

static void test_all_files_are_counted(void **state)
{
    struct fixture *fixture = *state;
    struct measured measured;

    start(fixture, "mkdir -p a/b; head -c 3000000 /dev/urandom >a/b/x; head -c 2000000 /dev/urandom >y");
    measured = measure(fixture, UINT64_MAX);
    assert_string_equal(measured.id, ID "1");
    assert_in_range(measured.bytes, 5000000, 5200000);
    assert_false(measured.too_deep);
    stop(fixture, ID "1");
    assert_int_equal(measure(fixture, UINT64_MAX).count, 0);
}

/* A file with two names counts once; a symbolic link to a large directory is not followed. */
static void test_names_and_links(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, "head -c 4000000 /dev/urandom >x; ln x y; ln -s /usr usr");
    assert_in_range(measure(fixture, UINT64_MAX).bytes, 4000000, 4200000);
    stop(fixture, ID "1");
}

static void test_excess_is_reported_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct measured measured;

    start(fixture, "i=0; while [ $i -lt 300 ]; do mkdir d$i; echo x >d$i/x; i=$((i + 1)); done");
    measured = measure(fixture, 100000);
    assert_true(measured.bytes > 100000);
    stop(fixture, ID "1");
}

static void test_too_deep(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, "i=0; while [ $i -lt 80 ]; do mkdir d; cd d; i=$((i + 1)); done");
    assert_true(measure(fixture, UINT64_MAX).too_deep);
    stop(fixture, ID "1");
}

/* All containers are measured in turn, in one call if there is time. */
static void test_each_in_turn(void **state)
{
    struct fixture *fixture = *state;
    struct launch one = fixture_plan(ID "1", SHELL("exec sleep 1000"));
    struct launch two = fixture_plan(ID "2", SHELL("exec sleep 1000"));
    struct measured measured = { .count = 0 };

    fixture_launch(fixture, &one);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    fixture_launch(fixture, &two);
    fixture_wait(fixture, ID "2", RUNTIME_RUNNING);
    runtime_measure_disks(fixture->runtime, MIB, note, &measured);
    assert_int_equal(measured.count, 2);
    stop(fixture, ID "1");
    stop(fixture, ID "2");
}

static void ignore_found(void *context, const struct runtime_found *found)
{
    (void)context;
    (void)found;
}

/* The tree is so large that one call does not measure all of it. */
static void test_directory_that_is_no_local_dir_any_more(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *other = mem_printf("%s/other", fixture->base);
    struct measured measured = { .count = 0 };

    start(fixture, "mkdir d; cd d; seq 60000 | xargs touch");
    fixture->config.local_dirs = other;
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, ignore_found, NULL, NULL), 0);
    runtime_measure_disks(fixture->runtime, UINT64_MAX, note, &measured);
    stop(fixture, ID "1");
    fixture->config.local_dirs = fixture->local;
    fixture_restart(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_all_files_are_counted),
        CASE(test_names_and_links),
        CASE(test_excess_is_reported_at_once),
        CASE(test_too_deep),
        CASE(test_each_in_turn),
        CASE(test_directory_that_is_no_local_dir_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
