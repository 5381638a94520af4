/* SPDX-License-Identifier: Apache-2.0 */
/*
 * z85.h - encodes and decodes binary keys as text (ZeroMQ RFC 32)
 *
 * Four bytes are five characters. Certificates and protocol messages have CURVE keys in this form: 32 bytes
 * are 40 characters.
 */
#ifndef CREEL_IO_Z85_H
#define CREEL_IO_Z85_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Encodes SIZE bytes, a multiple of 4, to TEXT, which has room for SIZE / 4 * 5 characters and the
 * terminator. */
void z85_encode(const uint8_t *bytes, size_t size, char *text);

/* Decodes TEXT to exactly SIZE bytes. Returns false if TEXT has another length, a character that Z85 does not
 * have, or a group of five that is no 32-bit number. */
bool z85_decode(const char *text, uint8_t *bytes, size_t size);

#endif
