/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_am_updates.c - test: an application master's library requests other sizes for its containers
 *
 * The cores of the library and of the resource manager exchange messages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client/am/am_link.h"
#include "common/base/mem.h"
#include "tests/unit/master/master_world.h"

#define CONNECTION 9000
#define INCREASE CREEL__CONTAINER_UPDATE_TYPE__UPDATE_INCREASE_RESOURCE
#define DECREASE CREEL__CONTAINER_UPDATE_TYPE__UPDATE_DECREASE_RESOURCE

struct scene {
    struct world w;
    struct am_link *link;
    struct arena *arena;
    char attempt[80], task[80];
    int64_t am_ms; /* clock of the application master */
    uint32_t version;
    int64_t memory_mb;
    char reason[64]; /* of the last refusal */
    Creel__Resource each;
};

static void take(struct scene *s, const struct am_news *news)
{
    if (news->kind != AM_NEWS_ALLOCATED)
        return;
    for (size_t i = 0; i < news->allocated->n_allocated; i++) {
        snprintf(s->task, sizeof(s->task), "%s", news->allocated->allocated[i]->container_id);
        agent_start(&s->w.a, s->task, &news->allocated->allocated[i]->token);
    }
    for (size_t i = 0; i < news->allocated->n_updated; i++) {
        s->version = news->allocated->updated[i]->version;
        s->memory_mb = news->allocated->updated[i]->resource->memory_mb;
    }
    for (size_t i = 0; i < news->allocated->n_update_errors; i++)
        snprintf(s->reason, sizeof(s->reason), "%s", news->allocated->update_errors[i]->reason);
}

static const Creel__Envelope *deliver(struct scene *s, const Creel__Envelope *envelope)
{
    Creel__Envelope *copy = mem_dup(envelope, sizeof(*envelope)); /* harness_ask frees it */

    return harness_ask(&s->w.h, MASTER_AM, CONNECTION, s->attempt, copy);
}

/* Exchanges messages for MS of the application master's clock. */
static void talk(struct scene *s, int64_t ms)
{
    Creel__Envelope *envelope;

    for (int64_t end_ms = s->am_ms + ms; s->am_ms <= end_ms; s->am_ms += 100) {
        while ((envelope = am_link_poll(s->link, s->am_ms, s->arena)) != NULL) {
            const Creel__Envelope *reply = deliver(s, envelope);
            struct am_news news;

            if (reply == NULL)
                break;
            news = am_link_receive(s->link, s->am_ms, reply);
            take(s, &news);
        }
        agent_listen(&s->w.h, &s->w.a);
        agent_heartbeat(&s->w.h, &s->w.a);
        arena_reset(s->arena);
    }
}

static Creel__Resource *size_of(int64_t memory_mb)
{
    Creel__Resource *size = mem_new0(Creel__Resource);

    creel__resource__init(size);
    size->memory_mb = memory_mb;
    size->vcores = 1;
    return size;
}

/* Runs an AM with one task of 512 MB on agent a. */
static int set_up(void **state)
{
    struct scene *s = mem_new0(struct scene);

    world_begin(&s->w, NULL);
    people_submit(&s->w.h, job_of(CREEL__APP_KIND__APP_MASTER, 512, 0), "", s->w.app, NULL);
    agent_listen(&s->w.h, &s->w.a);
    agent_heartbeat(&s->w.h, &s->w.a);
    snprintf(s->attempt, sizeof(s->attempt), "appattempt%s_000001", strchr(s->w.app, '_'));
    s->arena = arena_new();
    s->link = am_link_new("n1", 2000);
    creel__resource__init(&s->each);
    s->each.memory_mb = 512;
    s->each.vcores = 1;
    am_link_start(s->link, 0);
    am_link_set_demand(s->link, 1, &s->each, 1);
    talk(s, 3000);
    assert_true(*s->task);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    am_link_free(s->link);
    arena_free(s->arena);
    world_end(&s->w);
    free(s);
    return 0;
}

static void the_library_gets_another_size(void **state)
{
    struct scene *s = *state;

    am_link_update(s->link, s->task, 0, INCREASE, size_of(1024));
    talk(s, 2000);
    assert_int_equal(s->version, 1);
    assert_int_equal(s->memory_mb, 1024);
    am_link_update(s->link, s->task, 1, DECREASE, size_of(256));
    talk(s, 2000);
    assert_int_equal(s->version, 2);
    assert_int_equal(s->memory_mb, 256);
    assert_string_equal(s->reason, "");
}

static void a_refusal_ends_the_request(void **state)
{
    struct scene *s = *state;

    am_link_update(s->link, s->task, 7, INCREASE, size_of(1024));
    talk(s, 2000);
    assert_string_equal(s->reason, "INCORRECT_CONTAINER_VERSION_ERROR");
    *s->reason = '\0';
    am_link_register_again(s->link);
    talk(s, 2000);
    assert_string_equal(s->reason, "");
}

/* The smallest container has 128 MiB, and sizes are multiples of that. */
static void a_request_that_rounding_makes_equal_is_refused(void **state)
{
    struct scene *s = *state;

    am_link_update(s->link, s->task, 0, DECREASE, size_of(400));
    talk(s, 2000);
    assert_string_equal(s->reason, "RESOURCE_OUTSIDE_ALLOWED_RANGE");
    assert_int_equal(s->version, 0);
}

static void a_refused_request_leaves_the_increase_that_waits(void **state)
{
    struct scene *s = *state;
    char other[80];

    people_submit(&s->w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 3072, 0), "", other, NULL);
    talk(s, 1000);
    am_link_update(s->link, s->task, 0, INCREASE, size_of(2048));
    talk(s, 2000);
    am_link_update(s->link, s->task, 0, DECREASE, size_of(400));
    talk(s, 2000);
    assert_string_equal(s->reason, "RESOURCE_OUTSIDE_ALLOWED_RANGE");
    people_kill(&s->w.h, other);
    talk(s, 5000);
    assert_int_equal(s->memory_mb, 2048);
}

static void each_of_several_requests_in_a_row_counts(void **state)
{
    struct scene *s = *state;

    am_link_update(s->link, s->task, 0, DECREASE, size_of(256));
    am_link_update(s->link, s->task, 0, INCREASE, size_of(1024));
    am_link_update(s->link, s->task, 0, DECREASE, size_of(1024));
    am_link_update(s->link, s->task, 0, INCREASE, size_of(1536));
    talk(s, 2000);
    assert_string_equal(s->reason, "RESOURCE_OUTSIDE_ALLOWED_RANGE"); /* the third */
    assert_int_equal(s->version, 3);
    assert_int_equal(s->memory_mb, 1536);
}

static void a_request_under_way_does_not_lose_the_next_one(void **state)
{
    struct scene *s = *state;
    const Creel__Envelope *reply;
    struct am_news news;

    am_link_update(s->link, s->task, 0, DECREASE, size_of(256));
    reply = deliver(s, am_link_poll(s->link, s->am_ms, s->arena));
    am_link_update(s->link, s->task, 0, INCREASE, size_of(1024));
    news = am_link_receive(s->link, s->am_ms, reply);
    take(s, &news);
    assert_int_equal(s->memory_mb, 256);
    talk(s, 2000);
    assert_int_equal(s->memory_mb, 1024);
    assert_int_equal(s->version, 2);
    assert_string_equal(s->reason, "");
}

static void a_later_increase_replaces_one_that_waits(void **state)
{
    struct scene *s = *state;
    char other[80];

    people_submit(&s->w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 3072, 0), "", other, NULL);
    talk(s, 1000);
    am_link_update(s->link, s->task, 0, INCREASE, size_of(2048));
    talk(s, 2000);
    am_link_update(s->link, s->task, 0, INCREASE, size_of(1536));
    talk(s, 2000);
    harness_restart(&s->w.h);
    agent_register(&s->w.h, &s->w.a);
    talk(s, 5000);
    people_kill(&s->w.h, other);
    talk(s, 5000);
    assert_int_equal(s->version, 1);
    assert_int_equal(s->memory_mb, 1536);
    assert_string_equal(s->reason, "");
}

static void an_increase_that_waits_is_requested_again_after_a_restart(void **state)
{
    struct scene *s = *state;
    char other[80];

    people_submit(&s->w.h, job_of(CREEL__APP_KIND__APP_COMMAND, 3072, 0), "", other, NULL);
    talk(s, 1000);
    am_link_update(s->link, s->task, 0, INCREASE, size_of(2048));
    talk(s, 2000);
    assert_int_equal(s->version, 0);
    harness_restart(&s->w.h);
    agent_register(&s->w.h, &s->w.a);
    talk(s, 5000);
    assert_int_equal(s->version, 0);
    people_kill(&s->w.h, other);
    talk(s, 5000);
    assert_int_equal(s->version, 1);
    assert_int_equal(s->memory_mb, 2048);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_library_gets_another_size),
        TEST(a_refusal_ends_the_request),
        TEST(a_request_that_rounding_makes_equal_is_refused),
        TEST(a_refused_request_leaves_the_increase_that_waits),
        TEST(each_of_several_requests_in_a_row_counts),
        TEST(a_request_under_way_does_not_lose_the_next_one),
        TEST(a_later_increase_replaces_one_that_waits),
        TEST(an_increase_that_waits_is_requested_again_after_a_restart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
