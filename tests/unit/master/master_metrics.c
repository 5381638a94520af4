/* SPDX-License-Identifier: Apache-2.0 */
/* master_metrics.c - test: GetMetrics has what happened, and only the series that have changed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rm/master/requests/step.h"
#include "rm/master/state/index.h"
#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define PEOPLE 901
#define QUEUE "root.default"

struct reader {
    uint64_t session, since;
};

/* Returns the reply, borrowed until the next harness_forget. */
static const Creel__Metrics *read_metrics(struct world *w, struct reader *reader)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_METRICS);
    Creel__GetMetrics body = CREEL__GET_METRICS__INIT;
    const Creel__Envelope *reply;

    body.session = reader->session;
    body.since = reader->since;
    envelope->get_metrics = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, "web", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_METRICS);
    reader->session = reply->metrics->session;
    reader->since = reply->metrics->version;
    return reply->metrics;
}

/* Returns the number of durations up to BOUND, in seconds. */
static uint64_t up_to(const Creel__Histogram *histogram, double bound)
{
    uint64_t count = 0;

    for (size_t i = 0; i < histogram->n_buckets && (double)histogram->buckets[i]->bound_us <= bound * 1e6;
         i++)
        count += histogram->buckets[i]->count;
    return count;
}

static void configure(struct master_config *config)
{
    config->proxy_users = "web";
    config->user_metrics = true;
}

static int set_up(void **state)
{
    return world_set_up_with(state, configure);
}

static int set_up_without_users(void **state)
{
    int r = world_set_up(state);

    master_set_access(((struct world *)*state)->h.master, "", "web", false);
    return r;
}

/* Lets MS pass, with a heartbeat every second. */
static void pass(struct world *w, int64_t ms)
{
    for (; ms > 0; ms -= 1000) {
        harness_tick(&w->h, ms < 1000 ? ms : 1000);
        agent_heartbeat(&w->h, &w->a);
    }
}

/* Submits a job that needs the whole node. */
static void submit(struct world *w)
{
    people_submit(&w->h, job_of(COMMAND, 4096, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

/* Ends the container that began last. */
static void end_job(struct world *w)
{
    agent_exit(&w->a, w->a.containers[w->a.count - 1].id, 0);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

static void run_job(struct world *w)
{
    submit(w);
    end_job(w);
}

static void applications_are_measured_by_queue(void **state)
{
    struct world *w = *state;
    struct reader reader = { 0, 0 };
    const Creel__Metrics *metrics;

    assert_int_equal(read_metrics(w, &reader)->n_queues, 0);
    submit(w);
    submit(w);
    pass(w, 100000);
    end_job(w); /* so that the second job begins */
    end_job(w);
    metrics = read_metrics(w, &reader);
    assert_int_equal(metrics->n_queues, 1);
    assert_string_equal(metrics->queues[0]->queue, QUEUE);
    assert_int_equal(metrics->queues[0]->wait->total, 2);
    assert_int_equal(up_to(metrics->queues[0]->wait, 60), 1);
    assert_int_equal(up_to(metrics->queues[0]->wait, 300), 2);
    assert_int_equal(metrics->queues[0]->run->total, 2);
    assert_int_equal(up_to(metrics->queues[0]->run, 60), 1);
    assert_int_equal(up_to(metrics->queues[0]->run, 300), 2);
    assert_true(metrics->queues[0]->run->sum_us >= 100000000);
    assert_int_equal(metrics->scheduler_allocations, 2);
}

static void only_changed_series_are_sent(void **state)
{
    struct world *w = *state;
    struct reader reader = { 0, 0 }, other = { 0, 0 };

    run_job(w);
    assert_true(read_metrics(w, &reader)->reset);
    assert_int_equal(read_metrics(w, &reader)->n_queues, 0);
    assert_false(read_metrics(w, &reader)->reset);
    run_job(w);
    assert_int_equal(read_metrics(w, &reader)->n_queues, 1);
    assert_int_equal(read_metrics(w, &other)->n_queues, 1);
    harness_restart(&w->h);
    master_set_access(w->h.master, "", "web", false);
    assert_true(read_metrics(w, &reader)->reset);
}

static void users_have_their_memory(void **state)
{
    struct world *w = *state;
    struct reader reader = { 0, 0 };
    const Creel__Metrics *metrics;

    people_submit(&w->h, job_of(COMMAND, 512, 0), "", w->app, NULL);
    metrics = read_metrics(w, &reader);
    assert_true(metrics->has_users);
    assert_int_equal(metrics->n_users, 1);
    assert_string_equal(metrics->users[0]->queue, QUEUE);
    assert_int_equal(metrics->users[0]->memory_mb, 512);
    assert_int_equal(read_metrics(w, &reader)->n_users, 0);
    people_kill(&w->h, w->app);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    metrics = read_metrics(w, &reader);
    assert_int_equal(metrics->n_users, 1);
    assert_int_equal(metrics->users[0]->memory_mb, 0);
}

static void users_are_not_named_unless_configured(void **state)
{
    struct world *w = *state;
    struct reader reader = { 0, 0 };
    const Creel__Metrics *metrics;

    people_submit(&w->h, job_of(COMMAND, 512, 0), "", w->app, NULL);
    metrics = read_metrics(w, &reader);
    assert_false(metrics->has_users);
    assert_int_equal(metrics->n_users, 0);
}

static void late_heartbeats_are_measured(void **state)
{
    struct world *w = *state;
    struct reader reader = { 0, 0 };
    uint64_t before = read_metrics(w, &reader)->heartbeat_delay->total;
    const Creel__Histogram *delay;

    harness_tick(&w->h, 500);
    agent_heartbeat(&w->h, &w->a); /* early: not late at all */
    harness_tick(&w->h, 4000);
    agent_heartbeat(&w->h, &w->a); /* 3 s after the interval */
    delay = read_metrics(w, &reader)->heartbeat_delay;
    assert_int_equal(delay->total, before + 2);
    assert_int_equal(up_to(delay, 2.5), before + 1);
    assert_int_equal(up_to(delay, 5), before + 2);
}

/* Plays the scheduler, which stops CONTAINER to make room for the queue GAINER. */
static void preempt(struct world *w, const char *id, const char *gainer)
{
    struct master *m = w->h.master;
    struct container *container = rm_container_find(m, id);

    assert_non_null(container);
    rm_step_begin(m, w->h.now, &w->h.effects);
    for (int i = 0; i < 2; i++) {
        mem_grow(m->decisions.items, m->decisions.count, m->decisions.capacity);
        m->decisions.items[m->decisions.count++] = (struct sched_decision){
            .kind = i == 0 ? SCHED_PREEMPT : SCHED_KILL,
            .container = container->sched,
            .node = container->node->sched,
            .app = container->app->sched,
            .deadline_ms = w->h.now,
            .gainer = i == 0 ? gainer : NULL,
        };
    }
    rm_step_end(m);
    harness_run_effects(&w->h);
    agent_listen(&w->h, &w->a);
}

static void preemption_is_counted_by_both_queues(void **state)
{
    struct world *w = *state;
    struct reader reader = { 0, 0 };
    const Creel__Metrics *metrics;

    people_submit(&w->h, job_of(COMMAND, 512, 0), "", w->app, NULL);
    agent_listen(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    pass(w, 20000);
    preempt(w, w->a.containers[0].id, "root.urgent");
    assert_int_equal(read_metrics(w, &reader)->n_preemptions, 0); /* it has not ended */
    agent_heartbeat(&w->h, &w->a);
    metrics = read_metrics(w, &reader);
    assert_int_equal(metrics->n_preemptions, 1);
    assert_string_equal(metrics->preemptions[0]->queue, "root.urgent");
    assert_string_equal(metrics->preemptions[0]->victim_queue, QUEUE);
    assert_int_equal(metrics->preemptions[0]->containers, 1);
    assert_true(metrics->preemption_wasted_ms >= 20000);
}

static void other_users_may_not_read_them(void **state)
{
    struct world *w = *state;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_METRICS);
    Creel__GetMetrics body = CREEL__GET_METRICS__INIT;
    const Creel__Envelope *reply;

    envelope->get_metrics = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, "mallory", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
}

/* --- the table of series ------------------------------------------------------------ */

static bool is_idle(void *context, const struct series *series)
{
    (void)context;
    return series->holders == 0;
}

static void the_number_of_series_is_limited(void **state)
{
    struct series_table *table = series_table_new(7, is_idle, NULL);
    struct series *series;
    char name[16];

    (void)state;
    for (unsigned i = 0; i < SERIES_USERS_MAX; i++) {
        snprintf(name, sizeof(name), "user%u", i);
        series_get(table, SERIES_USER, QUEUE, name, 0)->holders = i > 0;
    }
    assert_int_equal(series_session(table), 7);
    series = series_get(table, SERIES_USER, QUEUE, "one-more", 0); /* in the place of user0 */
    series->holders = 1;
    assert_string_equal(series->name, "one-more");
    assert_int_equal(series_session(table), 8);
    series = series_get(table, SERIES_USER, QUEUE, "two-more", SERIES_ROOM_MS);
    assert_string_equal(series->queue, SERIES_OTHER);
    assert_string_equal(series->name, SERIES_OTHER);
    assert_ptr_equal(series_get(table, SERIES_USER, QUEUE, "three-more", SERIES_ROOM_MS), series);
    assert_string_equal(series_get(table, SERIES_USER, QUEUE, "user1", SERIES_ROOM_MS)->name, "user1");
    assert_string_equal(series_get(table, SERIES_QUEUE, QUEUE, "", 0)->queue, QUEUE);
    series_table_free(table);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(applications_are_measured_by_queue),
        TEST(only_changed_series_are_sent),
        TEST(users_have_their_memory),
        cmocka_unit_test_setup_teardown(users_are_not_named_unless_configured, set_up_without_users,
                                        world_tear_down),
        TEST(late_heartbeats_are_measured),
        TEST(preemption_is_counted_by_both_queues),
        TEST(other_users_may_not_read_them),
        cmocka_unit_test(the_number_of_series_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
