/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pieces.h - answers that are written a piece at a time: applications, nodes, queues, containers, /jmx,
 * /metrics
 *
 * A handler gives a function that writes the next item: an application, a node, a queue. A piece is as many
 * items as fit into REST_PIECE_BYTES or take 2 ms. If all items are in the first piece, they are the answer,
 * as if it had been written at once. Else the pieces are the parts of the answer (exchange.h), and the server
 * serves others between them. So a large answer needs the memory of a piece and of the names of its items.
 *
 * The model changes between two pieces. Which items the answer has, and their order, is as it was when the
 * request came: the state of the function has the names of the items, never a pointer of the model. Each item
 * is written as it is when its turn comes; one that was removed, or that does not fit the filter of the
 * request any more, is left out. If that is not possible, because an object that encloses others is gone, the
 * answer is cut.
 *
 * Items that only the resource manager has come in replies to queries. While a query is under way, the
 * function returns REST_LATER, and its continuation calls exchange_part_is_ready.
 */
#ifndef CREEL_WEB_REST_PIECES_H
#define CREEL_WEB_REST_PIECES_H

#include "common/base/arena.h"
#include "common/base/text_builder.h"
#include "web/http/exchange.h"
#include "web/text/document.h"

#define REST_PIECE_BYTES (64 * 1024)

enum rest_more {
    REST_MORE,  /* an item was written, or left out: there may be more */
    REST_LATER, /* nothing was written: the reply to a query is awaited */
    REST_END,
    REST_BROKEN, /* the answer cannot be completed */
};

/* Writes the next item to OUT. ARENA is emptied after the piece. */
typedef enum rest_more rest_piece_fn(struct exchange *exchange, void *context, struct arena *arena,
                                     struct text_builder *out);

/* Answers 200 with all items. Calls END with CONTEXT, which may be in the arena of the exchange, when NEXT is
 * not called any more; END may be NULL. */
void rest_send_pieces(struct exchange *exchange, const char *content_type, rest_piece_fn *next,
                      void (*end)(void *context), void *context);

/* The same for a document: NEXT writes the next item into it. */
typedef enum rest_more rest_item_fn(struct exchange *exchange, void *context, struct arena *arena,
                                    struct document *document);
/* Answers 200 with DOCUMENT, and frees it. */
void rest_send_items(struct exchange *exchange, struct document *document, rest_item_fn *next, void *context);

/* --- names of items ----------------------------------------------------------- */

/* Names of the items that are to be written, one after the other. */
struct rest_names {
    const char *next;
    size_t left;
};

typedef const char *rest_name_fn(const void *report);
/* Copies the names of COUNT reports to ARENA. */
struct rest_names rest_names_of(struct arena *arena, const void *const *reports, size_t count,
                                rest_name_fn *name);
/* Returns the next name, and takes it out; NULL: there are no more. */
const char *rest_names_take(struct rest_names *names);

#endif
