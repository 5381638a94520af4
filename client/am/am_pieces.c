/* SPDX-License-Identifier: Apache-2.0 */
/* am_pieces.c - joins the pieces of a RegisterAmReply */
#include "client/am/am_pieces.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/text.h"

static void drop_packed(struct am_pieces *pieces)
{
    free(pieces->packed);
    pieces->packed = NULL;
    pieces->size = 0;
    pieces->next[0] = '\0';
}

void am_pieces_clear(struct am_pieces *pieces)
{
    drop_packed(pieces);
    if (pieces->joined)
        creel__register_am_reply__free_unpacked(pieces->joined, NULL);
    pieces->joined = NULL;
}

static void append(struct am_pieces *pieces, const Creel__RegisterAmReply *piece)
{
    size_t size = creel__register_am_reply__get_packed_size(piece);

    pieces->packed = mem_resize(pieces->packed, pieces->size + size, 1);
    pieces->size += creel__register_am_reply__pack(piece, pieces->packed + pieces->size);
}

const Creel__RegisterAmReply *am_pieces_add(struct am_pieces *pieces, const Creel__RegisterAmReply *piece)
{
    bool is_last = piece->next[0] == '\0';

    if (!text_equal(piece->after, pieces->next) || pieces->size == 0)
        am_pieces_clear(pieces); /* the first piece; also after a restart of the RM */
    if (is_last && pieces->size == 0)
        return piece;
    append(pieces, piece);
    if (!is_last) {
        snprintf(pieces->next, sizeof(pieces->next), "%s", piece->next);
        return NULL;
    }
    /* Lists of messages that follow each other are joined. */
    pieces->joined = creel__register_am_reply__unpack(NULL, pieces->size, pieces->packed);
    if (!pieces->joined)
        abort(); /* out of memory; the bytes are valid, since they were packed above */
    drop_packed(pieces);
    return pieces->joined;
}
