/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_message.h - makes well-formed messages from the bytes of a fuzzer
 *
 * The fields are found in the schema, and their limits in wire_rules.h: a new field is fuzzed without a
 * change here. A field gets a value that its rule allows, mostly; what the decoder refuses is not returned,
 * as a daemon would never see it. Texts and numbers come from a pool, which learns the ids that the tested
 * core sends, so that messages name objects that exist.
 */
#ifndef CREEL_FUZZ_MADE_MESSAGE_H
#define CREEL_FUZZ_MADE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

/* Bytes of the fuzzer that are not used yet. When they are used up, all further bytes are 0. */
struct made_bytes {
    const uint8_t *at, *end;
};

bool made_is_over(const struct made_bytes *bytes);
uint8_t made_byte(struct made_bytes *bytes);
/* Returns a number below LIMIT, which is at most 256. */
unsigned made_below(struct made_bytes *bytes, unsigned limit);
/* Returns a time to wait, from 0 to some minutes. */
int64_t made_wait_ms(struct made_bytes *bytes);

enum { MADE_IDS_MAX = 24, MADE_NUMBERS_MAX = 16, MADE_TEXT_ROOM = 128 };

/* What messages may name: ids by their kind (enum wire_text_kind), and numbers such as sessions. */
struct made_pool {
    char applications[MADE_IDS_MAX][MADE_TEXT_ROOM];
    char attempts[MADE_IDS_MAX][MADE_TEXT_ROOM];
    char containers[MADE_IDS_MAX][MADE_TEXT_ROOM];
    size_t application_count, attempt_count, container_count; /* that were ever learned */
    int64_t numbers[MADE_NUMBERS_MAX];
    size_t number_count; /* that were ever learned */
    int64_t now_ms;
};

/* Adds the ids, sessions and sequence numbers of MESSAGE, which the tested core has sent. The oldest ones are
 * replaced when there is no room. */
void made_learn(struct made_pool *pool, const ProtobufCMessage *message);

/* Returns a message of TYPE in ARENA. It need not be within the limits of the wire. */
ProtobufCMessage *made_message(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                               const ProtobufCMessageDescriptor *type);
/* Returns an envelope with the body BODY in ARENA, with a body of made_message. */
Creel__Envelope *made_envelope(struct made_bytes *bytes, const struct made_pool *pool, struct arena *arena,
                               Creel__Envelope__BodyCase body);
/* Returns ENVELOPE as it arrives over the wire; NULL: the decoder refuses it. The caller frees the result
 * with wire_free. */
Creel__Envelope *made_arrival(const Creel__Envelope *envelope, struct arena *arena);
/* Ends the process if ENVELOPE, which the tested core sends, is not within the limits of the wire. */
void made_check_packs(Creel__Envelope *envelope);

#endif
