/* SPDX-License-Identifier: Apache-2.0 */
/* packer.c - gzip of a text that comes in parts */
#include "web/http/packer.h"

#include <stdlib.h>
#include <zlib.h>

#include "common/base/mem.h"

#define WINDOW_BITS 13
#define GZIP 16        /* added to the bits: the format of gzip */
#define MEMORY_LEVEL 6 /* zlib.h, deflateInit2 */
#define STATE_BYTES ((1 << (WINDOW_BITS + 2)) + (1 << (MEMORY_LEVEL + 9)) + 8192) /* zconf.h */
#define OUT_FIRST 16384

struct packer {
    z_stream stream;
    unsigned char *out; /* owned */
    size_t capacity;
};

struct packer *packer_new(void)
{
    struct packer *packer = mem_new0(struct packer);

    if (deflateInit2(&packer->stream, 4, Z_DEFLATED, WINDOW_BITS + GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
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

size_t packer_memory(const struct packer *packer)
{
    return packer != NULL ? sizeof(*packer) + STATE_BYTES + packer->capacity : 0;
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
