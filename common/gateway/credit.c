/* SPDX-License-Identifier: Apache-2.0 */
/* credit.c - counts the bytes that libzmq has sent for each connection */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>

#include "common/base/mem.h"
#include "common/gateway/gateway.h"

/* Bytes sent for one connection. Shared with libzmq's threads: the lock protects all members but CREDITS and
 * CONNECTION, which do not change. */
struct credit {
    struct credits *credits;
    uint64_t connection;
    size_t users; /* number of references: one of the connection, one of each message, one
                     of the list */
    size_t left;  /* bytes sent and not yet reported to the daemon */
    bool listed, ended;
    STAILQ_ENTRY(credit) link;
};

STAILQ_HEAD(credit_list, credit);

struct credits {
    struct gateway *gateway;
    pthread_mutex_t lock;
    struct credit_list due; /* credits with GATEWAY_SENT_STEP bytes or more to report */
    int event_fd;           /* readable when DUE is not empty */
};

struct parcel {
    struct credit *credit;
    size_t cost;
    uint8_t bytes[];
};

/* Removes a reference. The caller has the lock. */
static void release(struct credit *credit)
{
    if (--credit->users == 0)
        free(credit);
}

/* Adds CREDIT to the list to report. The caller has the lock. */
static void add_due(struct credit *credit)
{
    struct credits *credits = credit->credits;
    const uint64_t one = 1;

    if (credit->listed || credit->ended || credit->left < GATEWAY_SENT_STEP)
        return;
    if (STAILQ_EMPTY(&credits->due) && write(credits->event_fd, &one, sizeof(one)) != sizeof(one))
        abort();
    credit->listed = true;
    credit->users++;
    STAILQ_INSERT_TAIL(&credits->due, credit, link);
}

/* Called by libzmq, in any thread, when it frees a message. */
static void let_go(void *bytes, void *hint)
{
    struct parcel *parcel = hint;
    struct credit *credit = parcel->credit;
    struct credits *credits = credit->credits;

    (void)bytes;
    pthread_mutex_lock(&credits->lock);
    credit->left += parcel->cost;
    add_due(credit);
    release(credit);
    pthread_mutex_unlock(&credits->lock);
    free(parcel);
}

static void report(void *context, int fd)
{
    struct credits *credits = context;
    struct credit *credit;
    uint64_t count;

    if (read(fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
        abort();
    pthread_mutex_lock(&credits->lock);
    while ((credit = STAILQ_FIRST(&credits->due)) != NULL) {
        uint64_t left = credit->left;

        STAILQ_REMOVE_HEAD(&credits->due, link);
        credit->listed = false;
        credit->left = 0;
        if (!credit->ended)
            gateway_put(credits->gateway, GATEWAY_SENT, 0, credit->connection, &left, sizeof(left));
        release(credit);
    }
    pthread_mutex_unlock(&credits->lock);
}

struct credits *credits_new(struct gateway *gateway)
{
    struct credits *credits = mem_new0(struct credits);

    credits->gateway = gateway;
    pthread_mutex_init(&credits->lock, NULL);
    STAILQ_INIT(&credits->due);
    credits->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (credits->event_fd < 0 ||
        loop_add_fd(gateway->loop, credits->event_fd, false, report, credits, NULL) < 0)
        abort();
    return credits;
}

void credits_free(struct credits *credits)
{
    if (credits == NULL)
        return;
    report(credits, credits->event_fd);
    loop_remove_fd(credits->gateway->loop, credits->event_fd);
    close(credits->event_fd);
    pthread_mutex_destroy(&credits->lock);
    free(credits);
}

struct credit *credit_new(struct credits *credits, uint64_t connection)
{
    struct credit *credit = mem_new0(struct credit);

    credit->credits = credits;
    credit->connection = connection;
    credit->users = 1;
    return credit;
}

void credit_end(struct credit *credit)
{
    struct credits *credits = credit->credits;

    pthread_mutex_lock(&credits->lock);
    credit->ended = true;
    release(credit);
    pthread_mutex_unlock(&credits->lock);
}

void credit_message(struct credit *credit, const uint8_t *bytes, size_t size, zmq_msg_t *message)
{
    struct parcel *parcel = mem_alloc(sizeof(*parcel) + size);
    int rc;

    parcel->credit = credit;
    parcel->cost = size + GATEWAY_MESSAGE_COST;
    memcpy(parcel->bytes, bytes, size);
    pthread_mutex_lock(&credit->credits->lock);
    credit->users++;
    pthread_mutex_unlock(&credit->credits->lock);
    rc = zmq_msg_init_data(message, parcel->bytes, size, let_go, parcel);
    assert(rc == 0); /* fails only if memory is exhausted */
    (void)rc;
}
