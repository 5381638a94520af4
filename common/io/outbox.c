/* SPDX-License-Identifier: Apache-2.0 */
/* outbox.c - what waits to be sent to one peer, bounded in bytes */
#include "common/io/outbox.h"

#include <assert.h>
#include <stdatomic.h>
#include <zmq.h>

#include "common/base/mem.h"

/* ZeroMQ's threads let go of messages, so that all of it is atomic. */
struct outbox {
    atomic_size_t bytes;
    atomic_size_t users;                /* the connection, and each message on its way */
};

struct parcel {
    struct outbox *outbox;
    size_t size;
};

struct outbox *outbox_new(void)
{
    struct outbox *outbox = mem_new0(struct outbox);

    atomic_init(&outbox->bytes, 0);
    atomic_init(&outbox->users, 1);
    return outbox;
}

void outbox_free(struct outbox *outbox)
{
    if (outbox != NULL && atomic_fetch_sub(&outbox->users, 1) == 1)
        free(outbox);
}

bool outbox_has_room(const struct outbox *outbox, size_t size)
{
    size_t bytes = atomic_load(&outbox->bytes);

    return bytes == 0 || (bytes <= OUTBOX_BYTES_MAX && size <= OUTBOX_BYTES_MAX - bytes);
}

static void let_go(void *bytes, void *hint)
{
    struct parcel *parcel = hint;

    atomic_fetch_sub(&parcel->outbox->bytes, parcel->size);
    outbox_free(parcel->outbox);
    free(parcel);
    free(bytes);
}

bool outbox_send(struct outbox *outbox, void *socket, uint8_t *bytes, size_t size)
{
    struct parcel *parcel = mem_new0(struct parcel);
    zmq_msg_t message;
    int rc;

    parcel->outbox = outbox;
    parcel->size = size;
    atomic_fetch_add(&outbox->users, 1);
    atomic_fetch_add(&outbox->bytes, size);
    rc = zmq_msg_init_data(&message, bytes, size, let_go, parcel);
    assert(rc == 0);                    /* or memory ran out */
    if (zmq_msg_send(&message, socket, ZMQ_DONTWAIT) >= 0)
        return true;
    zmq_msg_close(&message);            /* lets go */
    return false;
}
