/* SPDX-License-Identifier: Apache-2.0 */
/* master_event_ring.c - tests: events are numbered, and a flood of one user removes no other user's events */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rm/master/parts/event_ring.h"

#define BEFORE 1000 /* number before the first event */

static struct event_ring *ring_of(size_t count, size_t bytes)
{
    return event_ring_new(&(struct event_ring_limits){ count, bytes }, BEFORE);
}

static Creel__Event event_of(Creel__EventKind kind, const char *user)
{
    Creel__Event event = CREEL__EVENT__INIT;

    event.kind = kind;
    event.user = (char *)(uintptr_t)user;
    event.app_id = (char *)(uintptr_t) "application_1_0001";
    event.node_id = (char *)(uintptr_t) "n1:8041";
    event.time_ms = 5;
    return event;
}

static void add(struct event_ring *ring, Creel__EventKind kind, const char *user)
{
    Creel__Event event = event_of(kind, user);

    event_ring_add(ring, kept_event_new(&event));
}

static size_t count_of(const struct event_ring *ring, Creel__EventKind kind, const char *user)
{
    const struct kept_event *kept = event_ring_after(ring, 0);
    size_t count = 0;

    for (; kept != NULL; kept = event_ring_after(ring, kept->event.number))
        count += kept->event.kind == kind && strcmp(kept->event.user, user) == 0;
    return count;
}

static void events_have_numbers_in_order(void **state)
{
    struct event_ring *ring = ring_of(10, 1 << 20);

    (void)state;
    assert_null(event_ring_after(ring, 0));
    add(ring, CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "ann");
    add(ring, CREEL__EVENT_KIND__EVENT_APP_STARTED, "ann");
    assert_int_equal(event_ring_newest(ring), BEFORE + 2);
    assert_int_equal(event_ring_after(ring, 0)->event.number, BEFORE + 1);
    assert_int_equal(event_ring_after(ring, BEFORE + 1)->event.number, BEFORE + 2);
    assert_int_equal(event_ring_after(ring, BEFORE + 1)->event.kind, CREEL__EVENT_KIND__EVENT_APP_STARTED);
    assert_string_equal(event_ring_after(ring, 0)->event.app_id, "application_1_0001");
    assert_null(event_ring_after(ring, BEFORE + 2));
    event_ring_free(ring);
}

static void the_largest_share_loses_its_oldest_event(void **state)
{
    struct event_ring *ring = ring_of(10, 1 << 20);

    (void)state;
    add(ring, CREEL__EVENT_KIND__EVENT_NODE_LOST, "");
    add(ring, CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "ann");
    for (int i = 0; i < 100; i++)
        add(ring, CREEL__EVENT_KIND__EVENT_CONTAINER_ENDED, "ann");
    for (int i = 0; i < 100; i++)
        add(ring, CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "bob");
    assert_int_equal(count_of(ring, CREEL__EVENT_KIND__EVENT_NODE_LOST, ""), 1);
    assert_int_equal(count_of(ring, CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "ann"), 1);
    assert_in_range(count_of(ring, CREEL__EVENT_KIND__EVENT_CONTAINER_ENDED, "ann"), 3, 5);
    assert_in_range(count_of(ring, CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "bob"), 3, 5);
    assert_int_equal(event_ring_newest(ring), BEFORE + 202);
    event_ring_free(ring);
}

static void bytes_are_bounded_too(void **state)
{
    Creel__Event event = event_of(CREEL__EVENT_KIND__EVENT_APP_FAILED, "ann");
    struct kept_event *kept;
    struct event_ring *ring;
    char text[2 * EVENT_TEXT_MAX];
    size_t bytes;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[EVENT_TEXT_MAX - 1] = (char)0xc3; /* of a character with two bytes */
    text[EVENT_TEXT_MAX] = (char)0xa9;
    text[sizeof(text) - 1] = '\0';
    event.text = text;
    kept = kept_event_new(&event);
    assert_int_equal(strlen(kept->event.text), EVENT_TEXT_MAX - 1);
    bytes = kept->bytes;
    kept_event_free(kept);
    ring = ring_of(1000, 3 * bytes);
    for (int i = 0; i < 10; i++)
        event_ring_add(ring, kept_event_new(&event));
    assert_int_equal(count_of(ring, CREEL__EVENT_KIND__EVENT_APP_FAILED, "ann"), 3);
    event_ring_free(ring);
}

static void events_are_found_from_the_newest_on(void **state)
{
    struct event_ring *ring = ring_of(10, 1 << 20);

    (void)state;
    assert_null(event_ring_below(ring, UINT64_MAX));
    add(ring, CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "ann");
    add(ring, CREEL__EVENT_KIND__EVENT_APP_STARTED, "ann");
    assert_int_equal(event_ring_below(ring, BEFORE + 3)->event.number, BEFORE + 2);
    assert_int_equal(event_ring_below(ring, UINT64_MAX)->event.number, BEFORE + 2);
    assert_int_equal(event_ring_below(ring, BEFORE + 2)->event.number, BEFORE + 1);
    assert_null(event_ring_below(ring, BEFORE + 1));
    event_ring_free(ring);
}

/* The oldest event of a share is the first that is removed. */
static void a_sorted_ring_is_in_the_order_of_times(void **state)
{
    static const int64_t times[] = { 30, 10, 20, 10 };
    struct event_ring *ring = ring_of(4, 1 << 20);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        Creel__Event event = event_of(CREEL__EVENT_KIND__EVENT_APP_SUBMITTED, "ann");

        event.time_ms = times[i];
        event.exit_status = (int32_t)i;
        event_ring_add(ring, kept_event_new(&event));
    }
    event_ring_sort(ring);
    assert_int_equal(event_ring_after(ring, 0)->event.exit_status, 1);
    assert_int_equal(event_ring_after(ring, BEFORE + 1)->event.exit_status, 3);
    assert_int_equal(event_ring_after(ring, BEFORE + 2)->event.exit_status, 2);
    assert_int_equal(event_ring_newest(ring), BEFORE + 4);
    add(ring, CREEL__EVENT_KIND__EVENT_APP_STARTED, "ann");
    assert_int_equal(event_ring_after(ring, 0)->event.exit_status, 3);
    event_ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_have_numbers_in_order),
        cmocka_unit_test(the_largest_share_loses_its_oldest_event),
        cmocka_unit_test(bytes_are_bounded_too),
        cmocka_unit_test(events_are_found_from_the_newest_on),
        cmocka_unit_test(a_sorted_ring_is_in_the_order_of_times),
    };

    return cmocka_run_group_tests_name("event_ring", tests, NULL, NULL);
}
