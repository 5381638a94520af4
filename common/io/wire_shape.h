/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_shape.h - whether bytes have the shape of a message, before they are unpacked
 *
 * protobuf-c's unpacker merges fields that come twice, cuts strings at a zero
 * byte, takes the field number 0 and writes it back as something else. None of
 * our senders does any of that, so it never gets to see it.
 */
#ifndef CREEL_IO_WIRE_SHAPE_H
#define CREEL_IO_WIRE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

/* NULL if BYTES are a TYPE as far as structure goes: numbers, types and lengths of
 * fields, each single field once, no zero byte in a string; fields that TYPE does
 * not have are passed over. Else what is wrong with them. */
const char *wire_shape_problem(const ProtobufCMessageDescriptor *type, const uint8_t *bytes,
                               size_t size);

/* Read a varint of at most LENGTH_MAX bytes off *AT; false if there is none. */
bool wire_take_varint(const uint8_t **at, const uint8_t *end, unsigned length_max,
                      uint64_t *value);

#endif
