/* SPDX-License-Identifier: Apache-2.0 */
/* client_event_list.c - tests: events of the resource manager and of the history, in order of time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client/cli/show/event_list.h"
#include "common/base/mem.h"

static struct creel_event event_of(const char *name, int64_t time_ms)
{
    return (struct creel_event){
        .number = 1,
        .time_ms = time_ms,
        .object = "app",
        .name = name,
        .id = "application_1_0001",
        .app_id = "application_1_0001",
        .node_id = "",
        .user = "ann",
        .queue = "root.a",
        .by = "",
        .text = "",
        .exit_status = CREEL_EXIT_NONE,
    };
}

static struct creel_app ended_app(const char *id)
{
    return (struct creel_app){
        .id = id,
        .name = "train",
        .user = "ann",
        .queue = "root.a",
        .diagnostics = "no memory",
        .master_node_id = "n1:1",
        .exit_status = 3,
        .submitted_ms = 1000,
        .started_ms = 2000,
        .finished_ms = 3000,
        .state = CREEL_APP_FAILED,
    };
}

/* Compares the events: "SUBMITTED(train) STARTED(n1:1)". */
static void expect(struct event_list *list, const char *expected)
{
    char found[1024] = "";
    size_t count;
    const void *const *events = event_list_sorted(list, &count);

    for (size_t i = 0; i < count; i++) {
        const struct creel_event *event = events[i];
        scoped_free char *text = event_text(event);
        size_t used = strlen(found);

        snprintf(found + used, sizeof(found) - used, "%s%s(%s)", i ? " " : "", event->name, text);
    }
    assert_string_equal(found, expected);
}

static void the_history_has_the_events_that_are_not_kept(void **state)
{
    const struct creel_event items[] = { event_of("FAILED", 3000) };
    const struct creel_events kept = { .items = items, .count = 1 };
    struct creel_app app = ended_app("application_1_0001"), other = ended_app("application_1_0002");
    struct event_list *list = event_list_new();

    (void)state;
    event_list_add(list, &kept);
    event_list_add_ended(list, &app, 0);
    expect(list, "SUBMITTED(train) STARTED(n1:1) FAILED()");
    event_list_add_ended(list, &other, 2500);
    expect(list, "SUBMITTED(train) STARTED(n1:1) FAILED() FAILED(exit status 3: no memory)");
    event_list_free(list);
}

static void events_are_sorted_by_time_and_number(void **state)
{
    struct creel_event items[] = { event_of("STARTED", 2000), event_of("HELD", 1000),
                                   event_of("SUBMITTED", 1000) };
    const struct creel_events kept = { .items = items, .count = 3 };
    struct event_list *list = event_list_new();

    (void)state;
    items[1].number = 2;
    event_list_add(list, &kept);
    expect(list, "SUBMITTED() HELD() STARTED()");
    event_list_free(list);
}

static void expect_text(const struct creel_event *event, const char *expected)
{
    scoped_free char *text = event_text(event);

    assert_string_equal(text, expected);
}

static void the_text_has_user_reason_status_or_node(void **state)
{
    struct creel_event event = event_of("HELD", 1);

    (void)state;
    event.by = "bob";
    expect_text(&event, "by bob");
    event.text = "wait";
    expect_text(&event, "by bob: wait");
    event.name = "SUBMITTED";
    expect_text(&event, "wait");
    event.exit_status = 0;
    event.text = "";
    expect_text(&event, "exit status 0");
    event = event_of("STARTED", 1);
    event.node_id = "n1:8041";
    expect_text(&event, "n1:8041");
    event.object = "node";
    expect_text(&event, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_history_has_the_events_that_are_not_kept),
        cmocka_unit_test(events_are_sorted_by_time_and_number),
        cmocka_unit_test(the_text_has_user_reason_status_or_node),
    };

    return cmocka_run_group_tests_name("event_list", tests, NULL, NULL);
}
