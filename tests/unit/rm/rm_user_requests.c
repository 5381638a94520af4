/* SPDX-License-Identifier: Apache-2.0 */
/* rm_user_requests.c - test: requests of users that change something: turns of users, and of the loop */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "common/base/mem.h"
#include "rm/net/requests/user_requests.h"

#define DEADLINE_MS 60000

struct scene {
    struct loop *loop;
    struct user_requests *requests;
    int handled;        /* requests so far */
    int before_bob;     /* requests of others before the first one of bob; -1: it has not been handled */
    int turn_of_bob;    /* turn of the loop in which that was */
    int turns;          /* of the loop so far */
    uint64_t watched;   /* a connection */
    int before_watched; /* requests of others before its first one */
    uint64_t last;      /* id of the last request of ann */
    bool slow;          /* each request uses up the time of a turn */
    uint64_t work;      /* of each request */
    const char *joins;  /* a user whose request arrives after the first turn; NULL: none */
};

static void late(void *context)
{
    fail_msg("not done within %d ms: %d requests were handled", DEADLINE_MS,
             ((struct scene *)context)->handled);
}

#define CONNECTION 7
#define OF_CONNECTION_MAX (USER_REQUESTS_OF_USER_MAX / 10 * 9)

/* Queues a request with the id NUMBER of USER, sent by PRINCIPAL over a connection. */
static int add_over(struct scene *scene, uint64_t connection, const char *user, const char *principal,
                    uint64_t number, struct err *err)
{
    const struct master_peer peer = { MASTER_CLIENT, connection, principal, NULL };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;
    static char app_id[] = "7";

    body.app_id = app_id;
    envelope.request_id = number;
    envelope.body_case = CREEL__ENVELOPE__BODY_SET_PRIORITY;
    envelope.set_priority = &body;
    return user_requests_add(scene->requests, user, &peer, "127.0.0.1", &envelope, err);
}

static int add(struct scene *scene, const char *user, const char *principal, uint64_t number, struct err *err)
{
    return add_over(scene, CONNECTION, user, principal, number, err);
}

static bool has(const struct scene *scene, uint64_t connection, const char *user)
{
    const struct master_peer peer = { MASTER_CLIENT, connection, user, NULL };

    return user_requests_has(scene->requests, user, &peer);
}

static uint64_t handle(void *context, const struct queued_request *request)
{
    struct scene *scene = context;
    int64_t end_ms = loop_monotonic_ms() + USER_REQUESTS_TURN_MS;

    assert_string_equal(request->address, "127.0.0.1");
    if (strcmp(request->user, "bob") == 0 && scene->before_bob < 0) {
        scene->before_bob = scene->handled;
        scene->turn_of_bob = scene->turns;
    }
    if (strcmp(request->user, "ann") == 0) {
        assert_int_equal(request->request_id, scene->last + 1); /* in order */
        scene->last = request->request_id;
    }
    if (request->connection == scene->watched)
        scene->before_watched = scene->handled;
    scene->handled++;
    while (scene->slow && loop_monotonic_ms() < end_ms)
        ;
    if (user_requests_count(scene->requests) == 0)
        loop_stop(scene->loop);
    return scene->work;
}

/* The end of a turn of the loop: rows are committed. */
static void before_sleep(void *context)
{
    struct scene *scene = context;

    if (scene->handled > 0 && scene->turns++ == 0 && scene->joins != NULL)
        assert_int_equal(add(scene, scene->joins, scene->joins, 1, NULL), 0);
}

static void begin(struct scene *scene)
{
    *scene = (struct scene){ .before_bob = -1 };
    assert_int_equal(loop_new(&scene->loop, NULL), 0);
    loop_add_timer(scene->loop, DEADLINE_MS, late, scene);
    loop_before_sleep(scene->loop, before_sleep, scene);
    scene->requests = user_requests_new(scene->loop, "requests-kib", handle, scene);
}

static void end(struct scene *scene)
{
    user_requests_free(scene->requests);
    loop_free(scene->loop);
}

/* Thousands of requests of ann have arrived before one of bob: one of them is handled before it. */
static void a_user_waits_for_one_request_of_another(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    for (uint64_t i = 1; i <= OF_CONNECTION_MAX; i++)
        assert_int_equal(add(&scene, "ann", "ann", i, NULL), 0);
    assert_int_equal(add(&scene, "bob", "bob", 1, NULL), 0);
    loop_run(scene.loop);
    assert_int_equal(scene.handled, OF_CONNECTION_MAX + 1);
    assert_in_range(scene.before_bob, 0, 1);
    end(&scene);
}

/* A request that arrives during a turn is handled in the next one, although others have waited longer. */
static void a_turn_ends_in_time(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    scene.slow = true;
    scene.joins = "bob";
    for (uint64_t i = 1; i <= 10; i++)
        assert_int_equal(add(&scene, "ann", "ann", i, NULL), 0);
    loop_run(scene.loop);
    assert_int_equal(scene.handled, 11);
    assert_in_range(scene.before_bob, 1, 2);
    assert_in_range(scene.turn_of_bob, 1, 2);
    assert_true(scene.turns >= 10); /* the rows of each slow request are committed before the next one */
    end(&scene);
}

/* Requests that are handled in no time may take long to commit. */
static void a_turn_ends_with_its_work(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    scene.work = USER_REQUESTS_TURN_WORK / 2;
    for (uint64_t i = 1; i <= 20; i++)
        assert_int_equal(add(&scene, "ann", "ann", i, NULL), 0);
    loop_run(scene.loop);
    assert_int_equal(scene.handled, 20);
    assert_true(scene.turns >= 9); /* the loop stops within the last one */
    end(&scene);
}

/* The requests that a proxy user sends for others count for these. */
static void a_proxy_user_has_the_turns_of_its_users(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    for (uint64_t i = 1; i <= 100; i++)
        assert_int_equal(add(&scene, "ann", "creel-web", i, NULL), 0);
    assert_int_equal(add(&scene, "bob", "creel-web", 1, NULL), 0);
    assert_true(has(&scene, CONNECTION, "bob"));
    assert_false(has(&scene, CONNECTION, "creel-web"));
    loop_run(scene.loop);
    assert_false(has(&scene, CONNECTION, "bob"));
    assert_in_range(scene.before_bob, 0, 1);
    end(&scene);
}

/* Thousands of requests of bob over a connection, whose client may have been killed meanwhile, have arrived
 * before one over another of his connections: one of them is handled before it. */
static void a_connection_waits_for_one_request_of_another(void **state)
{
    struct scene scene;

    (void)state;
    begin(&scene);
    scene.watched = CONNECTION + 1;
    for (uint64_t i = 1; i <= OF_CONNECTION_MAX; i++)
        assert_int_equal(add(&scene, "bob", "bob", i, NULL), 0);
    assert_false(has(&scene, CONNECTION + 1, "bob"));
    assert_int_equal(add_over(&scene, CONNECTION + 1, "bob", "bob", 1, NULL), 0);
    assert_true(has(&scene, CONNECTION + 1, "bob"));
    loop_run(scene.loop);
    assert_int_equal(scene.handled, OF_CONNECTION_MAX + 1);
    assert_int_equal(scene.before_watched, 1);
    end(&scene);
}

static void a_user_has_so_many_requests_waiting(void **state)
{
    struct scene scene;
    struct err err = { .text = "" };

    (void)state;
    begin(&scene);
    for (uint64_t i = 1; i <= OF_CONNECTION_MAX; i++)
        assert_int_equal(add(&scene, "ann", "ann", i, NULL), 0);
    assert_int_equal(add(&scene, "ann", "ann", 1, &err), -EAGAIN);
    assert_non_null(strstr(err.text, "busy: 10800 requests of user ann over one connection wait"));
    for (uint64_t i = OF_CONNECTION_MAX; i < USER_REQUESTS_OF_USER_MAX; i++)
        assert_int_equal(add_over(&scene, i, "ann", "ann", 1, NULL), 0);
    assert_int_equal(add_over(&scene, 3, "ann", "ann", 1, &err), -EAGAIN);
    assert_non_null(strstr(err.text, "busy: 12000 requests of user ann wait"));
    assert_int_equal(add(&scene, "bob", "bob", 1, NULL), 0);
    end(&scene); /* those that wait are dropped */
    assert_int_equal(scene.handled, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_waits_for_one_request_of_another),
        cmocka_unit_test(a_turn_ends_in_time),
        cmocka_unit_test(a_turn_ends_with_its_work),
        cmocka_unit_test(a_proxy_user_has_the_turns_of_its_users),
        cmocka_unit_test(a_connection_waits_for_one_request_of_another),
        cmocka_unit_test(a_user_has_so_many_requests_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
