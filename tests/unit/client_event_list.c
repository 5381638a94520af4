/* SPDX-License-Identifier: Apache-2.0 */
/* client_event_list.c - tests: events are found once, and in order of time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/event_list.h"

#define NOW_MS 1000000

static struct creel_app app_at(const char *id)
{
    return (struct creel_app){
        .id = id,
        .name = "train",
        .user = "ann",
        .queue = "root.a",
        .diagnostics = "",
        .restart_reason = "",
        .master_node_id = "n1:1",
        .exit_status = CREEL_EXIT_NONE,
        .submitted_ms = 1000,
        .state = CREEL_APP_ACCEPTED,
        .max_attempts = 2,
    };
}

/* Compares the events found since the last call: "SUBMITTED(train) STARTED(n1:1)". */
static void expect(struct event_list *list, const char *expected)
{
    char found[1024] = "";
    size_t count;
    const struct event *events = event_list_next(list, &count);

    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(found);

        snprintf(found + used, sizeof(found) - used, "%s%s(%s)", i ? " " : "", events[i].name,
                 events[i].text);
    }
    assert_string_equal(found, expected);
}

static void an_application_has_its_story(void **state)
{
    struct event_list *list = event_list_new(1);
    struct creel_app app = app_at("application_1_0001");

    (void)state;
    event_list_app(list, &app, NOW_MS);
    expect(list, "SUBMITTED(train)");
    event_list_app(list, &app, NOW_MS);
    expect(list, "");
    app.state = CREEL_APP_RUNNING;
    app.started_ms = 2000;
    app.attempt = 1;
    event_list_app(list, &app, NOW_MS);
    expect(list, "STARTED(n1:1)");
    app.attempt = 2;
    app.restart_reason = "requeued by ann";
    app.queue = "root.b";
    event_list_app(list, &app, NOW_MS);
    expect(list, "MOVED(from root.a) RETRIED(attempt 2: requeued by ann)");
    app.state = CREEL_APP_FAILED;
    app.finished_ms = 3000;
    app.exit_status = 7;
    app.diagnostics = "task 1 ended with 7";
    event_list_app(list, &app, NOW_MS);
    event_list_app(list, &app, NOW_MS);
    expect(list, "FAILED(exit status 7: task 1 ended with 7)");
    event_list_free(list);
}

static void late_events_are_in_order(void **state)
{
    struct event_list *list = event_list_new(1500); /* not the submission of the first one */
    struct creel_app app = app_at("application_1_0001"), second = app_at("application_1_0002");

    (void)state;
    app.started_ms = 4000;
    app.finished_ms = 5000;
    app.state = CREEL_APP_FINISHED;
    second.submitted_ms = 4500;
    second.name = "second";
    event_list_app(list, &app, NOW_MS);
    event_list_app(list, &second, NOW_MS);
    expect(list, "STARTED(n1:1) SUBMITTED(second) FINISHED()");
    event_list_free(list);
}

static void holds_have_their_holders(void **state)
{
    struct event_list *list = event_list_new(1);
    struct creel_hold hold = {
        .by = "root", .reason = "wrong input", .since_ms = 2000, .administrator = true
    };
    struct creel_app app = app_at("application_1_0001");

    (void)state;
    app.holds = &hold;
    app.hold_count = 1;
    event_list_app(list, &app, NOW_MS);
    event_list_app(list, &app, NOW_MS);
    expect(list, "SUBMITTED(train) HELD(by root: wrong input)");
    app.hold_count = 0;
    event_list_app(list, &app, NOW_MS);
    expect(list, "RELEASED()");
    event_list_free(list);
}

static void containers_and_nodes(void **state)
{
    struct event_list *list = event_list_new(1);
    struct creel_container container = { .id = "container_1_0001_01_000001",
                                         .node_id = "n1:1",
                                         .user = "ann",
                                         .diagnostics = "",
                                         .allocated_ms = 1000,
                                         .started_ms = 2000,
                                         .exit_status = CREEL_EXIT_NONE };
    struct creel_node node = { .id = "n1:1",
                               .registered_ms = 500,
                               .version = "0.1",
                               .health_report = "disk full",
                               .state = CREEL_NODE_RUNNING,
                               .in_service = true };

    (void)state;
    event_list_container(list, &container);
    event_list_node(list, &node, NOW_MS);
    expect(list, "REGISTERED(0.1) ALLOCATED(n1:1) STARTED(n1:1)");
    container.finished_ms = 3000;
    container.exit_status = 0;
    event_list_container(list, &container);
    node.state = CREEL_NODE_UNHEALTHY;
    event_list_node(list, &node, NOW_MS);
    event_list_node(list, &node, NOW_MS);
    expect(list, "ENDED(exit status 0) UNHEALTHY(disk full)");
    node.stuck_report = "container_1_0001_01_000002: process 7 (cp) is in state D";
    event_list_node(list, &node, NOW_MS);
    event_list_node(list, &node, NOW_MS);
    expect(list, "STUCK(container_1_0001_01_000002: process 7 (cp) is in state D)");
    node.stuck_report = "";
    event_list_node(list, &node, NOW_MS);
    expect(list, "");
    node.state = CREEL_NODE_DRAINING;
    node.in_service = false;
    node.admin_state = (struct creel_node_admin_state){ .by = "root", .reason = "kernel", .since_ms = 6000 };
    event_list_node(list, &node, NOW_MS);
    event_list_node(list, &node, NOW_MS);
    expect(list, "DRAINING(by root: kernel)");
    event_list_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_application_has_its_story),
        cmocka_unit_test(late_events_are_in_order),
        cmocka_unit_test(holds_have_their_holders),
        cmocka_unit_test(containers_and_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
