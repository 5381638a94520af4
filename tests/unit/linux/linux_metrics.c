/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_metrics.c - test: figures of the runtime for metrics
 *
 * Needs root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "nm-agent/linux/runtime_state.h"
#include "tests/unit/linux/linux_fixture.h"

#define ID "container_1700000000000_0001_01_00000"
#define FILLS "head -c 100m /dev/zero | tail -c 90m >/dev/null; exit $?"

static void test_kills_for_memory(void **state)
{
    struct fixture *fixture = *state;
    struct launch greedy = fixture_plan(ID "1", SHELL(FILLS)), modest = fixture_plan(ID "2", SHELL("exit 0"));
    const struct runtime_counters *counters = runtime_counters(fixture->runtime);

    assert_int_equal(fixture_run(fixture, &modest).end.exit_status, 0);
    assert_int_equal(counters->oom_kills, 0);
    assert_int_equal(fixture_run(fixture, &greedy).end.exit_status, CONTAINER_EXIT_PHYSICAL);
    assert_in_range(counters->oom_kills, 1, 3); /* v2 kills all processes of the container */
    assert_int_equal(counters->oom_kills_above, 0);
}

static void test_logs_of_ended_containers(void **state)
{
    struct fixture *fixture = *state;
    struct launch one = fixture_plan(ID "1", SHELL("echo 12345; echo 123 >&2"));
    struct launch two = fixture_plan(ID "2", SHELL("echo 1"));

    (void)fixture_run(fixture, &one);
    (void)fixture_run(fixture, &two);
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 12);
}

static bool has_written(struct fixture *fixture)
{
    scoped_free char *log = fixture_log(fixture, ID "1", "stdout");

    return strcmp(log, "12345\n") == 0;
}

static void ignore(void *context, const struct runtime_found *found)
{
    (void)context;
    (void)found;
}

/* While the log directory does not answer, nothing is counted; then only what was written since. */
static void test_logs_on_a_silent_disk(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("echo 12345; exec sleep 1000"));
    struct blockade *blockade;

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    fixture_until(fixture, has_written);
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 6);
    blockade = fixture_block(fixture, fixture->logs);
    fixture->runtime->logs_counted_ms = 0;
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 6);
    fixture_unblock(blockade);
    fixture->runtime->logs_counted_ms = 0;
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 6);
    runtime_kill(fixture->runtime, ID "1");
    fixture_wait(fixture, ID "1", RUNTIME_EXITED);
    runtime_cleanup(fixture->runtime, ID "1");
}

/* What a running container writes is counted once, also if the agent is restarted. */
static void test_logs_of_a_running_container(void **state)
{
    struct fixture *fixture = *state;
    scoped_free char *script =
        mem_printf("echo 12345; while [ ! -e %s/end ]; do sleep 0.05; done; echo 12", fixture->base);
    scoped_free char *command = mem_printf("touch %s/end", fixture->base);
    struct launch plan = fixture_plan(ID "1", SHELL(script));

    fixture_launch(fixture, &plan);
    fixture_wait(fixture, ID "1", RUNTIME_RUNNING);
    fixture_until(fixture, has_written);
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 6);
    fixture_restart(fixture);
    assert_int_equal(runtime_recover(fixture->runtime, ignore, NULL, NULL), 0);
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 0);
    assert_int_equal(system(command), 0);
    fixture_wait(fixture, ID "1", RUNTIME_EXITED);
    assert_int_equal(runtime_counters(fixture->runtime)->log_bytes, 3);
    runtime_cleanup(fixture->runtime, ID "1");
}

static void test_use_of_all_containers(void **state)
{
    struct fixture *fixture = *state;
    struct launch plan = fixture_plan(ID "1", SHELL("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done"));
    struct group_use use;

    (void)fixture_run(fixture, &plan);
    runtime_group_use(fixture->runtime, &use);
    assert_true(use.has_memory);
    assert_true(use.has_cpu);
    assert_in_range(use.cpu_time_us, 1, 60000000);
    assert_in_range(use.limit_bytes, (uint64_t)16 << 20, UINT64_MAX - 1);
}

struct seen {
    char text[1024];
};

static void note(void *context, const struct runtime_disk *disk)
{
    struct seen *seen = context;
    size_t length = strlen(seen->text);

    assert_true(disk->measured);
    assert_true(disk->free_inodes <= disk->inodes);
    snprintf(seen->text + length, sizeof(seen->text) - length, "%s%s ", strrchr(disk->path, '/'),
             disk->good ? "" : "-");
}

static void test_each_disk_is_named_once(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = { "" };
    char report[512];

    fixture->config.log_dirs = fixture->local; /* the same directory for both */
    fixture_restart(fixture);
    assert_true(runtime_healthy(fixture->runtime, report, sizeof(report)));
    runtime_each_disk(fixture->runtime, note, &seen);
    assert_string_equal(seen.text, "/state /local ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_kills_for_memory),
        CASE(test_logs_of_ended_containers),
        CASE(test_logs_of_a_running_container),
        CASE(test_logs_on_a_silent_disk),
        CASE(test_use_of_all_containers),
        CASE(test_each_disk_is_named_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
