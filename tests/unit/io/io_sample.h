/* SPDX-License-Identifier: Apache-2.0 */
/* io_sample.h - makes a valid sample message of any protobuf type, with a value in every field */
#ifndef CREEL_TEST_IO_SAMPLE_H
#define CREEL_TEST_IO_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/proto/creel.pb-c.h"

#define SAMPLE_APP "application_1763683200000_0001"
#define SAMPLE_ATTEMPT "appattempt_1763683200000_0001_000001"
#define SAMPLE_CONTAINER "container_e02_1763683200000_0001_01_000001"
#define SAMPLE_NODE "n1.example:8041"
#define SAMPLE_KEY "0123456789012345678901234567890123456789"

/* Returns a message of TYPE. The caller frees it with protobuf_c_message_free_unpacked. */
ProtobufCMessage *sample_message(const ProtobufCMessageDescriptor *type);
/* The same with required fields only. */
ProtobufCMessage *sample_small(const ProtobufCMessageDescriptor *type);

/* Returns an envelope with a body of field number BODY, version 1, request id 7. */
Creel__Envelope *sample_envelope(uint32_t body);
void sample_free(Creel__Envelope *envelope);

/* Replaces a string field of a sample by a copy of TEXT. */
void sample_set_text(char **field, const char *text);

/* Packs ENVELOPE without any check, as a faulty peer would. Returns malloc'ed bytes. */
uint8_t *sample_pack(const Creel__Envelope *envelope, size_t *size);

/* Returns the field number of the n-th kind of body; 0 when there are no more. */
uint32_t sample_body(unsigned n);

#endif
