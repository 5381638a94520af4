/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_trust.c - test: what peers must not do: read other users' data, act for an ended attempt, exhaust
 * the RM's bounds
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND
#define MASTER CREEL__APP_KIND__APP_MASTER
#define CODE(name) CREEL__ERROR_CODE__ERROR_##name

static void with_access_lists(struct master_config *config)
{
    config->acl_enable = true;
}

static char *text(const char *from)
{
    return (char *)(uintptr_t)from;
}

/* --- data of other users ------------------------------------------------------ */

/* Ann's application runs one container, after a failed attempt with diagnostics. */
static void run_ann(struct world *w)
{
    Creel__JobSpec *job = job_of(MASTER, 512, 0);
    struct fake_am am;

    world_begin(w, with_access_lists);
    people_submit(&w->h, job, "", w->app, NULL);
    agent_heartbeat(&w->h, &w->a);
    am_init(&am, w->app, 1);
    am_register(&w->h, &am);
}

static const Creel__Envelope *list_containers(struct world *w, const char *user, const char *as, int what)
{
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_CONTAINERS);

    body.app_id = text(what == 0 ? w->app : "");
    body.container_id = text(what == 1 ? "0001_01_000001" : "");
    body.node_id = text(what == 2 ? "n1" : "");
    envelope->list_containers = &body;
    envelope->as_user = text(as);
    return harness_ask(&w->h, MASTER_CLIENT, 5, user, envelope);
}

static void others_do_not_see_containers(void **state)
{
    static const struct {
        const char *user, *as;
        bool may;
    } cases[] = {
        { "ann", "", true },  { "admin", "", true },    { "gate", "ann", true },
        { "bob", "", false }, { "gate", "bob", false }, { "gate", "", false },
    };
    struct world w;

    (void)state;
    run_ann(&w);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int what = 0; what < 4; what++) {
            const Creel__Envelope *reply = list_containers(&w, cases[i].user, cases[i].as, what);

            if (cases[i].may)
                assert_int_equal(reply->container_list->n_containers, 1);
            else if (what < 2)
                assert_int_equal(reply->error->code, CODE(NOT_PERMITTED));
            else
                assert_int_equal(reply->container_list->n_containers, 0);
        }
    assert_int_equal(list_containers(&w, "bob", "ann", 0)->error->code, CODE(NOT_PERMITTED));
    world_end(&w);
}

static const Creel__AppReport *show(struct world *w, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__Envelope *reply;

    envelope->list_apps = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 5, user, envelope);
    assert_int_equal(reply->app_list->n_apps, 1);
    return reply->app_list->apps[0];
}

static void others_see_that_it_is_there_and_no_more(void **state)
{
    const Creel__AppReport *report;
    struct world w;

    (void)state;
    run_ann(&w);
    agent_exit(&w.a, w.a.containers[0].id, 3);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    agent_exit(&w.a, w.a.containers[1].id, 3);
    agent_heartbeat(&w.h, &w.a);
    report = show(&w, "ann");
    assert_int_equal(report->state, CREEL__APP_STATE__APP_FAILED);
    assert_int_not_equal(report->diagnostics[0], '\0');
    assert_int_equal(report->n_command, 1);
    assert_int_not_equal(report->master_node_id[0], '\0');
    report = show(&w, "bob");
    assert_int_equal(report->state, CREEL__APP_STATE__APP_FAILED);
    assert_string_equal(report->user, "ann");
    assert_string_equal(report->diagnostics, "");
    assert_int_equal(report->n_command, 0);
    assert_string_equal(report->master_node_id, "");
    assert_string_equal(report->master_container_id, "");
    world_end(&w);
}

static void a_submission_key_is_its_users_own(void **state)
{
    Creel__SubmitApp body = CREEL__SUBMIT_APP__INIT;
    Creel__Envelope *envelope;
    const Creel__Envelope *reply;
    struct world w;

    (void)state;
    world_begin(&w, with_access_lists);
    people_submit(&w.h, job_of(COMMAND, 128, 0), "key", w.app, NULL);
    for (int i = 0; i < 2; i++) { /* the second request repeats the first */
        envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_SUBMIT_APP);
        body.job = job_of(COMMAND, 128, 0);
        body.submission_key = text("key");
        envelope->submit_app = &body;
        reply = harness_ask(&w.h, MASTER_CLIENT, 6, "bob", envelope);
        assert_string_equal(reply->submit_app_reply->app_id, "application_1700000000000_0002");
    }
    world_end(&w);
}

/* --- ended attempts ----------------------------------------------------------- */

/* The AM of an ended attempt runs on for a while on a lost node: its final report must not end the new
 * attempt. */
static void step_of_a_finished_attempt_ends_no_container(void **state)
{
    const Creel__AllocateReply *reply;
    struct fake_am old, fresh;
    struct world w;
    char id[80];

    (void)state;
    world_begin(&w, NULL);
    people_submit(&w.h, job_of(COMMAND, 512, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    am_init(&old, w.app, 1);
    am_register(&w.h, &old);
    harness_tick(&w.h, 9000);
    agent_register(&w.h, &w.b);
    harness_tick(&w.h, 2000); /* the first node is lost */
    agent_heartbeat(&w.h, &w.b);
    agent_heartbeat(&w.h, &w.b);
    am_init(&fresh, w.app, 2);
    assert_int_equal(am_register(&w.h, &fresh)->body_case, CREEL__ENVELOPE__BODY_REGISTER_AM_REPLY);
    reply = am_allocate(&w.h, &fresh, 1, 128, NULL);
    assert_int_equal(reply->n_allocated, 1);
    snprintf(id, sizeof(id), "%s", reply->allocated[0]->container_id);
    agent_start(&w.b, id, &reply->allocated[0]->token);
    agent_heartbeat(&w.h, &w.b);
    am_finish(&w.h, &old, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    agent_listen(&w.h, &w.b);
    agent_heartbeat(&w.h, &w.b);
    assert_int_equal(agent_find(&w.b, id)->state, CREEL__CONTAINER_STATE__CONTAINER_RUNNING);
    am_finish(&w.h, &fresh, CREEL__FINAL_STATUS__FINAL_SUCCEEDED, 0);
    agent_heartbeat(&w.h, &w.b);
    assert_int_equal(agent_find(&w.b, id)->state, CREEL__CONTAINER_STATE__CONTAINER_COMPLETE);
    world_end(&w);
}

/* --- tokens -------------------------------------------------------------------- */

static uint8_t key_in_use; /* last byte of the tokens of this test */

static ProtobufCBinaryData sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                const char *node_id, const ProtobufCMessage *payload)
{
    ProtobufCBinaryData data;

    (void)context;
    (void)kind;
    (void)node_id;
    (void)payload;
    data.len = 1;
    data.data = arena_dup(arena, &key_in_use, 1);
    return data;
}

/* Two keys are valid at a time: an AM that runs for days needs tokens with the current key. */
static void masters_get_new_tokens_with_each_key(void **state)
{
    const Creel__RegisterAmReply *registered;
    const Creel__AllocateReply *reply;
    struct fake_am am;
    struct world w;

    (void)state;
    harness_init(&w.h);
    w.h.config.sign = sign;
    harness_start(&w.h);
    agent_init(&w.a, "n1:8041", 4096, 4);
    agent_init(&w.b, "n2:8041", 4096, 4);
    agent_register(&w.h, &w.a);
    people_submit(&w.h, job_of(MASTER, 512, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    am_init(&am, w.app, 1);
    for (key_in_use = 1; key_in_use <= 3; key_in_use++) {
        if (key_in_use > 1) {
            master_keys_changed(w.h.master);
            assert_int_equal(am_allocate(&w.h, &am, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_RESYNC);
        }
        registered = am_register(&w.h, &am)->register_am_reply;
        assert_int_equal(registered->n_running, key_in_use > 1 ? 1 : 0);
        if (key_in_use > 1) {
            assert_int_equal(registered->running[0]->token.data[0], key_in_use);
            assert_int_equal(am_allocate(&w.h, &am, -1, 0, NULL)->action, CREEL__AM_ACTION__AM_NORMAL);
            continue;
        }
        reply = am_allocate(&w.h, &am, 1, 128, NULL);
        assert_int_equal(reply->allocated[0]->token.data[0], 1);
    }
    world_end(&w);
}

/* --- bounds on requests --------------------------------------------------------- */

/* An agent that reports ever more unknown containers uses a bounded amount of memory. */
static void made_up_containers_are_not_all_remembered(void **state)
{
    enum { EACH = 20000 };
    Creel__ContainerStatus *statuses = mem_array0(EACH, sizeof(*statuses));
    Creel__ContainerStatus **list = mem_array0(EACH, sizeof(*list));
    char(*ids)[64] = mem_array0(EACH, sizeof(*ids));
    size_t before = 0, after;
    struct world w;

    (void)state;
    world_begin(&w, NULL);
    for (unsigned round = 0; round < 11; round++) {
        Creel__Envelope *envelope = harness_envelope(&w.h, CREEL__ENVELOPE__BODY_HEARTBEAT);
        Creel__Heartbeat beat = CREEL__HEARTBEAT__INIT;

        for (unsigned i = 0; i < EACH; i++) {
            creel__container_status__init(&statuses[i]);
            snprintf(ids[i], sizeof(ids[i]), "container_1700000000000_%04u_01_000001",
                     10000 + round * EACH + i);
            statuses[i].container_id = ids[i];
            statuses[i].state = i % 2 ? CREEL__CONTAINER_STATE__CONTAINER_RUNNING
                                      : CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
            list[i] = &statuses[i];
        }
        beat.node_id = w.a.node_id;
        beat.session = w.a.session;
        beat.seq = ++w.a.seq;
        beat.containers = list;
        beat.n_containers = EACH;
        envelope->heartbeat = &beat;
        assert_int_equal(harness_ask(&w.h, MASTER_AGENT, w.a.connection, w.a.principal, envelope)->body_case,
                         CREEL__ENVELOPE__BODY_HEARTBEAT_REPLY);
        harness_forget(&w.h);
        if (round == 0)
            before = mallinfo2().uordblks;
    }
    after = mallinfo2().uordblks;
    assert_true(after < before + ((size_t)4 << 20));
    world_end(&w);
    free(statuses);
    free(list);
    free(ids);
}

/* --- keys of application masters ------------------------------------------------- */

static const char *attempt_key(void *context, const char *attempt_id)
{
    (void)context;
    return strstr(attempt_id, "_000001") != NULL ? "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
                                                 : "llllllllllllllllllllllllllllllllllllllll";
}

static void with_keys(struct master_config *config)
{
    config->attempt_key = attempt_key;
}

/* Returns how many messages announced the key of letters LETTER to agent A, and drops all messages. */
static int announcements(struct world *w, const struct fake_agent *a, char letter)
{
    int count = 0;

    for (size_t i = 0; i < w->h.sent_count; i++) {
        const struct sent *sent = &w->h.sent[i];

        if (sent->channel != MASTER_AGENT || sent->connection != a->connection ||
            sent->envelope->body_case != CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY)
            continue;
        assert_int_equal(sent->envelope->request_id, 0);
        assert_int_equal(sent->envelope->find_keys_reply->n_known_keys, 1);
        count += sent->envelope->find_keys_reply->known_keys[0][0] == letter;
    }
    harness_forget(&w->h);
    return count;
}

static void agent_gets_the_key_of_an_attempt_with_its_first_allocation(void **state)
{
    struct fake_am am;
    struct world w;

    (void)state;
    world_begin(&w, with_keys);
    people_submit(&w.h, job_of(MASTER, 512, 0), "", w.app, NULL);
    agent_heartbeat(&w.h, &w.a);
    am_init(&am, w.app, 1);
    am_register(&w.h, &am);
    assert_int_equal(announcements(&w, &w.a, 'k'), 0); /* the container of the AM needs no key */
    am_allocate(&w.h, &am, 1, 256, NULL);
    am_allocate(&w.h, &am, -1, 256, NULL);
    assert_int_equal(announcements(&w, &w.a, 'k'), 1);
    am_allocate(&w.h, &am, 1, 256, NULL);
    am_allocate(&w.h, &am, -1, 256, NULL);
    assert_int_equal(announcements(&w, &w.a, 'k'), 0);
    agent_exit(&w.a, w.a.containers[0].id, 3);
    agent_heartbeat(&w.h, &w.a);
    agent_heartbeat(&w.h, &w.a);
    am_init(&am, w.app, 2);
    am_register(&w.h, &am);
    am_allocate(&w.h, &am, 1, 256, NULL);
    am_allocate(&w.h, &am, -1, 256, NULL);
    assert_int_equal(announcements(&w, &w.a, 'l'), 1);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_do_not_see_containers),
        cmocka_unit_test(others_see_that_it_is_there_and_no_more),
        cmocka_unit_test(a_submission_key_is_its_users_own),
        cmocka_unit_test(step_of_a_finished_attempt_ends_no_container),
        cmocka_unit_test(masters_get_new_tokens_with_each_key),
        cmocka_unit_test(made_up_containers_are_not_all_remembered),
        cmocka_unit_test(agent_gets_the_key_of_an_attempt_with_its_first_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
