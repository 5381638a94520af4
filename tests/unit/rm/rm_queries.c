/* SPDX-License-Identifier: Apache-2.0 */
/* rm_queries.c - test: the queue of read-only queries: order between users, bounds, and precedence of
 * other messages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "rm/net/requests/queries.h"

#define DEADLINE_MS 10000
#define MANY 1000000

static struct master_peer peer_of(const char *user, uint64_t connection)
{
    return (struct master_peer){ MASTER_CLIENT, connection, user, NULL };
}

/* Adds a query of USER with the id NUMBER, which names an application of LENGTH characters. */
static int add(struct request_queue *queue, const char *user, uint64_t number, size_t length, struct err *err)
{
    const struct master_peer peer = peer_of(user, 1000 + number);
    scoped_free char *name = mem_alloc(length + 1);
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    memset(name, 'a', length);
    name[length] = '\0';
    body.app_id = name;
    envelope.request_id = number;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    envelope.list_apps = &body;
    return request_queue_add(queue, peer.principal, &peer, NULL, &envelope, err);
}

static void expect_next(struct request_queue *queue, const char *user, uint64_t number)
{
    struct queued_request *query = request_queue_pop(queue);

    assert_non_null(query);
    assert_string_equal(query->user, user);
    assert_int_equal(query->request_id, number);
    queued_request_free(query);
}

static void refused(struct request_queue *queue, const char *user, size_t length, const char *text)
{
    size_t count = request_queue_count(queue), bytes = request_queue_bytes(queue);
    struct err err = { .text = "" };

    assert_int_equal(add(queue, user, 99, length, &err), -EAGAIN);
    assert_non_null(strstr(err.text, text));
    assert_int_equal(request_queue_count(queue), count);
    assert_int_equal(request_queue_bytes(queue), bytes);
}

static void users_take_turns(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", MANY, MANY, MANY };
    struct request_queue *queue = request_queue_new(&limits);

    (void)state;
    assert_null(request_queue_pop(queue));
    for (uint64_t i = 1; i <= 5; i++)
        assert_int_equal(add(queue, "ann", i, 1, NULL), 0);
    assert_int_equal(add(queue, "bob", 6, 1, NULL), 0);
    assert_int_equal(add(queue, "bob", 7, 1, NULL), 0);
    expect_next(queue, "ann", 1);
    assert_int_equal(add(queue, "cid", 8, 1, NULL), 0); /* after both */
    expect_next(queue, "bob", 6);
    expect_next(queue, "ann", 2);
    expect_next(queue, "cid", 8);
    expect_next(queue, "bob", 7);
    expect_next(queue, "ann", 3);
    expect_next(queue, "ann", 4);
    assert_int_equal(request_queue_count(queue), 1);
    expect_next(queue, "ann", 5);
    assert_null(request_queue_pop(queue));
    assert_int_equal(request_queue_count(queue), 0);
    assert_int_equal(request_queue_bytes(queue), 0);
    request_queue_free(queue);
}

/* One request of ann takes as long as ten of bob: bob gets ten, then ann has a turn again. */
static void users_take_turns_by_time(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", MANY, MANY, MANY };
    struct request_queue *queue = request_queue_new(&limits);
    uint64_t of_ann = 1, of_bob = 101;

    (void)state;
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(add(queue, "ann", 1 + i, 1, NULL), 0);
    expect_next(queue, "ann", of_ann++);
    request_queue_charge(queue, "ann", 60000);
    expect_next(queue, "ann", of_ann++); /* nobody else waits: the debt is forgotten */
    request_queue_charge(queue, "ann", 1000);
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(add(queue, "bob", 101 + i, 1, NULL), 0);
    for (int i = 0; i < 10; i++) {
        expect_next(queue, "bob", of_bob++);
        request_queue_charge(queue, "bob", 100);
    }
    expect_next(queue, "ann", of_ann++);
    request_queue_charge(queue, "ann", 1000);
    request_queue_charge(queue, "cid", 1000); /* has none queued */
    expect_next(queue, "bob", of_bob++);
    request_queue_free(queue);
}

static bool is_not_of_ann(void *context, const struct queued_request *request)
{
    (void)context;
    return strcmp(request->user, "ann") != 0;
}

static void users_who_may_not_be_served_keep_their_requests(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", MANY, MANY, MANY };
    struct request_queue *queue = request_queue_new(&limits);
    struct queued_request *query;

    (void)state;
    assert_int_equal(add(queue, "ann", 1, 1, NULL), 0);
    assert_int_equal(add(queue, "bob", 2, 1, NULL), 0);
    request_queue_charge(queue, "bob", 1000); /* ann does not count: nobody else waits */
    query = request_queue_pop_of(queue, is_not_of_ann, NULL);
    assert_non_null(query);
    assert_int_equal(query->request_id, 2);
    queued_request_free(query);
    assert_null(request_queue_pop_of(queue, is_not_of_ann, NULL));
    expect_next(queue, "ann", 1);
    request_queue_free(queue);
}

static void queued_query_keeps_its_request(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", MANY, MANY, MANY };
    struct request_queue *queue = request_queue_new(&limits);
    const struct master_peer peer = { MASTER_ADMIN, 77, "ann", NULL };
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT, *same;
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;
    static char node[] = "n1:8041", as_user[] = "bob";
    struct queued_request *query;

    (void)state;
    body.after = node;
    body.limit = 12;
    envelope.request_id = 5;
    envelope.as_user = as_user;
    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    envelope.list_nodes = &body;
    assert_int_equal(request_queue_add(queue, peer.principal, &peer, NULL, &envelope, NULL), 0);
    query = request_queue_pop(queue);
    assert_int_equal(query->channel, MASTER_ADMIN);
    assert_int_equal(query->connection, 77);
    assert_string_equal(query->user, "ann"); /* counts for the authenticated user, not
                                                for the user in the query */
    same = creel__envelope__unpack(NULL, query->size, query->request);
    assert_non_null(same);
    assert_int_equal(same->request_id, 5);
    assert_string_equal(same->as_user, "bob");
    assert_int_equal(same->body_case, CREEL__ENVELOPE__BODY_LIST_NODES);
    assert_string_equal(same->list_nodes->after, "n1:8041");
    assert_int_equal(same->list_nodes->limit, 12);
    creel__envelope__free_unpacked(same, NULL);
    queued_request_free(query);
    request_queue_free(queue);
}

static void a_user_has_so_many_waiting(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", 3, MANY, MANY };
    struct request_queue *queue = request_queue_new(&limits);

    (void)state;
    for (uint64_t i = 1; i <= 3; i++)
        assert_int_equal(add(queue, "ann", i, 1, NULL), 0);
    refused(queue, "ann", 1, "busy: 3 queries of user ann wait");
    assert_int_equal(add(queue, "bob", 4, 1, NULL), 0); /* other users are not refused because of
                                                           that */
    expect_next(queue, "ann", 1);
    assert_int_equal(add(queue, "ann", 5, 1, NULL), 0);
    refused(queue, "ann", 1, "user ann");
    assert_int_equal(request_queue_use(queue).refused_owner, 2);
    assert_int_equal(request_queue_use(queue).refused_full, 0);
    request_queue_free(queue);
}

static void a_user_has_so_many_bytes_waiting(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", MANY, 4000, MANY };
    struct request_queue *queue = request_queue_new(&limits);

    (void)state;
    assert_int_equal(add(queue, "ann", 1, 2000, NULL), 0);
    assert_int_equal(add(queue, "ann", 2, 1000, NULL), 0);
    refused(queue, "ann", 1000, "busy: 2 queries of user ann wait");
    expect_next(queue, "ann", 1);
    assert_int_equal(add(queue, "ann", 3, 1000, NULL), 0);
    expect_next(queue, "ann", 2);
    expect_next(queue, "ann", 3);
    assert_int_equal(add(queue, "ann", 4, 10000, NULL), 0); /* a user's only query may be longer */
    request_queue_free(queue);
}

static void all_users_have_so_many_bytes_waiting(void **state)
{
    static const struct request_limits limits = { "queries-kib", "queries", MANY, MANY, 4000 };
    struct request_queue *queue = request_queue_new(&limits);
    char user[16];
    int count = 0;

    (void)state;
    do
        snprintf(user, sizeof(user), "user%d", count);
    while (add(queue, user, 1, 500, NULL) == 0 && ++count < 100);
    assert_in_range(count, 4, 5); /* 500 bytes plus REQUEST_COST each */
    assert_true(request_queue_bytes(queue) <= 4000);
    refused(queue, "zoe", 500, "try again");
    assert_int_equal(request_queue_use(queue).refused_owner, 0);
    assert_int_equal(request_queue_use(queue).refused_full, 2); /* one of the last user above */
    assert_in_range(request_queue_use(queue).used_kib, 2, 3);
    assert_int_equal(request_queue_use(queue).limit_kib, 3);
    queued_request_free(request_queue_pop(queue));
    assert_int_equal(add(queue, "zoe", 2, 500, NULL), 0);
    request_queue_free(queue);
}

/* --- in the event loop --------------------------------------------------------- */

struct scene {
    struct loop *loop;
    struct queries *queries;
    int pipe[2];
    int left;       /* queries not answered yet */
    char trace[64]; /* one letter for each callback that ran */
};

static void note(struct scene *scene, char what)
{
    size_t length = strlen(scene->trace);

    assert_true(length < sizeof(scene->trace) - 1);
    scene->trace[length] = what;
}

static void late(void *context)
{
    fail_msg("not done within %d ms; so far: %s", DEADLINE_MS, ((struct scene *)context)->trace);
}

static void ask(struct scene *scene)
{
    const struct master_peer peer = peer_of("ann", 1);
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    envelope.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    envelope.list_nodes = &body;
    assert_int_equal(queries_add(scene->queries, &peer, &envelope, NULL), 0);
    scene->left++;
}

/* Called in each turn for a socket that always is readable, as with many heartbeats. */
static void on_heartbeats(void *context, int fd)
{
    (void)fd;
    note(context, 'h');
}

/* Answers a query and uses up the time limit of a page, which is the time limit of a turn. */
static void answer_slowly(void *context, const struct queued_request *query)
{
    struct scene *scene = context;

    (void)query;
    note(scene, 'q');
    while (!queries_brief_time_is_up(scene->queries))
        ;
    while (!queries_time_is_up(scene->queries))
        ;
    assert_true(queries_brief_time_is_up(scene->queries));
    if (--scene->left == 0)
        loop_stop(scene->loop);
}

static void heartbeats_come_before_each_long_query(void **state)
{
    struct scene scene = { .left = 0 };

    (void)state;
    assert_int_equal(loop_new(&scene.loop, NULL), 0);
    assert_int_equal(pipe(scene.pipe), 0);
    assert_int_equal(write(scene.pipe[1], "x", 1), 1);
    assert_int_equal(loop_add_fd(scene.loop, scene.pipe[0], false, on_heartbeats, &scene, NULL), 0);
    loop_add_timer(scene.loop, DEADLINE_MS, late, &scene);
    scene.queries = queries_new(scene.loop, answer_slowly, &scene);
    for (int i = 0; i < 5; i++)
        ask(&scene);
    loop_run(scene.loop);
    assert_string_equal(scene.trace, "hqhqhqhqhq");
    assert_false(queries_time_is_up(scene.queries));
    assert_false(queries_brief_time_is_up(scene.queries));
    queries_free(scene.queries);
    loop_free(scene.loop);
    close(scene.pipe[0]);
    close(scene.pipe[1]);
}

static void queries_that_wait_at_the_end_are_dropped(void **state)
{
    struct scene scene = { .left = 0 };

    (void)state;
    assert_int_equal(loop_new(&scene.loop, NULL), 0);
    scene.queries = queries_new(scene.loop, answer_slowly, &scene);
    ask(&scene);
    ask(&scene);
    queries_free(scene.queries);
    loop_free(scene.loop);
    assert_string_equal(scene.trace, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_take_turns),
        cmocka_unit_test(users_take_turns_by_time),
        cmocka_unit_test(users_who_may_not_be_served_keep_their_requests),
        cmocka_unit_test(queued_query_keeps_its_request),
        cmocka_unit_test(a_user_has_so_many_waiting),
        cmocka_unit_test(a_user_has_so_many_bytes_waiting),
        cmocka_unit_test(all_users_have_so_many_bytes_waiting),
        cmocka_unit_test(heartbeats_come_before_each_long_query),
        cmocka_unit_test(queries_that_wait_at_the_end_are_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
