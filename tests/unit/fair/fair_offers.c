/* SPDX-License-Identifier: Apache-2.0 */
/* fair_offers.c - test: fair scheduler: placement decisions: AMs, locality delays, batches of nodes,
 * reservations, preemption, and the reported reasons */
#include <errno.h>

#include "common/base/id.h"
#include "common/base/text_builder.h"
#include "tests/unit/fair/fair_fixture.h"

static enum sched_reason why(struct fair_fixture *f, struct sched_app *app)
{
    struct sched_why answer;

    sched_app_why(f->sched, app, &answer);
    return answer.reason;
}

/* --- requests ------------------------------------------------------------------ */

static void new_requests_count_from_the_next_update(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *node;
    struct sched_app *app;

    fixture_begin(f, NULL, "");
    node = fixture_node(f, "n1", 8192, 8);
    app = fixture_app(f, "a", 0);
    fixture_ask(f, app, "*", 1, 1024, 1);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, app).containers, 0);
    assert_int_equal(fixture_queue(f, "root.a").demand.value[0], 0);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, app).containers, 1);
}

static int ask(struct fair_fixture *f, struct sched_app *app, int64_t memory_mb, int64_t vcores,
               struct err *err)
{
    const struct sched_ask row = {
        .priority = 1, .resource_name = "*", .count = 1, .capability = resource_of(memory_mb, vcores)
    };
    const struct sched_request request = { .asks = &row, .ask_count = 1 };

    return sched_allocate(f->sched, app, &request, &f->decisions, err);
}

static void a_request_above_the_maximum_of_its_queue_is_refused(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL,
                  "<queue name=\"a\"><maxContainerAllocation>2048 mb, 2 vcores"
                  "</maxContainerAllocation><maxResources>9000 mb, 0 vcores</maxResources></queue>");
    app = fixture_app(f, "a", 0);
    assert_int_equal(ask(f, app, 2049, 1, &err), -ERANGE);
    assert_non_null(strstr(err.text, "above the maximum for one container of root.a"));
    assert_int_equal(ask(f, app, 2048, 1, &err), -ERANGE);
    assert_non_null(strstr(err.text, "no vcores"));
    assert_int_equal(ask(f, app, -1, 1, &err), -ERANGE);
    assert_int_equal(fixture_app_figures(f, app).pending.value[0], 0);
}

/* After a restart of the RM, a running app sends all its requests again before any node has registered. */
static void a_part_of_an_empty_cluster_is_nothing_but_for_apps_from_before_a_restart(void **state)
{
    const struct sched_app_spec before = {
        .id = { 1, 77 }, .user = "u", .queue = "root.a", .recovered = true
    };
    struct fair_fixture *f = *state;
    struct sched_app *app;
    struct err err;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxResources>50%</maxResources></queue>");
    app = fixture_app(f, "a", 0);
    assert_int_equal(ask(f, app, 1024, 1, &err), -ERANGE);
    assert_non_null(strstr(err.text, "no memory"));
    assert_int_equal(sched_app_add(f->sched, &before, &app, &err), 0);
    sched_app_start(f->sched, app, NULL, &f->decisions);
    assert_int_equal(ask(f, app, 1024, 1, &err), 0);
    fixture_node(f, "n1", 8192, 8);
    assert_int_equal(ask(f, fixture_app(f, "a", 0), 1024, 1, &err), 0);
}

/* --- AMs ------------------------------------------------------------------------- */

static void masters_wait_for_one_another(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *first, *second, *job;
    struct sched_node *node;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxAMShare>0.25</maxAMShare></queue>");
    node = fixture_node(f, "n1", 8192, 8);
    first = fixture_app(f, "a", 2048);
    second = fixture_app(f, "a", 1024);
    job = fixture_app(f, "a", 0);
    fixture_ask(f, job, "*", 1, 1024, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 3);
    assert_int_equal(fixture_app_figures(f, first).containers, 1);
    assert_int_equal(fixture_app_figures(f, second).containers, 0);
    assert_int_equal(fixture_app_figures(f, job).containers, 1); /* an app without an AM */
    assert_int_equal(why(f, second), SCHED_REASON_AM_LIMIT);
    fixture_finish(f, first);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, second).containers, 1);
}

static void a_queue_without_a_limit_on_masters_is_no_condition(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *waits;
    struct sched_why found;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxAMShare>-1</maxAMShare></queue>");
    fixture_node(f, "n1", 8192, 8);
    waits = fixture_app(f, "a", 2048);
    fixture_update(f);
    sched_app_why(f->sched, waits, &found);
    for (size_t i = 0; i < found.item_count; i++)
        assert_int_not_equal(found.items[i].reason, SCHED_REASON_AM_LIMIT);
}

/* Under the fair policy vcores have no fair share: the limit on AMs follows the free vcores, which change
 * without an update. */
static void limit_on_ams_follows_the_free_resources(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *other, *app;
    struct sched_node *node;
    struct sched_decision *last;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxAMShare>0.1</maxAMShare></queue>");
    node = fixture_node(f, "n1", 81920, 8);
    other = fixture_app(f, "b", 0);
    fixture_ask(f, other, "*", 2, 1024, 4);
    fixture_update(f);
    fixture_heartbeat(f, node, 2);
    app = fixture_app(f, "a", 1024);
    fixture_update(f);
    fixture_heartbeat(f, node, 2);
    assert_int_equal(fixture_app_figures(f, app).containers, 0);
    last = &f->decisions.items[f->decisions.count - 1];
    sched_container_end(f->sched, last->container, &f->decisions);
    f->decisions.count--;
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, app).containers, 1);
}

/* --- limits on running apps -------------------------------------------------------- */

static void limit_on_running_apps_names_its_owner(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *first, *second, *third;
    struct sched_why answer;
    struct err err;

    fixture_begin(f, NULL,
                  "<queue name=\"a\"><maxRunningApps>1</maxRunningApps></queue>"
                  "<user name=\"v\"><maxRunningApps>1</maxRunningApps></user>");
    first = fixture_app(f, "a", 0);
    second = fixture_app(f, "a", 0);
    assert_false(fixture_app_figures(f, second).active);
    fixture_ask(f, second, "*", 1, 1024, 1);
    fixture_node(f, "n1", 8192, 8);
    sched_app_why(f->sched, second, &answer);
    assert_int_equal(answer.reason, SCHED_REASON_QUEUE_MAX_APPS);
    assert_string_equal(answer.queue, "root.a");
    assert_int_equal(answer.items[0].apps, 1);
    assert_int_equal(answer.items[0].most_apps, 1);
    fixture_submit(f, "v", "b", &third, &err);
    fixture_submit(f, "v", "b", &third, &err);
    fixture_ask(f, third, "*", 1, 1024, 1);
    sched_app_why(f->sched, third, &answer);
    assert_int_equal(answer.reason, SCHED_REASON_USER_MAX_APPS);
    assert_string_equal(answer.user, "v");
    fixture_finish(f, first);
    assert_true(fixture_app_figures(f, second).active);
}

static void add_number(void *context, const char *name)
{
    struct app_id id;

    assert_true(app_id_parse(name, &id));
    text_builder_printf(context, "%u ", id.seq);
}

/* 1 has all it wants, 2 wants more, 3 and 4 wait for their start. */
static void what_waits_is_listed_before_what_wants_nothing(void **state)
{
    scoped_text_builder struct text_builder order = TEXT_BUILDER_MALLOC;
    struct fair_fixture *f = *state;
    struct sched_app *second;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxRunningApps>2</maxRunningApps></queue>");
    fixture_app(f, "a", 0);
    second = fixture_app(f, "a", 0);
    fixture_app(f, "a", 0);
    fixture_app(f, "a", 0);
    fixture_ask(f, second, "*", 1, 1024, 1);
    fixture_node(f, "n1", 8192, 8);
    fixture_update(f);
    sched_queue_order(f->sched, "root.a", add_number, &order);
    assert_string_equal(text_builder_text(&order), "2 3 4 1 ");
}

/* --- order of applications ----------------------------------------------------------- */

/* Starts two applications with the ids FIRST and FIRST + 1, which differ in nothing else. Returns true if the
 * first one gets the next container. */
static bool first_is_served(struct fair_fixture *f, uint32_t first)
{
    struct sched_node *node;
    struct sched_app *apps[2];
    bool served;

    fixture_begin(f, NULL, "");
    f->last_id = first - 1;
    node = fixture_node(f, "n1", 8192, 8);
    for (int i = 0; i < 2; i++)
        apps[i] = fixture_app(f, "a", 0);
    for (int i = 1; i >= 0; i--)
        fixture_ask(f, apps[i], "*", 1, 1024, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    served = fixture_app_figures(f, apps[0]).containers == 1;
    assert_int_equal(fixture_app_figures(f, apps[1]).containers, served ? 0 : 1);
    fixture_end(f);
    *f = (struct fair_fixture){ .sched = NULL };
    return served;
}

/* As in YARN, which compares the ids as texts; they have four digits or more. */
static void the_id_decides_between_applications_that_are_equal(void **state)
{
    assert_true(first_is_served(*state, 9));
    assert_true(first_is_served(*state, 999));
    assert_true(first_is_served(*state, 9998));
    assert_false(first_is_served(*state, 9999));
    assert_true(first_is_served(*state, 10000));
    assert_false(first_is_served(*state, 99999));
}

static void a_priority_that_is_raised_counts_at_the_next_heartbeat(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *first, *second;
    struct sched_node *node;

    fixture_begin(f, NULL, "<queue name=\"a\"><schedulingPolicy>fifo</schedulingPolicy></queue>");
    node = fixture_node(f, "n1", 8192, 8);
    first = fixture_app(f, "a", 0);
    second = fixture_app(f, "a", 0);
    fixture_ask(f, first, "*", 2, 1024, 1);
    fixture_ask(f, second, "*", 1, 1024, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, first).containers, 1);
    sched_app_set_priority(f->sched, second, 1, &f->decisions);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, first).containers, 1);
    assert_int_equal(fixture_app_figures(f, second).containers, 1);
}

/* --- locality ------------------------------------------------------------------------ */

static const char *const continuous[][2] = {
    { "yarn.scheduler.fair.continuous-scheduling-enabled", "true" },
    { "yarn.scheduler.fair.locality-delay-node-ms", "1000" },
    { "yarn.scheduler.fair.locality-delay-rack-ms", "500" },
    { NULL, NULL },
};

static void continuous_scheduling_waits_by_the_clock(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *far;
    struct sched_app *app;

    fixture_begin(f, continuous, "");
    far = fixture_node(f, "n1", 8192, 8); /* in the rack of the request */
    app = fixture_app(f, "a", 0);
    fixture_ask(f, app, "elsewhere", 1, 1024, 1);
    fixture_update(f);
    assert_int_equal(sched_node_batch(f->sched, 10, &f->decisions), 1);
    fixture_advance(f, 1000);
    sched_node_batch(f->sched, 10, &f->decisions);
    assert_int_equal(fixture_app_figures(f, app).containers, 0);
    assert_int_equal(why(f, app), SCHED_REASON_LOCALITY_DELAY);
    fixture_advance(f, 1);
    sched_node_batch(f->sched, 10, &f->decisions);
    assert_int_equal(fixture_app_figures(f, app).containers, 1);
    assert_int_equal(sched_node_containers(far), 1);
}

static void a_batch_begins_with_the_emptiest_node_and_the_next_batch_continues(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_node *small, *large, *middle;
    struct sched_app *app;

    fixture_begin(f, NULL, "");
    small = fixture_node(f, "n1", 2048, 8);
    large = fixture_node(f, "n2", 8192, 8);
    middle = fixture_node(f, "n3", 4096, 8);
    app = fixture_app(f, "a", 0);
    fixture_ask(f, app, "*", 9, 512, 1);
    fixture_update(f);
    assert_int_equal(sched_node_batch(f->sched, 2, &f->decisions), 2);
    assert_int_equal(sched_node_containers(large), 1);
    assert_int_equal(sched_node_containers(middle), 1);
    assert_int_equal(sched_node_containers(small), 0);
    assert_int_equal(sched_node_batch(f->sched, 2, &f->decisions), 1);
    assert_int_equal(sched_node_containers(small), 1);
    assert_int_equal(sched_node_batch(f->sched, 2, &f->decisions), 2);
    assert_int_equal(sched_node_containers(large), 2);
    assert_int_equal(sched_node_batch(f->sched, 1, &f->decisions), 1);
    assert_int_equal(sched_node_batch(f->sched, 2, &f->decisions), 0); /* no more nodes in the queue */
    assert_int_equal(sched_node_batch(f->sched, 2, &f->decisions), 2);
    assert_int_equal(sched_node_batch(f->sched, 2, &f->decisions), 0);
    fixture_audit(f);
}

static void requests_on_demand_do_not_wait_for_an_update(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app, *waiting;

    f->on_demand = true;
    fixture_begin(f, NULL, "<queue name=\"a\"><maxRunningApps>1</maxRunningApps></queue>");
    fixture_node(f, "n1", 4096, 4);
    app = fixture_app(f, "a", 1024);
    assert_int_equal(fixture_app_figures(f, app).containers, 1);
    waiting = fixture_app(f, "a", 1024);
    assert_int_equal(fixture_app_figures(f, waiting).containers, 0);
    fixture_finish(f, app);
    assert_int_equal(fixture_app_figures(f, waiting).containers, 1);
}

/* --- reservations ------------------------------------------------------------------- */

static void a_node_is_kept_for_a_fraction_of_the_nodes_only(void **state)
{
    static const char *const site[][2] = { { "yarn.scheduler.fair.reservable-nodes", "0.3" },
                                           { NULL, NULL } };
    struct fair_fixture *f = *state;
    struct sched_node *nodes[4];
    struct sched_app *app, *large;
    char name[16];

    fixture_begin(f, site, "");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        nodes[i] = fixture_node(f, name, 4096, 4);
    }
    app = fixture_app(f, "a", 0);
    fixture_ask(f, app, "*", 8, 2048, 2);
    fixture_update(f);
    for (int i = 0; i < 4; i++)
        fixture_heartbeat(f, nodes[i], 2);
    large = fixture_app(f, "b", 0);
    fixture_ask(f, large, "*", 4, 4096, 4);
    fixture_update(f);
    for (int i = 0; i < 4; i++)
        fixture_heartbeat(f, nodes[i], 1);
    assert_int_equal(fixture_app_figures(f, large).reserved_containers, 2); /* 0.3 of 4 nodes, rounded up */
    assert_int_equal(fixture_queue(f, "root.b").used.value[0], 0);
    assert_int_equal(fixture_queue(f, "root.b").reserved.value[0], 8192);
    fixture_ask(f, large, "*", 0, 4096, 4);
    assert_int_equal(fixture_app_figures(f, large).reserved_containers,
                     2); /* until the nodes have registered */
    for (int i = 0; i < 4; i++)
        fixture_heartbeat(f, nodes[i], 1);
    assert_int_equal(fixture_app_figures(f, large).reserved_containers, 0);
}

static void a_new_attempt_begins_without_reservations(void **state)
{
    const struct resource am = resource_of(1024, 1);
    struct fair_fixture *f = *state;
    struct sched_app *app, *large;
    struct sched_node *node;

    fixture_begin(f, NULL, "");
    node = fixture_node(f, "n1", 4096, 4);
    app = fixture_app(f, "a", 0);
    fixture_ask(f, app, "*", 1, 2048, 2);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    large = fixture_app(f, "b", 0);
    fixture_ask(f, large, "*", 1, 4096, 4);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, large).reserved_containers, 1);
    sched_app_start(f->sched, large, &am, &f->decisions);
    fixture_audit(f);
    assert_int_equal(fixture_app_figures(f, large).reserved_containers, 0);
    assert_int_equal(fixture_count(f, SCHED_UNRESERVED), 1);
}

/* --- preemption ---------------------------------------------------------------------- */

static struct sched_app *fill(struct fair_fixture *f, struct sched_node *node, uint32_t count)
{
    struct sched_app *app = fixture_app(f, "greedy", 0);

    fixture_ask(f, app, "*", count, 1024, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, app).containers, count);
    return app;
}

static void end_killed(struct fair_fixture *f)
{
    size_t count = f->decisions.count;

    for (size_t i = 0; i < count; i++)
        if (f->decisions.items[i].kind == SCHED_KILL)
            sched_container_end(f->sched, f->decisions.items[i].container, &f->decisions);
    fixture_audit(f);
}

static void starved_app_gets_preempted_room_after_the_notice(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *greedy, *hungry, *third;
    struct sched_node *node;
    struct sched_why answer;
    char text[500];

    fixture_begin(f, fixture_preemption, FIXTURE_STARVING);
    node = fixture_node(f, "n1", 8192, 8);
    greedy = fill(f, node, 8);
    hungry = fixture_app(f, "hungry", 0);
    fixture_ask(f, hungry, "*", 4, 2048, 2);
    fixture_update(f);
    fixture_count(f, SCHED_PREEMPT);
    fixture_advance(f, 4999);
    fixture_update(f);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 0); /* the timeout is 5 s */
    fixture_advance(f, 1);
    fixture_update(f);
    assert_int_equal(f->decisions.items[0].deadline_ms, 7000);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 4); /* down to the fair share, not below */
    assert_int_equal(why(f, hungry), SCHED_REASON_PREEMPTING);
    fixture_advance(f, 1999);
    assert_int_equal(fixture_count(f, SCHED_KILL), 0);
    fixture_advance(f, 1);
    end_killed(f);
    assert_int_equal(fixture_count(f, SCHED_KILL), 4);
    third = fixture_app(f, "third", 0); /* less than everything, but not the app that is
                                           waited for */
    fixture_ask(f, third, "*", 4, 1024, 1);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, hungry).containers, 2);
    assert_int_equal(fixture_app_figures(f, third).containers, 0);
    assert_int_equal(fixture_app_figures(f, greedy).containers, 4);
    fixture_ask(f, greedy, "*", 1, 1024, 1);
    assert_int_equal(why(f, greedy), SCHED_REASON_ABOVE_FAIR_SHARE);
    sched_app_why(f->sched, greedy, &answer);
    assert_non_null(strstr(sched_why_format(&answer, text, sizeof(text)), "root.greedy"));
    assert_non_null(strstr(text, "2731"));
}

static void starved_app_is_checked_again_after_an_interval(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_container *preempted;
    struct sched_app *hungry;
    struct sched_node *node;

    fixture_begin(f, fixture_preemption, FIXTURE_STARVING);
    node = fixture_node(f, "n1", 8192, 8);
    fill(f, node, 8);
    hungry = fixture_app(f, "hungry", 0);
    fixture_ask(f, hungry, "*", 1, 1024, 1);
    fixture_update(f);
    fixture_advance(f, 5000);
    fixture_count(f, SCHED_PREEMPT);
    fixture_update(f);
    assert_int_equal(f->decisions.count, 1);
    preempted = f->decisions.items[0].container;
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 1);
    fixture_ask(f, hungry, "*", 4, 1024, 1);
    fixture_advance(f, 2000 + 4 * 1000 + 3000 - 1);
    fixture_update(f);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 0);
    sched_container_end(f->sched, preempted, &f->decisions);
    fixture_heartbeat(f, node, 1);
    fixture_advance(f, 1);
    fixture_update(f);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 3);
}

static void half_empty_cluster_preempts_no_container(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *hungry;
    struct sched_node *node;

    fixture_begin(f, fixture_preemption, FIXTURE_STARVING);
    node = fixture_node(f, "n1", 8192, 8);
    fill(f, node, 4);
    hungry = fixture_app(f, "hungry", 0);
    fixture_ask(f, hungry, "*", 1, 8192, 4);
    fixture_update(f);
    fixture_advance(f, 60000);
    fixture_update(f);
    assert_int_equal(fixture_count(f, SCHED_PREEMPT), 0);
}

/* --- headroom --------------------------------------------------------------------------- */

static void headroom_is_the_least_of_share_maximum_and_cluster(void **state)
{
    struct fair_fixture *f = *state;
    struct sched_app *app, *other;
    struct sched_node *node;
    const char *name = "n2";
    const struct sched_request avoid = { .blacklist_add = &name, .blacklist_add_count = 1 };
    struct err err;

    fixture_begin(f, NULL, "<queue name=\"a\"><maxResources>3000 mb, 6 vcores</maxResources></queue>");
    node = fixture_node(f, "n1", 4096, 4);
    fixture_node(f, "n2", 4096, 4);
    app = fixture_app(f, "a", 0);
    other = fixture_app(f, "b", 0);
    fixture_update(f);
    assert_int_equal(fixture_app_figures(f, app).headroom.value[0], 3000);
    assert_int_equal(fixture_app_figures(f, app).headroom.value[1], 6);
    assert_int_equal(fixture_app_figures(f, other).headroom.value[0], 5192); /* the fair share */
    fixture_ask(f, other, "*", 1, 1024, 3);
    fixture_update(f);
    fixture_heartbeat(f, node, 1);
    assert_int_equal(fixture_app_figures(f, other).headroom.value[0], 4168);
    assert_int_equal(fixture_app_figures(f, app).headroom.value[1], 5);
    assert_int_equal(sched_allocate(f->sched, app, &avoid, &f->decisions, &err), 0);
    assert_int_equal(fixture_app_figures(f, app).headroom.value[1], 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(new_requests_count_from_the_next_update),
        TEST(a_request_above_the_maximum_of_its_queue_is_refused),
        TEST(a_part_of_an_empty_cluster_is_nothing_but_for_apps_from_before_a_restart),
        TEST(masters_wait_for_one_another),
        TEST(a_queue_without_a_limit_on_masters_is_no_condition),
        TEST(limit_on_ams_follows_the_free_resources),
        TEST(limit_on_running_apps_names_its_owner),
        TEST(what_waits_is_listed_before_what_wants_nothing),
        TEST(the_id_decides_between_applications_that_are_equal),
        TEST(a_priority_that_is_raised_counts_at_the_next_heartbeat),
        TEST(continuous_scheduling_waits_by_the_clock),
        TEST(a_batch_begins_with_the_emptiest_node_and_the_next_batch_continues),
        TEST(requests_on_demand_do_not_wait_for_an_update),
        TEST(a_node_is_kept_for_a_fraction_of_the_nodes_only),
        TEST(a_new_attempt_begins_without_reservations),
        TEST(starved_app_gets_preempted_room_after_the_notice),
        TEST(starved_app_is_checked_again_after_an_interval),
        TEST(half_empty_cluster_preempts_no_container),
        TEST(headroom_is_the_least_of_share_maximum_and_cluster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
