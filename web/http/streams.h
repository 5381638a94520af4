/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.h - open event streams: answers of type text/event-stream (exchange_answer_events)
 *
 * While streams are open, the model is updated once per interval (site.h, prepare), and then each stream asks
 * its handler for an event. A stream has at most one unsent event: until the client has received it, later
 * changes wait, and become one event. A stream without events gets the event "alive" from time to time, so
 * that its client notices that creel-web does not run on. The access token of a stream is checked again; the
 * stream ends if the token is not valid any more.
 *
 * server.h sends the bytes of a stream. It reads them with stream_read, and waits for WAKE if there are none.
 */
#ifndef CREEL_WEB_HTTP_STREAMS_H
#define CREEL_WEB_HTTP_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/io/loop/loop.h"
#include "web/http/site.h"

struct stream_limits {
    unsigned streams_max;
    unsigned address_streams_max; /* per client address */
    unsigned user_streams_max;    /* per authenticated user */
    int64_t interval_ms;          /* minimum time between two events of a stream */
    int64_t alive_ms;             /* the event "alive" is sent if nothing was sent for this time */
    int64_t token_ms;             /* between two checks of the access token */
};

/* (fewer than the connections that http_limits permits, so that other requests find connections, too) */
#define STREAM_LIMITS_DEFAULT \
    { \
        512, 200, 64, 1000, 3000, 1000 \
    }

struct streams;
struct stream;

/* Called when stream_read has something to return again. */
typedef void stream_wake_fn(void *context);

/* SITE and LOOP must outlive the streams. */
struct streams *streams_new(struct loop *loop, const struct site *site, const struct stream_limits *limits);
/* Frees STREAMS, which must have no open stream. NULL is allowed. */
void streams_free(struct streams *streams);

/* Opens the stream that answers EXCHANGE; both end with stream_close, before site_end. Returns NULL if there
 * are too many streams: in all, of the address, or of the user. */
struct stream *stream_open(struct streams *streams, struct exchange *exchange, stream_wake_fn *wake,
                           void *context);
/* Bounds what the kernel stores for a client that does not read its stream, and closes the connection FD of a
 * host that has disappeared for TIMEOUT_MS. */
void streams_bound_socket(int fd, int64_t timeout_ms);
void stream_close(struct stream *stream); /* NULL is allowed */
/* Copies at most SIZE bytes that are to be sent. Returns their number; 0: nothing now; -1: the stream has
 * ended. */
ssize_t stream_read(struct stream *stream, char *bytes, size_t size);
/* Ends the stream: stream_read returns -1 from now on. */
void stream_end(struct stream *stream);

#endif
