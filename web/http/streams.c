/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c - one timer for all open event streams */
#include "web/http/streams.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define STREAM_TEXT_MAX 256
#define SOCKET_BUFFER 8192         /* bytes that the kernel keeps for a client that does not read */
#define GREETING "retry: 3000\n\n" /* ms after which a browser connects again */
#define ALIVE "event: alive\ndata: alive\n\n"

struct stream {
    struct streams *streams;
    struct exchange *exchange; /* borrowed */
    stream_wake_fn *wake;
    void *context;
    char text[STREAM_TEXT_MAX]; /* bytes from SENT to SIZE are not sent yet */
    size_t size, sent;
    bool ended;
    int64_t filled_ms, checked_ms; /* monotonic: last text; last check of the token */
    struct stream *prev, *next;
};

/* An update of the model; site->prepare may end it after the streams were freed. */
struct update {
    struct streams *streams; /* NULL: freed */
};

struct streams {
    struct loop *loop;
    const struct site *site;
    struct stream_limits limits;
    struct stream *list;
    unsigned count;
    int timer;
    struct update *update; /* under way; NULL: none */
};

/* --- one stream ------------------------------------------------------------- */

static void fill(struct stream *stream, const char *text, size_t size)
{
    memcpy(stream->text, text, size);
    stream->size = size;
    stream->sent = 0;
    stream->filled_ms = loop_monotonic_ms();
}

void stream_end(struct stream *stream)
{
    if (stream->ended)
        return;
    stream->ended = true;
    stream->wake(stream->context);
}

ssize_t stream_read(struct stream *stream, char *bytes, size_t size)
{
    size_t left = stream->size - stream->sent;

    if (stream->ended)
        return -1;
    if (size > left)
        size = left;
    memcpy(bytes, stream->text + stream->sent, size);
    stream->sent += size;
    return (ssize_t)size;
}

static void check_token(struct stream *stream, int64_t now_ms)
{
    if (!site_may_continue(stream->exchange)) {
        stream_end(stream);
        return;
    }
    if (now_ms - stream->checked_ms < stream->streams->limits.token_ms)
        return;
    stream->checked_ms = now_ms;
    site_check_again(stream->exchange);
}

static void fill_with_news(struct stream *stream, int64_t now_ms)
{
    char text[STREAM_TEXT_MAX];
    size_t size;

    if (stream->ended || stream->sent < stream->size)
        return;
    size = site_event(stream->exchange, text, sizeof(text));
    if (size > 0)
        fill(stream, text, size);
    else if (now_ms - stream->filled_ms >= stream->streams->limits.alive_ms)
        fill(stream, ALIVE, sizeof(ALIVE) - 1);
    else
        return;
    stream->wake(stream->context);
}

/* --- all streams ------------------------------------------------------------ */

static void update_model(void *context);

static void schedule(struct streams *streams)
{
    if (streams->list != NULL && streams->timer == 0 && streams->update == NULL)
        streams->timer = loop_add_timer(streams->loop, streams->limits.interval_ms, update_model, streams);
}

static void updated(void *context)
{
    struct update *update = context;
    struct streams *streams = update->streams;
    int64_t now_ms = loop_monotonic_ms();
    struct stream *stream;

    free(update);
    if (streams == NULL)
        return;
    streams->update = NULL;
    DL_FOREACH(streams->list, stream)
    {
        check_token(stream, now_ms);
        fill_with_news(stream, now_ms);
    }
    schedule(streams);
}

static void update_model(void *context)
{
    struct streams *streams = context;
    const struct site *site = streams->site;

    streams->timer = 0;
    if (streams->list == NULL)
        return;
    streams->update = mem_new0(struct update);
    streams->update->streams = streams;
    if (site->prepare != NULL)
        site->prepare(site->prepare_context, updated, streams->update);
    else
        updated(streams->update);
}

/* Returns whether EXCHANGE may open one more stream. Cost: linear in the number of streams. */
static bool has_room(const struct streams *streams, const struct exchange *exchange)
{
    const struct stream *stream;
    unsigned of_address = 0, of_user = 0;

    if (streams->count >= streams->limits.streams_max)
        return false;
    DL_FOREACH(streams->list, stream)
    {
        of_address += text_equal(exchange_client(stream->exchange), exchange_client(exchange));
        of_user += exchange_is_authenticated(stream->exchange) &&
                   strcmp(exchange_user(stream->exchange), exchange_user(exchange)) == 0;
    }
    return of_address < streams->limits.address_streams_max &&
           (!exchange_is_authenticated(exchange) || of_user < streams->limits.user_streams_max);
}

struct stream *stream_open(struct streams *streams, struct exchange *exchange, stream_wake_fn *wake,
                           void *context)
{
    struct stream *stream;

    if (!has_room(streams, exchange))
        return NULL;
    stream = mem_new0(struct stream);
    *stream = (struct stream){ .streams = streams, .exchange = exchange, .wake = wake, .context = context };
    fill(stream, GREETING, sizeof(GREETING) - 1);
    stream->checked_ms = stream->filled_ms;
    DL_APPEND(streams->list, stream);
    streams->count++;
    schedule(streams);
    return stream;
}

void streams_bound_socket(int fd, int64_t timeout_ms)
{
    unsigned timeout = (unsigned)timeout_ms;
    int size = SOCKET_BUFFER;

    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
}

void stream_close(struct stream *stream)
{
    if (stream == NULL)
        return;
    DL_DELETE(stream->streams->list, stream);
    stream->streams->count--;
    free(stream);
}

struct streams *streams_new(struct loop *loop, const struct site *site, const struct stream_limits *limits)
{
    struct streams *streams = mem_new0(struct streams);

    *streams = (struct streams){ .loop = loop, .site = site, .limits = *limits };
    return streams;
}

void streams_free(struct streams *streams)
{
    if (streams == NULL)
        return;
    if (streams->update != NULL)
        streams->update->streams = NULL;
    loop_cancel_timer(streams->loop, streams->timer);
    free(streams);
}
