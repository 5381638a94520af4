/* SPDX-License-Identifier: Apache-2.0 */
/* master_figures.c - test: usage of containers as agents report it and the RM stores and shows it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/record/container_totals.h"
#include "tests/unit/master/master_harness.h"

#define COMPLETE CREEL__CONTAINER_STATE__CONTAINER_COMPLETE

struct world {
    struct harness h;
    struct fake_agent a;
    struct fake_am am;
    char app[80];
};

/* Starts a job with TASKS tasks that run on the node and have been reported. */
static void begin_tasks(struct world *w, int tasks)
{
    const Creel__AllocateReply *reply;

    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_register(&w->h, &w->a);
    people_submit(&w->h, job_of(CREEL__APP_KIND__APP_TASKS, 256, (uint32_t)tasks), "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    am_init(&w->am, w->app, 1);
    am_register(&w->h, &w->am);
    reply = am_allocate(&w->h, &w->am, tasks, 256, NULL);
    assert_int_equal(reply->n_allocated, tasks);
    for (size_t i = 0; i < reply->n_allocated; i++)
        agent_start(&w->a, reply->allocated[i]->container_id, &reply->allocated[i]->token);
    agent_heartbeat(&w->h, &w->a);
}

static void end(struct world *w)
{
    agent_done(&w->a);
    harness_done(&w->h);
}

static char *id_of(struct world *w, size_t i)
{
    return w->a.containers[i].id;
}

static const Creel__ContainerReport *show_container(struct harness *h, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    const Creel__Envelope *reply;

    body.container_id = (char *)(uintptr_t)id;
    envelope->list_containers = &body;
    reply = harness_ask(h, MASTER_CLIENT, 1000, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_CONTAINER_LIST);
    return reply->container_list->containers[0];
}

/* Sends a heartbeat that contains only the usage of container ID. Its totals are MEMORY_BYTES, and more by
 * one from row to row. */
static void measure(struct world *w, char *id, uint64_t memory_bytes, uint32_t pids)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_HEARTBEAT);
    Creel__ContainerFigures figures = CREEL__CONTAINER_FIGURES__INIT, *list = &figures;
    Creel__Heartbeat body = CREEL__HEARTBEAT__INIT;
    uint64_t number = memory_bytes;

    figures.container_id = id;
    figures.memory_bytes = memory_bytes;
#define T(type, member, step) figures.member = number++;
    CONTAINER_FIGURES(T)
#undef T
    figures.pids = pids;
    body.node_id = w->a.node_id;
    body.session = w->a.session;
    body.seq = ++w->a.seq;
    body.figures = &list;
    body.n_figures = 1;
    envelope->heartbeat = &body;
    harness_ask(&w->h, MASTER_AGENT, w->a.connection, w->a.principal, envelope);
}

static void check_totals(const Creel__ContainerReport *shown, uint64_t number)
{
#define T(type, member, step) assert_int_equal(shown->member, number++);
    CONTAINER_FIGURES(T)
#undef T
}

static void container_report_has_current_and_peak_use(void **state)
{
    static char unknown[] = "container_1700000000000_0001_01_000777";
    const Creel__ContainerReport *shown;
    struct world w;

    (void)state;
    begin_tasks(&w, 2);
    measure(&w, id_of(&w, 1), 2000, 9);
    measure(&w, unknown, 9000, 1);
    measure(&w, id_of(&w, 1), 1000, 4); /* less than before */
    shown = show_container(&w.h, id_of(&w, 1));
    assert_int_equal(shown->memory_bytes, 1000);
    check_totals(shown, 2000);
    assert_int_equal(shown->pids, 4);
    assert_int_equal(shown->pids_peak, 9);
    assert_int_equal(shown->figures_ms, w.h.now);
    agent_exit(&w.a, id_of(&w, 1), 0);
    agent_heartbeat(&w.h, &w.a);
    measure(&w, id_of(&w, 1), 5000, 50); /* a late report */
    harness_restart(&w.h);
    shown = show_container(&w.h, id_of(&w, 1));
    assert_int_equal(shown->state, COMPLETE);
    assert_int_equal(shown->memory_bytes, 0);
    check_totals(shown, 2000);
    assert_int_equal(shown->pids, 0);
    assert_int_equal(shown->pids_peak, 9);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(container_report_has_current_and_peak_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
