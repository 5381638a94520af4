/* SPDX-License-Identifier: Apache-2.0 */
/* master_changes.c - GetChanges: a copy that follows the changes has the same rows as the lists */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/io/wire/wire.h"
#include "tests/unit/master/master_harness.h"
#include "web/model/feed.h"

#define AGENTS 3
#define PEOPLE 901
#define JOBS_MAX 400
#define SEEDS 20

struct follower {
    struct harness h;
    struct rng rng;
    struct web_model *model;
    uint64_t session, since, queues_version;
    size_t resets, queue_lists;
    struct fake_agent agents[AGENTS];
    bool silent[AGENTS];
    char jobs[JOBS_MAX][80];
    size_t job_count;
};

/* --- requests ---------------------------------------------------------------- */

static const Creel__Envelope *ask(struct follower *f, const char *user, Creel__Envelope *envelope)
{
    const Creel__Envelope *reply = harness_ask(&f->h, MASTER_CLIENT, PEOPLE, user, envelope);

    assert_non_null(reply);
    return reply;
}

static const Creel__Envelope *ask_changes(struct follower *f, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&f->h, CREEL__ENVELOPE__BODY_GET_CHANGES);
    Creel__GetChanges body = CREEL__GET_CHANGES__INIT;

    body.session = f->session;
    body.since = f->since;
    body.queues = true;
    envelope->get_changes = &body;
    return ask(f, user, envelope);
}

static const Creel__AppList *list_apps(struct follower *f, const char *after)
{
    Creel__Envelope *envelope = harness_envelope(&f->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;

    body.after = (char *)(uintptr_t)after;
    body.limit = 7;
    envelope->list_apps = &body;
    return ask(f, "web", envelope)->app_list;
}

static const Creel__NodeList *list_nodes(struct follower *f)
{
    Creel__Envelope *envelope = harness_envelope(&f->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    envelope->list_nodes = &body;
    return ask(f, "web", envelope)->node_list;
}

static const Creel__QueueList *list_queues(struct follower *f)
{
    Creel__Envelope *envelope = harness_envelope(&f->h, CREEL__ENVELOPE__BODY_LIST_QUEUES);
    Creel__ListQueues body = CREEL__LIST_QUEUES__INIT;

    envelope->list_queues = &body;
    return ask(f, "web", envelope)->queue_list;
}

/* --- the copy ---------------------------------------------------------------- */

static void load(struct follower *f)
{
    char after[80] = "";
    const Creel__AppList *page;

    web_model_begin(f->model);
    do {
        page = list_apps(f, after);
        web_model_put_apps(f->model, page);
        snprintf(after, sizeof(after), "%s", page->next);
    } while (*after != '\0');
    web_model_put_nodes(f->model, list_nodes(f));
    web_model_end(f->model);
    f->resets++;
}

static void follow(struct follower *f)
{
    const Creel__Changes *changes;
    bool more, all = false;

    do {
        const Creel__Envelope *reply = ask_changes(f, "web");

        assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_CHANGES);
        changes = reply->changes;
        f->session = changes->session;
        f->since = changes->version;
        more = changes->more;
        if (changes->queues_version != f->queues_version || changes->reset) {
            f->queues_version = changes->queues_version;
            all = true;
        }
        if (changes->reset)
            load(f);
        else
            web_model_put_changes(f->model, changes);
    } while (more);
    if (all) {
        web_model_put_queues(f->model, list_queues(f), true);
        f->queue_lists++;
    }
}

/* What grows with time, or depends on other applications, is in no change. */
static uint8_t *bytes_of_app(const Creel__AppReport *report, size_t *size)
{
    Creel__AppReport app = *report;
    uint8_t *bytes;

    app.memory_mb_seconds = app.vcore_seconds = 0;
    app.reason_code = app.reason = app.reason_short = (char *)(uintptr_t) "";
    *size = creel__app_report__get_packed_size(&app);
    bytes = mem_alloc(*size + 1);
    creel__app_report__pack(&app, bytes);
    return bytes;
}

static uint8_t *bytes_of_node(const Creel__NodeReport *report, size_t *size)
{
    Creel__NodeReport node = *report;
    Creel__NodeAdminState admin;
    uint8_t *bytes;

    node.last_heartbeat_ms = 0;
    node.used_memory_bytes = 0;
    if (node.admin_state) {
        admin = *node.admin_state;
        admin.end_ms = 0;
        node.admin_state = &admin;
    }
    *size = creel__node_report__get_packed_size(&node);
    bytes = mem_alloc(*size + 1);
    creel__node_report__pack(&node, bytes);
    return bytes;
}

static void assert_same_app(const Creel__AppReport *seen, const Creel__AppReport *expected)
{
    size_t size, expected_size;
    scoped_free uint8_t *bytes = NULL, *expected_bytes = NULL;

    assert_non_null(seen);
    bytes = bytes_of_app(seen, &size);
    expected_bytes = bytes_of_app(expected, &expected_size);
    if (size != expected_size || memcmp(bytes, expected_bytes, size) != 0)
        fail_msg("%s: version %llu, state %d; expected version %llu, state %d", seen->app_id,
                 (unsigned long long)seen->version, (int)seen->state, (unsigned long long)expected->version,
                 (int)expected->state);
}

static void assert_same_node(const Creel__NodeReport *seen, const Creel__NodeReport *expected)
{
    size_t size, expected_size;
    scoped_free uint8_t *bytes = NULL, *expected_bytes = NULL;

    assert_non_null(seen);
    bytes = bytes_of_node(seen, &size);
    expected_bytes = bytes_of_node(expected, &expected_size);
    if (size != expected_size || memcmp(bytes, expected_bytes, size) != 0)
        fail_msg("%s: state %d, %u containers; expected state %d, %u containers", seen->node_id,
                 (int)seen->state, seen->containers, (int)expected->state, expected->containers);
}

/* Limits that depend on what other queues use are in no change. */
static uint8_t *bytes_of_queue(const Creel__QueueReport *report, size_t *size)
{
    Creel__QueueReport queue = *report;
    uint8_t *bytes;

    queue.am_limit = queue.user_limit = queue.user_am_limit = NULL;
    *size = creel__queue_report__get_packed_size(&queue);
    bytes = mem_alloc(*size + 1);
    creel__queue_report__pack(&queue, bytes);
    return bytes;
}

static void compare_queues(struct follower *f)
{
    const Creel__QueueReport *const *seen;
    size_t count = web_model_queues(f->model, &seen);
    const Creel__QueueList *list = list_queues(f);

    assert_int_equal(count, list->n_queues);
    for (size_t i = 0; i < count; i++) {
        size_t size, expected_size;
        scoped_free uint8_t *bytes = bytes_of_queue(seen[i], &size);
        scoped_free uint8_t *expected = bytes_of_queue(list->queues[i], &expected_size);

        assert_string_equal(seen[i]->path, list->queues[i]->path);
        assert_ptr_equal(web_model_queue(f->model, seen[i]->path), seen[i]);
        if (size != expected_size || memcmp(bytes, expected, size) != 0)
            fail_msg("%s: %u containers; expected %u", seen[i]->path, seen[i]->containers,
                     list->queues[i]->containers);
    }
}

static void compare(struct follower *f)
{
    size_t count = 0, nodes = 0;
    char after[80] = "";
    const Creel__NodeReport *rows[AGENTS + 1];
    const Creel__NodeList *list;

    do {
        const Creel__AppList *page = list_apps(f, after);

        for (size_t i = 0; i < page->n_apps; i++)
            assert_same_app(web_model_app(f->model, page->apps[i]->app_id), page->apps[i]);
        count += page->n_apps;
        snprintf(after, sizeof(after), "%s", page->next);
    } while (*after != '\0');
    assert_int_equal(web_model_count_apps(f->model, &(struct web_app_filter){ .states = 0 }), count);
    list = list_nodes(f);
    for (size_t i = 0; i < list->n_nodes; i++)
        assert_same_node(web_model_node(f->model, list->nodes[i]->node_id), list->nodes[i]);
    web_model_list_nodes(f->model, &(struct web_node_filter){ .states = 0 }, WEB_NODE_BY_ID,
                         &(struct web_page){ .limit = AGENTS + 1 }, rows, &nodes);
    assert_int_equal(nodes, list->n_nodes);
    compare_queues(f);
}

/* --- a random day ------------------------------------------------------------ */

static void begin(struct follower *f, uint64_t seed)
{
    static const char *const schedulers[] = { "capacity", "fair", "fifo" };

    memset(f, 0, sizeof(*f));
    rng_seed(&f->rng, seed);
    harness_init(&f->h);
    f->h.config.max_completed_apps = 5;
    f->h.config.scheduler = schedulers[seed % 3];
    f->h.config.proxy_users = "web";
    f->h.config.admin_users = "root";
    harness_start(&f->h);
    f->model = web_model_new();
    for (size_t i = 0; i < AGENTS; i++) {
        char id[32];

        snprintf(id, sizeof(id), "n%zu:8041", i);
        agent_init(&f->agents[i], id, 8192, 8);
        agent_register(&f->h, &f->agents[i]);
    }
}

static void end(struct follower *f)
{
    for (size_t i = 0; i < AGENTS; i++)
        agent_done(&f->agents[i]);
    web_model_free(f->model);
    harness_done(&f->h);
}

static void submit(struct follower *f)
{
    char key[32];

    if (f->job_count == JOBS_MAX)
        return;
    snprintf(key, sizeof(key), "key-%zu", f->job_count);
    people_submit(&f->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 0), key, f->jobs[f->job_count], NULL);
    f->job_count++;
}

static void exit_one(struct follower *f)
{
    struct fake_agent *agent = &f->agents[rng_below(&f->rng, AGENTS)];

    for (size_t i = 0; i < agent->count; i++) {
        struct fake_container *container = &agent->containers[i];

        if (container->state != CREEL__CONTAINER_STATE__CONTAINER_RUNNING || rng_below(&f->rng, 2) == 0)
            continue;
        agent_exit(agent, container->id, (int)rng_below(&f->rng, 2));
        return;
    }
}

static void change_node(struct follower *f)
{
    Creel__Envelope *envelope = harness_envelope(&f->h, CREEL__ENVELOPE__BODY_CHANGE_NODES);
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    char *node = f->agents[rng_below(&f->rng, AGENTS)].node_id;

    body.nodes = &node;
    body.n_nodes = 1;
    body.change =
        rng_below(&f->rng, 2) == 0 ? CREEL__NODE_CHANGE__NODE_DRAIN : CREEL__NODE_CHANGE__NODE_UNDRAIN;
    envelope->change_nodes = &body;
    ask(f, "root", envelope);
}

static void beat(struct follower *f)
{
    for (size_t i = 0; i < AGENTS; i++) {
        struct fake_agent *agent = &f->agents[i];

        if (f->silent[i])
            continue;
        agent_listen(&f->h, agent);
        agent_heartbeat(&f->h, agent);
        if (agent->session == 0)
            agent_register(&f->h, agent);
    }
}

static void happen(struct follower *f)
{
    size_t i = rng_below(&f->rng, AGENTS);

    switch (rng_below(&f->rng, 9)) {
    case 0:
    case 1:
        submit(f);
        break;
    case 2:
    case 3:
        exit_one(f);
        break;
    case 4:
        if (f->job_count > 0)
            people_kill(&f->h, f->jobs[rng_below(&f->rng, f->job_count)]);
        break;
    case 5:
        change_node(f);
        break;
    case 6:
        f->silent[i] = !f->silent[i];
        break;
    case 7:
        f->agents[i].unhealthy = !f->agents[i].unhealthy;
        break;
    default:
        harness_tick(&f->h, (int64_t)rng_below(&f->rng, 4000));
        break;
    }
    beat(f);
    harness_forget(&f->h);
}

static void copy_equals_the_lists(void **state)
{
    struct follower *f = mem_new0(struct follower);
    size_t resets = 0, queue_lists = 0, rounds = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        begin(f, seed);
        for (int step = 0; step < 150; step++) {
            happen(f);
            if (rng_below(&f->rng, 3) == 0) {
                rounds++;
                follow(f);
                compare(f);
            }
            if (step == 100) /* no request for a long time */
                harness_tick(&f->h, 150000);
            if (step == 120)
                harness_restart(&f->h);
        }
        resets += f->resets;
        queue_lists += f->queue_lists;
        end(f);
    }
    assert_in_range(resets, 2 * SEEDS + 1, 3 * SEEDS);
    assert_in_range(queue_lists, resets, rounds / 2);
    free(f);
}

/* --- single cases -------------------------------------------------------------- */

static void only_proxy_users_and_administrators_may_follow(void **state)
{
    struct follower *f = mem_new0(struct follower);
    const Creel__Envelope *reply;

    (void)state;
    begin(f, 1);
    reply = ask_changes(f, "ann");
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_non_null(strstr(reply->error->message, "creel.security.proxy-users"));
    assert_int_equal(ask_changes(f, "root")->body_case, CREEL__ENVELOPE__BODY_CHANGES);
    end(f);
    free(f);
}

/* Only what changed is sent, and no secret of an application. */
static void reply_contains_the_changes(void **state)
{
    struct follower *f = mem_new0(struct follower);
    const Creel__Changes *changes;

    (void)state;
    begin(f, 1);
    f->h.config.acl_enable = true;
    harness_restart(&f->h);
    submit(f);
    follow(f);
    submit(f);
    changes = ask_changes(f, "web")->changes;
    assert_false(changes->reset);
    assert_int_equal(changes->n_apps, 1);
    assert_string_equal(changes->apps[0]->app_id, f->jobs[1]);
    assert_int_equal(changes->apps[0]->n_command, 0);
    assert_int_equal(changes->n_apps_gone, 0);
    f->since = changes->version;
    changes = ask_changes(f, "web")->changes;
    assert_int_equal(changes->n_apps + changes->n_nodes, 0);
    end(f);
    free(f);
}

static bool end_of_time(void *context)
{
    ++*(size_t *)context;
    return true;
}

/* Queues are sent only if they have changed, with the queues above them. */
static void reply_contains_changed_queues(void **state)
{
    struct follower *f = mem_new0(struct follower);
    const Creel__Changes *changes;

    (void)state;
    begin(f, 0);
    submit(f);
    follow(f);
    follow(f);
    changes = ask_changes(f, "web")->changes;
    assert_int_equal(changes->n_queues, 0);
    assert_int_equal(changes->queues_version, f->queues_version);
    submit(f);
    changes = ask_changes(f, "web")->changes;
    assert_int_equal(changes->n_queues, 2);
    assert_int_equal(changes->queues_version, f->queues_version);
    end(f);
    free(f);
}

static void reply_is_brief(void **state)
{
    struct follower *f = mem_new0(struct follower);
    size_t asked = 0;

    (void)state;
    begin(f, 1);
    f->h.config.brief_time_is_up = end_of_time;
    f->h.config.context = &asked;
    harness_restart(&f->h);
    follow(f);
    for (int i = 0; i < 5; i++)
        submit(f);
    for (int i = 0; i < 5; i++) {
        const Creel__Changes *changes = ask_changes(f, "web")->changes;

        assert_int_equal(changes->n_apps + changes->n_queues, 1);
        assert_true(changes->more);
        f->since = changes->version;
    }
    assert_true(asked >= 5);
    end(f);
    free(f);
}

static void long_reply_is_split(void **state)
{
    struct follower *f = mem_new0(struct follower);
    const Creel__Changes *changes;
    size_t seen = 0;

    (void)state;
    begin(f, 1);
    f->h.config.max_completed_apps = 1000;
    harness_restart(&f->h);
    follow(f);
    for (size_t i = 0; i < JOBS_MAX; i++)
        submit(f);
    do {
        changes = ask_changes(f, "web")->changes;
        assert_true(changes->n_apps <= 250);
        seen += changes->n_apps;
        f->since = changes->version;
    } while (changes->more);
    assert_int_equal(seen, JOBS_MAX);
    end(f);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_equals_the_lists),
        cmocka_unit_test(only_proxy_users_and_administrators_may_follow),
        cmocka_unit_test(reply_contains_the_changes),
        cmocka_unit_test(reply_contains_changed_queues),
        cmocka_unit_test(reply_is_brief),
        cmocka_unit_test(long_reply_is_split),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
