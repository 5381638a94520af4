/* SPDX-License-Identifier: Apache-2.0 */
/* transfer_parts.c - answers in parts: whose turn it is, and the next part */
#include <string.h>

#include "web/http/packer.h"
#include "web/http/server_state.h"

/* --- turns ------------------------------------------------------------------ */

void parts_begin_turn(struct http_server *server)
{
    struct transfer *first;

    server->part_made = false;
    server->reader = NULL;
    first = turns_take(server->readers);
    if (first == NULL)
        return;
    turns_resume(first);
    server->reader = first;
}

static bool has_its_turn(const struct transfer *transfer)
{
    const struct http_server *server = transfer->server;

    return !server->part_made && (server->reader == NULL || server->reader == transfer);
}

static void wait_for_its_turn(struct transfer *transfer)
{
    turns_wait(transfer, transfer->server->readers);
}

/* --- parts ------------------------------------------------------------------ */

static enum exchange_part pack(struct transfer *transfer, enum exchange_part part)
{
    bool last = part == EXCHANGE_PART_END;

    if (transfer->packer == NULL || (part != EXCHANGE_PART && !last))
        return part;
    transfer->part =
        packer_add(transfer->packer, transfer->part, transfer->part_size, last, &transfer->part_size);
    transfer->packed = last;
    return EXCHANGE_PART;
}

static enum exchange_part next_part(struct transfer *transfer)
{
    enum exchange_part part;

    if (transfer->packed)
        return EXCHANGE_PART_END;
    transfer->server->part_made = true;
    transfer->part_size = 0;
    part = pack(transfer, site_part(transfer->exchange, &transfer->part, &transfer->part_size));
    memory_count(transfer);
    return part;
}

ssize_t parts_read(void *context, uint64_t position, char *bytes, size_t size)
{
    struct transfer *transfer = context;
    enum exchange_part part = EXCHANGE_PART;

    (void)position;
    if (transfer->server->ending || transfer->given_up)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (transfer->part_size == 0 && !has_its_turn(transfer)) {
        wait_for_its_turn(transfer);
        return 0;
    }
    if (transfer->part_size == 0)
        part = next_part(transfer);
    if (part == EXCHANGE_PART_FAILED)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (part == EXCHANGE_PART_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (part == EXCHANGE_PART_LATER) {
        turns_suspend(transfer);
        return 0;
    }
    if (transfer->part_size == 0) { /* the packer has kept all of it */
        wait_for_its_turn(transfer);
        return 0;
    }
    transfer->peer->deadline_ms = loop_monotonic_ms() + transfer->server->limits.answer_ms;
    size = size < transfer->part_size ? size : transfer->part_size;
    memcpy(bytes, transfer->part, size);
    transfer->part += size;
    transfer->part_size -= size;
    return (ssize_t)size;
}
