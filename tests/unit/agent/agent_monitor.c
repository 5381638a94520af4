/* SPDX-License-Identifier: Apache-2.0 */
/* agent_monitor.c - test: which containers exceed their memory limit, and the usage that the RM gets */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "nm-agent/core/monitor.h"
#include "tests/unit/agent/agent_fixture.h"

#define MIB (UINT64_C(1) << 20)
#define BOTH \
    { \
        .physical = true, .virtual = true, .ratio = 2.1 \
    }

/* --- rules ------------------------------------------------------------------- */

struct usage { /* MiB of processes already present at the previous look, and of
                  new processes */
    uint64_t old_physical, new_physical, old_virtual, new_virtual;
};

static enum monitor_verdict judge(struct monitor_rules rules, uint32_t look, struct usage usage)
{
    struct monitor_process processes[] = {
        { 1, 2, usage.old_physical * MIB, usage.old_virtual * MIB },
        { 2, 1, usage.new_physical * MIB, usage.new_virtual * MIB },
    };

    return monitor_judge(&rules, 100, look, processes, 2).verdict;
}

static void limits_are_broken_by_twice_or_by_age(void **state)
{
    static const struct {
        struct monitor_rules rules;
        uint32_t look;
        struct usage usage;
        enum monitor_verdict verdict;
    } cases[] = {
        { BOTH, 2, { 100, 0, 209, 0 }, MONITOR_WITHIN },
        { BOTH, 2, { 101, 0, 0, 0 }, MONITOR_OVER_PHYSICAL },
        /* A fork may double the use for a moment; more than double exceeds the limit. */
        { BOTH, 2, { 100, 100, 0, 0 }, MONITOR_WITHIN },
        { BOTH, 2, { 100, 101, 0, 0 }, MONITOR_OVER_PHYSICAL },
        { BOTH, 2, { 0, 200, 0, 0 }, MONITOR_WITHIN },
        { BOTH, 2, { 0, 201, 0, 0 }, MONITOR_OVER_PHYSICAL },
        { BOTH, 2, { 0, 0, 211, 0 }, MONITOR_OVER_VIRTUAL },
        { BOTH, 2, { 0, 0, 0, 419 }, MONITOR_WITHIN },
        { BOTH, 2, { 0, 0, 0, 421 }, MONITOR_OVER_VIRTUAL },
        /* The check of virtual memory comes first. */
        { BOTH, 2, { 101, 0, 211, 0 }, MONITOR_OVER_VIRTUAL },
        /* The first look at a container only records the processes. */
        { BOTH, 1, { 1000, 0, 5000, 0 }, MONITOR_WITHIN },
        /* Checks that are switched off do not apply. */
        { { .physical = true, .ratio = 2.1 }, 2, { 101, 0, 5000, 0 }, MONITOR_OVER_PHYSICAL },
        { { .virtual = true, .ratio = 2.1 }, 2, { 500, 0, 5000, 0 }, MONITOR_OVER_VIRTUAL },
        { { .virtual = true, .ratio = 60 }, 2, { 500, 0, 5000, 0 }, MONITOR_WITHIN },
        { { .ratio = 2.1 }, 2, { 500, 0, 5000, 0 }, MONITOR_WITHIN },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(judge(cases[i].rules, cases[i].look, cases[i].usage), cases[i].verdict);
    assert_int_equal(monitor_exit_status(MONITOR_OVER_VIRTUAL), -103);
    assert_int_equal(monitor_exit_status(MONITOR_OVER_PHYSICAL), -104);
}

static void limits_are_yarns(void **state)
{
    struct monitor_rules rules = BOTH;
    struct monitor_finding finding = monitor_judge(&rules, 1000, 2, NULL, 0);

    (void)state;
    assert_int_equal(finding.physical_limit_bytes, 1048576000);
    /* YARN computes trunc(2.1f * (float)limit); with double the result would be 2202009600 */
    assert_int_equal(finding.virtual_limit_bytes, (uint64_t)(2.1f * 1048576000.0f));
    finding = monitor_judge(&rules, INT64_MAX, 2, NULL, 0);
    assert_true(finding.virtual_limit_bytes == UINT64_MAX && finding.verdict == MONITOR_WITHIN);
}

static void command(int pid, char *text, size_t size)
{
    if (pid != 7)
        snprintf(text, size, "program --number %d", pid);
}

static void an_explanation_names_the_largest(void **state)
{
    struct monitor_rules rules = BOTH;
    struct monitor_process processes[8];
    struct monitor_finding finding;
    char text[MONITOR_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < 8; i++)
        processes[i] = (struct monitor_process){ (int)i + 1, 2, (i + 1) * 10 * MIB, 50 * MIB };
    finding = monitor_judge(&rules, 100, 2, processes, 8);
    assert_int_equal(finding.verdict, MONITOR_OVER_VIRTUAL);
    rules.virtual = false;
    finding = monitor_judge(&rules, 100, 2, processes, 8);
    monitor_explain(&rules, &finding, processes, 8, command, text);
    assert_string_equal(
        text, "Over its limit of physical memory: 360.0 MiB of 100.0 MiB physical, 400.0 MiB of 210.0 "
              "MiB virtual (2.1 times the physical limit); raise --memory. Processes (8):\n"
              "  pid 8: RSS 80.0 MiB, VSZ 50.0 MiB: program --number 8\n"
              "  pid 7: RSS 70.0 MiB, VSZ 50.0 MiB: (it has ended)\n"
              "  pid 6: RSS 60.0 MiB, VSZ 50.0 MiB: program --number 6\n"
              "  pid 5: RSS 50.0 MiB, VSZ 50.0 MiB: program --number 5\n"
              "  pid 4: RSS 40.0 MiB, VSZ 50.0 MiB: program --number 4\n"
              "  and 3 smaller ones");
}

static void long_command(int pid, char *text, size_t size)
{
    (void)pid;
    memset(text, 'x', size - 1);
    text[size - 1] = '\0';
}

static void an_explanation_is_bounded(void **state)
{
    struct monitor_rules rules = BOTH;
    struct monitor_process processes[100];
    struct monitor_finding finding;
    char text[MONITOR_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < 100; i++)
        processes[i] = (struct monitor_process){ INT32_MAX, 2, UINT64_MAX / 200, UINT64_MAX / 200 };
    finding = monitor_judge(&rules, 1, 2, processes, 100);
    monitor_explain(&rules, &finding, processes, 100, long_command, text);
    assert_true(strlen(text) < sizeof(text));
    assert_non_null(strstr(text, "smaller ones"));
}

static void logs_have_two_limits(void **state)
{
    const uint64_t bytes[] = { 400 * MIB, 500 * MIB };
    char text[MONITOR_TEXT_MAX];

    (void)state;
    assert_false(monitor_judge_logs(bytes, 2, 500 * MIB, 900 * MIB, text));
    assert_true(monitor_judge_logs(bytes, 2, 499 * MIB, 900 * MIB, text));
    assert_non_null(strstr(text, "500.0 MiB in one directory, at most 499.0 MiB"));
    assert_true(monitor_judge_logs(bytes, 2, 500 * MIB, 899 * MIB, text));
    assert_non_null(strstr(text, "900.0 MiB, at most 899.0 MiB"));
}

/* --- in the agent -------------------------------------------------------------- */

static int set_up(void **state)
{
    struct fixture *fixture = mem_new0(struct fixture);

    fixture_init(fixture, 65536);
    fixture_register(fixture, SESSION);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_check(*state);
    fixture_done(*state);
    free(*state);
    return 0;
}

static void container_over_its_limit_is_stopped_with_that_status(void **state)
{
    struct fixture *f = *state;
    const Creel__ContainerStatus *status;

    fixture_run(f, CONTAINER(1), 1024);
    fixture_step(f);
    agent_on_over_limit(f->agent, f->now, CONTAINER(1), -104, "too much", &f->effects);
    assert_string_equal(fixture_one(f, AGENT_STOP)->container_id, CONTAINER(1));
    assert_true(fixture_one(f, AGENT_NOTE)->warning);
    /* A second violation while the container is being stopped changes nothing: the first counts. */
    fixture_saved(f, CONTAINER(1), 0);
    fixture_step(f);
    agent_on_over_limit(f->agent, f->now, CONTAINER(1), -103, "even more", &f->effects);
    assert_int_equal(f->effects.count, 0);
    fixture_exited(f, CONTAINER(1), 137);
    status = fixture_status(f, CONTAINER(1), true);
    assert_int_equal(status->exit_status, -104);
    assert_string_equal(status->diagnostics, "too much (exit status 137)");
}

static void limit_violation_is_kept_over_an_agent_restart(void **state)
{
    struct fixture *f = *state;
    const struct agent_effect *save = NULL;
    const Creel__ContainerStatus *status;
    uint8_t *record;
    size_t size;

    fixture_run(f, CONTAINER(1), 1024);
    fixture_step(f);
    agent_on_over_limit(f->agent, f->now, CONTAINER(1), -103, "too much", &f->effects);
    save = fixture_one(f, AGENT_SAVE);
    size = save->size;
    record = mem_dup(save->data, size);
    fixture_restart(f, 65536);
    agent_found(f->agent, f->now, CONTAINER(1), AGENT_FOUND_ENDED, record, size, 5, &f->effects);
    free(record);
    fixture_register(f, SESSION + 1);
    fixture_exited(f, CONTAINER(1), 143);
    status = fixture_status(f, CONTAINER(1), true);
    assert_int_equal(status->exit_status, -103);
}

static void unknown_and_stopped_containers_are_not_monitored(void **state)
{
    struct fixture *f = *state;
    struct agent_figures figures = { .memory_bytes = 5 * MIB };
    struct resource resource;

    fixture_step(f);
    agent_on_over_limit(f->agent, f->now, CONTAINER(9), -104, "who?", &f->effects);
    agent_on_figures(f->agent, f->now, CONTAINER(9), &figures);
    assert_int_equal(f->effects.count, 0);
    assert_false(agent_container_resource(f->agent, CONTAINER(9), &resource));
    fixture_run(f, CONTAINER(1), 1024);
    assert_true(agent_container_resource(f->agent, CONTAINER(1), &resource));
    assert_int_equal(resource.value[RESOURCE_MEMORY_MB], 1024);
    fixture_exited(f, CONTAINER(1), 0);
    fixture_step(f);
    agent_on_over_limit(f->agent, f->now, CONTAINER(1), -104, "late", &f->effects);
    agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
    assert_int_equal(f->effects.count, 0);
}

/* --- usage figures --------------------------------------------------------------- */

/* Answers the next heartbeat. Returns the number of figures in it and copies the first to FIRST. */
static size_t next_figures(struct fixture *f, Creel__ContainerFigures *first)
{
    const Creel__Envelope *sent = fixture_next_send(f);
    size_t count;

    assert_int_equal(sent->body_case, CREEL__ENVELOPE__BODY_HEARTBEAT);
    count = sent->heartbeat->n_figures;
    if (count > 0 && first != NULL)
        *first = *sent->heartbeat->figures[0];
    fixture_reply_heartbeat(f, sent->request_id, sent->heartbeat->seq, CREEL__NODE_ACTION__NODE_NORMAL);
    return count;
}

static void changed_figures_are_reported(void **state)
{
    struct fixture *f = *state;
    struct agent_figures figures = {
        .memory_bytes = 100 * MIB,
        .totals.memory_peak_bytes = 110 * MIB,
        .totals.cpu_time_us = 7,
        .totals.read_bytes = 8,
        .totals.written_bytes = 9,
        .pids = 3,
    };
    Creel__ContainerFigures reported;

    fixture_run(f, CONTAINER(1), 1024);
    next_figures(f, NULL);
    agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
    assert_int_equal(next_figures(f, &reported), 1);
    assert_int_equal(reported.memory_bytes, 100 * MIB);
    assert_int_equal(reported.memory_peak_bytes, 110 * MIB);
    assert_int_equal(reported.cpu_time_us, 7);
    assert_int_equal(reported.read_bytes, 8);
    assert_int_equal(reported.written_bytes, 9);
    assert_int_equal(reported.pids, 3);
    /* Small changes are not reported, even after many heartbeats. */
    figures.memory_bytes += MIB;
    figures.totals.cpu_time_us += 1000;
    for (int i = 0; i < 10; i++) {
        agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
        assert_int_equal(next_figures(f, NULL), 0);
    }
    figures.memory_bytes += 20 * MIB;
    agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
    assert_int_equal(next_figures(f, &reported), 1);
    assert_int_equal(reported.memory_bytes, 121 * MIB);
}

/* Ends CONTAINER_ID with a different number in each total, and expects the numbers in its report. The last
 * sample before the end has SAMPLE more of each. */
static void expect_totals(struct fixture *f, const char *container_id, int sample)
{
    struct container_end end = { .exit_status = 0, .finished_ms = f->now.wall_ms };
    struct agent_figures figures = { .pids = 1 };
    const Creel__ContainerStatus *status;
    int number = 0;

    fixture_run(f, container_id, 1024);
#define T(type, member, step) \
    number += 10; \
    end.totals.member = (type)number; \
    figures.totals.member = (type)(number + sample);
    CONTAINER_TOTALS(T)
#undef T
    fixture_step(f);
    agent_on_figures(f->agent, f->now, container_id, &figures);
    agent_on_exited(f->agent, f->now, container_id, &end, &f->effects);
    status = fixture_status(f, container_id, true);
    number = 0;
#define T(type, member, step) \
    number += 10; \
    assert_int_equal(status->member, sample > 0 ? number + sample : number);
    CONTAINER_TOTALS(T)
#undef T
}

/* Each number of the end is reported; where a sample was higher, that of the sample. */
static void totals_of_an_ended_container_are_reported(void **state)
{
    expect_totals(*state, CONTAINER(1), -1);
    expect_totals(*state, CONTAINER(2), 1);
}

static void busy_container_is_reported_at_intervals(void **state)
{
    struct fixture *f = *state;
    struct agent_figures figures = { .pids = 1 };
    size_t reported = 0;

    fixture_run(f, CONTAINER(1), 1024);
    next_figures(f, NULL);
    for (int i = 0; i < 20; i++) { /* one heartbeat each second */
        figures.totals.cpu_time_us += 1000000;
        agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
        reported += next_figures(f, NULL);
    }
    assert_in_range(reported, 4, 6);
}

static void new_rm_gets_all_figures(void **state)
{
    struct fixture *f = *state;
    struct agent_figures figures = { .memory_bytes = 100 * MIB };
    const Creel__Envelope *sent;

    fixture_run(f, CONTAINER(1), 1024);
    next_figures(f, NULL);
    agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
    assert_int_equal(next_figures(f, NULL), 1);
    assert_int_equal(next_figures(f, NULL), 0);
    sent = fixture_next_send(f);
    fixture_reply_heartbeat(f, sent->request_id, 0, CREEL__NODE_ACTION__NODE_RESYNC);
    sent = fixture_next_send(f);
    assert_int_equal(sent->body_case, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    fixture_reply_register(f, sent->request_id, SESSION + 1, CREEL__NODE_ACTION__NODE_NORMAL, "");
    assert_int_equal(next_figures(f, NULL), 1);
}

/* The wall clock is set back by a day and forward by a year: usage figures do not depend on it. */
static void a_clock_that_steps_changes_nothing(void **state)
{
    static const int64_t steps_ms[] = { -86400000, 365 * INT64_C(86400000), 0 };
    struct fixture *f = *state;
    struct agent_figures figures = { .pids = 1 };
    size_t reported = 0;

    fixture_run(f, CONTAINER(1), 1024);
    next_figures(f, NULL);
    for (int i = 0; i < 20; i++) {
        f->now.wall_ms += steps_ms[i % 3];
        figures.totals.cpu_time_us += 1000000;
        agent_on_figures(f->agent, f->now, CONTAINER(1), &figures);
        reported += next_figures(f, NULL);
    }
    assert_in_range(reported, 4, 6);
    f->now.wall_ms -= 86400000;
    fixture_step(f);
    agent_on_over_limit(f->agent, f->now, CONTAINER(1), -104, "too much", &f->effects);
    fixture_saved(f, CONTAINER(1), 0);
    fixture_exited(f, CONTAINER(1), 137);
    assert_int_equal(fixture_status(f, CONTAINER(1), true)->exit_status, -104);
}

static void figures_of_many_containers_are_spread_over_heartbeats(void **state)
{
    enum { COUNT = 450 };
    struct fixture *f = *state;
    struct agent_figures figures = { .memory_bytes = 100 * MIB };
    size_t reported = 0, most = 0;

    for (int i = 0; i < COUNT; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i + 1);

        fixture_run(f, id, 1);
    }
    next_figures(f, NULL);
    for (int i = 0; i < COUNT; i++) {
        scoped_free char *id = mem_printf("container_1700000000000_0001_01_%06d", i + 1);

        agent_on_figures(f->agent, f->now, id, &figures);
    }
    /* Containers that have ended are not reported any more. */
    fixture_exited(f, CONTAINER(2), 0);
    for (int i = 0; i < 6; i++) {
        size_t now = next_figures(f, NULL);

        reported += now;
        most = now > most ? now : most;
    }
    assert_int_equal(reported, COUNT - 1);
    assert_int_equal(most, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        cmocka_unit_test(limits_are_broken_by_twice_or_by_age),
        cmocka_unit_test(limits_are_yarns),
        cmocka_unit_test(an_explanation_names_the_largest),
        cmocka_unit_test(an_explanation_is_bounded),
        cmocka_unit_test(logs_have_two_limits),
        CASE(container_over_its_limit_is_stopped_with_that_status),
        CASE(limit_violation_is_kept_over_an_agent_restart),
        CASE(unknown_and_stopped_containers_are_not_monitored),
        CASE(changed_figures_are_reported),
        CASE(totals_of_an_ended_container_are_reported),
        CASE(busy_container_is_reported_at_intervals),
        CASE(a_clock_that_steps_changes_nothing),
        CASE(new_rm_gets_all_figures),
        CASE(figures_of_many_containers_are_spread_over_heartbeats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
