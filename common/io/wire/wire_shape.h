/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_shape.h - checks the structure of a packed message before it is unpacked
 *
 * protobuf-c's unpacker accepts messages that no creel program sends: it merges repeated single fields, cuts
 * strings at a zero byte, and accepts the field number 0 and packs it as another field. The check refuses
 * such messages before the unpacker reads them.
 */
#ifndef CREEL_IO_WIRE_SHAPE_H
#define CREEL_IO_WIRE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <protobuf-c/protobuf-c.h>

/* Returns NULL if the structure of BYTES fits a message of TYPE: numbers, types and lengths of fields, each
 * single field at most once, no zero byte in a string; fields that TYPE does not have are ignored. Else
 * returns a description of the problem. */
const char *wire_shape_problem(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t size);

/* Reads a varint of at most LENGTH_MAX bytes, and advances *AT. Returns false if there is no such varint. */
bool wire_read_varint(const uint8_t **at, const uint8_t *end, unsigned length_max, uint64_t *value);

#endif
