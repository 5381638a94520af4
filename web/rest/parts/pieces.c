/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.c - answers that are written a piece at a time */
#include "web/rest/parts/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/monotonic.h"
#include "web/rest/parts/format.h"

#define PIECE_NS INT64_C(2000000)
#define SEARCH_NS INT64_C(20000000) /* while items are left out: a small answer is then sent at once */

struct sending { /* in the arena of the exchange */
    rest_piece_fn *next;
    void (*end)(void *context);
    void *context;
    struct arena *arena;
    struct text_builder text; /* the present piece */
    enum rest_more more;
    bool is_first; /* the present piece is the first one, and was not sent yet */
};

static void write_piece(struct exchange *exchange, struct sending *sending)
{
    int64_t begun_ns = monotonic_ns();

    text_builder_clear(&sending->text);
    if (sending->more == REST_LATER)
        sending->more = REST_MORE;
    while (sending->more == REST_MORE && sending->text.length < REST_PIECE_BYTES) {
        size_t before = sending->text.length;

        sending->more = sending->next(exchange, sending->context, sending->arena, &sending->text);
        if (sending->text.length > 0 &&
            monotonic_ns() - begun_ns >= (sending->text.length > before ? PIECE_NS : SEARCH_NS))
            break;
    }
    arena_reset(sending->arena);
}

static enum exchange_part next_part(struct exchange *exchange, void *context, const char **bytes,
                                    size_t *size)
{
    struct sending *sending = context;

    if (!sending->is_first)
        write_piece(exchange, sending);
    sending->is_first = false;
    if (sending->more == REST_BROKEN)
        return EXCHANGE_PART_FAILED;
    *bytes = text_builder_text(&sending->text);
    *size = sending->text.length;
    if (*size > 0)
        return EXCHANGE_PART;
    return sending->more == REST_LATER ? EXCHANGE_PART_LATER : EXCHANGE_PART_END;
}

static void end_sending(void *context)
{
    struct sending *sending = context;

    if (sending->end != NULL)
        sending->end(sending->context);
    text_builder_clear(&sending->text);
    arena_free(sending->arena);
}

void rest_send_pieces(struct exchange *exchange, const char *content_type, rest_piece_fn *next,
                      void (*end)(void *context), void *context)
{
    struct sending *sending = arena_new0(exchange_arena(exchange), struct sending);

    *sending = (struct sending){
        .next = next,
        .end = end,
        .context = context,
        .arena = arena_new(),
        .text = TEXT_BUILDER_MALLOC,
        .more = REST_MORE,
        .is_first = true,
    };
    write_piece(exchange, sending);
    if (sending->more != REST_END) {
        exchange_at_end(exchange, end_sending, sending);
        exchange_answer_parts(exchange, content_type, next_part, sending);
        return;
    }
    exchange_answer(exchange, 200, content_type, text_builder_text(&sending->text), sending->text.length);
    end_sending(sending);
}

/* --- documents ---------------------------------------------------------------- */

struct items { /* in the arena of the exchange */
    struct document *document;
    rest_item_fn *next;
    void *context;
};

static enum rest_more next_item(struct exchange *exchange, void *context, struct arena *arena,
                                struct text_builder *out)
{
    struct items *items = context;
    enum rest_more more = items->next(exchange, items->context, arena, items->document);
    size_t size;
    char *text;

    if (more == REST_MORE || more == REST_LATER) {
        document_take(items->document, out);
    } else if (more == REST_END) {
        text = document_finish(items->document, &size);
        items->document = NULL;
        text_builder_adopt(out, text, size);
    }
    return more;
}

static void free_document(void *context)
{
    struct items *items = context;

    document_free(items->document);
}

void rest_send_items(struct exchange *exchange, struct document *document, rest_item_fn *next, void *context)
{
    struct items *items = arena_new0(exchange_arena(exchange), struct items);

    *items = (struct items){ document, next, context };
    rest_send_pieces(exchange, rest_begin_answer(exchange), next_item, free_document, items);
}

/* --- names of items ----------------------------------------------------------- */

struct rest_names rest_names_of(struct arena *arena, const void *const *reports, size_t count,
                                rest_name_fn *name)
{
    struct rest_names names = { .left = count };
    size_t size = 1;
    char *to;

    for (size_t i = 0; i < count; i++)
        size += strlen(name(reports[i])) + 1;
    names.next = to = arena_alloc0(arena, size);
    for (size_t i = 0; i < count; i++)
        to = stpcpy(to, name(reports[i])) + 1;
    return names;
}

const char *rest_names_take(struct rest_names *names)
{
    const char *name = names->next;

    if (names->left == 0)
        return NULL;
    names->left--;
    names->next += strlen(name) + 1;
    return name;
}
