/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - connections of libmicrohttpd in our loop
 *
 * A `peer` is a connection, a `transfer` one request on it. libmicrohttpd calls, in this order:
 * peer_changed when a connection opens; transfer_new with the request line; handle, first with the headers,
 * then with each piece of the body, and once more when the request is whole; transfer_completed. If the
 * answer needs the resource manager, the connection is suspended, and `handle` is called again after it was
 * resumed. An event stream is suspended while it has no event; then read_stream is called again.
 */
#include "web/http/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

#include "common/base/mem.h"
#include "common/io/listener.h"
#include "web/http/address.h"
#include "web/http/answer.h"
#include "web/http/certificate.h"

#define CONNECTION_MEMORY \
    (REQUEST_TARGET_MAX + \
     2 * REQUEST_HEADER_BYTES_MAX) /* bytes; what does not fit is refused by libmicrohttpd */
#define SWEEP_MS 1000
#define ANSWER_PIECE (64 * 1024) /* bytes of an answer, for which the client has limits.answer_ms */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"
#define STREAM_PIECE 512
#define TOO_MANY \
    "There are too many event streams. Please try again later; without one, pages refresh by time.\n"
#define TOO_MUCH "creel-web has no memory left for this request. Please try again in a few seconds.\n"

struct transfer;

struct peer {
    struct MHD_Connection *connection;
    struct transfer *transfer; /* current request; NULL: the connection waits for the next one */
    int64_t deadline_ms;       /* the connection is closed then (monotonic clock); INT64_MAX: never */
    bool suspended;
    bool certificate_read;
    const char *certificate_problem;  /* NULL: none */
    char user[CERTIFICATE_USER_SIZE]; /* of the certificate; "": there is none */
    struct peer *prev, *next;
};

struct transfer {
    struct http_server *server;
    struct peer *peer;
    char *target;
    const char *method, *version; /* valid until the request has ended */
    bool begun;                   /* the headers are complete, and begin() has run */
    char *body;
    size_t body_size, body_capacity; /* a body that is too long is counted, but not stored */
    size_t held;                     /* bytes of this request that server->memory includes */
    struct name_value headers[REQUEST_HEADERS_MAX + 1];
    size_t header_count;
    char address[ADDRESS_TEXT_MAX];
    struct exchange *exchange;
    struct stream *stream; /* the answer; NULL: the answer is no stream */
    const char *part;      /* of an answer in parts: what is left of the last one */
    size_t part_size;
};

struct http_server {
    struct loop *loop;
    const struct site *site;
    struct http_limits limits;
    struct MHD_Daemon *daemon;
    int epoll_fd, port;
    int run_timer, sweep_timer;
    struct peer *peers;
    struct streams *streams;
    bool asks_for_certificates;
    size_t memory; /* bytes of all bodies and answers */
    bool starting, ending;
    char reason[256]; /* why the start failed */
};

/* --- the loop --------------------------------------------------------------- */

static void run(void *context)
{
    struct http_server *server = context;
    MHD_UNSIGNED_LONG_LONG timeout_ms;

    loop_cancel_timer(server->loop, server->run_timer);
    server->run_timer = 0;
    MHD_run(server->daemon);
    /* (libmicrohttpd uses edge-triggered epoll: only a timeout of 0 shows that there is unread input) */
    if (MHD_get_timeout(server->daemon, &timeout_ms) == MHD_YES)
        server->run_timer =
            loop_add_timer(server->loop, timeout_ms > 60000 ? 60000 : (int64_t)timeout_ms, run, server);
}

static void run_on_event(void *context, int fd)
{
    (void)fd;
    run(context);
}

static void run_soon(struct http_server *server)
{
    loop_cancel_timer(server->loop, server->run_timer);
    server->run_timer = loop_add_timer(server->loop, 0, run, server);
}

static int fd_of(const struct peer *peer)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    return info != NULL ? info->connect_fd : -1;
}

static void cut(const struct peer *peer)
{
    if (fd_of(peer) >= 0)
        shutdown(fd_of(peer), SHUT_RDWR);
}

/* Ends the stream of PEER if its client has closed the connection: libmicrohttpd does not watch a suspended
 * connection. */
static void end_closed_stream(const struct peer *peer)
{
    struct pollfd hangup = { .fd = fd_of(peer), .events = POLLRDHUP };

    if (peer->suspended && peer->transfer != NULL && peer->transfer->stream != NULL &&
        poll(&hangup, 1, 0) > 0)
        stream_end(peer->transfer->stream);
}

static void sweep(void *context)
{
    struct http_server *server = context;
    int64_t now_ms = loop_monotonic_ms();
    struct peer *peer;

    server->sweep_timer = server->peers != NULL ? loop_add_timer(server->loop, SWEEP_MS, sweep, server) : 0;
    DL_FOREACH(server->peers, peer)
    {
        if (peer->deadline_ms <= now_ms) {
            peer->deadline_ms = INT64_MAX;
            cut(peer);
        }
        end_closed_stream(peer);
    }
}

/* --- connections ------------------------------------------------------------ */

static void peer_changed(void *context, struct MHD_Connection *connection, void **socket_context,
                         enum MHD_ConnectionNotificationCode code)
{
    struct http_server *server = context;
    struct peer *peer = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        peer = mem_new0(struct peer);
        peer->connection = connection;
        peer->deadline_ms = loop_monotonic_ms() + server->limits.request_ms;
        DL_APPEND(server->peers, peer);
        *socket_context = peer;
        if (server->sweep_timer == 0)
            server->sweep_timer = loop_add_timer(server->loop, SWEEP_MS, sweep, server);
        return;
    }
    DL_DELETE(server->peers, peer);
    *socket_context = NULL;
    free(peer);
}

static void *transfer_new(void *context, const char *target, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct transfer *transfer = mem_new0(struct transfer);

    transfer->server = context;
    transfer->peer = info->socket_context;
    transfer->peer->transfer = transfer;
    transfer->target = mem_strdup(target);
    return transfer;
}

static void hold(struct transfer *transfer, size_t size)
{
    transfer->held += size;
    transfer->server->memory += size;
}

static bool has_memory_for(const struct http_server *server, size_t size)
{
    return server->memory <= server->limits.memory_max && size <= server->limits.memory_max - server->memory;
}

static void transfer_completed(void *context, struct MHD_Connection *connection, void **request_context,
                               enum MHD_RequestTerminationCode code)
{
    struct http_server *server = context;
    struct transfer *transfer = *request_context;

    (void)connection;
    (void)code;
    if (transfer == NULL)
        return;
    transfer->peer->transfer = NULL;
    transfer->peer->deadline_ms = loop_monotonic_ms() + server->limits.request_ms;
    server->memory -= transfer->held;
    stream_close(transfer->stream);
    site_end(transfer->exchange);
    free(transfer->body);
    free(transfer->target);
    free(transfer);
    *request_context = NULL;
}

/* --- the answer ------------------------------------------------------------- */

static const char *header_of(const struct answer *answer, const char *name)
{
    return answer_find_header(answer->headers, answer->header_count, name);
}

static const char *find_header(const struct transfer *transfer, const char *name)
{
    return answer_find_header(transfer->headers, transfer->header_count, name);
}

static struct MHD_Response *make_body(struct transfer *transfer, const struct answer *answer)
{
    struct MHD_Response *response;
    size_t size = answer->size;
    void *packed = NULL;

    if (answer_is_compressible(header_of(answer, "Content-Type"), size) &&
        header_of(answer, "Content-Encoding") == NULL &&
        answer_accepts_gzip(find_header(transfer, "Accept-Encoding")))
        packed = answer_gzip(answer->bytes, answer->size, &size);
    if (packed != NULL)
        response = MHD_create_response_from_buffer(size, packed, MHD_RESPMEM_MUST_FREE);
    else /* (the exchange has the bytes, and exists until the answer was sent) */
        response =
            MHD_create_response_from_buffer(size, (void *)(uintptr_t)answer->bytes, MHD_RESPMEM_PERSISTENT);
    if (response != NULL && packed != NULL)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    hold(transfer, size + (packed != NULL ? answer->size : 0));
    return response;
}

static void answered(void *context)
{
    struct transfer *transfer = context;

    if (!transfer->peer->suspended)
        return;
    transfer->peer->suspended = false;
    MHD_resume_connection(transfer->peer->connection);
    run_soon(transfer->server);
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t size)
{
    struct transfer *transfer = context;
    struct peer *peer = transfer->peer;
    ssize_t n = transfer->server->ending ? -1 : stream_read(transfer->stream, bytes, size);

    (void)position;
    if (n < 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    /* (without unread bytes, libmicrohttpd has sent all of them) */
    peer->deadline_ms = n > 0 ? loop_monotonic_ms() + transfer->server->limits.answer_ms : INT64_MAX;
    if (n == 0) {
        peer->suspended = true;
        MHD_suspend_connection(peer->connection);
    }
    return n;
}

static ssize_t read_parts(void *context, uint64_t position, char *bytes, size_t size)
{
    struct transfer *transfer = context;
    struct peer *peer = transfer->peer;
    enum exchange_part part = EXCHANGE_PART;

    (void)position;
    if (transfer->part_size == 0 && !transfer->server->ending)
        part = site_part(transfer->exchange, &transfer->part, &transfer->part_size);
    if (part == EXCHANGE_PART_FAILED || transfer->server->ending)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (part == EXCHANGE_PART_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (part == EXCHANGE_PART_LATER) {
        peer->deadline_ms = INT64_MAX;
        peer->suspended = true;
        MHD_suspend_connection(peer->connection);
        return 0;
    }
    peer->deadline_ms = loop_monotonic_ms() + transfer->server->limits.answer_ms;
    size = size < transfer->part_size ? size : transfer->part_size;
    memcpy(bytes, transfer->part, size);
    transfer->part += size;
    transfer->part_size -= size;
    return (ssize_t)size;
}

/* Opens the stream of an answer that is one. Returns the answer to send: ANSWER, or a refusal. */
static const struct answer *open_stream(struct transfer *transfer, const struct answer *answer)
{
    static const struct name_value headers[] = { { "Retry-After", "60" }, { "Content-Type", "text/plain" } };
    static const struct answer too_many = { 503, headers, 2, TOO_MANY, sizeof(TOO_MANY) - 1, false, false };

    transfer->stream = stream_open(transfer->server->streams, transfer->exchange, answered, transfer);
    if (transfer->stream == NULL)
        return &too_many;
    streams_bound_socket(fd_of(transfer->peer), transfer->server->limits.answer_ms);
    return answer;
}

static enum MHD_Result send_answer(struct transfer *transfer, const struct answer *answer)
{
    static const struct name_value later = { "Retry-After", "5" };
    static const struct answer too_much = { 503, &later, 1, TOO_MUCH, sizeof(TOO_MUCH) - 1, false, false };
    struct http_server *server = transfer->server;
    struct MHD_Response *response;
    enum MHD_Result result;

    if (!has_memory_for(server, answer->size))
        answer = &too_much;
    if (answer->is_stream)
        answer = open_stream(transfer, answer);
    if (answer->is_stream || answer->is_parts)
        response = MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, answer->is_stream ? STREAM_PIECE : ANSWER_PIECE,
            answer->is_stream ? read_stream : read_parts, transfer, NULL);
    else
        response = make_body(transfer, answer);
    if (response == NULL)
        return MHD_NO;
    for (size_t i = 0; i < answer->header_count; i++)
        MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    for (size_t i = 0; i < answer_common_header_count; i++)
        if (header_of(answer, answer_common_headers[i].name) == NULL)
            MHD_add_response_header(response, answer_common_headers[i].name, answer_common_headers[i].value);
    transfer->peer->deadline_ms =
        loop_monotonic_ms() + server->limits.answer_ms * (int64_t)(1 + answer->size / ANSWER_PIECE);
    result = MHD_queue_response(transfer->peer->connection, (unsigned)answer->status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- requests --------------------------------------------------------------- */

static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct transfer *transfer = context;

    (void)kind;
    if (transfer->header_count <= REQUEST_HEADERS_MAX)
        transfer->headers[transfer->header_count++] = (struct name_value){ name, value != NULL ? value : "" };
    return MHD_YES;
}

static void find_address(struct transfer *transfer)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(transfer->peer->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

    address_text(info != NULL ? info->client_addr : NULL, transfer->address);
}

/* Reads the certificate of the client, once for each connection. */
static void read_certificate(const struct http_server *server, struct peer *peer)
{
    const union MHD_ConnectionInfo *info;

    if (!server->asks_for_certificates || peer->certificate_read)
        return;
    peer->certificate_read = true;
    info = MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    peer->certificate_problem = info != NULL && info->tls_session != NULL
                                    ? certificate_user(info->tls_session, peer->user)
                                    : "cannot be read";
}

static struct request_text text_of(const struct transfer *transfer)
{
    return (struct request_text){
        .method = transfer->method,
        .target = transfer->target,
        .version = transfer->version,
        .headers = transfer->headers,
        .header_count = transfer->header_count,
        .body = transfer->body != NULL ? transfer->body : "",
        .body_size = transfer->body_size,
        .peer = transfer->address,
        .certificate_user = *transfer->peer->user != '\0' ? transfer->peer->user : NULL,
        .certificate_problem = transfer->peer->certificate_problem,
    };
}

static enum MHD_Result serve(struct transfer *transfer)
{
    struct peer *peer = transfer->peer;
    const struct request_text text = text_of(transfer);
    const struct answer *answer;

    peer->deadline_ms = INT64_MAX;
    transfer->exchange = site_serve(transfer->server->site, &text, answered, transfer);
    answer = site_answer(transfer->exchange);
    if (answer != NULL)
        return send_answer(transfer, answer);
    peer->suspended = true;
    MHD_suspend_connection(peer->connection);
    return MHD_YES;
}

/* Begins with the headers. A request that is refused for them is not read further. */
static enum MHD_Result begin(struct transfer *transfer)
{
    struct request_text text;
    const char *length;

    transfer->begun = true;
    MHD_get_connection_values(transfer->peer->connection, MHD_HEADER_KIND, add_header, transfer);
    find_address(transfer);
    read_certificate(transfer->server, transfer->peer);
    length = find_header(transfer, "Content-Length");
    if (length != NULL && strtoull(length, NULL, 10) > REQUEST_BODY_MAX)
        transfer->body_size = REQUEST_BODY_MAX + 1;
    text = text_of(transfer);
    return transfer->body_size > 0 || !request_has_valid_headers(&text) ? serve(transfer) : MHD_YES;
}

/* Appends DATA to the body. Returns false if the bodies and answers would exceed limits.memory_max. */
static bool append_body(struct transfer *transfer, const char *data, size_t size)
{
    size_t needed = transfer->body_size + size;

    if (needed <= REQUEST_BODY_MAX && needed >= transfer->body_capacity) {
        size_t capacity = 2 * needed + 1;

        if (!has_memory_for(transfer->server, capacity - transfer->body_capacity))
            return false;
        hold(transfer, capacity - transfer->body_capacity);
        transfer->body = mem_resize(transfer->body, capacity, 1);
        transfer->body_capacity = capacity;
    }
    if (needed <= REQUEST_BODY_MAX) {
        memcpy(transfer->body + transfer->body_size, data, size);
        transfer->body[needed] = '\0';
    }
    transfer->body_size = needed;
    return true;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data, size_t *size,
                              void **request_context)
{
    struct http_server *server = context;
    struct transfer *transfer = *request_context;
    bool taken;

    (void)connection;
    (void)path;
    transfer->method = method;
    transfer->version = version;
    if (!transfer->begun)
        return begin(transfer);
    if (transfer->exchange != NULL) {
        const struct answer *answer = site_answer(transfer->exchange);

        return answer != NULL && !server->ending ? send_answer(transfer, answer) : MHD_NO;
    }
    if (*size == 0)
        return serve(transfer);
    taken = append_body(transfer, data, *size);
    *size = 0;
    return taken ? MHD_YES : MHD_NO;
}

/* --- start and end ---------------------------------------------------------- */

/* Copies the first message of libmicrohttpd during the start. Later messages concern single connections. */
__attribute__((format(printf, 2, 0))) static void note(void *context, const char *format, va_list arguments)
{
    struct http_server *server = context;

    if (!server->starting || *server->reason != '\0')
        return;
    vsnprintf(server->reason, sizeof(server->reason), format, arguments);
    server->reason[strcspn(server->reason, "\r\n")] = '\0';
}

static struct MHD_Daemon *start(struct http_server *server, int listen_fd, const struct http_tls *tls)
{
    struct MHD_OptionItem secure[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, tls != NULL ? tls->certificate : NULL },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, tls != NULL ? tls->key : NULL },
        { MHD_OPTION_HTTPS_PRIORITIES, 0, (char *)(uintptr_t)TLS_PRIORITIES },
        { tls != NULL && tls->client_authorities != NULL ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0,
          tls != NULL ? tls->client_authorities : NULL },
        { MHD_OPTION_END, 0, NULL },
    };

    return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                                (tls != NULL ? (unsigned)MHD_USE_TLS : 0),
                            0, NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, note, server,
                            MHD_OPTION_LISTEN_SOCKET, listen_fd, MHD_OPTION_CONNECTION_LIMIT,
                            server->limits.connections_max, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
                            server->limits.address_connections_max, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            (size_t)CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 0,
                            MHD_OPTION_URI_LOG_CALLBACK, transfer_new, server, MHD_OPTION_NOTIFY_CONNECTION,
                            peer_changed, server, MHD_OPTION_NOTIFY_COMPLETED, transfer_completed, server,
                            MHD_OPTION_ARRAY, tls != NULL ? secure : &secure[4], MHD_OPTION_END);
}

/* Takes ownership of LISTEN_FD. */
static int open_on(struct http_server **ret, struct loop *loop, int listen_fd, const struct site *site,
                   const struct http_limits *limits, const struct http_tls *tls, struct err *err)
{
    struct http_server *server = mem_new0(struct http_server);
    int rc;

    *server = (struct http_server){ .loop = loop, .site = site, .limits = *limits };
    server->streams = streams_new(loop, site, &limits->streams);
    server->asks_for_certificates = tls != NULL && tls->client_authorities != NULL;
    server->starting = true;
    server->daemon = start(server, listen_fd, tls);
    server->starting = false;
    if (server->daemon == NULL) {
        rc = err_set(err, tls != NULL ? EINVAL : EIO, "cannot start the HTTP server (libmicrohttpd %s): %s",
                     MHD_get_version(), server->reason);
        close(listen_fd);
        streams_free(server->streams);
        free(server);
        return rc;
    }
    server->epoll_fd = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    rc = loop_add_fd(loop, server->epoll_fd, false, run_on_event, server, err);
    if (rc < 0) {
        MHD_stop_daemon(server->daemon);
        streams_free(server->streams);
        free(server);
        return rc;
    }
    *ret = server;
    return 0;
}

int http_server_new_tls(struct http_server **ret, struct loop *loop, const char *address,
                        const struct site *site, const struct http_limits *limits, const struct http_tls *tls,
                        struct err *err)
{
    int port = 0, listen_fd, rc;

    if (tls != NULL && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        return err_set(err, ENOTSUP, "the libmicrohttpd of this host has no TLS");
    listen_fd = listener_open(address, &port, err);
    if (listen_fd < 0)
        return listen_fd;
    rc = open_on(ret, loop, listen_fd, site, limits, tls, err);
    if (rc < 0)
        err_prefix(err, "%s", address);
    else
        (*ret)->port = port;
    return rc;
}

int http_server_new_on(struct http_server **ret, struct loop *loop, int listen_fd, const struct site *site,
                       const struct http_limits *limits, const struct http_tls *tls, struct err *err)
{
    return open_on(ret, loop, listen_fd, site, limits, tls, err);
}

int http_server_new(struct http_server **ret, struct loop *loop, const char *address, const struct site *site,
                    const struct http_limits *limits, struct err *err)
{
    return http_server_new_tls(ret, loop, address, site, limits, NULL, err);
}

int http_server_port(const struct http_server *server)
{
    return server->port;
}

void http_server_free(struct http_server *server)
{
    struct peer *peer;

    if (server == NULL)
        return;
    server->ending = true;
    loop_remove_fd(server->loop, server->epoll_fd);
    /* (libmicrohttpd must not be stopped while a connection is suspended) */
    DL_FOREACH(server->peers, peer)
    {
        if (peer->suspended) {
            peer->suspended = false;
            MHD_resume_connection(peer->connection);
        }
    }
    MHD_run(server->daemon);
    MHD_stop_daemon(server->daemon);
    streams_free(server->streams);
    loop_cancel_timer(server->loop, server->run_timer);
    loop_cancel_timer(server->loop, server->sweep_timer);
    free(server);
}
