/* SPDX-License-Identifier: Apache-2.0 */
/* master_event_queues.c - tests: ListEvents has what happened to queues and to the configuration */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/conf/conf.h"
#include "common/proto/event_kind.h"
#include "rm/sched/capacity/config/config.h"
#include "rm/sched/capacity/placement/placement.h"
#include "rm/sched/sched.h"
#include "tests/unit/capacity/capacity_cluster.h"

#define CAPACITY "yarn.scheduler.capacity."
#define PEOPLE 1000

struct world {
    struct capacity_cluster c;
    char app[80];
    uint64_t seen; /* number of the last event of expect */
};

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.scheduler.minimum-allocation-mb", "128" },
    { CAPACITY "maximum-am-resource-percent", "1" },
    { CAPACITY "queue-mappings", "u:dora:root.open.%user" },
    { CAPACITY "root.queues", "open,other" },
    { CAPACITY "root.open.capacity", "50" },
    { CAPACITY "root.open.auto-queue-creation-v2.enabled", "true" },
    { CAPACITY "root.other.capacity", "50" },
};

/* Makes the configuration of the scheduler, with VALUE for KEY unless KEY is NULL. */
static void load(struct world *w, const char *const changed[][2], size_t count)
{
    struct err err = { .text = "" };

    w->c.conf = conf_of(settings, sizeof(settings) / sizeof(settings[0]));
    for (size_t i = 0; i < count; i++)
        if (conf_set(w->c.conf, changed[i][0], changed[i][1], &err) < 0)
            fail_msg("%s", err.text);
    w->c.sched = capacity_of(w->c.conf);
    if (capacity_placement_load(w->c.conf, NULL, w->c.sched.capacity, NULL, NULL, &w->c.sched.placement,
                                &err) < 0)
        fail_msg("%s", err.text);
}

static const Creel__EventList *list(struct world *w, const char *user, uint64_t after)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_LIST_EVENTS);
    Creel__ListEvents body = CREEL__LIST_EVENTS__INIT;
    const Creel__Envelope *reply;

    body.after = after;
    body.queue = (char *)(uintptr_t) "root";
    for (unsigned i = 0; i < creel__event_kind__descriptor.n_values; i++) {
        static Creel__EventKind kinds[100];
        Creel__EventKind kind = (Creel__EventKind)creel__event_kind__descriptor.values[i].value;

        body.kinds = kinds;
        if (event_object(kind) == EVENT_OF_QUEUE)
            kinds[body.n_kinds++] = kind;
    }
    envelope->list_events = &body;
    reply = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, user, envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_EVENT_LIST);
    return reply->event_list;
}

/* Compares the events of queues since the last call: "STOPPED root.other by admin; ...", with the text of an
 * event in parentheses. */
static void expect(struct world *w, const char *expected)
{
    const Creel__EventList *events = list(w, "ann", w->seen);
    char found[2048] = "";

    for (size_t i = 0; i < events->n_events; i++) {
        const Creel__Event *event = events->events[i];
        size_t used = strlen(found);

        snprintf(found + used, sizeof(found) - used, "%s%s %s%s%s%s%s%s", i > 0 ? "; " : "",
                 event_name(event->kind), event->queue, *event->by != '\0' ? " by " : "", event->by,
                 *event->text != '\0' ? " (" : "", event->text, *event->text != '\0' ? ")" : "");
    }
    w->seen = events->last;
    assert_string_equal(found, expected);
}

static int set_up(void **state)
{
    static struct world w;

    w = (struct world){ .app = "" };
    capacity_cluster_init(&w.c);
    load(&w, NULL, 0);
    capacity_cluster_start(&w.c, NULL, 0);
    agent_listen(&w.c.h, &w.c.a);
    expect(&w, "");
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    capacity_cluster_end(&((struct world *)*state)->c);
    return 0;
}

/* --- states ------------------------------------------------------------------------ */

static void set_state(struct world *w, const char *queue, bool running)
{
    Creel__Envelope *envelope = harness_envelope(&w->c.h, CREEL__ENVELOPE__BODY_SET_QUEUE_STATE);
    Creel__SetQueueState body = CREEL__SET_QUEUE_STATE__INIT;
    const Creel__Envelope *reply;

    body.queue = (char *)(uintptr_t)queue;
    body.running = running;
    envelope->set_queue_state = &body;
    reply = harness_ask(&w->c.h, MASTER_CLIENT, PEOPLE, "root", envelope);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
}

static void submit(struct world *w, const char *user, const char *queue)
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);
    const Creel__Envelope *reply;

    job->queue = (char *)(uintptr_t)queue;
    reply = people_submit_as(&w->c.h, user, job, NULL, w->app);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("%s", reply->error->message);
    agent_listen(&w->c.h, &w->c.a);
    agent_heartbeat(&w->c.h, &w->c.a);
}

static void end_job(struct world *w)
{
    agent_exit(&w->c.a, w->c.a.containers[0].id, 0);
    agent_heartbeat(&w->c.h, &w->c.a);
}

static void a_stop_and_a_start_are_events(void **state)
{
    struct world *w = *state;

    set_state(w, "other", false);
    expect(w, "STOPPED root.other by root");
    set_state(w, "other", false);
    expect(w, "");
    set_state(w, "other", true);
    expect(w, "RUNNING root.other by root");
}

static void queues_below_a_stopped_queue_have_events(void **state)
{
    struct world *w = *state;

    set_state(w, "root", false);
    expect(w, "STOPPED root by root; STOPPED root.open by root; STOPPED root.other by root");
}

static void the_last_application_stops_a_draining_queue(void **state)
{
    struct world *w = *state;

    submit(w, "ann", "other");
    set_state(w, "other", false);
    expect(w, "DRAINING root.other by root");
    end_job(w);
    expect(w, "STOPPED root.other");
}

static void a_restart_keeps_the_last_state_that_was_set(void **state)
{
    struct world *w = *state;
    int64_t stopped_ms;
    const Creel__EventList *events;

    submit(w, "ann", "other");
    set_state(w, "other", false);
    stopped_ms = w->c.h.now;
    w->c.h.now += 1000;
    w->c.sched = capacity_of(w->c.conf);
    harness_restart(&w->c.h);
    events = list(w, "ann", 0);
    assert_int_equal(events->n_events, 1);
    assert_int_equal(events->events[0]->kind, CREEL__EVENT_KIND__EVENT_QUEUE_STOPPED);
    assert_int_equal(events->events[0]->time_ms, stopped_ms);
    assert_string_equal(events->events[0]->by, "root");
    assert_true(events->events[0]->restored);
}

static void a_queue_that_a_submission_creates_has_events(void **state)
{
    struct world *w = *state;

    submit(w, "dora", "default");
    assert_string_equal(people_show(&w->c.h, w->app)->queue, "root.open.dora");
    expect(w, "ADDED root.open.dora (by a submission)");
    end_job(w);
    harness_tick(&w->c.h, 3600000);
    expect(w, "REMOVED root.open.dora");
}

/* --- configuration ------------------------------------------------------------------- */

/* Reloads the configuration with COUNT changed keys. VERSION: as ChangeSchedulerConf; NULL: as a refresh. */
static void reload(struct world *w, const char *const changed[][2], size_t count,
                   const Creel__SchedulerConfVersion *version)
{
    Creel__StoredSchedulerConf row = CREEL__STORED_SCHEDULER_CONF__INIT;
    struct master_reload reload = { .user = "root",
                                    .changed = version != NULL ? &row : NULL,
                                    .version = version };
    static const struct master_remarks no_remarks;
    struct conf *old = w->c.conf;
    struct err err = { .text = "" };

    row.version = 2;
    load(w, changed, count);
    if (master_reload(w->c.h.master, w->c.h.now, &reload, &w->c.sched, &no_remarks, &err, &w->c.h.effects) <
        0)
        fail_msg("%s", err.text);
    conf_free(old);
    harness_run_effects(&w->c.h);
}

static void a_refresh_has_events_of_queues_that_come_and_go(void **state)
{
    static const char *const changed[][2] = { { CAPACITY "root.queues", "open,new" },
                                              { CAPACITY "root.new.capacity", "50" },
                                              { CAPACITY "root.open.state", "STOPPED" } };
    struct world *w = *state;

    set_state(w, "other", false);
    expect(w, "STOPPED root.other by root");
    reload(w, changed, 3, NULL);
    expect(w, "REFRESHED root by root (the configuration of queues was read again); "
              "STOPPED root.open by root; REMOVED root.other by root; ADDED root.new by root");
    reload(w, changed, 3, NULL);
    expect(w, "REFRESHED root by root (the configuration of queues was read again)");
}

static void a_refused_refresh_is_an_event(void **state)
{
    static const struct master_remarks no_remarks;
    struct world *w = *state;
    struct err err;

    err_set(&err, EINVAL, "capacity-scheduler.xml:7: wrong");
    assert_int_equal(master_reload(w->c.h.master, w->c.h.now, &(struct master_reload){ .user = "SIGHUP" },
                                   NULL, &no_remarks, &err, &w->c.h.effects),
                     -EINVAL);
    harness_run_effects(&w->c.h);
    expect(w, "REFUSED root by SIGHUP (capacity-scheduler.xml:7: wrong)");
    master_note_refresh(w->c.h.master, w->c.h.now, MASTER_PART_HOSTS, "root", "nodes.include: no such file",
                        &w->c.h.effects);
    master_note_refresh(w->c.h.master, w->c.h.now, MASTER_PART_ACCESS, "root", NULL, &w->c.h.effects);
    harness_run_effects(&w->c.h);
    expect(w, "REFUSED root by root (nodes.include: no such file); "
              "REFRESHED root by root (the access lists were read again)");
}

static void a_change_of_properties_is_one_event_for_each_queue(void **state)
{
    static const char *const changed[][2] = { { CAPACITY "root.open.maximum-applications", "5" } };
    static const char *const keys[][2] = {
        { CAPACITY "maximum-applications", "100" },
        { CAPACITY "root.gone.capacity", NULL },
        { CAPACITY "root.open.auto-queue-creation-v2.template.capacity", "4w" },
        { CAPACITY "root.open.maximum-applications", "5" },
        { CAPACITY "root.state", "RUNNING" },
    };
    Creel__ConfOverride overrides[5], *pointers[5];
    Creel__SchedulerConfVersion version = CREEL__SCHEDULER_CONF_VERSION__INIT;
    struct world *w = *state;

    for (size_t i = 0; i < 5; i++) {
        creel__conf_override__init(&overrides[i]);
        overrides[i].key = (char *)(uintptr_t)keys[i][0];
        overrides[i].value = (char *)(uintptr_t)(keys[i][1] != NULL ? keys[i][1] : "");
        overrides[i].removed = keys[i][1] == NULL;
        pointers[i] = &overrides[i];
    }
    overrides[4].as_file = true;
    version.by = (char *)(uintptr_t) "ann";
    version.at_ms = w->c.h.now;
    version.changed = pointers;
    version.n_changed = 5;
    reload(w, changed, 1, &version);
    expect(
        w,
        "CONFIGURED root by ann (maximum-applications=100); "
        "CONFIGURED root.gone by ann (capacity removed); "
        "CONFIGURED root.open by ann (auto-queue-creation-v2.template.capacity=4w, maximum-applications=5); "
        "CONFIGURED root by ann (state as in the file)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stop_and_a_start_are_events),
        TEST(queues_below_a_stopped_queue_have_events),
        TEST(the_last_application_stops_a_draining_queue),
        TEST(a_restart_keeps_the_last_state_that_was_set),
        TEST(a_queue_that_a_submission_creates_has_events),
        TEST(a_refresh_has_events_of_queues_that_come_and_go),
        TEST(a_refused_refresh_is_an_event),
        TEST(a_change_of_properties_is_one_event_for_each_queue),
    };

    return cmocka_run_group_tests_name("event_queues", tests, NULL, NULL);
}
