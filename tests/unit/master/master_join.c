/* SPDX-License-Identifier: Apache-2.0 */
/* master_join.c - test: join tokens, and hosts that join with them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_harness.h"

#define PEOPLE 1000
#define HOUR_MS 3600000
#define ID "0a1b2c3d"
#define TOKEN_KEY "tttttttttttttttttttttttttttttttttttttttt"
#define HOST_KEY "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"
#define OTHER_KEY "oooooooooooooooooooooooooooooooooooooooo"

static struct harness h;

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

static int setup(void **state)
{
    harness_init(&h);
    h.config.admin_users = "admin";
    harness_start(&h);
    *state = &h;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    harness_done(&h);
    return 0;
}

static const Creel__Envelope *create(const char *user, const char *id, const char *key, uint32_t uses)
{
    Creel__Envelope *envelope = harness_envelope(&h, CREEL__ENVELOPE__BODY_CREATE_JOIN_TOKEN);
    Creel__CreateJoinToken body = CREEL__CREATE_JOIN_TOKEN__INIT;

    body.id = text(id);
    body.public_key = text(key);
    body.uses = uses;
    body.valid_ms = HOUR_MS;
    envelope->create_join_token = &body;
    return harness_ask(&h, MASTER_CLIENT, PEOPLE, user, envelope);
}

static const Creel__JoinList *revoke(const char *name)
{
    Creel__Envelope *envelope = harness_envelope(&h, CREEL__ENVELOPE__BODY_REVOKE_JOIN);
    Creel__RevokeJoin body = CREEL__REVOKE_JOIN__INIT;
    const Creel__Envelope *reply;

    body.name = text(name);
    envelope->revoke_join = &body;
    reply = harness_ask(&h, MASTER_CLIENT, PEOPLE, "admin", envelope);
    return reply->body_case == CREEL__ENVELOPE__BODY_JOIN_LIST ? reply->join_list : NULL;
}

static const Creel__JoinList *list(void)
{
    Creel__Envelope *envelope = harness_envelope(&h, CREEL__ENVELOPE__BODY_LIST_JOIN_TOKENS);
    Creel__ListJoinTokens body = CREEL__LIST_JOIN_TOKENS__INIT;

    envelope->list_join_tokens = &body;
    return harness_ask(&h, MASTER_CLIENT, PEOPLE, "admin", envelope)->join_list;
}

/* Returns 0 if HOST has joined; else the code of the refusal. */
static Creel__ErrorCode join(const char *id, const char *host, const char *key)
{
    Creel__Envelope *envelope = harness_envelope(&h, CREEL__ENVELOPE__BODY_JOIN_NODE);
    const struct master_peer peer = { MASTER_CLIENT, PEOPLE, id, NULL };
    Creel__JoinNode body = CREEL__JOIN_NODE__INIT;
    const Creel__Envelope *reply;

    body.host = text(host);
    body.public_key = text(key);
    envelope->join_node = &body;
    master_on_join(h.master, h.now, &peer, envelope, &h.effects);
    harness_run_effects(&h);
    reply = harness_find_reply(&h, PEOPLE, envelope->request_id);
    free(envelope);
    assert_non_null(reply);
    if (reply->body_case == CREEL__ENVELOPE__BODY_OK)
        return CREEL__ERROR_CODE__ERROR_UNKNOWN;
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    return reply->error->code;
}

static void test_a_host_joins_as_often_as_the_token_allows(void **state)
{
    (void)state;
    assert_int_equal(create("admin", ID, TOKEN_KEY, 1)->join_list->n_tokens, 1);
    assert_string_equal(master_join_token(h.master, TOKEN_KEY), ID);
    assert_null(master_joined_host(h.master, HOST_KEY));
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    assert_string_equal(master_joined_host(h.master, HOST_KEY), "n1");
    assert_true(master_has_joined(h.master, "n1"));
    assert_int_equal(join(ID, "n2", OTHER_KEY), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_null(master_joined_host(h.master, OTHER_KEY));
    assert_null(master_joined_host(h.master, TOKEN_KEY));
}

/* Returns the method of the identity of a peer with the token ID; "": it is refused. */
static const char *method_of(const char *id)
{
    Creel__Envelope *envelope = harness_envelope(&h, CREEL__ENVELOPE__BODY_GET_IDENTITY);
    const struct master_peer peer = { MASTER_CLIENT, PEOPLE, id, NULL };
    Creel__GetIdentity body = CREEL__GET_IDENTITY__INIT;
    const Creel__Envelope *reply;

    envelope->get_identity = &body;
    master_on_join(h.master, h.now, &peer, envelope, &h.effects);
    harness_run_effects(&h);
    reply = harness_find_reply(&h, PEOPLE, envelope->request_id);
    free(envelope);
    assert_non_null(reply);
    return reply->body_case == CREEL__ENVELOPE__BODY_IDENTITY ? reply->identity->method : "";
}

static void test_a_valid_token_has_an_identity_and_no_use_is_counted(void **state)
{
    (void)state;
    create("admin", ID, TOKEN_KEY, 1);
    assert_string_equal(method_of(ID), "join-token");
    assert_int_equal(list()->tokens[0]->used, 0);
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    assert_string_equal(method_of(ID), ""); /* it is used up */
}

static void test_a_repeated_request_uses_nothing_up(void **state)
{
    (void)state;
    create("admin", ID, TOKEN_KEY, 2);
    create("admin", ID, TOKEN_KEY, 2);
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    assert_int_equal(list()->n_tokens, 1);
    assert_int_equal(list()->tokens[0]->used, 1);
    assert_int_equal(list()->n_hosts, 1);
}

static void test_a_host_joins_once(void **state)
{
    (void)state;
    create("admin", ID, TOKEN_KEY, 5);
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    assert_int_equal(join(ID, "n1", OTHER_KEY), CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_int_equal(join(ID, "n2", HOST_KEY), CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_int_equal(join(ID, "n2", TOKEN_KEY), CREEL__ERROR_CODE__ERROR_BAD_STATE);
    assert_int_equal(join(ID, "a/b", OTHER_KEY), CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_int_equal(join(ID, "default", OTHER_KEY), CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_non_null(revoke("n1"));
    assert_false(master_has_joined(h.master, "n1"));
    assert_int_equal(join(ID, "n1", OTHER_KEY), 0);
}

static void test_a_token_expires(void **state)
{
    (void)state;
    create("admin", ID, TOKEN_KEY, 5);
    harness_tick(&h, HOUR_MS);
    assert_int_equal(join(ID, "n1", HOST_KEY), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_int_equal(list()->n_tokens, 1);
    harness_tick(&h, (int64_t)9 * 24 * HOUR_MS);
    create("admin", "11112222", OTHER_KEY, 5);
    assert_int_equal(list()->n_tokens, 1);
    assert_null(master_join_token(h.master, TOKEN_KEY));
}

static void test_a_revoked_token_is_refused(void **state)
{
    (void)state;
    create("admin", ID, TOKEN_KEY, 5);
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    assert_int_equal(revoke(ID)->n_tokens, 0);
    assert_null(revoke(ID));
    assert_int_equal(join(ID, "n2", OTHER_KEY), CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_string_equal(master_joined_host(h.master, HOST_KEY), "n1");
}

static void test_only_administrators_make_tokens(void **state)
{
    const Creel__Envelope *reply;

    (void)state;
    reply = create("ann", ID, TOKEN_KEY, 1);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_ERROR);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
    assert_null(master_join_token(h.master, TOKEN_KEY));
    reply = create("admin", "short", TOKEN_KEY, 1);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    create("admin", ID, TOKEN_KEY, 1);
    reply = create("admin", ID, OTHER_KEY, 1);
    assert_int_equal(reply->error->code, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
}

static void test_tokens_and_hosts_survive_a_restart(void **state)
{
    (void)state;
    create("admin", ID, TOKEN_KEY, 2);
    assert_int_equal(join(ID, "n1", HOST_KEY), 0);
    harness_restart(&h);
    assert_string_equal(master_join_token(h.master, TOKEN_KEY), ID);
    assert_string_equal(master_joined_host(h.master, HOST_KEY), "n1");
    assert_int_equal(list()->tokens[0]->used, 1);
    assert_string_equal(list()->tokens[0]->by, "admin");
    assert_int_equal(join(ID, "n2", OTHER_KEY), 0);
    assert_int_equal(join(ID, "n3", "pppppppppppppppppppppppppppppppppppppppp"),
                     CREEL__ERROR_CODE__ERROR_NOT_PERMITTED);
}

/* Set forward, it would end at once; set back, it would be valid for days. */
static void test_a_clock_that_was_set_between_two_runs_does_not_change_the_end_of_a_token(void **state)
{
    static const int64_t sets_ms[] = { 2 * 86400000, -2 * 86400000 };

    (void)state;
    create("admin", ID, TOKEN_KEY, 1);
    for (size_t i = 0; i < 2; i++) {
        int64_t end_ms = list()->tokens[0]->expires_ms + sets_ms[i];

        h.now += sets_ms[i];
        h.config.clock_set_ms = sets_ms[i];
        harness_restart(&h);
        h.config.clock_set_ms = 0;
        assert_int_equal(list()->tokens[0]->expires_ms, end_ms);
        harness_restart(&h); /* the move is stored */
        assert_int_equal(list()->tokens[0]->expires_ms, end_ms);
    }
    assert_string_equal(method_of(ID), "join-token");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_host_joins_as_often_as_the_token_allows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_valid_token_has_an_identity_and_no_use_is_counted, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_repeated_request_uses_nothing_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_host_joins_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_token_expires, setup, teardown),
        cmocka_unit_test_setup_teardown(
            test_a_clock_that_was_set_between_two_runs_does_not_change_the_end_of_a_token, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_revoked_token_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_only_administrators_make_tokens, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tokens_and_hosts_survive_a_restart, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
