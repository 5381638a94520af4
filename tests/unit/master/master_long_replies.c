/* SPDX-License-Identifier: Apache-2.0 */
/* master_long_replies.c - test: lists of nodes that are longer than a message come in pages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define NODES 3000u
#define MESSAGE_MAX (((size_t)1 << 20) + 65536)
#define CONNECTION 8000

struct scene {
    struct harness h;
    struct fake_agent agents[NODES];
    char *names[NODES];
    char reason[600];
};

static int set_up(void **state)
{
    static struct scene scene;

    memset(&scene, 0, sizeof(scene));
    harness_init(&scene.h);
    harness_start(&scene.h);
    for (unsigned i = 0; i < NODES; i++) {
        char name[32];

        snprintf(name, sizeof(name), "n%u:8041", 10000 + i);
        agent_init(&scene.agents[i], name, 1024, 1);
        agent_register(&scene.h, &scene.agents[i]);
        scene.names[i] = scene.agents[i].node_id;
        harness_forget(&scene.h);
    }
    memset(scene.reason, 'r', sizeof(scene.reason) - 1);
    *state = &scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *s = *state;

    for (unsigned i = 0; i < NODES; i++)
        agent_done(&s->agents[i]);
    harness_done(&s->h);
    return 0;
}

static const Creel__NodeList *list_of(const Creel__Envelope *reply)
{
    assert_non_null(reply);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_NODE_LIST);
    assert_in_range(creel__envelope__get_packed_size(reply), 1, MESSAGE_MAX);
    return reply->node_list;
}

/* Drains the nodes from FIRST on. */
static const Creel__NodeList *drain(struct scene *s, size_t first)
{
    Creel__Envelope *envelope = harness_envelope(&s->h, CREEL__ENVELOPE__BODY_CHANGE_NODES);
    Creel__ChangeNodes body = CREEL__CHANGE_NODES__INIT;

    body.nodes = s->names + first;
    body.n_nodes = NODES - first;
    body.change = CREEL__NODE_CHANGE__NODE_DRAIN;
    body.reason = s->reason;
    envelope->change_nodes = &body;
    return list_of(harness_ask(&s->h, MASTER_ADMIN, CONNECTION, "root", envelope));
}

static const Creel__NodeList *wait_for(struct scene *s, const char *after)
{
    Creel__Envelope *envelope = harness_envelope(&s->h, CREEL__ENVELOPE__BODY_WAIT_NODES);
    Creel__WaitNodes body = CREEL__WAIT_NODES__INIT;

    body.after = (char *)(uintptr_t)after;
    envelope->wait_nodes = &body;
    return list_of(harness_ask(&s->h, MASTER_CLIENT, CONNECTION, "root", envelope));
}

static void all_nodes_are_drained_and_listed(void **state)
{
    struct scene *s = *state;
    const Creel__NodeList *list = drain(s, 0);
    size_t listed = list->n_nodes;
    unsigned pages = 1;

    assert_in_range(listed, 1, NODES - 1);
    assert_string_equal(list->next, s->names[listed - 1]);
    for (; list->next[0] != '\0'; pages++) {
        list = drain(s, listed);
        for (size_t i = 0; i < list->n_nodes; i++)
            assert_string_equal(list->nodes[i]->node_id, s->names[listed + i]);
        listed += list->n_nodes;
    }
    assert_int_equal(listed, NODES);
    assert_in_range(pages, 2, 5);
    listed = 0;
    list = wait_for(s, "");
    for (;;) { /* the same nodes, in order of id */
        char next[80];

        for (size_t i = 0; i < list->n_nodes; i++) {
            assert_string_equal(list->nodes[i]->node_id, s->names[listed++]);
            assert_int_equal(list->nodes[i]->state, CREEL__NODE_STATE__NODE_DRAINED);
        }
        if (list->next[0] == '\0')
            break;
        snprintf(next, sizeof(next), "%s", list->next);
        list = wait_for(s, next);
    }
    assert_int_equal(listed, NODES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_nodes_are_drained_and_listed, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
