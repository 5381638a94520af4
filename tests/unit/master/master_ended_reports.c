/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_ended_reports.c - test: the report of an ended application is the same after a restart of the
 * resource manager, and when it is made from the row, as the history does
 *
 * All fields of AppReport are compared, but for those that are named here with a reason. A field that no case
 * sets has its reason, too: so a new field is in a row, or in a list below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/job/exit_status.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define MASTER CREEL__APP_KIND__APP_MASTER

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct exception {
    const char *field, *reason;
};

static const struct exception after_a_restart[] = {
    { "version", "counts the changes that this resource manager has seen" },
};

static const struct exception in_the_history[] = {
    { "version", "the history has one version of an application" },
    { "from_history", "marks the report" },
    { "may_change", "an application that only the history has cannot be changed" },
};

static const struct exception never_set_at_the_end[] = {
    { "running_containers", "an ended application has no containers" },
    { "pending_containers", "and no requests" },
    { "labelled_pending_containers", "and no requests" },
    { "allocated", "and no containers" },
    { "pending", "and no requests" },
    { "reserved", "and no reservations" },
    { "reserved_containers", "and no reservations" },
    { "labelled_reserved_containers", "and no reservations" },
    { "requests", "and no requests" },
    { "partitions", "the scheduler has forgotten it" },
    { "blacklisted", "the scheduler has forgotten it" },
    { "avoided_nodes", "no attempt follows" },
    { "reason", "it does not wait" },
    { "reason_code", "it does not wait" },
    { "reason_short", "it does not wait" },
    { "holds", "it does not wait" },
    { "silent_nodes", "it has no containers on nodes" },
    { "label", "this cluster has no labels; moved with the job" },
    { "submitted_in", "needs the token of a job; moved with the job" },
    { "unmanaged", "moved with the job" },
    { "command_left_out", "only in lists" },
    { "launch", "only if it is requested (rm_report_launch)" },
    { "log_aggregation", "this cluster does not aggregate logs" },
    { "from_history", "only the history sets it" },
    { "ended_containers", "the history adds up containers" },
    { "failed_containers", "the history adds up containers" },
    { "cpu_time_us", "the history adds up containers" },
    { "memory_peak_bytes", "the history adds up containers" },
    { "read_bytes", "the history adds up containers" },
    { "written_bytes", "the history adds up containers" },
    { "memory_used_mb_seconds", "the history adds up containers" },
    { "node_count", "the history adds up containers" },
    { "nodes", "the history adds up containers" },
};

#define FIELDS_MAX 128 /* numbers of fields of AppReport */

struct fields { /* a report: the bytes of each field; those of default values are left out */
    uint8_t *packed;
    struct field {
        const uint8_t *bytes[64];
        size_t sizes[64], count;
    } of[FIELDS_MAX];
};

static bool seen[FIELDS_MAX]; /* fields that a case has set; for the last test */

static bool is_named(const struct exception *list, size_t count, const char *field)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].field, field) == 0)
            return true;
    return false;
}

/* --- fields ------------------------------------------------------------------ */

static uint64_t read_varint(const uint8_t **at)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

static void skip_value(const uint8_t **at, unsigned wire_type)
{
    if (wire_type == 0) {
        (void)read_varint(at);
    } else if (wire_type == 2) {
        size_t size = (size_t)read_varint(at);

        *at += size;
    } else {
        *at += wire_type == 1 ? 8 : 4;
    }
}

/* Splits REPORT into its fields. An empty message, such as an amount of 0, is a default value. */
static void split(const Creel__AppReport *report, struct fields *fields)
{
    size_t size = creel__app_report__get_packed_size(report);
    const uint8_t *at, *end;

    *fields = (struct fields){ .packed = mem_alloc(size + 1) };
    creel__app_report__pack(report, fields->packed);
    at = fields->packed;
    end = at + size;
    while (at < end) {
        uint64_t tag = read_varint(&at);
        struct field *field = &fields->of[tag >> 3];
        const uint8_t *from = at;

        assert_true(tag >> 3 < FIELDS_MAX);
        skip_value(&at, tag & 7);
        if ((tag & 7) == 2 && at - from == 1)
            continue;
        assert_true(field->count < 64);
        field->bytes[field->count] = from;
        field->sizes[field->count++] = (size_t)(at - from);
    }
}

static bool is_equal(const struct field *a, const struct field *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->sizes[i] != b->sizes[i] || memcmp(a->bytes[i], b->bytes[i], a->sizes[i]) != 0)
            return false;
    return true;
}

static void compare(const char *when, const struct fields *before, const struct fields *after,
                    const struct exception *except, size_t except_count)
{
    const ProtobufCMessageDescriptor *type = &creel__app_report__descriptor;

    for (unsigned i = 0; i < type->n_fields; i++)
        if (!is_named(except, except_count, type->fields[i].name) &&
            !is_equal(&before->of[type->fields[i].id], &after->of[type->fields[i].id]))
            fail_msg("%s, the field %s of the report is another one", when, type->fields[i].name);
}

/* --- phases ------------------------------------------------------------------ */

static Creel__AppReport *copy_of_row(struct world *w, struct arena *arena, Creel__StoredApp **row)
{
    *row = NULL;
    for (size_t i = 0; i < w->h.disk_count; i++)
        if (w->h.disk[i].kind == MASTER_STORE_APP && strcmp(w->h.disk[i].id, w->app) == 0)
            *row = creel__stored_app__unpack(NULL, w->h.disk[i].size, w->h.disk[i].packed);
    assert_non_null(*row);
    return master_row_report(arena, *row, SIZE_MAX, SIZE_MAX);
}

/* Compares the reports of w->app, which has ended. */
static void expect_the_same_reports(struct world *w)
{
    struct fields *ended = mem_new0(struct fields), *later = mem_new0(struct fields);
    struct arena *arena = arena_new();
    const Creel__AppReport *report = people_show(&w->h, w->app);
    Creel__StoredApp *row;

    assert_true(report->state >= CREEL__APP_STATE__APP_FINISHED);
    split(report, ended);
    for (size_t i = 0; i < FIELDS_MAX; i++)
        seen[i] = seen[i] || ended->of[i].count > 0;
    split(copy_of_row(w, arena, &row), later);
    compare("in the history", ended, later, in_the_history, COUNT(in_the_history));
    free(later->packed);
    harness_restart(&w->h);
    split(people_show(&w->h, w->app), later);
    compare("after a restart", ended, later, after_a_restart, COUNT(after_a_restart));
    creel__stored_app__free_unpacked(row, NULL);
    arena_free(arena);
    free(ended->packed);
    free(later->packed);
    free(ended);
    free(later);
}

static void settle(struct world *w)
{
    for (int i = 0; i < 4; i++) {
        harness_tick(&w->h, 1500);
        agent_listen(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->a);
    }
}

static void submit(struct world *w, const Creel__JobSpec *spec)
{
    const Creel__Error *error;

    people_submit(&w->h, spec, "", w->app, &error);
    if (error)
        fail_msg("%s", error->message);
    settle(w);
}

static void end_containers(struct world *w, int exit_status)
{
    for (size_t i = 0; i < w->a.count; i++)
        if (w->a.containers[i].state == CREEL__CONTAINER_STATE__CONTAINER_RUNNING)
            agent_exit(&w->a, w->a.containers[i].id, exit_status);
    settle(w);
}

/* --- cases ------------------------------------------------------------------- */

static void a_command_that_succeeded(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    char *tags[] = { (char[]){ "night" }, (char[]){ "weekly" } };

    job->name = (char[]){ "report" };
    job->type = (char[]){ "SPARK" };
    job->tags = tags;
    job->n_tags = 2;
    job->priority = 3;
    job->begin_ms = w->h.now;
    job->deadline_ms = w->h.now + 3600000;
    job->lifetime_s = 7200;
    job->time_limit_s = 600;
    job->max_attempts = 1;
    job->no_requeue = true;
    submit(w, job);
    end_containers(w, 0);
    expect_the_same_reports(w);
}

static void a_command_that_failed_after_a_retry(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    job->retry_on = (char[]){ "exit:75" };
    job->retries = 2;
    submit(w, job);
    end_containers(w, 75);
    end_containers(w, 3);
    assert_int_equal(people_show(&w->h, w->app)->retries_used, 1);
    expect_the_same_reports(w);
}

static void a_job_that_was_killed(void **state)
{
    struct world *w = *state;

    submit(w, job_of(COMMAND, 512, 0));
    people_kill(&w->h, w->app);
    settle(w);
    expect_the_same_reports(w);
}

/* Its process runs on after the end of the application. */
static void a_job_that_was_killed_and_saves_its_work(void **state)
{
    struct world *w = *state;
    uint64_t before;

    submit(w, job_of(COMMAND, 512, 0));
    w->a.ignores_stops = true;
    people_kill(&w->h, w->app);
    settle(w);
    before = people_show(&w->h, w->app)->memory_mb_seconds;
    assert_int_equal(people_show(&w->h, w->app)->state, CREEL__APP_STATE__APP_KILLED);
    harness_tick(&w->h, 4000);
    agent_heartbeat(&w->h, &w->a);
    end_containers(w, 143);
    assert_true(people_show(&w->h, w->app)->memory_mb_seconds >= before + 4 * 512);
    expect_the_same_reports(w);
}

static void an_array_with_a_killed_task_that_saves_its_work(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    job->array = (char[]){ "1-1" };
    submit(w, job);
    w->a.ignores_stops = true;
    people_kill(&w->h, w->app);
    settle(w);
    harness_tick(&w->h, 4000);
    agent_heartbeat(&w->h, &w->a);
    end_containers(w, 143);
    assert_true(people_show(&w->h, w->app)->memory_mb_seconds >= 4 * 512);
    expect_the_same_reports(w);
}

static void a_job_that_never_ran(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    job->hold = true;
    submit(w, job);
    people_kill(&w->h, w->app);
    settle(w);
    expect_the_same_reports(w);
}

static void a_job_that_depended_on_another_one(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    submit(w, job);
    job->depends_on = (char[]){ "any:1?notok:1" };
    submit(w, job);
    end_containers(w, 0);
    end_containers(w, 0);
    expect_the_same_reports(w);
}

static void a_job_that_repeats_another_one(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);

    submit(w, job);
    end_containers(w, 1);
    job->rerun_of = (char[]){ "application_1700000000000_0001" };
    submit(w, job);
    end_containers(w, 0);
    expect_the_same_reports(w);
}

static void an_array_with_failed_tasks(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 128, 0);
    char array[80];

    job->array = (char[]){ "1-4%2" };
    submit(w, job);
    snprintf(array, sizeof(array), "%s", w->app);
    end_containers(w, 2);
    end_containers(w, 0);
    assert_string_equal(people_show(&w->h, w->app)->failed_tasks, "1-2");
    assert_true(people_show(&w->h, w->app)->memory_mb_seconds > 0);
    expect_the_same_reports(w);
    snprintf(w->app, sizeof(w->app), "application_%lld_0003", (long long)CLUSTER_MS); /* its second task */
    assert_string_equal(people_show(&w->h, w->app)->array_id, array);
    expect_the_same_reports(w);
}

static void start_master(struct world *w, struct fake_am *am, unsigned attempt)
{
    am_init(am, w->app, attempt);
    am->tracking_url = (char[]){ "http://n1.example:4040/" };
    am->host = (char[]){ "n1.example" };
    assert_int_equal(am_register(&w->h, am)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    settle(w);
}

static void a_master_with_a_tracking_url(void **state)
{
    static const char *const url = "http://n1.example:4040/";
    struct world *w = *state;
    struct fake_am am;

    submit(w, job_of(MASTER, 256, 0));
    start_master(w, &am, 1);
    am.tasks[0] = am.tasks[2] = 5;
    am.diagnostics = (char[]){ "five of five" };
    am_finish(&w->h, &am, CREEL__FINAL_STATUS__FINAL_FAILED, 4);
    settle(w);
    end_containers(w, 4);
    assert_string_equal(people_show(&w->h, w->app)->tracking_url, url);
    expect_the_same_reports(w);
    assert_string_equal(people_show(&w->h, w->app)->am_host, "n1.example");
}

/* One of its containers, and the first one of an attempt. */
static void a_master_that_was_preempted(void **state)
{
    struct world *w = *state;
    const Creel__AllocateReply *reply;
    struct fake_am am;

    submit(w, job_of(MASTER, 256, 0));
    start_master(w, &am, 1);
    reply = am_allocate(&w->h, &am, 1, 512, NULL);
    if (reply->n_allocated == 0)
        reply = am_allocate(&w->h, &am, -1, 0, NULL);
    assert_int_equal(reply->n_allocated, 1);
    agent_start(&w->a, reply->allocated[0]->container_id, &reply->allocated[0]->token);
    settle(w);
    end_containers(w, CONTAINER_EXIT_PREEMPTED);
    assert_int_equal(people_show(&w->h, w->app)->attempt, 2);
    people_kill(&w->h, w->app);
    settle(w);
    assert_int_equal(people_show(&w->h, w->app)->preempted_containers, 1);
    expect_the_same_reports(w);
}

/* Runs last. */
static void each_field_was_compared_or_has_a_reason(void **state)
{
    const ProtobufCMessageDescriptor *type = &creel__app_report__descriptor;
    size_t count = COUNT(never_set_at_the_end);

    (void)state;
    for (unsigned i = 0; i < type->n_fields; i++)
        if (seen[type->fields[i].id] == is_named(never_set_at_the_end, count, type->fields[i].name))
            print_error("field %s: is %s\n", type->fields[i].name,
                        seen[type->fields[i].id] ? "set at an end, and named" : "never set, and not named");
    for (unsigned i = 0; i < type->n_fields; i++)
        assert_true(seen[type->fields[i].id] != is_named(never_set_at_the_end, count, type->fields[i].name));
    for (size_t i = 0; i < count; i++)
        assert_true(*never_set_at_the_end[i].reason != '\0');
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_command_that_succeeded),
        CASE(a_command_that_failed_after_a_retry),
        CASE(a_job_that_was_killed),
        CASE(a_job_that_was_killed_and_saves_its_work),
        CASE(an_array_with_a_killed_task_that_saves_its_work),
        CASE(a_job_that_never_ran),
        CASE(a_job_that_depended_on_another_one),
        CASE(a_job_that_repeats_another_one),
        CASE(an_array_with_failed_tasks),
        CASE(a_master_with_a_tracking_url),
        CASE(a_master_that_was_preempted),
        cmocka_unit_test(each_field_was_compared_or_has_a_reason),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
