/* SPDX-License-Identifier: Apache-2.0 */
/* master_long_ids.c - test: log levels and accepted nodes that are longer than a message come in pages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define NODES 5000u
#define ID_SIZE 250
#define MESSAGE_MAX (((size_t)1 << 20) + 65536)
#define AGENTS 10 /* connection of the first agent */
#define ADMIN 9000

struct scene {
    struct harness h;
    enum master_seen verdict; /* on the history of each agent */
    char ids[NODES][ID_SIZE], *names[NODES];
};

static uint8_t store_id[16] = "store", start_id[16] = "start";

static void history(void *context, Creel__History *ret)
{
    (void)context;
    creel__history__init(ret);
    ret->store_id = (ProtobufCBinaryData){ sizeof(store_id), store_id };
    ret->start_id = (ProtobufCBinaryData){ sizeof(start_id), start_id };
    ret->commit = 5;
}

static enum master_seen judge(void *context, const Creel__History *seen)
{
    struct scene *s = context;

    (void)seen;
    return s->verdict;
}

static void register_node(struct scene *s, unsigned i)
{
    Creel__Envelope *envelope = harness_envelope(&s->h, CREEL__ENVELOPE__BODY_REGISTER_NODE);
    Creel__RegisterNode body = CREEL__REGISTER_NODE__INIT;
    Creel__Resource total = CREEL__RESOURCE__INIT;
    Creel__History seen;

    history(NULL, &seen);
    total.memory_mb = 1024;
    total.vcores = 1;
    body.node_id = s->names[i];
    body.total = &total;
    body.incarnation = 1;
    body.history = &seen;
    envelope->register_node = &body;
    assert_non_null(harness_ask(&s->h, MASTER_AGENT, AGENTS + i, s->names[i], envelope));
    harness_forget(&s->h);
}

/* Starts a resource manager. All nodes register; VERDICT is that on their histories. */
static struct scene *begin(enum master_seen verdict)
{
    static struct scene scene;

    memset(&scene, 0, sizeof(scene));
    scene.verdict = verdict;
    harness_init(&scene.h);
    scene.h.config.history = history;
    scene.h.config.judge_history = judge;
    scene.h.config.context = &scene;
    harness_start(&scene.h);
    for (unsigned i = 0; i < NODES; i++) {
        memset(scene.ids[i], 'x', ID_SIZE - 10);
        snprintf(scene.ids[i] + ID_SIZE - 10, 10, "%04u:8041", i);
        scene.names[i] = scene.ids[i];
        register_node(&scene, i);
    }
    return &scene;
}

static const Creel__Envelope *ask(struct scene *s, Creel__Envelope *envelope)
{
    const Creel__Envelope *reply = harness_ask(&s->h, MASTER_ADMIN, ADMIN, "root", envelope);

    assert_non_null(reply);
    assert_in_range(creel__envelope__get_packed_size(reply), 1, MESSAGE_MAX);
    return reply;
}

/* --- log levels ------------------------------------------------------------------ */

static const Creel__LogLevels *levels(struct scene *s, Creel__SetLogLevel *body)
{
    Creel__Envelope *envelope = harness_envelope(&s->h, CREEL__ENVELOPE__BODY_SET_LOG_LEVEL);

    envelope->set_log_level = body;
    return ask(s, envelope)->log_levels;
}

static void log_levels_of_all_nodes_come_in_pages(void **state)
{
    struct scene *s = begin(MASTER_SEEN_OURS);
    Creel__SetLogLevel body = CREEL__SET_LOG_LEVEL__INIT;
    const Creel__LogLevels *list;
    unsigned pages = 0;
    size_t listed = 0;

    (void)state;
    master_log_level_is(s->h.master, CREEL__LOG_LEVEL__LOG_LEVEL_INFO);
    do {
        list = levels(s, &body);
        assert_int_equal(list->rm,
                         pages == 0 ? CREEL__LOG_LEVEL__LOG_LEVEL_INFO : CREEL__LOG_LEVEL__LOG_LEVEL_UNKNOWN);
        for (size_t i = 0; i < list->n_nodes; i++)
            assert_string_equal(list->nodes[i]->node_id, s->names[listed++]);
        if (*list->next != '\0')
            assert_string_equal(list->next, s->names[listed - 1]);
        body.after = list->next;
        pages++;
    } while (*list->next != '\0');
    assert_int_equal(listed, NODES);
    assert_int_equal(pages, 2);
    harness_done(&s->h);
}

static void named_nodes_that_do_not_fit_are_named_again(void **state)
{
    struct scene *s = begin(MASTER_SEEN_OURS);
    Creel__SetLogLevel body = CREEL__SET_LOG_LEVEL__INIT;
    const Creel__LogLevels *list;
    size_t listed;

    (void)state;
    body.nodes = s->names;
    body.n_nodes = NODES;
    list = levels(s, &body);
    listed = list->n_nodes;
    assert_in_range(listed, 1, NODES - 1);
    assert_string_not_equal(list->next, "");
    body.nodes += listed;
    body.n_nodes -= listed;
    list = levels(s, &body);
    assert_string_equal(list->nodes[0]->node_id, s->names[listed]);
    assert_int_equal(list->n_nodes, NODES - listed);
    assert_string_equal(list->next, "");
    harness_done(&s->h);
}

/* --- accepted nodes -------------------------------------------------------------- */

static const Creel__Envelope *accept_page(struct scene *s, const char *after, uint32_t number)
{
    Creel__Envelope *envelope = harness_envelope(&s->h, CREEL__ENVELOPE__BODY_ACCEPT_STATE);
    Creel__AcceptState body = CREEL__ACCEPT_STATE__INIT;

    body.after = (char *)(uintptr_t)after;
    body.number = number;
    envelope->accept_state = &body;
    return ask(s, envelope);
}

/* Does what the daemon does for AcceptState. Returns the first page. */
static const Creel__AcceptStateReply *accept_all(struct scene *s)
{
    const struct master_reload asked = {
        .channel = MASTER_ADMIN, .connection = ADMIN, .request_id = 77, .user = "root"
    };
    const Creel__Envelope *reply;

    master_accepted(s->h.master, s->h.now, &asked, 1, 0, NULL, &s->h.effects);
    harness_run_effects(&s->h);
    reply = harness_find_reply(&s->h, ADMIN, 77);
    assert_non_null(reply);
    assert_in_range(creel__envelope__get_packed_size(reply), 1, MESSAGE_MAX);
    return reply->accept_state_reply;
}

static void accepted_nodes_come_in_pages_also_after_they_registered(void **state)
{
    struct scene *s = begin(MASTER_SEEN_NEWER);
    const Creel__AcceptStateReply *reply = accept_all(s);
    size_t listed = reply->n_nodes;
    uint32_t number = reply->number;
    char after[ID_SIZE];

    (void)state;
    assert_in_range(listed, 1, NODES - 1);
    assert_string_equal(reply->next, s->names[listed - 1]);
    snprintf(after, sizeof(after), "%s", reply->next);
    s->verdict = MASTER_SEEN_ACCEPTED;
    for (unsigned i = 0; i < NODES; i++)
        register_node(s, i);
    reply = accept_page(s, after, number)->accept_state_reply;
    assert_int_equal(reply->n_nodes, NODES - listed);
    for (size_t i = 0; i < reply->n_nodes; i++)
        assert_string_equal(reply->nodes[i], s->names[listed + i]);
    assert_string_equal(reply->next, "");
    harness_done(&s->h);
}

static void a_page_of_an_unknown_acceptance_is_refused(void **state)
{
    struct scene *s = begin(MASTER_SEEN_NEWER);
    const Creel__Envelope *reply = accept_page(s, "a", 1);

    (void)state;
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_STATE);
    harness_done(&s->h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_levels_of_all_nodes_come_in_pages),
        cmocka_unit_test(named_nodes_that_do_not_fit_are_named_again),
        cmocka_unit_test(accepted_nodes_come_in_pages_also_after_they_registered),
        cmocka_unit_test(a_page_of_an_unknown_acceptance_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
