/* SPDX-License-Identifier: Apache-2.0 */
/* packer.c - gzip of a text that comes in parts */
#include "web/http/packer.h"

#include <stdlib.h>
#include <zlib.h>

#include "common/base/mem.h"

#define GZIP_WINDOW (15 + 16)
#define OUT_FIRST 16384

struct packer {
    z_stream stream;
    unsigned char *out; /* owned */
    size_t capacity;
};

struct packer *packer_new(void)
{
    struct packer *packer = mem_new0(struct packer);

    if (deflateInit2(&packer->stream, 4, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packer);
        return NULL;
    }
    packer->capacity = OUT_FIRST;
    packer->out = mem_alloc(packer->capacity);
    return packer;
}

void packer_free(struct packer *packer)
{
    if (packer == NULL)
        return;
    deflateEnd(&packer->stream);
    free(packer->out);
    free(packer);
}

const void *packer_add(struct packer *packer, const void *bytes, size_t size, bool last, size_t *packed_size)
{
    z_stream *stream = &packer->stream;
    size_t used = 0;

    stream->next_in = (Bytef *)(uintptr_t)bytes;
    stream->avail_in = (uInt)size;
    for (;;) {
        stream->next_out = packer->out + used;
        stream->avail_out = (uInt)(packer->capacity - used);
        deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
        used = packer->capacity - stream->avail_out;
        if (stream->avail_out > 0)
            break;
        packer->capacity *= 2;
        packer->out = mem_resize(packer->out, packer->capacity, 1);
    }
    *packed_size = used;
    return packer->out;
}
