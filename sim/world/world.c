/* SPDX-License-Identifier: Apache-2.0 */
/* world.c - shared functions of the actors of a simulated cluster: clock, events, network */
#include "sim/world/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "sim/world/describe.h"

/* --- the queue of events: a heap by (time, order of creation) -------------- */

struct event {
    int64_t at_ms;
    uint64_t seq;
    world_fn *fn;
    void *actor, *data;
};

struct world_queue {
    struct event *heap; /* owned */
    size_t count, capacity;
    uint64_t next_seq;
};

static bool earlier(const struct event *a, const struct event *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->seq < b->seq;
}

static void swap(struct event *a, struct event *b)
{
    struct event kept = *a;

    *a = *b;
    *b = kept;
}

static void push(struct world_queue *queue, struct event event)
{
    size_t i = queue->count;

    mem_grow(queue->heap, queue->count, queue->capacity);
    queue->heap[queue->count++] = event;
    while (i > 0 && earlier(&queue->heap[i], &queue->heap[(i - 1) / 2])) {
        swap(&queue->heap[i], &queue->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static struct event pop(struct world_queue *queue)
{
    struct event first = queue->heap[0];
    size_t i = 0;

    queue->heap[0] = queue->heap[--queue->count];
    for (;;) {
        size_t least = i, left = 2 * i + 1, right = left + 1;

        if (left < queue->count && earlier(&queue->heap[left], &queue->heap[least]))
            least = left;
        if (right < queue->count && earlier(&queue->heap[right], &queue->heap[least]))
            least = right;
        if (least == i)
            return first;
        swap(&queue->heap[i], &queue->heap[least]);
        i = least;
    }
}

void world_after(struct world *world, int64_t delay_ms, world_fn *fn, void *actor, void *data)
{
    struct event event = {
        .at_ms = world->now_ms + (delay_ms > 0 ? delay_ms : 0),
        .seq = world->events->next_seq++,
        .fn = fn,
        .actor = actor,
        .data = data,
    };

    push(world->events, event);
}

struct world_queue *world_queue_new(void)
{
    return mem_new0(struct world_queue);
}

void world_queue_free(struct world_queue *queue)
{
    while (queue->count > 0)
        free(pop(queue).data);
    free(queue->heap);
    free(queue);
}

bool world_next(struct world *world)
{
    struct event event;

    if (world->events->count == 0)
        return false;
    event = pop(world->events);
    world->now_ms = event.at_ms;
    world->steps++;
    event.fn(world, event.actor, event.data);
    free(event.data);
    return true;
}

/* --- log and failures ------------------------------------------------------ */

bool world_faulty(const struct world *world)
{
    return world->now_ms < WORLD_EPOCH_MS + WORLD_FAULTS_END_MS;
}

bool world_chance(struct world *world, unsigned permille)
{
    return world_faulty(world) && rng_chance(&world->rng, permille);
}

void world_note(struct world *world, const char *format, ...)
{
    va_list args;

    if (!world->verbose)
        return;
    printf("%9.3f ", (double)(world->now_ms - WORLD_EPOCH_MS) / 1000);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void world_fail(struct world *world, const char *format, ...)
{
    va_list args;

    if (world->failure.code != 0)
        return;
    va_start(args, format);
    err_vset(&world->failure, EINVAL, format, args);
    va_end(args);
    world_note(world, "FAILED: %s", world->failure.text);
}

/* --- the network ----------------------------------------------------------- */

struct packet {
    struct sim_sender from;
    enum sim_kind to;
    uint64_t receiver_life;
    size_t size;
    uint8_t bytes[];
};

static bool is_alive(const struct world *world, const struct packet *packet, void *receiver)
{
    uint64_t life = world->actors->life(packet->to, receiver);

    return life != 0 && (packet->receiver_life == 0 || packet->receiver_life == life);
}

static void deliver(struct world *world, void *receiver, void *data)
{
    static const char *const names[] = { "rm", "node", "am", "client", "admin" };
    const struct packet *packet = data;
    Creel__Envelope *envelope;
    struct err err;

    if (!is_alive(world, packet, receiver))
        return;
    if (wire_decode(packet->bytes, packet->size, &envelope, NULL, &err) < 0) {
        world_fail(world, "a %s sent what the wire refuses: %s", names[packet->from.kind], err.text);
        return;
    }
    if (world->verbose) {
        char text[512];

        world_note(world, "%s -> %s %s", names[packet->from.kind], names[packet->to],
                   describe_envelope(envelope, text, sizeof(text)));
    }
    world->actors->receive(packet->to, receiver, packet->from, envelope);
    wire_free(envelope);
}

void world_send(struct world *world, struct sim_sender from, enum sim_kind to, void *receiver,
                uint64_t receiver_life, Creel__Envelope *envelope)
{
    const struct world_plan *plan = &world->plan;
    uint8_t *bytes;
    size_t size;
    int copies = 1 + world_chance(world, plan->repeat);

    wire_encode(envelope, &bytes, &size);
    for (int i = 0; i < copies; i++) {
        struct packet *packet;

        if (world_chance(world, plan->lose) || world->actors->is_cut(&from, to, receiver))
            continue;
        packet = mem_alloc(sizeof(*packet) + size);
        packet->from = from;
        packet->to = to;
        packet->receiver_life = receiver_life;
        packet->size = size;
        memcpy(packet->bytes, bytes, size);
        world_after(world, rng_between(&world->rng, plan->delay_min_ms, plan->delay_max_ms), deliver,
                    receiver, packet);
    }
    free(bytes);
}

/* --- sizes of nodes --------------------------------------------------------- */

struct resource world_draw_total(struct world *world)
{
    int64_t gib = rng_between(&world->rng, world->plan.queues != WORLD_FIFO ? 2 : 1, 4);

    return resource_of(gib * 1024, rng_between(&world->rng, world->plan.queues != WORLD_FIFO ? 5 : 2, 8));
}

struct resource world_most(const struct world *world, struct resource total)
{
    if (world->plan.drain > 0 && total.value[RESOURCE_MEMORY_MB] < WORLD_RESIZED_MB_MAX)
        total.value[RESOURCE_MEMORY_MB] = WORLD_RESIZED_MB_MAX;
    return total;
}
