/* SPDX-License-Identifier: Apache-2.0 */
/* web_feed.c - which requests keep the model up to date, and what a request for a page waits for */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/net/feed.h"

#define ID "application_1795500000000_0001"

struct scene {
    struct loop *loop;
    struct web_model *model;
    struct feed *feed;
    Creel__Envelope__BodyCase asked; /* under way; 0: nothing */
    char after[64];
    uint64_t session, queues_version;
    bool brief; /* of the last list that was requested */
    site_reply_fn *reply;
    void *reply_context;
    size_t rounds, done;
    bool stops; /* the loop stops when the resource manager is asked */
};

/* --- the resource manager ------------------------------------------------------ */

/* In the place of web/net/upstream.c: the test answers. */
void upstream_ask(struct upstream *upstream, const Creel__Envelope *query, site_reply_fn *reply,
                  void *context)
{
    struct scene *scene = (struct scene *)upstream;

    assert_int_equal(scene->asked, 0);
    scene->asked = query->body_case;
    scene->reply = reply;
    scene->reply_context = context;
    *scene->after = '\0';
    if (scene->stops)
        loop_stop(scene->loop);
    if (query->body_case == CREEL__ENVELOPE__BODY_GET_CHANGES) {
        scene->rounds++;
        scene->session = query->get_changes->session;
        assert_true(query->get_changes->queues);
    } else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_APPS) {
        snprintf(scene->after, sizeof(scene->after), "%s", query->list_apps->after);
        scene->brief = query->list_apps->brief;
    } else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_QUEUES) {
        snprintf(scene->after, sizeof(scene->after), "%s", query->list_queues->after);
        scene->brief = query->list_queues->brief;
    } else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_NODES) {
        scene->brief = query->list_nodes->brief;
    }
}

static void answer(struct scene *scene, Creel__Envelope *reply, Creel__Envelope__BodyCase body)
{
    reply->body_case = body;
    scene->asked = CREEL__ENVELOPE__BODY__NOT_SET;
    scene->reply(scene->reply_context, reply);
}

static void refuse(struct scene *scene, Creel__ErrorCode code)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = (char *)(uintptr_t) "no reason";
    reply.error = &error;
    answer(scene, &reply, CREEL__ENVELOPE__BODY_ERROR);
}

/* Answers with the changes up to VERSION of NEWEST. */
static void reply_some_changes(struct scene *scene, bool reset, uint64_t version, uint64_t newest)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Changes changes = CREEL__CHANGES__INIT;

    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_GET_CHANGES);
    changes.session = 7;
    changes.version = version;
    changes.newest = newest;
    changes.more = version < newest;
    changes.reset = reset;
    changes.queues_version = scene->queues_version;
    reply.changes = &changes;
    answer(scene, &reply, CREEL__ENVELOPE__BODY_CHANGES);
}

static void reply_changes(struct scene *scene, bool reset)
{
    reply_some_changes(scene, reset, 1, 1);
}

static void reply_apps(struct scene *scene, const char *next)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__AppList list = CREEL__APP_LIST__INIT;
    Creel__AppReport app = CREEL__APP_REPORT__INIT, *apps = &app;

    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_LIST_APPS);
    app.app_id = (char *)(uintptr_t)ID;
    list.apps = &apps;
    list.n_apps = 1;
    list.next = (char *)(uintptr_t)next;
    reply.app_list = &list;
    answer(scene, &reply, CREEL__ENVELOPE__BODY_APP_LIST);
}

static void reply_nodes(struct scene *scene)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__NodeList list = CREEL__NODE_LIST__INIT;

    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_LIST_NODES);
    reply.node_list = &list;
    answer(scene, &reply, CREEL__ENVELOPE__BODY_NODE_LIST);
}

static void reply_queues(struct scene *scene, int64_t refreshed_ms, const char *next)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__QueueList list = CREEL__QUEUE_LIST__INIT;
    Creel__QueueReport queue = CREEL__QUEUE_REPORT__INIT, *queues = &queue;

    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    queue.path = (char *)(uintptr_t) "root";
    list.queues = &queues;
    list.n_queues = 1;
    list.refreshed_ms = refreshed_ms;
    list.next = (char *)(uintptr_t)next;
    reply.queue_list = &list;
    answer(scene, &reply, CREEL__ENVELOPE__BODY_QUEUE_LIST);
}

static void reply_cluster(struct scene *scene)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__ClusterInfo info = CREEL__CLUSTER_INFO__INIT;

    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    reply.cluster_info = &info;
    answer(scene, &reply, CREEL__ENVELOPE__BODY_CLUSTER_INFO);
}

/* --- the scene ----------------------------------------------------------------- */

static void count_done(void *context)
{
    ((struct scene *)context)->done++;
}

static void request_page(struct scene *scene)
{
    feed_prepare(scene->feed, count_done, scene);
}

static struct scene *begin_with(const struct feed_times *times)
{
    struct scene *scene = mem_new0(struct scene);
    struct err err;

    if (loop_new(&scene->loop, &err) < 0)
        fail_msg("%s", err.text);
    scene->model = web_model_new();
    scene->feed = feed_new(scene->loop, (struct upstream *)scene, scene->model, times);
    return scene;
}

static struct scene *begin(int64_t fresh_ms, int64_t wait_ms)
{
    return begin_with(&(struct feed_times){ fresh_ms, wait_ms, wait_ms, 0, 0 });
}

static void end(struct scene *scene)
{
    feed_free(scene->feed);
    web_model_free(scene->model);
    loop_free(scene->loop);
    free(scene);
}

static void load(struct scene *scene)
{
    reply_changes(scene, true);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 0, "");
    reply_cluster(scene);
}

static void stop(void *context)
{
    loop_stop(((struct scene *)context)->loop);
}

/* --- tests --------------------------------------------------------------------- */

static void the_first_request_waits_for_everything(void **state)
{
    struct scene *scene = begin(60000, 60000);

    (void)state;
    request_page(scene);
    request_page(scene);
    reply_changes(scene, true);
    reply_apps(scene, ID);
    assert_string_equal(scene->after, ID);
    assert_false(scene->brief);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 0, "");
    assert_false(scene->brief);
    assert_int_equal(scene->done, 0);
    assert_false(web_model_is_complete(scene->model));
    reply_cluster(scene);
    assert_int_equal(scene->done, 2);
    assert_true(web_model_is_complete(scene->model));
    assert_null(feed_trouble(scene->feed));
    request_page(scene); /* it is fresh: nothing is asked */
    assert_int_equal(scene->done, 3);
    assert_int_equal(scene->asked, 0);
    assert_int_equal(scene->rounds, 1);
    end(scene);
}

static void later_rounds_request_changes(void **state)
{
    struct scene *scene = begin(0, 60000);

    (void)state;
    request_page(scene);
    load(scene);
    request_page(scene);
    assert_int_equal(scene->session, 7);
    reply_changes(scene, false);
    reply_cluster(scene); /* no list of queues: nothing has changed */
    reply_apps(scene, "");
    assert_true(scene->brief);
    reply_nodes(scene);
    assert_true(scene->brief);
    reply_queues(scene, 0, "");
    assert_true(scene->brief);
    assert_int_equal(scene->done, 2);
    end(scene);
}

/* Of each list, a round requests some brief pages. The next round continues where it was. */
static void rounds_read_lists_a_part_at_a_time(void **state)
{
    struct scene *scene = begin(0, 60000);
    int pages = 0;

    (void)state;
    request_page(scene);
    load(scene);
    request_page(scene);
    reply_changes(scene, false);
    reply_cluster(scene);
    for (; scene->asked == CREEL__ENVELOPE__BODY_LIST_APPS; pages++)
        reply_apps(scene, ID);
    assert_int_equal(pages, 8);
    reply_nodes(scene);
    reply_queues(scene, 0, "root");
    assert_string_equal(scene->after, "root");
    refuse(scene, CREEL__ERROR_CODE__ERROR_BAD_STATE); /* the queue "root" is gone */
    assert_int_equal(scene->done, 2);
    assert_null(feed_trouble(scene->feed));
    request_page(scene);
    reply_changes(scene, false);
    reply_cluster(scene);
    assert_string_equal(scene->after, ID);
    reply_apps(scene, "");
    reply_nodes(scene);
    assert_string_equal(scene->after, "");
    end(scene);
}

static void all_queues_are_listed_if_all_may_have_changed(void **state)
{
    struct scene *scene = begin(60000, 60000);

    (void)state;
    request_page(scene);
    load(scene);
    scene->queues_version = 5;
    feed_outdate(scene->feed); /* the round after a change of a user lists them, too */
    request_page(scene);
    reply_changes(scene, false);
    reply_queues(scene, 0, "root");
    assert_true(scene->brief);
    reply_queues(scene, 0, "");
    reply_cluster(scene);
    assert_int_equal(scene->done, 2);
    feed_outdate(scene->feed);
    request_page(scene);
    reply_changes(scene, false);
    reply_cluster(scene);
    assert_int_equal(scene->done, 3);
    end(scene);
}

static void a_change_is_seen_by_the_next_request(void **state)
{
    struct scene *scene = begin(60000, 60000);

    (void)state;
    request_page(scene);
    load(scene);
    feed_outdate(scene->feed);
    request_page(scene);
    feed_outdate(scene->feed); /* after the request for changes: they may lack this one */
    reply_changes(scene, false);
    reply_cluster(scene); /* labels are in the cluster alone, without a change record */
    assert_int_equal(scene->done, 1);
    reply_changes(scene, false);
    reply_cluster(scene);
    assert_int_equal(scene->done, 2);
    request_page(scene); /* fresh again: nothing is asked */
    assert_int_equal(scene->done, 3);
    assert_int_equal(scene->asked, 0);
    feed_outdate(scene->feed);
    request_page(scene);
    refuse(scene, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    assert_int_equal(scene->done, 4);
    request_page(scene); /* no round for each request while there is no answer */
    assert_int_equal(scene->asked, 0);
    end(scene);
}

static void a_failed_load_begins_again(void **state)
{
    struct scene *scene = begin(0, 60000);

    (void)state;
    request_page(scene);
    reply_changes(scene, true);
    refuse(scene, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    assert_int_equal(scene->done, 1);
    assert_string_equal(feed_trouble(scene->feed), "no reason");
    assert_false(web_model_is_complete(scene->model));
    request_page(scene);
    assert_int_equal(scene->session, 0);
    load(scene);
    assert_null(feed_trouble(scene->feed));
    assert_true(web_model_is_complete(scene->model));
    end(scene);
}

/* Handlers keep the reason while they wait for replies of their own. */
static void the_reason_stays_readable(void **state)
{
    struct scene *scene = begin(0, 60000);
    const char *trouble;

    (void)state;
    request_page(scene);
    refuse(scene, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    trouble = feed_trouble(scene->feed);
    request_page(scene);
    load(scene);
    assert_null(feed_trouble(scene->feed));
    assert_string_equal(trouble, "no reason");
    end(scene);
}

/* Waits until the model is at least AGE_MS old. */
static void grow_old(struct scene *scene, int64_t age_ms)
{
    while (feed_age_ms(scene->feed) < age_ms) {
        loop_add_timer(scene->loop, 1, stop, scene);
        loop_run(scene->loop);
    }
}

static void the_model_is_as_old_as_the_last_round_that_succeeded(void **state)
{
    struct scene *scene = begin(0, 60000);
    int64_t age_ms;

    (void)state;
    request_page(scene);
    grow_old(scene, 5); /* replies may be as old as the request */
    age_ms = feed_age_ms(scene->feed);
    load(scene);
    assert_true(feed_age_ms(scene->feed) >= age_ms);
    grow_old(scene, 20);
    request_page(scene);
    refuse(scene, CREEL__ERROR_CODE__ERROR_UNAVAILABLE);
    assert_true(feed_age_ms(scene->feed) >= 20);
    age_ms = feed_age_ms(scene->feed);
    request_page(scene);
    reply_changes(scene, false);
    reply_cluster(scene);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 0, "");
    assert_true(feed_age_ms(scene->feed) < age_ms);
    end(scene);
}

static void queues_that_change_meanwhile_are_listed_again(void **state)
{
    struct scene *scene = begin(0, 60000);
    const Creel__QueueReport *const *queues;

    (void)state;
    request_page(scene);
    reply_changes(scene, true);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 1, "root");
    reply_queues(scene, 2, ""); /* refreshed between the pages */
    assert_string_equal(scene->after, "");
    reply_queues(scene, 2, "root");
    refuse(scene, CREEL__ERROR_CODE__ERROR_BAD_STATE); /* the queue "root" is gone */
    assert_string_equal(scene->after, "");
    reply_queues(scene, 3, "");
    reply_cluster(scene);
    assert_int_equal(scene->done, 1);
    assert_int_equal(web_model_queues(scene->model, &queues), 1);
    end(scene);
}

static void stop_when_done(void *context)
{
    struct scene *scene = context;

    count_done(scene);
    loop_stop(scene->loop);
}

static void a_request_does_not_wait_endlessly(void **state)
{
    struct scene *scene = begin(0, 1);

    (void)state;
    feed_prepare(scene->feed, stop_when_done, scene);
    loop_run(scene->loop);
    assert_int_equal(scene->done, 1);
    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_GET_CHANGES);
    load(scene); /* the round continues */
    assert_true(web_model_is_complete(scene->model));
    assert_int_equal(scene->done, 1);
    end(scene);
}

/* The resource manager answers, but new changes arrive as fast as the feed reads them. */
static void a_round_ends_with_the_changes_before_it(void **state)
{
    struct scene *scene = begin(0, 60000);

    (void)state;
    request_page(scene);
    load(scene);
    request_page(scene);
    reply_some_changes(scene, false, 3, 5);
    reply_some_changes(scene, false, 5, 8);
    reply_cluster(scene);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 0, "");
    assert_int_equal(scene->done, 2);
    request_page(scene); /* the next round has a goal of its own */
    reply_some_changes(scene, false, 7, 9);
    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_GET_CHANGES);
    end(scene);
}

static void pass_a_moment(struct scene *scene)
{
    loop_add_timer(scene->loop, 20, stop, scene);
    loop_run(scene->loop);
}

static void a_request_waits_briefly_for_a_busy_resource_manager(void **state)
{
    struct scene *scene = begin_with(&(struct feed_times){ 0, 60000, 1, 0, 0 });

    (void)state;
    request_page(scene);
    pass_a_moment(scene);
    load(scene); /* all of the first load */
    assert_int_equal(scene->done, 1);
    request_page(scene);
    pass_a_moment(scene);
    assert_int_equal(scene->done, 1); /* there is no answer: perhaps a reason will follow */
    reply_some_changes(scene, false, 3, 5);
    assert_int_equal(scene->done, 2);
    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_GET_CHANGES); /* the round continues */
    feed_outdate(scene->feed);
    request_page(scene); /* must see the change */
    pass_a_moment(scene);
    reply_some_changes(scene, false, 5, 5);
    reply_cluster(scene);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 0, "");
    assert_int_equal(scene->done, 2);
    reply_some_changes(scene, false, 6, 6);
    assert_int_equal(scene->done, 2);
    end(scene);
}

/* The loop ends with the next request to the resource manager. */
static void requests_one_after_another_do_not_wait(void **state)
{
    struct scene *scene = begin_with(&(struct feed_times){ 60000, 60000, 60000, 60000, 60000 });

    (void)state;
    request_page(scene);
    load(scene);
    request_page(scene);
    assert_int_equal(scene->rounds, 1);
    scene->stops = true;
    loop_run(scene->loop);
    assert_int_equal(scene->rounds, 2); /* without a request that waits for it */
    request_page(scene);
    assert_int_equal(scene->done, 3);
    reply_changes(scene, false);
    reply_cluster(scene); /* it reads lists, too: it is no brief round */
    assert_int_equal(scene->asked, CREEL__ENVELOPE__BODY_LIST_APPS);
    feed_outdate(scene->feed);
    request_page(scene); /* the round may lack the change */
    assert_int_equal(scene->done, 3);
    reply_apps(scene, "");
    reply_nodes(scene);
    reply_queues(scene, 0, "");
    assert_int_equal(scene->done, 3);
    request_page(scene);
    reply_changes(scene, false);
    reply_cluster(scene);
    assert_int_equal(scene->done, 5);
    end(scene);
}

static void a_single_request_is_followed_by_no_round(void **state)
{
    struct scene *scene = begin_with(&(struct feed_times){ 60000, 60000, 60000, 60000, 60000 });

    (void)state;
    request_page(scene);
    load(scene);
    loop_add_timer(scene->loop, 1, stop, scene);
    loop_run(scene->loop);
    assert_int_equal(scene->rounds, 1);
    end(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_request_waits_for_everything),
        cmocka_unit_test(later_rounds_request_changes),
        cmocka_unit_test(rounds_read_lists_a_part_at_a_time),
        cmocka_unit_test(all_queues_are_listed_if_all_may_have_changed),
        cmocka_unit_test(a_change_is_seen_by_the_next_request),
        cmocka_unit_test(a_failed_load_begins_again),
        cmocka_unit_test(the_reason_stays_readable),
        cmocka_unit_test(the_model_is_as_old_as_the_last_round_that_succeeded),
        cmocka_unit_test(queues_that_change_meanwhile_are_listed_again),
        cmocka_unit_test(a_request_does_not_wait_endlessly),
        cmocka_unit_test(a_round_ends_with_the_changes_before_it),
        cmocka_unit_test(a_request_waits_briefly_for_a_busy_resource_manager),
        cmocka_unit_test(requests_one_after_another_do_not_wait),
        cmocka_unit_test(a_single_request_is_followed_by_no_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
