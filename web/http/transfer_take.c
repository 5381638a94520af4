/* SPDX-License-Identifier: Apache-2.0 */
/* transfer_take.c - which of the transfers that wait has its turn */
#include <stddef.h>

#include "web/http/server_state.h"

static struct transfer *transfer_of(struct address_queue_entry *entry)
{
    return (struct transfer *)(void *)((char *)entry - offsetof(struct transfer, turn));
}

struct transfer *turns_take(struct address_queue *queue)
{
    struct address_queue_entry *entry;
    bool more;

    while ((entry = address_queue_take(queue, &more)) != NULL) {
        struct transfer *transfer = transfer_of(entry);

        if (!more || !peer_is_closed(transfer->peer))
            return transfer;
        memory_give_up(transfer);
    }
    return NULL;
}
