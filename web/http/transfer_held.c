/* SPDX-License-Identifier: Apache-2.0 */
/* transfer_held.c - memory for bodies and answers: what a transfer takes */
#include "web/http/packer.h"
#include "web/http/server_state.h"

#define UNIT 1024                /* bytes */
#define ADDRESS_PART 4u          /* an address gets one part of so many */
#define LARGE (128 * 1024)       /* bytes of an answer after which free memory is returned to the kernel */
#define PART_MEMORY (128 * 1024) /* of an answer in parts: text of a part that is not in the arena */

struct shares *memory_pool_new(size_t bytes)
{
    return shares_new((unsigned)(bytes / UNIT), (unsigned)(bytes / UNIT / ADDRESS_PART));
}

/* A stream has an event at most; the number of streams is limited (streams.h). */
static size_t bytes_of_exchange(const struct exchange *exchange)
{
    const struct answer *answer = exchange != NULL ? site_answer(exchange) : NULL;

    if (exchange == NULL || (answer != NULL && answer->is_stream))
        return 0;
    return site_memory(exchange) + (answer != NULL && answer->is_parts ? PART_MEMORY : 0);
}

unsigned memory_units(const struct transfer *transfer, size_t more)
{
    size_t bytes = transfer->body_capacity + transfer->answer_size + packer_memory(transfer->packer) +
                   bytes_of_exchange(transfer->exchange) + more;

    return (unsigned)(bytes / UNIT + (bytes % UNIT != 0 ? 1 : 0));
}

void memory_hold(struct transfer *transfer, unsigned units)
{
    struct shares *memory = transfer->server->memory;

    if (units > transfer->held)
        shares_take(memory, transfer->peer->share, units - transfer->held);
    else
        shares_give_back(memory, transfer->peer->share, transfer->held - units);
    if (transfer->held > units && transfer->held >= LARGE / UNIT)
        heap_trim_count(&transfer->server->heap_trim, (size_t)(transfer->held - units) * UNIT,
                        loop_monotonic_ms());
    transfer->held = units;
}

void memory_count(struct transfer *transfer)
{
    memory_hold(transfer, memory_units(transfer, 0));
}

void memory_give_back(struct transfer *transfer)
{
    memory_hold(transfer, 0);
}
