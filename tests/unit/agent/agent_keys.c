/* SPDX-License-Identifier: Apache-2.0 */
/* agent_keys.c - test: the agent asks a fake RM for unknown public keys and admits only the keys found */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "nm-agent/net/peer_keys.h"

#define FIRST_REQUEST 1000
#define PATIENCE_MS 20000
#define LOOK_MS 10

struct stage {
    struct loop *loop;
    struct peer_keys *keys;
    bool away; /* requests cannot be sent */
    unsigned requests;
    uint64_t request_id; /* id of the newest request */
    char asked[PEER_KEYS_BATCH][KEY_TEXT];
    size_t asked_count;
    unsigned answers; /* number of calls of on_answered */
    char answered[KEY_TEXT];
    unsigned wanted; /* number of requests or answers at which the loop stops */
    const unsigned *counter;
    int64_t until_ms;
};

static bool send_request(void *context, Creel__Envelope *request)
{
    struct stage *stage = context;
    const Creel__FindKeys *body = request->find_keys;

    assert_int_equal(request->body_case, CREEL__ENVELOPE__BODY_FIND_KEYS);
    assert_in_range(body->n_public_keys, 1, PEER_KEYS_BATCH);
    stage->requests++;
    stage->request_id = request->request_id;
    stage->asked_count = body->n_public_keys;
    for (size_t i = 0; i < body->n_public_keys; i++)
        snprintf(stage->asked[i], KEY_TEXT, "%s", body->public_keys[i]);
    return !stage->away;
}

static void on_answered(void *context, const char *public_text)
{
    struct stage *stage = context;

    stage->answers++;
    snprintf(stage->answered, KEY_TEXT, "%s", public_text);
}

static int set_up(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    assert_int_equal(loop_new(&stage->loop, NULL), 0);
    stage->keys = peer_keys_new(stage->loop, FIRST_REQUEST, send_request, on_answered, stage);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;

    peer_keys_free(stage->keys);
    loop_free(stage->loop);
    free(stage);
    return 0;
}

static void check_counter(void *context)
{
    struct stage *stage = context;

    if (*stage->counter >= stage->wanted || loop_monotonic_ms() > stage->until_ms)
        loop_stop(stage->loop);
    else
        loop_add_timer(stage->loop, LOOK_MS, check_counter, stage);
}

static void wait_for(struct stage *stage, const unsigned *counter, unsigned wanted)
{
    stage->counter = counter;
    stage->wanted = wanted;
    stage->until_ms = loop_monotonic_ms() + PATIENCE_MS;
    loop_add_timer(stage->loop, 0, check_counter, stage);
    loop_run(stage->loop);
    assert_in_range(*counter, wanted, UINT32_MAX);
}

static char *key_of(unsigned number)
{
    return mem_printf("%040u", number);
}

static enum key_lookup find(const struct stage *stage, unsigned number, bool connected)
{
    scoped_free char *key = key_of(number);

    return peer_keys_find(stage->keys, key, connected);
}

/* Answers the newest request: all of its keys are known, or none is. */
static void answer(const struct stage *stage, bool known)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;
    scoped_free char **texts = mem_array0(PEER_KEYS_BATCH, sizeof(*texts));

    for (size_t i = 0; known && i < stage->asked_count; i++)
        texts[body.n_known_keys++] = mem_strdup(stage->asked[i]);
    body.known_keys = texts;
    reply.request_id = stage->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    reply.find_keys_reply = &body;
    peer_keys_receive(stage->keys, &reply);
    for (size_t i = 0; i < body.n_known_keys; i++)
        free(texts[i]);
}

/* Sends what the resource manager sends when it allocates a container to the attempt with key NUMBER. */
static void announce(const struct stage *stage, unsigned number)
{
    Creel__Envelope message = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;
    scoped_free char *key = key_of(number);

    body.known_keys = &key;
    body.n_known_keys = 1;
    message.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    message.find_keys_reply = &body;
    peer_keys_receive(stage->keys, &message);
}

static void answer_error(const struct stage *stage, Creel__ErrorCode code)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    reply.request_id = stage->request_id;
    reply.body_case = CREEL__ENVELOPE__BODY_ERROR;
    reply.error = &error;
    peer_keys_receive(stage->keys, &reply);
}

static void make_known(struct stage *stage, unsigned number)
{
    unsigned requests = stage->requests;

    assert_int_equal(find(stage, number, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, requests + 1);
    answer(stage, true);
    assert_int_equal(find(stage, number, false), KEY_LOOKUP_KNOWN);
}

static void a_handshake_waits_for_the_answer(void **state)
{
    struct stage *stage = *state;
    scoped_free char *key = key_of(1);

    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 1);
    assert_int_equal(stage->request_id, FIRST_REQUEST);
    assert_int_equal(stage->asked_count, 1);
    assert_string_equal(stage->asked[0], key);
    assert_int_equal(find(stage, 1, true), KEY_LOOKUP_UNKNOWN);
    answer(stage, true);
    assert_int_equal(stage->answers, 1);
    assert_string_equal(stage->answered, key);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_KNOWN);
    assert_int_equal(find(stage, 1, true), KEY_LOOKUP_KNOWN);
}

static void an_unknown_key_is_refused_without_asking_each_time(void **state)
{
    struct stage *stage = *state;

    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 1);
    answer(stage, false);
    for (int i = 0; i < 100; i++)
        assert_int_equal(find(stage, 1, false), KEY_LOOKUP_UNKNOWN);
    assert_int_equal(find(stage, 2, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 2);
    assert_int_equal(stage->asked_count, 1);
}

static void keys_are_looked_up_in_batches(void **state)
{
    struct stage *stage = *state;

    for (unsigned i = 0; i < PEER_KEYS_BATCH + 10; i++)
        assert_int_equal(find(stage, i, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 1);
    assert_int_equal(stage->asked_count, PEER_KEYS_BATCH);
    answer(stage, true);
    assert_int_equal(stage->answers, PEER_KEYS_BATCH);
    wait_for(stage, &stage->requests, 2);
    assert_int_equal(stage->asked_count, 10);
    answer(stage, true);
    assert_int_equal(stage->answers, PEER_KEYS_BATCH + 10);
}

/* The agent repeats the request for a key in use. Until an answer arrives, the previous answer applies. */
static void a_withdrawn_key_is_noticed(void **state)
{
    struct stage *stage = *state;
    int64_t until_ms = loop_monotonic_ms() + PATIENCE_MS;

    make_known(stage, 1);
    while (stage->requests == 1 && loop_monotonic_ms() < until_ms) {
        assert_int_equal(find(stage, 1, true), KEY_LOOKUP_KNOWN);
        stage->counter = &stage->requests;
        stage->wanted = 0; /* one turn of the loop */
        loop_add_timer(stage->loop, LOOK_MS, check_counter, stage);
        loop_run(stage->loop);
    }
    assert_int_equal(stage->requests, 2);
    assert_int_equal(find(stage, 1, true), KEY_LOOKUP_KNOWN);
    answer(stage, false);
    assert_int_equal(find(stage, 1, true), KEY_LOOKUP_UNKNOWN);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_UNKNOWN);
}

static void missing_reply_keeps_known_keys_and_refuses_others(void **state)
{
    struct stage *stage = *state;

    make_known(stage, 1);
    assert_int_equal(find(stage, 2, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->answers, 2);
    assert_int_equal(find(stage, 2, false), KEY_LOOKUP_UNKNOWN);
    assert_int_equal(find(stage, 3, false), KEY_LOOKUP_UNKNOWN);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_KNOWN);
    answer(stage, true); /* late answer: belongs to no pending request */
    assert_int_equal(find(stage, 2, false), KEY_LOOKUP_UNKNOWN);
}

static void announced_key_is_admitted_without_a_reply(void **state)
{
    struct stage *stage = *state;

    announce(stage, 1);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_KNOWN);
    assert_int_equal(find(stage, 2, false), KEY_LOOKUP_PENDING);
    announce(stage, 2); /* while the request for it is pending */
    stage->away = true;
    wait_for(stage, &stage->answers, 1);
    assert_int_equal(find(stage, 2, false), KEY_LOOKUP_KNOWN);
    assert_int_equal(find(stage, 3, false), KEY_LOOKUP_UNKNOWN);
}

static void withdrawn_key_is_refused_without_a_reply(void **state)
{
    struct stage *stage = *state;
    Creel__Envelope message = CREEL__ENVELOPE__INIT;
    Creel__FindKeysReply body = CREEL__FIND_KEYS_REPLY__INIT;
    scoped_free char *first = key_of(1), *other = key_of(3);
    char *keys[] = { first, other };

    announce(stage, 1);
    announce(stage, 2);
    body.withdrawn_keys = keys; /* the agent does not know the second one */
    body.n_withdrawn_keys = 2;
    message.body_case = CREEL__ENVELOPE__BODY_FIND_KEYS_REPLY;
    message.find_keys_reply = &body;
    peer_keys_receive(stage->keys, &message);
    assert_int_equal(find(stage, 1, true), KEY_LOOKUP_UNKNOWN);
    assert_int_equal(find(stage, 2, true), KEY_LOOKUP_KNOWN);
}

static void announced_key_is_refused_after_a_reply_without_it(void **state)
{
    struct stage *stage = *state;

    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 1);
    announce(stage, 1);
    answer(stage, false);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_UNKNOWN);
}

static void announcements_do_not_replace_pending_requests(void **state)
{
    struct stage *stage = *state;

    for (unsigned i = 0; i < PEER_KEYS_MAX; i++)
        assert_int_equal(find(stage, i, false), KEY_LOOKUP_PENDING);
    announce(stage, PEER_KEYS_MAX);
    assert_int_equal(find(stage, PEER_KEYS_MAX, false), KEY_LOOKUP_UNKNOWN);
}

static void unsent_request_counts_as_unanswered(void **state)
{
    struct stage *stage = *state;

    stage->away = true;
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->answers, 1);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_UNKNOWN);
}

static void an_earlier_resource_manager_admits_all(void **state)
{
    struct stage *stage = *state;

    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 1);
    answer_error(stage, CREEL__ERROR_CODE__ERROR_UNSUPPORTED);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_KNOWN);
}

static void any_other_error_admits_none(void **state)
{
    struct stage *stage = *state;

    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_PENDING);
    wait_for(stage, &stage->requests, 1);
    answer_error(stage, CREEL__ERROR_CODE__ERROR_BAD_REQUEST);
    assert_int_equal(find(stage, 1, false), KEY_LOOKUP_UNKNOWN);
}

/* A flood of keys uses memory for PEER_KEYS_MAX keys at most, and does not evict keys in use. */
static void the_number_of_keys_is_bounded(void **state)
{
    struct stage *stage = *state;

    make_known(stage, 0);
    for (unsigned i = 1; i < PEER_KEYS_MAX; i++)
        assert_int_equal(find(stage, i, false), KEY_LOOKUP_PENDING);
    assert_int_equal(find(stage, 0, true), KEY_LOOKUP_KNOWN);
    assert_int_equal(find(stage, PEER_KEYS_MAX, false), KEY_LOOKUP_UNKNOWN);
    assert_int_equal(find(stage, 0, true), KEY_LOOKUP_KNOWN);
    wait_for(stage, &stage->requests, 2);
    answer(stage, false);
    assert_int_equal(find(stage, PEER_KEYS_MAX, false), KEY_LOOKUP_PENDING);
    assert_int_equal(find(stage, 0, true), KEY_LOOKUP_KNOWN);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_handshake_waits_for_the_answer),
        TEST(an_unknown_key_is_refused_without_asking_each_time),
        TEST(keys_are_looked_up_in_batches),
        TEST(a_withdrawn_key_is_noticed),
        TEST(missing_reply_keeps_known_keys_and_refuses_others),
        TEST(announced_key_is_admitted_without_a_reply),
        TEST(withdrawn_key_is_refused_without_a_reply),
        TEST(announced_key_is_refused_after_a_reply_without_it),
        TEST(announcements_do_not_replace_pending_requests),
        TEST(unsent_request_counts_as_unanswered),
        TEST(an_earlier_resource_manager_admits_all),
        TEST(any_other_error_admits_none),
        TEST(the_number_of_keys_is_bounded),
    };

    return cmocka_run_group_tests_name("agent_keys", tests, NULL, NULL);
}
