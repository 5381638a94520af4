/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h - well-formed UTF-8 */
#ifndef CREEL_BASE_UTF8_H
#define CREEL_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the well-formed character at TEXT, which ends in 0; 0: it is none. */
size_t utf8_length(const unsigned char *text);

#endif
