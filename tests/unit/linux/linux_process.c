/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linux_process.c - test: umask, nice value and soft limits of commands, on this machine's real cgroups
 *
 * Needs root.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/linux/linux_fixture.h"
#include "common/base/mem.h"

#define ID "container_1700000000000_0001_01_000001"

/* Without umask and nice in the plan, the command inherits the agent's: here the test's. */
static void test_umask_and_nice(void **state)
{
    mode_t own = umask(022);
    scoped_free char *shows_own =
        mem_printf("[ \"$(umask) $(nice)\" = \"%04o %d\" ]", own, getpriority(PRIO_PROCESS, 0));
    const struct {
        const char *umask;
        int64_t nice;
        const char *script;
    } cases[] = {
        { "027", 5, "[ \"$(umask) $(nice)\" = \"0027 5\" ] && touch f && [ $(stat -c %a f) = 640 ]" },
        { "0", 19, "[ \"$(umask) $(nice)\" = \"0000 19\" ]" },
        { NULL, 0, shows_own },
    };

    umask(own);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06zu", i + 1);
        struct launch plan = fixture_plan(id, SHELL(cases[i].script));

        plan.umask = cases[i].umask;
        plan.nice = cases[i].nice;
        assert_int_equal(fixture_run(*state, &plan).end.exit_status, 0);
    }
}

/* A soft limit above the hard one becomes that one. Without '?' the diagnostics have a note. */
static void test_soft_limits(void **state)
{
    static const struct {
        const char *limits, *script, *diagnostics;
    } cases[] = {
        { "NOFILE=64,CORE=0", "[ \"$(ulimit -S -n) $(ulimit -S -c)\" = \"64 0\" ]", "" },
        { "NOFILE=2000", "[ $(ulimit -S -n) = 2000 ] && [ $(ulimit -H -n) = 4096 ]", "" },
        { "NOFILE=9999", "[ $(ulimit -S -n) = 4096 ]",
          "Soft limits reduced to the hard ones of the node: NOFILE 9999 (hard limit 4096)" },
        { "NOFILE=unlimited", "[ $(ulimit -S -n) = 4096 ]",
          "Soft limits reduced to the hard ones of the node: NOFILE unlimited (hard limit 4096)" },
        { "NOFILE=unlimited?", "[ $(ulimit -S -n) = 4096 ]", "" },
        { NULL, "[ $(ulimit -S -n) = 1024 ]", "" },
    };
    struct fixture *fixture = *state;

    fixture->config.open_files_max = 4096;
    fixture_restart(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06zu", i + 1);
        struct launch plan = fixture_plan(id, SHELL(cases[i].script));
        struct runtime_event event;

        plan.limits = cases[i].limits;
        event = fixture_run(fixture, &plan);
        assert_string_equal(event.end.diagnostics, cases[i].diagnostics);
        assert_int_equal(event.end.exit_status, 0);
    }
}

/* A limit of file sizes applies to the command alone: the note about another limit is still written. */
static void test_soft_limit_of_file_sizes(void **state)
{
    struct launch plan = fixture_plan(ID, SHELL("[ $(ulimit -S -f) = 0 ]"));
    struct runtime_event event;

    plan.limits = "FSIZE=0,NOFILE=unlimited";
    event = fixture_run(*state, &plan);
    assert_non_null(strstr(event.end.diagnostics, "NOFILE unlimited"));
    assert_int_equal(event.end.exit_status, 0);
}

/* The core refuses a negative nice value; the shim would not set it either. */
static void test_nice_below_0_is_for_root(void **state)
{
    struct launch plan = fixture_plan(ID, SHELL("true"));
    struct runtime_event event;

    plan.nice = -1;
    event = fixture_run(*state, &plan);
    assert_int_equal(event.end.exit_status, -1);
    assert_string_equal(event.end.diagnostics,
                        "could not be started: its limits, or its nice value, could not "
                        "be set: Operation not permitted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(test_umask_and_nice),
        CASE(test_soft_limits),
        CASE(test_soft_limit_of_file_sizes),
        CASE(test_nice_below_0_is_for_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
