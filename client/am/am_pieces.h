/* SPDX-License-Identifier: Apache-2.0 */
/*
 * am_pieces.h - joins the pieces of a RegisterAmReply
 *
 * A reply that is longer than a message comes in pieces. Each piece names the container after which the next
 * one begins.
 */
#ifndef CREEL_CLIENT_AM_PIECES_H
#define CREEL_CLIENT_AM_PIECES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/id.h"
#include "common/proto/creel.pb-c.h"

struct am_pieces {          /* zero: no pieces */
    char next[ID_TEXT_MAX]; /* RegisterAm.after of the next request; "": the first piece */
    uint8_t *packed;        /* owned: the pieces so far, one after the other */
    size_t size;
    Creel__RegisterAmReply *joined; /* owned */
};

/* Adds PIECE. Returns the whole reply after the last piece: PIECE itself if it is the only one, else valid
 * until the next call. NULL: another piece has to be requested. */
const Creel__RegisterAmReply *am_pieces_add(struct am_pieces *pieces, const Creel__RegisterAmReply *piece);
void am_pieces_clear(struct am_pieces *pieces);

#endif
