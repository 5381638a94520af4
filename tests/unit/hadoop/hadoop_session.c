/* SPDX-License-Identifier: Apache-2.0 */
/* hadoop_session.c - test: openings, contexts and calls of clients, as a real Hadoop server answered them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sodium.h>
#include <string.h>

#include "common/base/mem.h"
#include "hadoop/wire/session.h"

#define BYTES_MAX 512

/* What a client sent to Hadoop 3.4.1, and what came back, in hexadecimal digits. "": the server closed
 * without a word, or the answer is that of a method, which belongs to other tests. */
static const struct probe {
    const char *name, *sent, *answer;
} probes[] = {
    { "good getNewApplication",
      "687270630900000000005c1a0802100018052210000102030405060708090a0b0c0d0e0f28014012"
      "060a04726f6f741a366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c"
      "69636174696f6e436c69656e7450726f746f636f6c50420000006a1a080210001800221000010203"
      "0405060708090a0b0c0d0e0f28004d0a116765744e65774170706c69636174696f6e12366f72672e"
      "6170616368652e6861646f6f702e7961726e2e6170692e4170706c69636174696f6e436c69656e74"
      "50726f746f636f6c5042180100",
      "" },
    { "version 8", "68727063080000",
      "ffffffffffffffff000000296f72672e6170616368652e6861646f6f702e6970632e525043245665"
      "7273696f6e4d69736d617463680000003d536572766572204950432076657273696f6e2039206361"
      "6e6e6f7420636f6d6d756e6963617465207769746820636c69656e742076657273696f6e2038" },
    { "version 10", "687270630a0000",
      "0000007c7b08ffffffff0f1002180922296f72672e6170616368652e6861646f6f702e6970632e52"
      "50432456657273696f6e4d69736d617463682a3e536572766572204950432076657273696f6e2039"
      "2063616e6e6f7420636f6d6d756e6963617465207769746820636c69656e742076657273696f6e20"
      "3130300e3a004001" },
    { "wrong magic", "68727078090000",
      "0000007b7a08ffffffff0f1002180922296f72672e6170616368652e6861646f6f702e6970632e52"
      "50432456657273696f6e4d69736d617463682a3d536572766572204950432076657273696f6e2039"
      "2063616e6e6f7420636f6d6d756e6963617465207769746820636c69656e742076657273696f6e20"
      "39300e3a004001" },
    { "auth byte 0x51", "68727063090051",
      "0000004f4e08ffffffff0f1002180922226f72672e6170616368652e6861646f6f702e6970632e49"
      "7063457863657074696f6e2a18556e6b6e6f776e20617574682070726f746f636f6c3a3831300f3a"
      "004001" },
    { "call before context",
      "687270630900000000006a1a0802100018002210000102030405060708090a0b0c0d0e0f28004d0a"
      "116765744e65774170706c69636174696f6e12366f72672e6170616368652e6861646f6f702e7961"
      "726e2e6170692e4170706c69636174696f6e436c69656e7450726f746f636f6c5042180100",
      "0000005b5a08001002180922286f72672e6170616368652e6861646f6f702e6970632e5270635365"
      "72766572457863657074696f6e2a22436f6e6e656374696f6e20636f6e74657874206e6f74206573"
      "7461626c6973686564300c3a004000" },
    { "no rpcOp",
      "687270630900000000005c1a0802100018052210000102030405060708090a0b0c0d0e0f28014012"
      "060a04726f6f741a366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c"
      "69636174696f6e436c69656e7450726f746f636f6c50420000001918080218002210000102030405"
      "060708090a0b0c0d0e0f2800",
      "000000636208001002180922286f72672e6170616368652e6861646f6f702e6970632e5270635365"
      "72766572457863657074696f6e2a2a20495043205365727665723a204e6f20727063206f7020696e"
      "2072706352657175657374486561646572300c3a004000" },
    { "no rpcKind",
      "687270630900000000005c1a0802100018052210000102030405060708090a0b0c0d0e0f28014012"
      "060a04726f6f741a366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c"
      "69636174696f6e436c69656e7450726f746f636f6c50420000001918100018002210000102030405"
      "060708090a0b0c0d0e0f2800",
      "000000656408001002180922286f72672e6170616368652e6861646f6f702e6970632e5270635365"
      "72766572457863657074696f6e2a2c20495043205365727665723a204e6f20727063206b696e6420"
      "696e2072706352657175657374486561646572300c3a004000" },
    { "out of band -7",
      "687270630900000000005c1a0802100018052210000102030405060708090a0b0c0d0e0f28014012"
      "060a04726f6f741a366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c"
      "69636174696f6e436c69656e7450726f746f636f6c50420000001b1a08021000180d221000010203"
      "0405060708090a0b0c0d0e0f2800",
      "000000595808f9ffffff0f1002180922286f72672e6170616368652e6861646f6f702e6970632e52"
      "7063536572766572457863657074696f6e2a1c556e6b6e6f776e206f7574206f662062616e642063"
      "616c6c20232d37300c3a004000" },
    { "context twice",
      "687270630900000000005c1a0802100018052210000102030405060708090a0b0c0d0e0f28014012"
      "060a04726f6f741a366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c"
      "69636174696f6e436c69656e7450726f746f636f6c50420000005c1a080210001805221000010203"
      "0405060708090a0b0c0d0e0f28014012060a04726f6f741a366f72672e6170616368652e6861646f"
      "6f702e7961726e2e6170692e4170706c69636174696f6e436c69656e7450726f746f636f6c5042",
      "000000616008fdffffff0f1002180922286f72672e6170616368652e6861646f6f702e6970632e52"
      "7063536572766572457863657074696f6e2a24436f6e6e656374696f6e20636f6e7465787420616c"
      "72656164792070726f636573736564300c3a004001" },
    { "ping then call",
      "687270630900000000005c1a0802100018052210000102030405060708090a0b0c0d0e0f28014012"
      "060a04726f6f741a366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c"
      "69636174696f6e436c69656e7450726f746f636f6c50420000001b1a080210001807221000010203"
      "0405060708090a0b0c0d0e0f28010000006a1a08021000180a2210000102030405060708090a0b0c"
      "0d0e0f28004d0a116765744e65774170706c69636174696f6e12366f72672e6170616368652e6861"
      "646f6f702e7961726e2e6170692e4170706c69636174696f6e436c69656e7450726f746f636f6c50"
      "42180100",
      "" },
    { "negative length", "68727063090000ffffffff", "" },
    { "length over 128 MiB", "6872706309000008000001", "" },
    { "client id empty",
      "687270630900000000004c0a080210001805220028014012060a04726f6f741a366f72672e617061"
      "6368652e6861646f6f702e7961726e2e6170692e4170706c69636174696f6e436c69656e7450726f"
      "746f636f6c50420000005a0a080210001800220028004d0a116765744e65774170706c6963617469"
      "6f6e12366f72672e6170616368652e6861646f6f702e7961726e2e6170692e4170706c6963617469"
      "6f6e436c69656e7450726f746f636f6c5042180100",
      "" },
};

static const struct probe *probe_of(const char *name)
{
    for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++)
        if (strcmp(probes[i].name, name) == 0)
            return &probes[i];
    fail_msg("no probe %s", name);
    return NULL;
}

static size_t unhex(const char *text, uint8_t bytes[BYTES_MAX])
{
    size_t size;

    assert_int_equal(sodium_hex2bin(bytes, BYTES_MAX, text, strlen(text), NULL, &size, NULL), 0);
    return size;
}

static void put(struct hadoop_session *session, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t room;
        uint8_t *at = hadoop_session_room(session, &room);
        size_t now = room < size - done ? room : size - done;

        memcpy(at, bytes + done, now);
        hadoop_session_filled(session, now);
        done += now;
    }
}

/* Sends BYTES in pieces of STEP, accepts everything, and returns the last event other than NONE. EVENTS
 * counts them. */
static enum hadoop_event play(struct hadoop_session *session, const uint8_t *bytes, size_t size, size_t step,
                              unsigned events[HADOOP_EVENT_END + 1])
{
    enum hadoop_event event, last = HADOOP_EVENT_NONE;

    for (size_t at = 0; at < size && last != HADOOP_EVENT_END; at += step) {
        put(session, bytes + at, size - at < step ? size - at : step);
        while ((event = hadoop_session_next(session)) != HADOOP_EVENT_NONE) {
            events[event]++;
            last = event;
            if (event == HADOOP_EVENT_END)
                break;
        }
    }
    return last;
}

static void mistakes_are_answered_as_by_hadoop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++) {
        for (size_t step = 1; step < 300; step += 149) { /* byte by byte, and all at once */
            unsigned events[HADOOP_EVENT_END + 1] = { 0 };
            uint8_t sent[BYTES_MAX], answer[BYTES_MAX];
            size_t size = unhex(probes[i].sent, sent), expected = unhex(probes[i].answer, answer);
            struct hadoop_session *session = hadoop_session_new();
            enum hadoop_event last = play(session, sent, size, step, events);
            struct hadoop_bytes *out = hadoop_session_output(session);

            if (events[HADOOP_EVENT_CALL] == 0)
                assert_int_equal(last, HADOOP_EVENT_END);
            /* The words about the version of an opening need all of it; the first wrong byte is enough to
             * refuse. */
            if (step > 1 || strcmp(probes[i].name, "wrong magic") != 0) {
                assert_int_equal(out->size, expected);
                if (expected > 0)
                    assert_memory_equal(out->data, answer, expected);
            }
            hadoop_session_free(session);
        }
    }
}

static void a_call_has_its_user_method_and_message(void **state)
{
    unsigned events[HADOOP_EVENT_END + 1] = { 0 };
    struct hadoop_session *session = hadoop_session_new();
    const struct hadoop_call *call;
    uint8_t sent[BYTES_MAX];
    size_t size = unhex(probe_of("good getNewApplication")->sent, sent);

    (void)state;
    assert_int_equal(play(session, sent, size, size, events), HADOOP_EVENT_CALL);
    assert_int_equal(events[HADOOP_EVENT_OPENED], 1);
    assert_int_equal(events[HADOOP_EVENT_CONTEXT], 1);
    assert_string_equal(hadoop_session_claim(session)->effective_user, "root");
    assert_string_equal(hadoop_session_claim(session)->real_user, "");
    call = hadoop_session_call(session);
    assert_string_equal(call->method, "getNewApplication");
    assert_string_equal(call->protocol, "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB");
    assert_int_equal(call->version, 1);
    assert_int_equal(call->request.call_id, 0);
    assert_int_equal(call->request.client_id_size, 16);
    assert_int_equal(call->request.rest_size, 1); /* the length of an empty message */
    hadoop_session_free(session);
}

static void an_answer_has_the_form_of_hadoops(void **state)
{
    /* the recorded answer to getNewApplication, behind its length */
    static const char body[] = "0a0908091096a3bdffa134122b08803010041a140a096d656d6f72792d6d62108030"
                               "1a024d6920001a0e0a0676636f72657310041a002000";
    static const char frame[] = "000000541a0800100018093a10000102030405060708090a0b0c0d0e0f4000380a09080910"
                                "96a3bdffa134122b08803010041a140a096d656d6f72792d6d621080301a024d6920001a0e0a"
                                "0676636f72657310041a002000";
    unsigned events[HADOOP_EVENT_END + 1] = { 0 };
    struct hadoop_session *session = hadoop_session_new();
    uint8_t sent[BYTES_MAX], answer[BYTES_MAX];
    size_t size = unhex(probe_of("good getNewApplication")->sent, sent);

    (void)state;
    assert_int_equal(play(session, sent, size, size, events), HADOOP_EVENT_CALL);
    size = unhex(body, answer);
    hadoop_answer_packed(hadoop_session_output(session), &hadoop_session_call(session)->request, answer,
                         size);
    size = unhex(frame, answer);
    assert_int_equal(hadoop_session_output(session)->size, size);
    assert_memory_equal(hadoop_session_output(session)->data, answer, size);
    hadoop_session_free(session);
}

static void pings_are_not_answered(void **state)
{
    unsigned events[HADOOP_EVENT_END + 1] = { 0 };
    struct hadoop_session *session = hadoop_session_new();
    uint8_t sent[BYTES_MAX];
    size_t size = unhex(probe_of("ping then call")->sent, sent);

    (void)state;
    assert_int_equal(play(session, sent, size, size, events), HADOOP_EVENT_CALL);
    assert_int_equal(hadoop_session_call(session)->request.call_id, 5);
    assert_int_equal(hadoop_session_output(session)->size, 0);
    hadoop_session_free(session);
}

/* A client with tokens of other servers opens with SASL, and takes SIMPLE if that is what is offered. */
static void sasl_offers_simple(void **state)
{
    static const char negotiate[] = "687270630900df0000000e0a08021000184122002801021001";
    static const char initiate[] = "0000001a0a080210001841220028010e1002220a0a0653494d504c451200";
    unsigned events[HADOOP_EVENT_END + 1] = { 0 };
    struct hadoop_session *session = hadoop_session_new();
    uint8_t bytes[BYTES_MAX], context[BYTES_MAX];
    size_t size;

    (void)state;
    size = unhex(negotiate, bytes);
    assert_int_equal(play(session, bytes, size, size, events), HADOOP_EVENT_OPENED);
    assert_non_null(
        memmem(hadoop_session_output(session)->data, hadoop_session_output(session)->size, "SIMPLE", 6));
    size = unhex(initiate, bytes);
    assert_int_equal(play(session, bytes, size, size, events), HADOOP_EVENT_NONE);
    size = unhex(probe_of("good getNewApplication")->sent, context);
    assert_int_equal(play(session, context + HADOOP_OPENING_BYTES, size - HADOOP_OPENING_BYTES, size, events),
                     HADOOP_EVENT_CALL);
    assert_string_equal(hadoop_session_claim(session)->effective_user, "root");
    hadoop_session_free(session);
}

static void an_unknown_client_gets_little_memory(void **state)
{
    static const uint8_t opening[] = {
        'h', 'r', 'p', 'c', 9, 0, 0, 0, 0, 0x10, 1
    }; /* a frame of 4097 bytes */
    unsigned events[HADOOP_EVENT_END + 1] = { 0 };
    struct hadoop_session *session = hadoop_session_new();

    (void)state;
    assert_int_equal(play(session, opening, sizeof(opening), sizeof(opening), events), HADOOP_EVENT_END);
    assert_int_equal(hadoop_session_output(session)->size, 0);
    hadoop_session_free(session);
}

static void a_refused_peer_learns_the_reason(void **state)
{
    static const uint8_t opening[] = { 'h', 'r', 'p', 'c', 9, 0, 0 };
    struct hadoop_session *session = hadoop_session_new();
    struct hadoop_bytes *out = hadoop_session_output(session);

    (void)state;
    put(session, opening, sizeof(opening));
    assert_int_equal(hadoop_session_next(session), HADOOP_EVENT_OPENED);
    hadoop_session_refuse(session, "not from there");
    assert_int_equal(hadoop_session_next(session), HADOOP_EVENT_END);
    assert_non_null(memmem(out->data, out->size, "org.apache.hadoop.security.AccessControlException", 49));
    assert_non_null(memmem(out->data, out->size, "not from there", 14));
    hadoop_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_answered_as_by_hadoop),
        cmocka_unit_test(a_call_has_its_user_method_and_message),
        cmocka_unit_test(an_answer_has_the_form_of_hadoops),
        cmocka_unit_test(pings_are_not_answered),
        cmocka_unit_test(sasl_offers_simple),
        cmocka_unit_test(an_unknown_client_gets_little_memory),
        cmocka_unit_test(a_refused_peer_learns_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
