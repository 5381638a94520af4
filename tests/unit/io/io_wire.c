/* SPDX-License-Identifier: Apache-2.0 */
/* io_wire.c - test: encoding and decoding of messages; invalid bytes are refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_rules.h"
#include "tests/unit/io/io_sample.h"

static Creel__Envelope *envelope_of(Creel__Envelope__BodyCase body)
{
    return sample_envelope((uint32_t)body);
}

static void every_message_round_trips(void **state)
{
    uint32_t body;
    unsigned n = 0;

    (void)state;
    for (; (body = sample_body(n)) != 0; n++) {
        Creel__Envelope *envelope = sample_envelope(body);
        Creel__Envelope *decoded;
        scoped_free uint8_t *sent = NULL, *again = NULL;
        size_t sent_size, again_size;
        struct err err = { 0 };

        assert_int_equal(wire_pack(envelope, &sent, &sent_size, &err), 0);
        if (wire_decode(sent, sent_size, &decoded, NULL, &err) < 0)
            fail_msg("%s: %s", wire_body_name(envelope->body_case), err.text);
        assert_int_equal(decoded->body_case, body);
        wire_encode(decoded, &again, &again_size);
        assert_int_equal(sent_size, again_size);
        assert_memory_equal(sent, again, sent_size);
        wire_free(decoded);
        sample_free(envelope);
    }
    assert_true(n >= 40);
}

static const ProtobufCMessageDescriptor *message_named(const char *name,
                                                       const ProtobufCMessageDescriptor *under)
{
    if (strcmp(under->short_name, name) == 0)
        return under;
    for (unsigned i = 0; i < under->n_fields; i++) {
        const ProtobufCMessageDescriptor *found;

        if (under->fields[i].type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        found = message_named(name, under->fields[i].descriptor);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const ProtobufCMessageDescriptor *find_message(const char *name)
{
    static const ProtobufCMessageDescriptor *const roots[] = {
        &creel__envelope__descriptor,    &creel__signed_token__descriptor, &creel__am_grant__descriptor,
        &creel__log_grant__descriptor,   &creel__stored_app__descriptor,   &creel__stored_attempt__descriptor,
        &creel__stored_node__descriptor,
    };
    const ProtobufCMessageDescriptor *found = NULL;

    for (size_t i = 0; found == NULL && i < sizeof(roots) / sizeof(roots[0]); i++)
        found = message_named(name, roots[i]);
    return found;
}

/* The tables are searched by bisection, so must be sorted; a field renamed in the schema must not lose its
 * rule silently. */
static void rules_name_fields_of_the_schema_in_order(void **state)
{
    size_t count;
    const struct wire_rule *rules = wire_rules_all(true, &count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        const ProtobufCMessageDescriptor *type = find_message(rules[i].message);

        if (type == NULL || protobuf_c_message_descriptor_get_field_by_name(type, rules[i].field) == NULL)
            fail_msg("%s.%s is not in the schema", rules[i].message, rules[i].field);
        if (i > 0)
            assert_true(strcmp(rules[i - 1].message, rules[i].message) <= 0);
    }
    rules = wire_rules_all(false, &count);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(rules[i - 1].field, rules[i].field) < 0);
}

/* wire_check does not read these rows for absent fields. */
static void rules_of_any_message_accept_absent_fields(void **state)
{
    size_t count;
    const struct wire_rule *rules = wire_rules_all(false, &count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        if (rules[i].required || rules[i].low > 0 || rules[i].high < 0)
            fail_msg("the row of %s for any message refuses an absent field", rules[i].field);
}

/* --- frames ------------------------------------------------------------------- */

static void unknown_fields_are_tolerated(void **state)
{
    static const uint8_t extra[] = { 0xa0, 0x1f, 0x05, 0xaa, 0x1f, 0x02, 'h', 'i' }; /* 500, 501 */
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_HEARTBEAT), *decoded;
    size_t size;
    scoped_free uint8_t *bytes = sample_pack(envelope, &size);

    (void)state;
    bytes = mem_resize(bytes, size + sizeof(extra), 1);
    memcpy(bytes + size, extra, sizeof(extra));
    assert_int_equal(wire_decode(bytes, size + sizeof(extra), &decoded, NULL, NULL), 0);
    assert_string_equal(decoded->heartbeat->node_id, SAMPLE_NODE);
    wire_free(decoded);
    sample_free(envelope);
}

static void unknown_bodies_and_versions_are_reported(void **state)
{
    static const struct {
        uint8_t bytes[16];
        size_t size;
        int code;
        const char *text;
    } cases[] = {
        /* version, request id 9, then field 77 with two bytes in it */
        { { 0x08, 1, 0x10, 9, 0xea, 0x04, 2, 0, 0 },
          9,
          -EPROTO,
          "message type 77 is not known to this version" },
        { { 0x08, 1, 0x10, 9 }, 4, -EBADMSG, "message without a body" },
        { { 0x08, 2, 0x10, 9, 0x5a, 0 },
          6,
          -EPROTONOSUPPORT,
          "protocol version 2 is too new: this side speaks 1 to 1, update it" },
        { { 0x10, 9, 0x5a, 0 },
          4,
          -EPROTONOSUPPORT,
          "protocol version 0 is too old: this side speaks 1 to 1, update the other" },
        /* a body that does not match its field number */
        { { 0x08, 1, 0x10, 9, 0xb2, 0x01, 2, 0xff, 0xff },
          9,
          -EBADMSG,
          "not a message (9 bytes): it is cut off" },
        { { 0x08, 1, 0x10, 9, 0x58, 1 }, 6, -EBADMSG, "not a message (6 bytes): a field is of another type" },
        /* two bodies, the same number twice, number 0, a zero byte in as_user */
        { { 0x08, 1, 0x10, 9, 0x5a, 0, 0x52, 0 },
          8,
          -EBADMSG,
          "not a message (8 bytes): a field is in it twice" },
        { { 0x08, 1, 0x10, 9, 0x5a, 0, 0x08, 1 },
          8,
          -EBADMSG,
          "not a message (8 bytes): a field is in it twice" },
        { { 0x08, 1, 0x10, 9, 0x82, 0, 0, 0x5a, 0 },
          9,
          -EBADMSG,
          "not a message (9 bytes): a field has no valid number" },
        { { 0x08, 1, 0x10, 9, 0x1a, 2, 'a', 0, 0x5a, 0 },
          10,
          -EBADMSG,
          "not a message (10 bytes): a string has a zero byte in it" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Creel__Envelope *decoded;
        uint64_t request_id = 0;
        struct err err = { 0 };

        assert_int_equal(wire_decode(cases[i].bytes, cases[i].size, &decoded, &request_id, &err),
                         cases[i].code);
        assert_string_equal(err.text, cases[i].text);
        assert_int_equal(request_id, 9);
    }
}

static void cut_frames_are_refused_at_every_length(void **state)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_REGISTER_NODE), *decoded;
    size_t size;
    scoped_free uint8_t *bytes = sample_pack(envelope, &size);

    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        /* A separate copy, so that the sanitizer detects reads beyond its end. */
        scoped_free uint8_t *copy = mem_alloc(cut + (cut == 0));
        uint64_t request_id = 1;

        memcpy(copy, bytes, cut);
        assert_true(wire_decode(copy, cut, &decoded, &request_id, NULL) < 0);
        assert_int_equal(request_id, cut < 4 ? 0 : 7);
    }
    sample_free(envelope);
}

static void random_bytes_do_no_harm(void **state)
{
    struct rng rng;
    uint8_t bytes[256];

    (void)state;
    rng_seed(&rng, 20261120);
    for (int i = 0; i < 200000; i++) {
        size_t size = rng_below(&rng, sizeof(bytes));
        Creel__Envelope *decoded;

        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)rng_next(&rng);
        if (wire_decode(bytes, size, &decoded, NULL, NULL) == 0)
            wire_free(decoded);
    }
}

/* An accepted message can be encoded; the encoding is accepted, and encodes to the same bytes again. */
static void expect_round_trip(Creel__Envelope *envelope)
{
    scoped_free uint8_t *first = NULL, *second = NULL;
    size_t first_size, second_size;
    Creel__Envelope *again;

    wire_encode(envelope, &first, &first_size);
    assert_int_equal(wire_decode(first, first_size, &again, NULL, NULL), 0);
    wire_encode(again, &second, &second_size);
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    wire_free(again);
}

static void damaged_messages_do_no_harm(void **state)
{
    struct rng rng;
    uint32_t body;

    (void)state;
    rng_seed(&rng, 7);
    for (unsigned n = 0; (body = sample_body(n)) != 0; n++) {
        Creel__Envelope *envelope = sample_envelope(body), *decoded;
        size_t size;
        scoped_free uint8_t *bytes = sample_pack(envelope, &size);

        for (int i = 0; i < 2000; i++) {
            scoped_free uint8_t *copy = mem_dup(bytes, size);

            for (uint64_t k = rng_below(&rng, 4) + 1; k > 0; k--)
                copy[rng_below(&rng, size)] = (uint8_t)rng_next(&rng);
            if (wire_decode(copy, size, &decoded, NULL, NULL) < 0)
                continue;
            expect_round_trip(decoded);
            wire_free(decoded);
        }
        sample_free(envelope);
    }
}

static void a_small_frame_cannot_claim_much_memory(void **state)
{
    /* Heartbeat (22) with half a million empty containers (4): two bytes each. */
    static const uint8_t head[] = { 0x08, 1, 0x10, 9, 0xb2, 0x01 };
    const size_t inner = 1u << 20;
    scoped_free uint8_t *bytes = mem_alloc(sizeof(head) + 4 + inner);
    size_t used = sizeof(head);
    Creel__Envelope *decoded;
    uint64_t request_id = 0;
    struct err err = { 0 };

    (void)state;
    memcpy(bytes, head, sizeof(head));
    for (size_t left = inner; left > 0; left >>= 7)
        bytes[used++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    for (size_t i = 0; i < inner; i += 2) {
        bytes[used++] = 0x22;
        bytes[used++] = 0;
    }
    assert_int_equal(wire_decode(bytes, used, &decoded, &request_id, &err), -EMSGSIZE);
    assert_non_null(strstr(err.text, "bytes of memory"));
    assert_int_equal(request_id, 9);
    assert_int_equal(wire_decode(bytes, WIRE_FRAME_MAX + 1, &decoded, &request_id, &err), -EMSGSIZE);
    assert_int_equal(request_id, 0);
}

static void a_full_list_of_reports_fits_memory(void **state)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_CONTAINER_LIST), *decoded;
    Creel__ContainerList *list = envelope->container_list;
    struct err err = { 0 };
    uint8_t *bytes;
    size_t size;
    size_t count = 3000;

    (void)state;
    list->containers = mem_resize(list->containers, count, sizeof(list->containers[0]));
    for (size_t i = list->n_containers; i < count; i++)
        list->containers[i] = (Creel__ContainerReport *)sample_message(&creel__container_report__descriptor);
    list->n_containers = count;
    assert_int_equal(wire_pack(envelope, &bytes, &size, &err), 0);
    assert_true(size > WIRE_FRAME_MAX / 2);
    assert_int_equal(wire_decode(bytes, size, &decoded, NULL, &err), 0);
    assert_int_equal(decoded->container_list->n_containers, count);
    wire_free(decoded);
    free(bytes);
    sample_free(envelope);
}

static void invalid_utf8_in_texts_is_replaced_before_sending(void **state)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_FINISH_AM), *decoded;
    scoped_free char *many = mem_alloc(WIRE_TEXT_MAX + 100);
    uint8_t *bytes;
    size_t size;

    (void)state;
    sample_set_text(&envelope->finish_am->diagnostics, "tail: \x1b[1m\xff ok \xc3\xbc\n");
    assert_int_equal(wire_pack(envelope, &bytes, &size, NULL), 0);
    assert_string_equal(envelope->finish_am->diagnostics, "tail: \x1b[1m\xff ok \xc3\xbc\n");
    assert_int_equal(wire_decode(bytes, size, &decoded, NULL, NULL), 0);
    assert_string_equal(decoded->finish_am->diagnostics, "tail: ?[1m? ok \xc3\xbc\n");
    wire_free(decoded);
    free(bytes);

    /* Truncation in the middle of a character removes the whole character. */
    for (size_t i = 0; i + 3 <= WIRE_TEXT_MAX + 99; i += 3)
        memcpy(many + i, "\xe2\x82\xac", 4);
    sample_set_text(&envelope->finish_am->diagnostics, many);
    assert_int_equal(wire_pack(envelope, &bytes, &size, NULL), 0);
    assert_int_equal(wire_decode(bytes, size, &decoded, NULL, NULL), 0);
    assert_int_equal(strlen(decoded->finish_am->diagnostics), WIRE_TEXT_MAX);
    assert_non_null(strstr(decoded->finish_am->diagnostics, "..."));
    wire_free(decoded);
    free(bytes);
    sample_free(envelope);
}

static void texts_for_programs_are_not_changed(void **state)
{
    static const char escapes[] = "\x1b[1m\x01\r\xc2\x9b";
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_SUBMIT_APP), *decoded;
    Creel__LaunchContext *launch = envelope->submit_app->job->launch;
    struct err err = { 0 };
    uint8_t *bytes;
    size_t size;

    (void)state;
    sample_set_text(&launch->command[1], escapes);
    sample_set_text(&launch->environment[0]->value, escapes);
    assert_int_equal(wire_pack(envelope, &bytes, &size, NULL), 0);
    assert_int_equal(wire_decode(bytes, size, &decoded, NULL, NULL), 0);
    assert_string_equal(decoded->submit_app->job->launch->command[1], escapes);
    assert_string_equal(decoded->submit_app->job->launch->environment[0]->value, escapes);
    wire_free(decoded);
    free(bytes);

    /* A string that is not valid UTF-8 is refused, not altered. */
    sample_set_text(&launch->command[1], "caf\xe9");
    assert_int_equal(wire_pack(envelope, &bytes, &size, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "command[1]: is not valid UTF-8"));
    sample_free(envelope);
}

static void sender_refuses_too_long_messages(void **state)
{
    Creel__Envelope *envelope = envelope_of(CREEL__ENVELOPE__BODY_HEARTBEAT);
    Creel__Heartbeat *heartbeat = envelope->heartbeat;
    scoped_free char *text = mem_alloc(WIRE_TEXT_MAX + 1);
    struct err err = { 0 };
    uint8_t *bytes;
    size_t size;

    (void)state;
    memset(text, 'a', WIRE_TEXT_MAX);
    text[WIRE_TEXT_MAX] = '\0';
    heartbeat->containers = mem_resize(heartbeat->containers, 300, sizeof(void *));
    for (size_t i = 2; i < 300; i++) {
        heartbeat->containers[i] =
            (Creel__ContainerStatus *)sample_message(&creel__container_status__descriptor);
        sample_set_text(&heartbeat->containers[i]->diagnostics, text);
    }
    heartbeat->n_containers = 300;
    assert_int_equal(wire_pack(envelope, &bytes, &size, &err), -EMSGSIZE);
    assert_non_null(strstr(err.text, "Heartbeat"));
    sample_free(envelope);
}

/* --- small things ---------------------------------------------------------------- */

static void copies_are_deep_and_equal(void **state)
{
    ProtobufCMessage *job = sample_message(&creel__job_spec__descriptor);
    ProtobufCMessage *copy = wire_copy(job);
    size_t size = protobuf_c_message_get_packed_size(job);
    scoped_free uint8_t *a = mem_alloc(size), *b = mem_alloc(size);

    (void)state;
    assert_int_equal(protobuf_c_message_get_packed_size(copy), size);
    protobuf_c_message_pack(job, a);
    protobuf_c_message_free_unpacked(job, NULL);
    protobuf_c_message_pack(copy, b);
    assert_memory_equal(a, b, size);
    protobuf_c_message_free_unpacked(copy, NULL);
}

static void names_and_codes_map_both_ways(void **state)
{
    (void)state;
    assert_string_equal(wire_body_name(CREEL__ENVELOPE__BODY_HEARTBEAT), "Heartbeat");
    assert_string_equal(wire_body_name(CREEL__ENVELOPE__BODY__NOT_SET), "unknown message");
    assert_string_equal(wire_body_name((Creel__Envelope__BodyCase)1), "unknown message");
    for (int code = 1; code <= CREEL__ERROR_CODE__ERROR_SIGN_IN; code++)
        assert_int_equal(wire_error_from_errno(wire_error_to_errno((Creel__ErrorCode)code)), code);
    assert_int_equal(wire_error_from_errno(-ENOTTY), CREEL__ERROR_CODE__ERROR_UNKNOWN);
    assert_true(wire_error_to_errno(CREEL__ERROR_CODE__ERROR_UNKNOWN) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_round_trips),
        cmocka_unit_test(rules_name_fields_of_the_schema_in_order),
        cmocka_unit_test(rules_of_any_message_accept_absent_fields),
        cmocka_unit_test(unknown_fields_are_tolerated),
        cmocka_unit_test(unknown_bodies_and_versions_are_reported),
        cmocka_unit_test(cut_frames_are_refused_at_every_length),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(damaged_messages_do_no_harm),
        cmocka_unit_test(a_small_frame_cannot_claim_much_memory),
        cmocka_unit_test(a_full_list_of_reports_fits_memory),
        cmocka_unit_test(invalid_utf8_in_texts_is_replaced_before_sending),
        cmocka_unit_test(texts_for_programs_are_not_changed),
        cmocka_unit_test(sender_refuses_too_long_messages),
        cmocka_unit_test(copies_are_deep_and_equal),
        cmocka_unit_test(names_and_codes_map_both_ways),
    };

    return cmocka_run_group_tests_name("io_wire", tests, NULL, NULL);
}
