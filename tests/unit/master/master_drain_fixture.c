/* SPDX-License-Identifier: Apache-2.0 */
/* master_drain_fixture.c - fixture: a resource manager's core with two nodes that an administrator drains
 * and resizes */
#include "tests/unit/master/master_drain_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Starts one node with COUNT tasks of a running application, then registers a second node. */
void begin(struct world *w, int count)
{
    const Creel__AllocateReply *reply;

    harness_init(&w->h);
    harness_start(&w->h);
    agent_init(&w->a, "n1:8041", 4096, 8);
    agent_init(&w->b, "n2:8041", 4096, 8);
    agent_register(&w->h, &w->a);
    if (count >= 0) {
        people_submit(&w->h, job_of(CREEL__APP_KIND__APP_MASTER, 256, 0), "", w->app, NULL);
        agent_heartbeat(&w->h, &w->a);
        am_init(&w->am, w->app, 1);
        am_register(&w->h, &w->am);
        reply = am_allocate(&w->h, &w->am, count, 256, NULL);
        assert_int_equal(reply->n_allocated, count);
        for (int i = 0; i < count; i++) {
            snprintf(w->tasks[i], sizeof(w->tasks[i]), "%s", reply->allocated[i]->container_id);
            agent_start(&w->a, w->tasks[i], &reply->allocated[i]->token);
        }
        agent_heartbeat(&w->h, &w->a);
    }
    agent_register(&w->h, &w->b);
    agent_heartbeat(&w->h, &w->b);
}

void end(struct world *w)
{
    agent_done(&w->a);
    agent_done(&w->b);
    harness_done(&w->h);
}

void beat(struct world *w)
{
    agent_heartbeat(&w->h, &w->a);
    agent_heartbeat(&w->h, &w->a);
}

/* Advances the clock by SECONDS; both agents send a heartbeat each second. */
void pass(struct world *w, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        harness_tick(&w->h, 1000);
        agent_heartbeat(&w->h, &w->a);
        agent_heartbeat(&w->h, &w->b);
    }
}

const Creel__Envelope *change(struct world *w, const char *user, const char *name, Creel__NodeChange what,
                              const char *reason, int64_t timeout_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_CHANGE_NODES);
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;
    char *names[] = { (char *)(uintptr_t)name };

    body.nodes = names;
    body.n_nodes = 1;
    body.change = what;
    body.reason = (char *)(uintptr_t)reason;
    body.kill_now = timeout_ms == NOW;
    body.deadline_given = timeout_ms >= FOREVER;
    body.timeout_ms = timeout_ms >= FOREVER ? timeout_ms : 0;
    envelope->change_nodes = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, user, envelope);
}

const Creel__NodeReport *done(const Creel__Envelope *reply)
{
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        fail_msg("refused: %s", reply->error->message);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_NODE_LIST);
    return reply->node_list->nodes[0];
}

void refused(const Creel__Envelope *reply, Creel__ErrorCode code, const char *part)
{
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, code);
    if (strstr(reply->error->message, part) == NULL)
        fail_msg("no \"%s\" in \"%s\"", part, reply->error->message);
}

const Creel__NodeReport *show(struct world *w, const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_NODES);
    Creel__ListNodes body = CREEL__LIST_NODES__INIT;

    body.node_id = (char *)(uintptr_t)id;
    envelope->list_nodes = &body;
    return done(harness_ask(&w->h, MASTER_CLIENT, 1000, "ann", envelope));
}

const Creel__Envelope *resize(struct world *w, int64_t memory_mb, int64_t for_ms, int64_t overcommit_ms)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_NODE_RESOURCES);
    Creel__SetNodeResources body = CREEL__SET_NODE_RESOURCES__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    char *names[] = { (char *)(uintptr_t) "n1" };

    body.nodes = names;
    body.n_nodes = 1;
    total.memory_mb = memory_mb;
    body.total = memory_mb ? &total : NULL;
    body.for_ms = for_ms;
    body.overcommit_ms = overcommit_ms;
    envelope->set_node_resources = &body;
    return harness_ask(&w->h, MASTER_CLIENT, 1000, "admin", envelope);
}

int status_of(struct world *w, int task)
{
    struct fake_container *container = agent_find(&w->a, w->tasks[task]);

    return container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE ? container->exit_status : 0;
}
