/* SPDX-License-Identifier: Apache-2.0 */
/* master_node_faults.c - test: what agents report and an operator has to mend reaches the checks of health */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/certificate_time.h"
#include "common/base/mem.h"
#include "rm/master/nodes/certificates.h"
#include "rm/master/nodes/failing.h"
#include "rm/master/state/copy.h"
#include "tests/unit/master/master_world.h"

struct scene {
    struct world w;
    uint32_t stuck, starting, versions, expiring, expired, reports, crashing, failing;
    char *stuck_text, *starting_text, *versions_text, *certificates_text, *reports_text, *crashing_text,
        *failing_text; /* owned */
};

static void clear(struct scene *scene)
{
    free(scene->stuck_text);
    free(scene->failing_text);
    free(scene->starting_text);
    free(scene->versions_text);
    free(scene->certificates_text);
    free(scene->reports_text);
    free(scene->crashing_text);
}

static void take_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                        const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    struct scene *scene = context;

    (void)stopped;
    (void)arena;
    (void)info;
    clear(scene);
    scene->stuck = faults->stuck;
    scene->failing = faults->failing;
    scene->failing_text = mem_strdup(faults->failing_text);
    scene->starting = faults->starting;
    scene->starting_text = mem_strdup(faults->starting_text);
    scene->versions = faults->versions;
    scene->expiring = faults->expiring;
    scene->expired = faults->expired;
    scene->stuck_text = mem_strdup(faults->stuck_text);
    scene->versions_text = mem_strdup(faults->versions_text);
    scene->certificates_text = mem_strdup(faults->certificates_text);
    scene->reports = faults->reports;
    scene->reports_text = mem_strdup(faults->reports_text);
    scene->crashing = faults->crashing;
    scene->crashing_text = mem_strdup(faults->crashing_text);
}

/* Reads the checks as USER, who reports the certificate NAME with PROBLEM; NULL: none. */
static void report_problem(struct scene *scene, const char *user, const char *name, int64_t expires_ms,
                           const char *problem)
{
    Creel__Envelope *envelope = harness_envelope(&scene->w.h, CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO);
    Creel__GetClusterInfo body = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__Certificate certificate = CREEL__CERTIFICATE__INIT, *certificates[] = { &certificate };

    certificate.name = (char *)(uintptr_t)name;
    certificate.expires_ms = expires_ms;
    certificate.problem = (char *)(uintptr_t)problem;
    body.certificates = certificates;
    body.n_certificates = name != NULL;
    envelope->get_cluster_info = &body;
    assert_non_null(harness_ask(&scene->w.h, MASTER_CLIENT, 1000, user, envelope));
}

static void report(struct scene *scene, const char *user, const char *name, int64_t expires_ms)
{
    report_problem(scene, user, name, expires_ms, "");
}

static void look(struct scene *scene)
{
    report(scene, "ann", NULL, 0);
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);

    world_begin(&scene->w, NULL);
    scene->w.h.config.health = take_health;
    scene->w.h.config.context = scene;
    scene->w.h.config.admin_users = "root";
    harness_restart(&scene->w.h);
    agent_register(&scene->w.h, &scene->w.a);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    world_end(&scene->w);
    clear(scene);
    free(scene);
    return 0;
}

static const Creel__AppExplanation *why(struct world *w, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_EXPLAIN_APP);
    Creel__ExplainApp body = CREEL__EXPLAIN_APP__INIT;

    body.app_id = (char *)(uintptr_t)id;
    envelope->explain_app = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope)->app_explanation;
}

static void a_container_that_does_not_end_is_named_until_it_has_ended(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;
    const Creel__AppExplanation *explanation;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "k", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
    assert_int_equal(w->a.count, 1);
    w->a.containers[0].state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 0);
    assert_string_equal(scene->stuck_text, "");
    w->a.containers[0].stuck = "process 7 (cp) is in state D";
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 1);
    assert_non_null(strstr(scene->stuck_text, "on n1:8041, container_"));
    assert_non_null(strstr(scene->stuck_text, ": process 7 (cp) is in state D"));
    explanation = why(w, w->app);
    assert_non_null(strstr(explanation->summary, "runs: a container of it cannot end"));
    assert_string_equal(explanation->items[0]->reason_code, "StuckContainer");
    assert_non_null(strstr(explanation->items[0]->text, "_01_000001: process 7 (cp) is in state D"));
    agent_exit(&w->a, w->a.containers[0].id, 0);
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 0);
}

/* The first container of node a was ordered to stop, and cannot. */
static void keeps_stuck(struct world *w, const char *stuck)
{
    assert_int_equal(w->a.containers[0].state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    w->a.containers[0].state = CREEL__CONTAINER_STATE__CONTAINER_STOPPING;
    w->a.containers[0].stuck = stuck;
}

/* The resource manager counts its containers as ended, since the node was lost for a while. */
static void a_container_that_does_not_end_on_a_node_that_was_lost_is_named_too(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "k", w->app, NULL);
    agent_listen(&w->h, &w->a);
    assert_int_equal(w->a.count, 1);
    w->a.containers[0].state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    agent_heartbeat(&w->h, &w->a);
    harness_tick(&w->h, w->h.config.node_expiry_ms + 1000);
    agent_register(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 0);
    keeps_stuck(w, "its shim (process 9) is in state T");
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 1);
    assert_non_null(strstr(scene->stuck_text, "_01_000001: its shim (process 9) is in state T"));
    harness_restart(&w->h); /* and is named after a restart, too */
    keeps_stuck(w, "its shim (process 9) is in state T");
    agent_register(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 1);
    agent_exit(&w->a, w->a.containers[0].id, 137);
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->stuck, 0);
}

/* COUNT jobs of one container, of SECOND and of ann in turns, end with EXIT_STATUS, AFTER_MS after their
 * start. */
static void run_jobs_of(struct world *w, const char *second, int count, int exit_status, int64_t after_ms)
{
    for (int i = 0; i < count; i++) {
        struct fake_container *container;

        (void)people_submit_as(&w->h, i % 2 == 0 ? second : "ann",
                               job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "", w->app);
        agent_listen(&w->h, &w->a);
        container = &w->a.containers[w->a.count - 1];
        container->started_ms = w->h.now;
        container->finished_ms = w->h.now + after_ms;
        agent_exit(&w->a, container->id, exit_status);
        agent_heartbeat(&w->h, &w->a);
    }
}

static void run_jobs(struct world *w, int count, int exit_status, int64_t after_ms)
{
    run_jobs_of(w, "bob", count, exit_status, after_ms);
}

/* One user's broken jobs look the same on all nodes. */
static void failed_jobs_of_one_user_make_no_node_failing(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    run_jobs_of(w, "ann", FAILING_ENDS, 1, 0);
    look(scene);
    assert_int_equal(scene->failing, 0);
    run_jobs_of(w, "ann", FAILING_ENDS, CONTAINER_EXIT_NOT_STARTED, 0);
    look(scene);
    assert_int_equal(scene->failing, 0);
    run_jobs_of(w, "bob", 1, 1, 0);
    look(scene);
    assert_int_equal(scene->failing, 1);
}

/* An array is one application, although each of its tasks has an id. */
static void a_failed_array_and_a_failed_job_make_no_node_failing(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;
    Creel__JobSpec *array = job_of(CREEL__APP_KIND__APP_COMMAND, 4096, 0);
    int ended = 0;

    array->array = (char *)(uintptr_t) "1-9";
    people_submit(&w->h, array, "", w->app, NULL);
    for (int round = 0; round < 100; round++) {
        harness_tick(&w->h, 1);
        agent_listen(&w->h, &w->a);
        if (agent_running(&w->a) > 0) {
            agent_exit(&w->a, w->a.containers[w->a.count - 1].id, 1);
            ended++;
        }
        agent_heartbeat(&w->h, &w->a);
    }
    assert_int_equal(ended, 9);
    run_jobs_of(w, "bob", 1, 1, 0);
    look(scene);
    assert_int_equal(scene->failing, 0);
    run_jobs_of(w, "bob", 1, 1, 0); /* the third application */
    look(scene);
    assert_int_equal(scene->failing, 1);
}

/* The agent reports whose fault it is: one user is enough. */
static void starts_that_fail_by_a_fault_of_the_node_make_it_failing(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    for (int i = 0; i < FAILING_LEAST; i++) {
        people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "", w->app, NULL);
        agent_listen(&w->h, &w->a);
        w->a.containers[w->a.count - 1].node_fault = true;
        agent_exit(&w->a, w->a.containers[w->a.count - 1].id, CONTAINER_EXIT_NOT_STARTED);
        agent_heartbeat(&w->h, &w->a);
    }
    look(scene);
    assert_int_equal(scene->failing, 1);
    assert_non_null(strstr(scene->failing_text, "n1:8041 (5 of the last 5, in applications of 1 user; "));
}

static void a_node_on_which_most_containers_fail_at_once_is_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    run_jobs(w, FAILING_LEAST, 3, FAILING_SOON_MS); /* not soon after the start */
    look(scene);
    assert_int_equal(scene->failing, 0);
    assert_string_equal(scene->failing_text, "");
    run_jobs(w, FAILING_ENDS - 3, 134, 1000);
    look(scene);
    assert_int_equal(scene->failing, 0);
    run_jobs(w, 1, 134, 1000);
    look(scene);
    assert_int_equal(scene->failing, 1);
    assert_non_null(
        strstr(scene->failing_text, "n1:8041 (8 of the last 10, in applications of 2 users; the last was "));
    assert_non_null(strstr(scene->failing_text, "_000001 with exit status 134"));
    run_jobs(w, 3, 0, 1000);
    look(scene);
    assert_int_equal(scene->failing, 0);
}

static void a_failing_node_is_forgotten_without_new_failures(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    run_jobs(w, FAILING_LEAST, 134, 0);
    look(scene);
    assert_int_equal(scene->failing, 1);
    for (int64_t passed = 0; passed <= FAILING_SHOWN_MS; passed += 60000) {
        harness_tick(&w->h, 60000);
        agent_heartbeat(&w->h, &w->a);
    }
    look(scene);
    assert_int_equal(scene->failing, 0);
    run_jobs(w, 1, 134, 0); /* the failures before do not count any more */
    look(scene);
    assert_int_equal(scene->failing, 0);
}

static void a_start_that_takes_long_is_named_until_it_runs(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_COMMAND, 1024, 1), "k", w->app, NULL);
    agent_listen(&w->h, &w->a);
    w->a.containers[0].state = CREEL__CONTAINER_STATE__CONTAINER_STARTING;
    for (int i = 0; i < 24; i++) {
        agent_heartbeat(&w->h, &w->a);
        look(scene);
        assert_int_equal(scene->starting, 0);
        harness_tick(&w->h, 5000);
    }
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->starting, 1);
    assert_non_null(strstr(scene->starting_text, "_01_000001 on n1:8041 for 2m"));
    harness_restart(&w->h); /* its age outlives a restart */
    agent_register(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->starting, 1);
    w->a.containers[0].state = CREEL__CONTAINER_STATE__CONTAINER_RUNNING;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->starting, 0);
    assert_string_equal(scene->starting_text, "");
}

static void certificates_that_expire_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.certificate_expires_ms = w->h.now + 2 * CERTIFICATE_WARN_MS;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expiring, 0);
    w->a.certificate_expires_ms = w->h.now + CERTIFICATE_WARN_MS / 2;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expiring, 1);
    assert_int_equal(scene->expired, 0);
    assert_non_null(strstr(scene->certificates_text, "n1:8041 expires on 20"));
    w->a.certificate_expires_ms = w->h.now - 1;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expired, 1);
    assert_non_null(strstr(scene->certificates_text, "n1:8041 expired on 20"));
    w->a.certificate_expires_ms = 0;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->expiring, 0);
}

static void agents_of_other_versions_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    look(scene);
    assert_int_equal(scene->versions, 0);
    w->b.version = "0.1.0";
    agent_register(&w->h, &w->b);
    look(scene);
    assert_int_equal(scene->versions, 1);
    assert_string_equal(scene->versions_text, "n2:8041 (0.1.0)");
}

/* Everybody's list of nodes has the report of a node: so it is short, and ends with a whole character. */
static void a_long_health_report_is_cut(void **state)
{
    char text[60001] = "x", *shown = NULL;

    (void)state;
    for (size_t i = 1; i + 2 < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa4", 3);
    assert_true(rm_text_set_brief(&shown, text));
    assert_false(rm_text_set_brief(&shown, text));
    assert_int_equal(strlen(shown), 1023 + 3);
    assert_string_equal(shown + 1021, "\xc3\xa4...");
    free(shown);
}

static void healthy_nodes_that_report_a_problem_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    look(scene);
    assert_int_equal(scene->reports, 0);
    w->a.health_report = "logs cannot be moved to shared storage: No space left on device";
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->reports, 1);
    assert_string_equal(scene->reports_text,
                        "n1:8041: logs cannot be moved to shared storage: No space left on device");
    w->a.unhealthy = true; /* another check has it */
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->reports, 0);
    w->a.unhealthy = false;
    w->a.health_report = NULL;
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->reports, 0);
}

#define WEB "creel-web at rm:8090"

static void certificates_of_creel_web_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.certificate_expires_ms = w->h.now + CERTIFICATE_WARN_MS / 2;
    agent_heartbeat(&w->h, &w->a);
    report(scene, "ann", WEB, w->h.now + 5000); /* who may not report */
    assert_int_equal(scene->expiring, 1);
    report(scene, "root", WEB, w->h.now + 5000);
    assert_int_equal(scene->expiring, 2);
    assert_non_null(strstr(scene->certificates_text, WEB " expires on "));
    assert_true(strstr(scene->certificates_text, WEB) < strstr(scene->certificates_text, "n1:8041"));
    report(scene, "root", WEB, w->h.now + 2 * CERTIFICATE_WARN_MS); /* it was replaced */
    assert_int_equal(scene->expiring, 1);
    report(scene, "root", WEB, w->h.now + 5000);
    w->h.now += 5000;
    look(scene);
    assert_int_equal(scene->expired, 1);
    assert_non_null(strstr(scene->certificates_text, WEB " expired on "));
    w->h.now += CERTIFICATES_REPORTED_MS;
    look(scene); /* there is no creel-web any more */
    assert_int_equal(scene->expired, 0);
    assert_null(strstr(scene->certificates_text, WEB));
}

static void problems_of_creel_web_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    report_problem(scene, "ann", WEB, 0, "a lie");
    assert_int_equal(scene->expired, 0);
    report_problem(scene, "root", WEB, 0, "creel.http.tls-key: /k: No such file or directory");
    assert_int_equal(scene->expired, 1); /* also without a certificate */
    assert_string_equal(scene->certificates_text, WEB ": creel.http.tls-key: /k: No such file or directory");
    report(scene, "root", WEB, 0);
    assert_int_equal(scene->expired, 0);
    assert_string_equal(scene->certificates_text, "");
    report_problem(scene, "root", WEB, 0, "again");
    w->h.now += CERTIFICATES_REPORTED_MS;
    look(scene); /* there is no creel-web any more */
    assert_int_equal(scene->expired, 0);
}

static void reported_certificates_have_a_limit(void **state)
{
    struct scene *scene = *state;
    char name[32];

    for (int i = 0; i < CERTIFICATES_REPORTED_MAX + 10; i++) {
        snprintf(name, sizeof(name), "creel-web at h%03d", i);
        report(scene, "root", name, scene->w.h.now + 1000 + i);
    }
    look(scene);
    assert_int_equal(scene->expiring, CERTIFICATES_REPORTED_MAX);
    assert_non_null(strstr(scene->certificates_text, "creel-web at h010 expires"));
    assert_non_null(strstr(scene->certificates_text, "; and 61 more"));
}

/* Nodes come and go from the lists of faults with each change. */
static void only_nodes_in_service_are_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->b.version = "0.1.0";
    w->b.certificate_expires_ms = w->h.now + 1000;
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
    look(scene);
    assert_int_equal(scene->versions, 1);
    assert_int_equal(scene->expiring, 1);
    for (int i = 0; i < 8; i++) { /* n2 is silent until it is lost */
        harness_tick(&w->h, w->h.config.node_expiry_ms / 4);
        agent_heartbeat(&w->h, &w->a);
    }
    look(scene);
    assert_int_equal(scene->versions, 0);
    assert_int_equal(scene->expiring, 0);
    w->b.version = NULL;
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
    look(scene);
    assert_int_equal(scene->versions, 0);
    assert_int_equal(scene->expired, 1);
    harness_restart(&w->h);
    look(scene);
    assert_int_equal(scene->expired, 0);
}

/* The agent may end before its first heartbeat: its registration has the number of its ends, too. */
static void an_agent_that_ends_again_and_again_is_named(void **state)
{
    struct scene *scene = *state;
    struct world *w = &scene->w;

    w->a.crashes = 2;
    agent_register(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->crashing, 0);
    w->a.crashes = 3;
    agent_register(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->crashing, 1);
    assert_string_equal(scene->crashing_text, "n1:8041 (3 times in the last hour)");
    harness_restart(&w->h);
    agent_register(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->crashing, 1);
    w->a.crashes = 1; /* an hour has passed */
    agent_heartbeat(&w->h, &w->a);
    look(scene);
    assert_int_equal(scene->crashing, 0);
    assert_string_equal(scene->crashing_text, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_container_that_does_not_end_is_named_until_it_has_ended),
        TEST(a_container_that_does_not_end_on_a_node_that_was_lost_is_named_too),
        TEST(a_node_on_which_most_containers_fail_at_once_is_named),
        TEST(failed_jobs_of_one_user_make_no_node_failing),
        TEST(a_failed_array_and_a_failed_job_make_no_node_failing),
        TEST(starts_that_fail_by_a_fault_of_the_node_make_it_failing),
        TEST(a_failing_node_is_forgotten_without_new_failures),
        TEST(a_start_that_takes_long_is_named_until_it_runs),
        TEST(a_long_health_report_is_cut),
        TEST(certificates_that_expire_are_named),
        TEST(an_agent_that_ends_again_and_again_is_named),
        TEST(agents_of_other_versions_are_named),
        TEST(certificates_of_creel_web_are_named),
        TEST(problems_of_creel_web_are_named),
        TEST(reported_certificates_have_a_limit),
        TEST(only_nodes_in_service_are_named),
        TEST(healthy_nodes_that_report_a_problem_are_named),
    };

    return cmocka_run_group_tests_name("master_node_faults", tests, NULL, NULL);
}
