/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - security headers and gzip compression of responses (pure)
 */
#ifndef CREEL_WEB_HTTP_ANSWER_H
#define CREEL_WEB_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "web/http/request.h"

/* The headers of every response; a handler's header of the same name replaces one of them. */
extern const struct name_value answer_common_headers[];
extern const size_t answer_common_header_count;

/* Returns the value of the header NAME (in any case) among COUNT; NULL: absent. */
const char *answer_find_header(const struct name_value *headers, size_t count, const char *name);
/* Returns whether ACCEPT_ENCODING, which may be NULL, has gzip with a quality above 0. */
bool answer_accepts_gzip(const char *accept_encoding);
/* Returns whether to compress a response: text, JSON, XML or JavaScript of at least 1,400 bytes. */
bool answer_is_compressible(const char *content_type, size_t size);
/* Compresses BYTES. Returns the result, which the caller frees, and sets *GZIP_SIZE. Returns NULL if the
 * result is not smaller than SIZE. */
void *answer_gzip(const void *bytes, size_t size, size_t *gzip_size);

#endif
