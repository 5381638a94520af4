/* SPDX-License-Identifier: Apache-2.0 */
/* pages.c - lists that arrive in pages */
#include "client/libcreel/pages.h"

#include <errno.h>
#include <stdlib.h>

#include "common/io/wire/wire.h"

int pages_add(struct pages *pages, Creel__Envelope *reply, struct err *err)
{
    if (pages->count == pages->capacity) {
        size_t capacity = pages->capacity ? pages->capacity * 2 : 4;
        Creel__Envelope **items = reallocarray(pages->items, capacity, sizeof(*items));

        if (!items) {
            wire_free(reply);
            return err_set(err, ENOMEM, "out of memory");
        }
        pages->items = items;
        pages->capacity = capacity;
    }
    pages->items[pages->count++] = reply;
    return 0;
}

int pages_fetch(struct creel_client *client, Creel__Envelope *request, int64_t wait_ms,
                Creel__Envelope__BodyCase body, pages_next_fn *next, struct pages *pages, struct err *err)
{
    Creel__Envelope *reply;
    int r;

    do {
        r = client_call_waiting(client, request, body, wait_ms, client->timeout_ms, &reply, err);
        if (r == 0)
            r = pages_add(pages, reply, err);
    } while (r == 0 && next != NULL && next(request, reply));
    return r;
}

bool pages_drop_listed(char ***nodes, size_t *count, size_t listed)
{
    if (listed > *count)
        listed = *count;
    *nodes += listed;
    *count -= listed;
    return *count > 0;
}

void pages_move(struct pages *to, struct pages *from)
{
    *to = *from;
    *from = (struct pages){ 0 };
}

void pages_done(struct pages *pages)
{
    for (size_t i = 0; i < pages->count; i++)
        wire_free(pages->items[i]);
    free(pages->items);
    *pages = (struct pages){ 0 };
}
