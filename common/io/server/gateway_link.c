/* SPDX-License-Identifier: Apache-2.0 */
/* gateway_link.c - sends and receives frames over the socketpair between a daemon and a gateway */
#include "common/io/server/gateway_link.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "common/base/mem.h"
#include "common/io/loop/loop.h"

#define CHUNK_BYTES 65536
#define WRITE_CHUNKS 16 /* chunks written by one system call */

/* A part of the queue. A descriptor is sent with the first byte of its chunk. */
struct chunk {
    size_t start, end, capacity;
    int fd; /* -1: none */
    TAILQ_ENTRY(chunk) link;
    uint8_t bytes[];
};

TAILQ_HEAD(chunk_list, chunk);

struct gateway_link {
    int fd;
    bool takes_fds;
    struct chunk_list queue;
    size_t queued;
    uint8_t *input; /* received bytes of an incomplete frame */
    size_t input_size, input_capacity;
    int fds[GATEWAY_PORTS_MAX]; /* received descriptors not yet taken, oldest first */
    size_t fds_count;
};

struct gateway_link *gateway_link_new(int fd, bool takes_fds)
{
    struct gateway_link *link = mem_new0(struct gateway_link);

    link->fd = fd;
    link->takes_fds = takes_fds;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    TAILQ_INIT(&link->queue);
    link->input_capacity = GATEWAY_READ_MAX;
    link->input = mem_alloc(link->input_capacity);
    return link;
}

static void remove_first(struct gateway_link *link)
{
    struct chunk *chunk = TAILQ_FIRST(&link->queue);

    TAILQ_REMOVE(&link->queue, chunk, link);
    mem_close_fd(&chunk->fd);
    free(chunk);
}

void gateway_link_free(struct gateway_link *link)
{
    int fd;

    if (link == NULL)
        return;
    while (!TAILQ_EMPTY(&link->queue))
        remove_first(link);
    while ((fd = gateway_link_pop_fd(link)) >= 0)
        close(fd);
    close(link->fd);
    free(link->input);
    free(link);
}

int gateway_link_fd(const struct gateway_link *link)
{
    return link->fd;
}

/* --- writing ------------------------------------------------------------------ */

static struct chunk *add_chunk(struct gateway_link *link, size_t capacity)
{
    struct chunk *chunk = mem_alloc(sizeof(*chunk) + capacity);

    chunk->start = chunk->end = 0;
    chunk->capacity = capacity;
    chunk->fd = -1;
    TAILQ_INSERT_TAIL(&link->queue, chunk, link);
    return chunk;
}

static void append(struct gateway_link *link, struct chunk *chunk, const void *bytes, size_t size)
{
    if (size > 0)
        memcpy(chunk->bytes + chunk->end, bytes, size);
    chunk->end += size;
    link->queued += size;
}

void gateway_link_put(struct gateway_link *link, struct gateway_header header, const void *bytes, size_t size)
{
    struct chunk *chunk = TAILQ_LAST(&link->queue, chunk_list);
    size_t whole = sizeof(header) + size;

    assert(size <= GATEWAY_PAYLOAD_MAX);
    header.size = (uint32_t)size;
    if (chunk == NULL || chunk->fd >= 0 || chunk->capacity - chunk->end < whole)
        chunk = add_chunk(link, whole > CHUNK_BYTES ? whole : CHUNK_BYTES);
    append(link, chunk, &header, sizeof(header));
    append(link, chunk, bytes, size);
}

void gateway_link_put_fd(struct gateway_link *link, struct gateway_header header, const void *bytes,
                         size_t size, int fd)
{
    struct chunk *chunk = add_chunk(link, sizeof(header) + size);

    header.size = (uint32_t)size;
    append(link, chunk, &header, sizeof(header));
    append(link, chunk, bytes, size);
    chunk->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    assert(chunk->fd >= 0);
}

size_t gateway_link_queued(const struct gateway_link *link)
{
    return link->queued;
}

static ssize_t write_first(struct gateway_link *link)
{
    struct chunk *chunk = TAILQ_FIRST(&link->queue);
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = { 0 };
    struct iovec parts[WRITE_CHUNKS];
    struct msghdr message = { .msg_iov = parts };

    if (chunk->fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.align), &chunk->fd, sizeof(int));
    }
    do {
        parts[message.msg_iovlen++] =
            (struct iovec){ chunk->bytes + chunk->start, chunk->end - chunk->start };
        if (chunk->fd >= 0)
            break;
        chunk = TAILQ_NEXT(chunk, link);
    } while (chunk != NULL && chunk->fd < 0 && message.msg_iovlen < WRITE_CHUNKS);
    return sendmsg(link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void written(struct gateway_link *link, size_t size)
{
    link->queued -= size;
    while (size > 0) {
        struct chunk *chunk = TAILQ_FIRST(&link->queue);
        size_t left = chunk->end - chunk->start;

        if (size < left) {
            chunk->start += size;
            mem_close_fd(&chunk->fd);
            chunk->fd = -1;
            return;
        }
        size -= left;
        remove_first(link);
    }
}

int gateway_link_flush(struct gateway_link *link)
{
    while (!TAILQ_EMPTY(&link->queue)) {
        ssize_t size = write_first(link);

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return -errno;
        written(link, (size_t)size);
    }
    return 0;
}

void gateway_link_finish(struct gateway_link *link, int timeout_ms)
{
    int64_t end_ms = loop_monotonic_ms() + timeout_ms, left_ms;

    while (gateway_link_flush(link) == -EAGAIN && (left_ms = end_ms - loop_monotonic_ms()) > 0) {
        struct pollfd item = { .fd = link->fd, .events = POLLOUT };

        poll(&item, 1, (int)left_ms);
    }
    shutdown(link->fd, SHUT_WR);
}

/* --- reading ------------------------------------------------------------------ */

int gateway_link_pop_fd(struct gateway_link *link)
{
    int fd;

    if (link->fds_count == 0)
        return -1;
    fd = link->fds[0];
    memmove(link->fds, link->fds + 1, --link->fds_count * sizeof(link->fds[0]));
    return fd;
}

static void store_fds(struct gateway_link *link, struct msghdr *message)
{
    for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at != NULL; at = CMSG_NXTHDR(message, at)) {
        size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(at) + i * sizeof(int), sizeof(int));
            if (link->fds_count < GATEWAY_PORTS_MAX)
                link->fds[link->fds_count++] = fd;
            else
                close(fd);
        }
    }
}

static ssize_t read_more(struct gateway_link *link)
{
    union {
        char bytes[CMSG_SPACE(GATEWAY_PORTS_MAX * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = { link->input + link->input_size, link->input_capacity - link->input_size };
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = link->takes_fds ? sizeof(control.bytes) : 0,
    };
    ssize_t size;

    do
        size = recvmsg(link->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    if (size >= 0 && link->takes_fds)
        store_fds(link, &message);
    return size;
}

/* Makes room for the rest of the frame whose first bytes are in the buffer. Shrinks an empty buffer to the
 * ordinary size. */
static void make_room(struct gateway_link *link, size_t frame)
{
    size_t wanted = frame > GATEWAY_READ_MAX ? frame : GATEWAY_READ_MAX;

    if (wanted != link->input_capacity && (wanted > link->input_capacity || link->input_size <= wanted)) {
        link->input = mem_resize(link->input, wanted, 1);
        link->input_capacity = wanted;
    }
}

int gateway_link_read(struct gateway_link *link, gateway_link_fn *fn, void *context)
{
    ssize_t size = read_more(link);
    struct gateway_header header;
    size_t at = 0, frame = 0;

    if (size < 0)
        return errno == EAGAIN ? 0 : -EPIPE;
    if (size == 0)
        return -EPIPE;
    link->input_size += (size_t)size;
    while (link->input_size - at >= sizeof(header)) {
        memcpy(&header, link->input + at, sizeof(header));
        if (header.size > GATEWAY_PAYLOAD_MAX)
            return -EBADMSG;
        frame = sizeof(header) + header.size;
        if (link->input_size - at < frame)
            break;
        if (!fn(context, &header, link->input + at + sizeof(header)))
            return -EBADMSG;
        at += frame;
        frame = 0;
    }
    link->input_size -= at;
    memmove(link->input, link->input + at, link->input_size);
    make_room(link, frame);
    return 0;
}
