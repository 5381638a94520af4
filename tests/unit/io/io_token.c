/* SPDX-License-Identifier: Apache-2.0 */
/* io_token.c - test: a token is valid only if signed with a current key */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/io/wire/token.h"
#include "tests/unit/io/io_sample.h"

#define KIND CREEL__TOKEN_KIND__TOKEN_CONTAINER
#define TYPE &creel__container_grant__descriptor

struct signed_grant {
    uint8_t *bytes;
    size_t size;
};

static struct signed_grant sign(const struct token_ring *ring, Creel__TokenKind kind)
{
    ProtobufCMessage *grant = sample_message(TYPE);
    struct signed_grant token;

    token_sign(ring, kind, grant, &token.bytes, &token.size);
    protobuf_c_message_free_unpacked(grant, NULL);
    return token;
}

static int open_token(const struct token_ring *ring, const struct signed_grant *token, struct err *err)
{
    ProtobufCMessage *payload = NULL;
    int rc = token_open(ring, KIND, TYPE, token->bytes, token->size, &payload, err);

    if (rc == 0) {
        assert_string_equal(((Creel__ContainerGrant *)payload)->container_id, SAMPLE_CONTAINER);
        protobuf_c_message_free_unpacked(payload, NULL);
    }
    return rc;
}

static void a_signed_grant_opens(void **state)
{
    struct token_ring ring = { 0 };
    struct signed_grant token;

    (void)state;
    token_ring_roll(&ring);
    token = sign(&ring, KIND);
    assert_int_equal(open_token(&ring, &token, NULL), 0);
    free(token.bytes);
}

static void a_key_lasts_for_one_roll(void **state)
{
    struct token_ring ring = { 0 };
    struct signed_grant token;
    struct err err;

    (void)state;
    token_ring_roll(&ring);
    token = sign(&ring, KIND);
    token_ring_roll(&ring);
    assert_int_equal(ring.keys[0].id, 2);
    assert_int_equal(ring.keys[1].id, 1);
    assert_int_equal(open_token(&ring, &token, NULL), 0);
    token_ring_roll(&ring);
    assert_int_equal(open_token(&ring, &token, &err), -EKEYEXPIRED);
    assert_non_null(strstr(err.text, "key 1"));
    free(token.bytes);
}

/* The keys of one node neither open nor sign tokens of another node, whichever key of the ring signed. */
static void a_token_is_for_one_node(void **state)
{
    struct token_ring rm = { 0 }, a, b, a_later;
    struct signed_grant token;
    struct err err;

    (void)state;
    token_ring_roll(&rm);
    token_ring_derive(&rm, "a.example:8041", &a);
    token_ring_derive(&rm, "b.example:8041", &b);
    token = sign(&a, KIND);
    assert_int_equal(open_token(&a, &token, NULL), 0);
    assert_int_equal(open_token(&b, &token, &err), -EKEYREJECTED);
    assert_int_equal(open_token(&rm, &token, &err), -EKEYREJECTED);
    token_ring_roll(&rm);
    token_ring_derive(&rm, "a.example:8041", &a_later);
    assert_int_equal(open_token(&a_later, &token, NULL), 0);
    free(token.bytes);
}

static void agents_learn_keys(void **state)
{
    struct token_ring rm = { 0 }, agent = { 0 };
    Creel__TokenKey keys[TOKEN_KEYS_MAX], *list[TOKEN_KEYS_MAX];
    struct signed_grant token;

    (void)state;
    token_ring_roll(&rm);
    token = sign(&rm, KIND);
    assert_int_equal(open_token(&agent, &token, NULL), -EKEYEXPIRED);
    token_ring_learn(&agent, rm.keys[0].id, rm.keys[0].bytes);
    token_ring_learn(&agent, rm.keys[0].id, rm.keys[0].bytes);
    token_ring_learn(&agent, 0, rm.keys[0].bytes);
    assert_int_equal(agent.keys[1].id, 0);
    assert_int_equal(open_token(&agent, &token, NULL), 0);

    /* as the keys arrive in heartbeat replies */
    for (int i = 0; i < 5; i++)
        token_ring_roll(&rm);
    for (size_t i = 0; i < TOKEN_KEYS_MAX; i++) {
        creel__token_key__init(&keys[i]);
        keys[i].key_id = rm.keys[i].id;
        keys[i].key = (ProtobufCBinaryData){ TOKEN_KEY_BYTES, rm.keys[i].bytes };
        list[i] = &keys[i];
    }
    token_ring_replace(&agent, list, 0);
    assert_int_equal(open_token(&agent, &token, NULL), 0);
    token_ring_replace(&agent, list, TOKEN_KEYS_MAX);
    assert_memory_equal(&agent, &rm, sizeof(agent));
    assert_int_equal(open_token(&agent, &token, NULL), -EKEYEXPIRED);
    free(token.bytes);
}

/* An RM that lost its store numbers its keys from 1 again: the same number, another key. */
static void a_key_of_the_same_number_replaces(void **state)
{
    struct token_ring old = { 0 }, new = { 0 };
    struct signed_grant token;
    Creel__TokenKey key = CREEL__TOKEN_KEY__INIT, *list = &key;

    (void)state;
    token_ring_roll(&old);
    token_ring_roll(&new);
    token = sign(&new, KIND);
    assert_int_equal(open_token(&old, &token, NULL), -EKEYREJECTED);
    key.key_id = 1;
    key.key = (ProtobufCBinaryData){ TOKEN_KEY_BYTES, new.keys[0].bytes };
    token_ring_replace(&old, &list, 1);
    assert_int_equal(open_token(&old, &token, NULL), 0);
    free(token.bytes);
}

static void forgeries_do_not_open(void **state)
{
    struct token_ring ring = { 0 };
    struct signed_grant token;

    (void)state;
    token_ring_roll(&ring);
    token = sign(&ring, KIND);
    for (size_t i = 0; i < token.size * 8; i++) {
        uint8_t mask = (uint8_t)(1u << i % 8);

        token.bytes[i / 8] ^= mask;
        assert_true(open_token(&ring, &token, NULL) < 0);
        token.bytes[i / 8] ^= mask;
    }
    for (size_t cut = 0; cut < token.size; cut++) {
        struct signed_grant part = { mem_dup(token.bytes, cut + 1), cut };

        assert_true(open_token(&ring, &part, NULL) < 0);
        free(part.bytes);
    }
    free(token.bytes);
}

static void tokens_of_other_kinds_do_not_open(void **state)
{
    struct token_ring ring = { 0 };
    struct signed_grant token;
    struct err err;

    (void)state;
    token_ring_roll(&ring);
    token = sign(&ring, CREEL__TOKEN_KIND__TOKEN_LOG);
    assert_int_equal(open_token(&ring, &token, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "kind"));
    token.size = 0;
    assert_int_equal(open_token(&ring, &token, &err), -EBADMSG);
    assert_string_equal(err.text, "token: missing");
    free(token.bytes);
}

static void a_payload_out_of_bounds_does_not_open(void **state)
{
    struct token_ring ring = { 0 };
    Creel__AmGrant grant = CREEL__AM_GRANT__INIT;
    struct signed_grant token;
    struct err err;

    (void)state;
    token_ring_roll(&ring);
    grant.attempt_id = (char *)(uintptr_t) "not an id";
    token_sign(&ring, KIND, &grant.base, &token.bytes, &token.size);
    assert_int_equal(open_token(&ring, &token, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "ContainerGrant"));
    free(token.bytes);
}

static void random_bytes_do_not_open(void **state)
{
    struct token_ring ring = { 0 };
    uint8_t bytes[128];
    struct rng rng;

    (void)state;
    token_ring_roll(&ring);
    rng_seed(&rng, 3);
    for (int i = 0; i < 50000; i++) {
        struct signed_grant token = { bytes, rng_below(&rng, sizeof(bytes)) };

        for (size_t k = 0; k < token.size; k++)
            bytes[k] = (uint8_t)rng_next(&rng);
        assert_true(open_token(&ring, &token, NULL) < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signed_grant_opens),
        cmocka_unit_test(a_key_lasts_for_one_roll),
        cmocka_unit_test(a_token_is_for_one_node),
        cmocka_unit_test(agents_learn_keys),
        cmocka_unit_test(a_key_of_the_same_number_replaces),
        cmocka_unit_test(forgeries_do_not_open),
        cmocka_unit_test(tokens_of_other_kinds_do_not_open),
        cmocka_unit_test(a_payload_out_of_bounds_does_not_open),
        cmocka_unit_test(random_bytes_do_not_open),
    };

    return cmocka_run_group_tests_name("io_token", tests, NULL, NULL);
}
