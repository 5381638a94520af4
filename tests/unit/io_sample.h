/* SPDX-License-Identifier: Apache-2.0 */
/* io_sample.h - a valid message of any type, with something in every field */
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

/* Freed with protobuf_c_message_free_unpacked. */
ProtobufCMessage *sample_message(const ProtobufCMessageDescriptor *type);

/* An envelope with a body of field number BODY, version 1, request id 7. */
Creel__Envelope *sample_envelope(uint32_t body);
void sample_free(Creel__Envelope *envelope);

/* Put a copy of TEXT into a string of a sample. */
void sample_set_text(char **field, const char *text);

/* Pack as a peer would that checks nothing; malloc'ed. */
uint8_t *sample_pack(const Creel__Envelope *envelope, size_t *size);

/* The n-th kind of body, 0 when there are no more. */
uint32_t sample_body(unsigned n);

#endif
