/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_account.c - what the resource manager keeps for a user, and the limits on that
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "tests/unit/master/account_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define BAD_STATE CREEL__ERROR_CODE__ERROR_BAD_STATE
#define JOBS_MAX 3

static void limit_jobs(struct master_config *config)
{
    config->user_limits.jobs = JOBS_MAX;
}

static int set_up(void **state)
{
    return world_set_up_with(state, limit_jobs);
}

static void release(struct world *w, const char *user, char *app_id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_RELEASE_APP);
    Creel__ReleaseApp body = CREEL__RELEASE_APP__INIT;

    body.app_id = app_id;
    envelope->release_app = &body;
    harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
}

static const Creel__ClusterInfo *cluster_info(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;

    envelope->get_cluster_info = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope)->cluster_info;
}

/* --- number of jobs ------------------------------------------------------------ */

#define JOBS_OF_ANN \
    "user ann has 3 jobs that have not ended, tasks of arrays included, and creel.submit.user-jobs-max is 3"

static void waiting_jobs_count(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job;
    char parent[80], depends_on[96];

    account_accepted(w, "ann", account_held_job());
    memcpy(parent, w->app, sizeof(parent));
    snprintf(depends_on, sizeof(depends_on), "ok:%s", parent);
    job = job_of(COMMAND, 512, 0);
    job->begin_ms = w->h.now + 1000000;
    account_accepted(w, "ann", job);
    job = job_of(COMMAND, 512, 0);
    job->depends_on = depends_on;
    account_accepted(w, "ann", job);
    account_refused(w, "ann", account_held_job(), JOBS_OF_ANN);
    account_refused(w, "ann", job_of(COMMAND, 512, 0), JOBS_OF_ANN);
    account_accepted(w, "bob", account_held_job()); /* another user has an account of his own */
    for (int i = 0; i <= JOBS_MAX; i++)
        account_accepted(w, "admin",
                         account_held_job()); /* an administrator that is listed by name has no limit */
    people_kill(&w->h, parent);
    world_settle(w); /* the child is killed, too */
    account_accepted(w, "ann", account_held_job());
    account_accepted(w, "ann", account_held_job());
    account_refused(w, "ann", account_held_job(), JOBS_OF_ANN);
}

static void a_restart_counts_the_same(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < JOBS_MAX; i++)
        account_accepted(w, "ann", account_held_job());
    harness_restart(&w->h);
    account_refused(w, "ann", account_held_job(), JOBS_OF_ANN);
    people_kill(&w->h, w->app);
    harness_restart(&w->h);
    account_accepted(w, "ann", account_held_job());
    account_refused(w, "ann", account_held_job(), JOBS_OF_ANN);
}

static void a_dry_run_is_refused_too(void **state)
{
    struct world *w = *state;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_TEST_APP);
    Creel__TestApp body = CREEL__TEST_APP__INIT;
    const Creel__Envelope *reply;

    for (int i = 0; i < JOBS_MAX; i++)
        account_accepted(w, "ann", account_held_job());
    body.job = account_held_job();
    envelope->test_app = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, BAD_STATE);
}

static void wait_for_next_try(struct world *w)
{
    harness_tick(&w->h, 1000);
    world_settle(w);
}

/* The tasks that an array has submitted count; those that it has not submitted do not, so an array of a
 * million tasks is accepted. It submits no further one while the limit is reached. */
static void tasks_of_an_array_count(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    static char tasks[] = "0-999999";
    char array[80];

    job->array = tasks;
    account_accepted(w, "ann", job);
    memcpy(array, w->app, sizeof(array));
    world_settle(w);
    assert_int_equal(people_show(&w->h, array)->tasks->running, 2);
    assert_string_equal(people_show(&w->h, array)->reason_code, "UserMaxJobs");
    assert_non_null(strstr(people_show(&w->h, array)->reason, JOBS_OF_ANN));
    account_refused(w, "ann", account_held_job(), JOBS_OF_ANN);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    world_settle(w);
    wait_for_next_try(w);
    assert_int_equal(people_show(&w->h, array)->tasks->succeeded, 1);
    assert_int_equal(people_show(&w->h, array)->tasks->running, 2);
}

/* Held jobs that wait for an array would stop it, if it could submit no task above the limit. */
static void an_array_goes_on_above_the_limit(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    static char tasks[] = "0-9";
    char array[80];

    job->array = tasks;
    job->hold = true;
    account_accepted(w, "ann", job);
    memcpy(array, w->app, sizeof(array));
    for (int i = 1; i < JOBS_MAX; i++)
        account_accepted(w, "ann", account_held_job());
    release(w, "ann", array);
    wait_for_next_try(w);
    assert_int_equal(people_show(&w->h, array)->tasks->running, 1);
    agent_exit(&w->a, w->a.containers[0].id, 0);
    world_settle(w);
    wait_for_next_try(w);
    assert_int_equal(people_show(&w->h, array)->tasks->succeeded, 1);
    assert_int_equal(people_show(&w->h, array)->tasks->running, 1);
}

/* Those who have used 80 % of a limit are listed, but no administrators that are listed by name. */
static void users_near_a_limit_are_listed(void **state)
{
    struct world *w = *state;
    const Creel__ClusterInfo *info;

    for (int i = 0; i < JOBS_MAX; i++) {
        account_accepted(w, "ann", account_held_job());
        account_accepted(w, "admin", account_held_job());
    }
    account_accepted(w, "bob", account_held_job());
    account_refused(w, "ann", account_held_job(), JOBS_OF_ANN);
    info = cluster_info(w);
    assert_int_equal(info->n_near_limits, 1);
    assert_string_equal(info->near_limits[0]->user, "ann");
    assert_string_equal(info->near_limits[0]->key, "creel.submit.user-jobs-max");
    assert_int_equal(info->near_limits[0]->used, JOBS_MAX);
    assert_int_equal(info->near_limits[0]->limit, JOBS_MAX);
    assert_int_equal(info->counters->jobs_over_limit, 1);
}

/* A repeated submission, whose reply was lost, is no new job. */
static void a_repeated_submission_is_answered(void **state)
{
    struct world *w = *state;
    char again[80];

    for (int i = 0; i < JOBS_MAX - 1; i++)
        account_accepted(w, "ann", account_held_job());
    people_submit_as(&w->h, "ann", account_held_job(), "key-1", w->app);
    assert_string_not_equal(w->app, "");
    people_submit_as(&w->h, "ann", account_held_job(), "key-1", again);
    assert_string_equal(w->app, again);
}

/* --- size of jobs -------------------------------------------------------------- */

#define LONG ((size_t)20000)
#define SIZE_MAX_OF_JOBS (3 * LONG)

static void limit_size(struct master_config *config)
{
    config->user_limits.job_bytes = SIZE_MAX_OF_JOBS;
}

static int set_up_size(void **state)
{
    return world_set_up_with(state, limit_size);
}

/* A held job of more than LONG bytes, less than LONG and a half. */
static Creel__JobSpec *long_job(void)
{
    static char argument[LONG + 1], command[] = "true";
    static char *words[] = { command, argument };
    Creel__JobSpec *job = account_held_job();

    memset(argument, 'x', LONG);
    job->launch->command = words;
    job->launch->n_command = 2;
    return job;
}

static void long_jobs_are_limited(void **state)
{
    struct world *w = *state;

    account_accepted(w, "ann", long_job());
    account_accepted(w, "ann", long_job());
    account_refused(w, "ann", long_job(), "creel.submit.user-jobs-size-max is 60000");
    account_refused(w, "ann", long_job(), "user ann has jobs of 40");
    account_accepted(w, "ann", account_held_job());
    account_accepted(w, "bob", long_job());
    for (int i = 0; i < 4; i++)
        account_accepted(w, "admin", long_job());
    harness_restart(&w->h);
    account_refused(w, "ann", long_job(), "creel.submit.user-jobs-size-max is 60000");
}

/* Long jobs that have ended are remembered up to the same size; the oldest of the user are forgotten. */
static void long_ended_jobs_are_forgotten_early(void **state)
{
    struct world *w = *state;
    char first[80] = "", other[80];

    account_accepted(w, "bob", account_held_job());
    memcpy(other, w->app, sizeof(other));
    people_kill(&w->h, other);
    for (int i = 0; i < 4; i++) {
        account_accepted(w, "ann", long_job());
        if (i == 0)
            memcpy(first, w->app, sizeof(first));
        people_kill(&w->h, w->app);
        world_settle(w);
    }
    assert_null(people_show(&w->h, first));
    assert_non_null(people_show(&w->h, w->app));
    assert_non_null(people_show(&w->h, other));
}

/* A job that names the same job in many ways waits for one job, and pays for each name: that is simple, and
 * nobody does it. */
static void dependencies_count(void **state)
{
    enum { NAMES = 200 };
    struct world *w = *state;
    struct text_builder text = TEXT_BUILDER_MALLOC;
    Creel__JobSpec *job;
    char *depends_on;

    account_accepted(w, "ann", account_held_job());
    text_builder_add(&text, "any");
    for (int i = 0; i < NAMES; i++)
        text_builder_add(&text, ":1");
    depends_on = text_builder_finish(&text);
    for (int i = 0; i < 2; i++) {
        job = account_held_job();
        job->depends_on = depends_on;
        account_accepted(w, "ann", job);
    }
    job = account_held_job();
    job->depends_on = depends_on;
    account_refused(w, "ann", job, "user ann has jobs of 5");
    harness_restart(&w->h);
    job = account_held_job();
    job->depends_on = depends_on;
    account_refused(w, "ann", job, "user ann has jobs of 5");
    account_accepted(w, "ann", account_held_job());
    free(depends_on);
}

/* --- files of jobs --------------------------------------------------------------- */

static void limit_files(struct master_config *config)
{
    config->user_limits.file_bytes = 1000;
}

static int set_up_files(void **state)
{
    return world_set_up_with(state, limit_files);
}

/* A held job with a file of 400 bytes whose hash consists of LETTER. */
static Creel__JobSpec *job_with_file(char letter)
{
    static uint8_t hash[32];
    static char name[] = "data";
    static Creel__FileRef ref;
    static Creel__FileRef *refs[] = { &ref };
    Creel__JobSpec *job = account_held_job();

    memset(hash, letter, sizeof(hash));
    creel__file_ref__init(&ref);
    ref.name = name;
    ref.hash = (ProtobufCBinaryData){ sizeof(hash), hash };
    ref.size_bytes = 400;
    job->launch->files = refs;
    job->launch->n_files = 1;
    return job;
}

static void files_count_once(void **state)
{
    struct world *w = *state;
    char second[80];

    for (int i = 0; i < 5; i++)
        account_accepted(w, "ann", job_with_file('a'));
    account_accepted(w, "ann", job_with_file('b'));
    memcpy(second, w->app, sizeof(second));
    account_refused(w, "ann", job_with_file('c'),
                    "user ann that have not ended have files of 800 bytes, this one has 400 "
                    "more, and creel.submit.user-jobs-files-size-max is 1000");
    account_accepted(w, "ann", job_with_file('a'));
    account_accepted(w, "bob", job_with_file('c'));
    harness_restart(&w->h);
    account_refused(w, "ann", job_with_file('c'), "creel.submit.user-jobs-files-size-max");
    people_kill(&w->h, second);
    world_settle(w);
    account_accepted(w, "ann", job_with_file('c'));
}

/* --- requests for containers ----------------------------------------------------- */

static void limit_asks(struct master_config *config)
{
    config->user_limits.asks = 5;
}

static int set_up_asks(void **state)
{
    return world_set_up_with(state, limit_asks);
}

/* Starts an unmanaged application of ann, and registers its AM. */
static void start_am(struct world *w, struct fake_am *am)
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_MASTER, 512, 0);

    job->unmanaged = true;
    account_accepted(w, "ann", job);
    world_settle(w);
    am_init(am, w->app, 1);
    assert_int_equal(am_register(&w->h, am)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
}

/* Requests COUNT containers at each of the priorities FIRST to FIRST + PRIORITIES - 1. Returns the reply. */
static const Creel__Envelope *ask(struct world *w, struct fake_am *am, uint32_t first, size_t priorities,
                                  uint32_t count)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    Creel__Resource size = CREEL__RESOURCE__INIT;
    Creel__Ask asks[128], *list[128];
    const Creel__Envelope *reply;

    size.memory_mb = 8192; /* no node is large enough: the request stays */
    size.vcores = 1;
    for (size_t i = 0; i < priorities; i++) {
        creel__ask__init(&asks[i]);
        asks[i].priority = first + (uint32_t)i;
        asks[i].capability = &size;
        asks[i].count = count;
        list[i] = &asks[i];
    }
    body.asks = list;
    body.n_asks = priorities;
    body.response_id = am->response_id;
    body.session = am->session;
    envelope->allocate = &body;
    reply = harness_ask(&w->h, MASTER_AM, am->connection, am->attempt_id, envelope);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ALLOCATE_REPLY)
        am->response_id = reply->allocate_reply->response_id;
    return reply;
}

/* Releases 128 containers that do not exist. */
static void release_unknown(struct world *w, struct fake_am *am)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    static char id[] = "container_1700000000000_0099_01_000001";
    char *ids[128];
    const Creel__Envelope *reply;

    for (size_t i = 0; i < 128; i++)
        ids[i] = id;
    body.releases = ids;
    body.n_releases = 128;
    body.response_id = am->response_id;
    body.session = am->session;
    envelope->allocate = &body;
    reply = harness_ask(&w->h, MASTER_AM, am->connection, am->attempt_id, envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    am->response_id = reply->allocate_reply->response_id;
}

/* What an AM requests is work of the step, by which its user takes turns (user_requests.h). */
static void requests_of_masters_are_work(void **state)
{
    struct world *w = *state;
    struct fake_am am;
    uint64_t work;

    start_am(w, &am);
    work = master_work(w->h.master);
    ask(w, &am, 1, 1, 1);
    assert_int_equal(master_work(w->h.master), work);
    ask(w, &am, 1, 128, 1);
    assert_true(master_work(w->h.master) > work);
    work = master_work(w->h.master);
    release_unknown(w, &am);
    assert_true(master_work(w->h.master) > work);
}

static void requests_of_all_masters_are_limited(void **state)
{
    struct world *w = *state;
    struct fake_am one, two;
    const Creel__Envelope *reply;

    start_am(w, &one);
    start_am(w, &two);
    two.connection = one.connection + 1;
    assert_int_equal(ask(w, &one, 1, 3, 1)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    assert_int_equal(ask(w, &two, 1, 2, 1)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    reply = ask(w, &two, 10, 2, 1);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_TOO_LARGE);
    assert_non_null(strstr(reply->error->message, "user ann request or blacklist 5 different things, this "
                                                  "one 2 more, and creel.submit.user-asks-max is 5"));
    assert_int_equal(cluster_info(w)->counters->asks_over_limit, 1);
    assert_string_equal(cluster_info(w)->near_limits[0]->key, "creel.submit.user-asks-max");
    /* The applications go on: an AM without new requests is answered, and one that takes some back. */
    assert_int_equal(ask(w, &two, 1, 0, 1)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    assert_int_equal(ask(w, &one, 1, 3, 0)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    assert_int_equal(ask(w, &two, 10, 2, 1)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
}

/* After a RESYNC an AM sends all its requests again: each replaces a row. */
static void requests_that_are_sent_again_count_once(void **state)
{
    struct world *w = *state;
    struct fake_am am;

    start_am(w, &am);
    assert_int_equal(ask(w, &am, 1, 4, 1)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    assert_int_equal(am_register(&w->h, &am)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    assert_int_equal(ask(w, &am, 1, 5, 2)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    assert_int_equal(ask(w, &am, 1, 5, 3)->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
    assert_int_equal(ask(w, &am, 2, 5, 3)->body_case, CREEL__ENVELOPE__BODY_ERROR);
}

/* --- blacklists ------------------------------------------------------------------- */

/* AM adds COUNT nodes from number FIRST on to its blacklist, or removes them. */
static const Creel__Envelope *blacklist(struct world *w, struct fake_am *am, int first, int count,
                                        bool remove)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_ALLOCATE);
    Creel__Allocate body = CREEL__ALLOCATE__INIT;
    char names[8][16], *list[8];
    const Creel__Envelope *reply;

    for (int i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "node%d:8041", first + i);
        list[i] = names[i];
    }
    *(remove ? &body.blacklist_remove : &body.blacklist_add) = list;
    *(remove ? &body.n_blacklist_remove : &body.n_blacklist_add) = (size_t)count;
    body.response_id = am->response_id;
    body.session = am->session;
    envelope->allocate = &body;
    reply = harness_ask(&w->h, MASTER_AM, am->connection, am->attempt_id, envelope);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ALLOCATE_REPLY)
        am->response_id = reply->allocate_reply->response_id;
    return reply;
}

static void accepts(const Creel__Envelope *reply)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ALLOCATE_REPLY);
}

static void refuses(const Creel__Envelope *reply, const char *text)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_non_null(strstr(reply->error->message, text));
}

static void names_of_blacklists_count_as_rows(void **state)
{
    struct world *w = *state;
    struct fake_am one, two;

    start_am(w, &one);
    start_am(w, &two);
    two.connection = one.connection + 1;
    accepts(blacklist(w, &one, 0, 3, false));
    accepts(blacklist(w, &one, 0, 3, false)); /* the same names */
    accepts(ask(w, &two, 1, 2, 1));
    refuses(blacklist(w, &two, 0, 1, false), "user ann request or blacklist 5 different things, this one 1 "
                                             "more, and creel.submit.user-asks-max is 5");
    refuses(ask(w, &two, 3, 1, 1), "creel.submit.user-asks-max is 5");
    accepts(blacklist(w, &one, 0, 2, true));
    accepts(blacklist(w, &two, 0, 2, false));
    refuses(blacklist(w, &one, 5, 1, false), "creel.submit.user-asks-max is 5");
    two.session++; /* another process takes over: it does not know the blacklist */
    assert_int_equal(am_register(&w->h, &two)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    accepts(blacklist(w, &one, 5, 2, false));
    refuses(blacklist(w, &one, 7, 1, false), "creel.submit.user-asks-max is 5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waiting_jobs_count, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_restart_counts_the_same, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(a_dry_run_is_refused_too, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(tasks_of_an_array_count, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(users_near_a_limit_are_listed, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(an_array_goes_on_above_the_limit, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(long_jobs_are_limited, set_up_size, world_tear_down),
        cmocka_unit_test_setup_teardown(long_ended_jobs_are_forgotten_early, set_up_size, world_tear_down),
        cmocka_unit_test_setup_teardown(dependencies_count, set_up_size, world_tear_down),
        cmocka_unit_test_setup_teardown(files_count_once, set_up_files, world_tear_down),
        cmocka_unit_test_setup_teardown(requests_of_masters_are_work, set_up, world_tear_down),
        cmocka_unit_test_setup_teardown(requests_of_all_masters_are_limited, set_up_asks, world_tear_down),
        cmocka_unit_test_setup_teardown(requests_that_are_sent_again_count_once, set_up_asks,
                                        world_tear_down),
        cmocka_unit_test_setup_teardown(names_of_blacklists_count_as_rows, set_up_asks, world_tear_down),
        cmocka_unit_test_setup_teardown(a_repeated_submission_is_answered, set_up, world_tear_down),
    };

    return cmocka_run_group_tests_name("master_account", tests, NULL, NULL);
}
