/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_history_threads.c - test: the threads that read the history: which requests get one, and what they read
 * while rows are written, deleted and upgraded
 *
 * scripts/test also runs this test under the thread sanitizer.
 */
#include <sqlite3.h>

#include "common/io/loop/loop.h"
#include "rm/net/history/history_answer.h"
#include "rm/net/history/history_threads.h"
#include "tests/unit/am/job_history_fixture.h"

#define DEADLINE_MS 60000
#define STOP_MS 10000
#define ROUNDS 100

struct scene {
    struct history_fixture *f;
    struct loop *loop;
    struct history_threads *threads;
    Creel__Envelope list, sum, containers;
    Creel__ListJobHistory list_body, filter;
    Creel__SumJobHistory sum_body;
    Creel__ListContainers containers_body;
    unsigned begun, rounds, busy;
    unsigned seq; /* of the last application that was written; 0: the test writes none */
};

static void late(void *context)
{
    (void)context;
    fail_msg("the threads have not answered within %d ms", DEADLINE_MS);
}

static void scene_open(struct scene *scene, struct history_fixture *f)
{
    struct err err = { 0 };

    *scene = (struct scene){ .f = f,
                             .list = CREEL__ENVELOPE__INIT,
                             .sum = CREEL__ENVELOPE__INIT,
                             .containers = CREEL__ENVELOPE__INIT,
                             .list_body = CREEL__LIST_JOB_HISTORY__INIT,
                             .filter = CREEL__LIST_JOB_HISTORY__INIT,
                             .sum_body = CREEL__SUM_JOB_HISTORY__INIT,
                             .containers_body = CREEL__LIST_CONTAINERS__INIT };
    scene->list_body.nodes = true;
    scene->list.body_case = CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY;
    scene->list.list_job_history = &scene->list_body;
    scene->sum_body.filter = &scene->filter;
    scene->sum.body_case = CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY;
    scene->sum.sum_job_history = &scene->sum_body;
    scene->containers.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    scene->containers.list_containers = &scene->containers_body;
    assert_ok(loop_new(&scene->loop, &err), err);
    assert_ok(history_threads_new(scene->loop, &scene->threads, &err), err);
    loop_add_timer(scene->loop, DEADLINE_MS, late, scene);
}

static void scene_close(struct scene *scene)
{
    assert_true(history_threads_free(scene->threads, STOP_MS));
    loop_free(scene->loop);
}

/* --- reading --------------------------------------------------------------- */

static void begin(struct scene *scene);

/* Writes two applications with a container each, in the thread of the loop. */
static void write_rows(struct scene *scene)
{
    for (int i = 0; i < 2; i++) {
        unsigned seq = ++scene->seq;

        history_add_container(scene->f, seq, 1, NOVEMBER_MS - (i ? 30 * (int64_t)DAY_MS : 0), "n1:1", 0);
        history_add_app(scene->f, seq, NOVEMBER_MS + seq, "ann", "root.a");
    }
    history_write(scene->f);
}

static void done(struct worker_job *job)
{
    struct history_answer *answer = (struct history_answer *)job;
    struct scene *scene = (struct scene *)(void *)answer->server;

    history_threads_end(scene->threads, answer->thread);
    if (answer->result < 0)
        fail_msg("%s", answer->err.text);
    assert_int_equal(answer->damaged, 0);
    if (answer->request == &scene->list)
        assert_true(answer->app_count > 0);
    if (answer->request == &scene->sum)
        assert_true(answer->sum_count > 0);
    answer->request = NULL; /* borrowed */
    history_answer_free(answer);
    scene->busy--;
    if (scene->seq > 0)
        write_rows(scene);
    if (scene->begun < scene->rounds)
        begin(scene);
    else if (scene->busy == 0)
        loop_stop(scene->loop);
}

/* Begins the next request: each list, sum and list of containers in turn, of another user. */
static void begin(struct scene *scene)
{
    const Creel__Envelope *const requests[] = { &scene->list, &scene->sum, &scene->containers };
    struct history_answer *answer = mem_new0(struct history_answer);
    unsigned number = scene->begun++;
    char user[16];

    snprintf(user, sizeof(user), "user%u", number);
    answer->job.run = history_answer_run;
    answer->job.done = done;
    answer->server = (struct history_server *)(void *)scene; /* the thread does not use it */
    answer->state_directory = scene->f->directory;
    answer->query = mem_new0(struct queued_request);
    answer->request = (Creel__Envelope *)(uintptr_t)requests[number % 3];
    answer->id = (struct app_id){ NOW_MS, scene->seq > 0 ? scene->seq : 1 };
    scene->busy++;
    answer->thread = history_threads_run(scene->threads, user, user, &answer->job);
}

static void read_in_all_threads(struct scene *scene, unsigned rounds)
{
    scene->rounds = rounds;
    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        begin(scene);
    loop_run(scene->loop);
}

/* --- tests ----------------------------------------------------------------- */

static void rows_are_read_while_others_are_written_and_deleted(void **state)
{
    struct scene scene;

    scene_open(&scene, *state);
    job_history_free(scene.f->history);
    scene.f->history = job_history_new(scene.f->directory, YEAR_MS, 20000);
    write_rows(&scene);
    read_in_all_threads(&scene, ROUNDS);
    assert_true(job_history_removed(scene.f->history).apps > 0);
    scene_close(&scene);
}

/* Each thread finds the earlier schema; one upgrades the file. */
static void a_file_is_upgraded_once(void **state)
{
    struct history_fixture *f = *state;
    scoped_free char *path = mem_printf("%s/history/2026-11.db", f->directory);
    sqlite3 *database = NULL;
    struct scene scene;

    scene_open(&scene, f);
    history_add_app(f, 1, NOVEMBER_MS, "ann", "root.a");
    history_add_container(f, 1, 1, NOVEMBER_MS, "n1:1", 0);
    history_write(f);
    job_history_free(f->history);
    f->history = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database, "DROP TABLE container_sums; PRAGMA user_version = 2", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(database);
    read_in_all_threads(&scene, HISTORY_THREADS);
    scene_close(&scene);
}

static void wait_for_nothing(struct worker_job *job)
{
    (void)job;
}

static void a_user_has_one_thread_and_a_principal_half_of_them(void **state)
{
    struct worker_job jobs[3] = { { .run = wait_for_nothing, .done = wait_for_nothing },
                                  { .run = wait_for_nothing, .done = wait_for_nothing },
                                  { .run = wait_for_nothing, .done = wait_for_nothing } };
    struct scene scene;
    unsigned number;

    scene_open(&scene, *state);
    assert_true(history_threads_has_room(scene.threads, "ann", "web"));
    number = history_threads_run(scene.threads, "ann", "web", &jobs[0]);
    assert_false(history_threads_has_room(scene.threads, "ann", "web"));
    assert_false(history_threads_has_room(scene.threads, "ann", "ann"));
    assert_true(history_threads_has_room(scene.threads, "bob", "web"));
    history_threads_run(scene.threads, "bob", "web", &jobs[1]);
    assert_false(history_threads_has_room(scene.threads, "cid", "web"));
    assert_true(history_threads_has_room(scene.threads, "cid", "cid"));
    history_threads_end(scene.threads, number);
    assert_true(history_threads_has_room(scene.threads, "ann", "web"));
    history_threads_run(scene.threads, "ann", "web", &jobs[2]);
    assert_true(history_threads_has_idle(scene.threads));
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_read_while_others_are_written_and_deleted, history_set_up,
                                        history_tear_down),
        cmocka_unit_test_setup_teardown(a_file_is_upgraded_once, history_set_up, history_tear_down),
        cmocka_unit_test_setup_teardown(a_user_has_one_thread_and_a_principal_half_of_them, history_set_up,
                                        history_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
