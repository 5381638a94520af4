/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - security headers and gzip compression of responses */
#include "web/http/answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define COMPRESS_FROM 1400 /* bytes; a smaller body fits in one packet and is not compressed */

const struct name_value answer_common_headers[] = {
    { "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      "form-action 'self'; base-uri 'none'; frame-ancestors 'self'" },
    { "X-Content-Type-Options", "nosniff" },
    { "X-Frame-Options", "SAMEORIGIN" },
    { "X-XSS-Protection", "1; mode=block" },
    { "Referrer-Policy", "same-origin" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
    { "Permissions-Policy", "geolocation=(), camera=(), microphone=()" },
    { "Vary", "Accept-Encoding" },
    { "Cache-Control", "no-store" },
};
const size_t answer_common_header_count = sizeof(answer_common_headers) / sizeof(*answer_common_headers);

const char *answer_find_header(const struct name_value *headers, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(headers[i].name, name) == 0)
            return headers[i].value;
    return NULL;
}

bool answer_accepts_gzip(const char *accept_encoding)
{
    const char *at = accept_encoding;

    while (at != NULL && *at != '\0') {
        size_t length = strcspn(at, ",");
        size_t name_length = strcspn(at, ",; \t");

        if ((name_length == 4 && strncasecmp(at, "gzip", 4) == 0) || (name_length == 1 && *at == '*')) {
            const char *quality = memmem(at, length, "q=", 2);

            return quality == NULL || strtod(quality + 2, NULL) > 0;
        }
        at += length;
        at += strspn(at, ", \t");
    }
    return false;
}

bool answer_is_compressible(const char *content_type, size_t size)
{
    static const char *const types[] = {
        "text/",
        "application/json",
        "application/xml",
        "application/javascript",
        "image/svg+xml",
        "application/openmetrics-text",
        "application/vnd.sun.wadl+xml",
    };

    if (size < COMPRESS_FROM || content_type == NULL)
        return false;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (text_has_prefix(content_type, types[i]))
            return true;
    return false;
}

void *answer_gzip(const void *bytes, size_t size, size_t *gzip_size)
{
    z_stream stream = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size };
    void *packed;
    int rc;

    if (size > UINT32_MAX / 2 || deflateInit2(&stream, 4, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    packed = mem_alloc(size);
    stream.next_out = packed;
    stream.avail_out = (uInt)size;
    rc = deflate(&stream, Z_FINISH);
    *gzip_size = stream.total_out;
    deflateEnd(&stream);
    if (rc == Z_STREAM_END)
        return mem_resize(packed, *gzip_size, 1);
    free(packed);
    return NULL;
}
