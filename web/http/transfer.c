/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - requests on connections of libmicrohttpd, and their answers */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "web/http/answer.h"
#include "web/http/forwarded.h"
#include "web/http/packer.h"
#include "web/http/server_state.h"

#define ANSWER_PIECE (64 * 1024) /* bytes of an answer, for which the client has limits.answer_ms */
#define STREAM_PIECE 512
#define TOO_MANY \
    "There are too many event streams. Please try again later; without one, pages refresh by time.\n"
#define TOO_MUCH "creel-web has no memory left for this request. Please try again in a few seconds.\n"
#define OWN_SHARE \
    "creel-web has no memory left for requests of this address: its other answers take its whole share. " \
    "Please read them, and try again in a few seconds.\n"

/* libmicrohttpd reads the parameters of the address after it has called transfer_new, and makes a record of
 * 64 bytes of each ("a&a&..."), in memory that the connection needs as long as it is open. request.c reads
 * them, so libmicrohttpd gets none. TARGET is in its buffer for the request, in which it ends texts, too; if
 * it had read them before, requests with a thousand parameters would not be answered. */
static void hide_parameters(const char *target)
{
    char *mark = strchr((char *)(uintptr_t)target, '?');

    if (mark != NULL)
        mark[1] = '\0';
}

void *transfer_new(void *context, const char *target, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct transfer *transfer = mem_new0(struct transfer);

    transfer->server = context;
    transfer->peer = info->socket_context;
    transfer->peer->transfer = transfer;
    transfer->target = mem_strdup(target);
    hide_parameters(target);
    return transfer;
}

void transfer_completed(void *context, struct MHD_Connection *connection, void **request_context,
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
    connections_wait(server, transfer->peer);
    memory_give_back(transfer);
    connections_take_back(server, transfer->peer);
    turns_leave(transfer);
    packer_free(transfer->packer);
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

/* A part of a document (206) is not compressed: Content-Range counts its bytes. */
static bool is_to_be_packed(const struct transfer *transfer, const struct answer *answer, size_t size)
{
    return answer->status != 206 && answer_is_compressible(header_of(answer, "Content-Type"), size) &&
           header_of(answer, "Content-Encoding") == NULL &&
           answer_accepts_gzip(find_header(transfer, "Accept-Encoding"));
}

static struct MHD_Response *make_body(struct transfer *transfer, const struct answer *answer)
{
    struct MHD_Response *response;
    size_t size = answer->size;
    void *packed = NULL;

    if (is_to_be_packed(transfer, answer, size))
        packed = answer_gzip(answer->bytes, answer->size, &size);
    response = packed != NULL ? MHD_create_response_from_buffer(size, packed, MHD_RESPMEM_MUST_FREE)
                              : MHD_create_response_from_buffer(size, (void *)(uintptr_t)answer->bytes,
                                                                MHD_RESPMEM_MUST_COPY);
    if (response != NULL && packed != NULL)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    transfer->answer_size = size;
    return response;
}

/* Callback of the site and of streams. */
static void answered(void *context)
{
    struct transfer *transfer = context;

    if (transfer->exchange != NULL && site_waits(transfer->exchange))
        turns_wait_to_continue(transfer);
    else
        transfer_wake(transfer);
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

/* Opens the stream of an answer that is one. Returns the answer to send: ANSWER, or a refusal. */
static const struct answer *open_stream(struct transfer *transfer, const struct answer *answer)
{
    static const struct name_value headers[] = { { "Retry-After", "60" }, { "Content-Type", "text/plain" } };
    static const struct answer too_many = { 503, headers, 2, TOO_MANY, sizeof(TOO_MANY) - 1, false, false };

    transfer->stream = stream_open(transfer->server->streams, transfer->exchange, answered, transfer);
    if (transfer->stream == NULL)
        return &too_many;
    streams_bound_socket(peer_fd(transfer->peer), transfer->server->limits.answer_ms);
    return answer;
}

/* Makes the response of an answer whose bytes are read one after another. */
static struct MHD_Response *make_sequence(struct transfer *transfer, const struct answer *answer)
{
    struct MHD_Response *response;

    if (answer->is_stream)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_PIECE, read_stream, transfer, NULL);
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, ANSWER_PIECE, parts_read, transfer, NULL);
    /* (libmicrohttpd 0.9.75 answers HEAD with the last chunk, which a client takes for the next answer) */
    if (response != NULL && strcmp(transfer->method, "HEAD") == 0)
        MHD_set_response_options(response, MHD_RF_HTTP_VERSION_1_0_ONLY, MHD_RO_END);
    if (response == NULL || !is_to_be_packed(transfer, answer, SIZE_MAX))
        return response;
    transfer->packer = packer_new();
    if (transfer->packer != NULL)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    return response;
}

static struct MHD_Response *make_response(struct transfer *transfer, const struct answer *answer)
{
    struct MHD_Response *response =
        answer->is_stream || answer->is_parts ? make_sequence(transfer, answer) : make_body(transfer, answer);

    if (response == NULL)
        return NULL;
    for (size_t i = 0; i < answer->header_count; i++)
        MHD_add_response_header(response, answer->headers[i].name, answer->headers[i].value);
    for (size_t i = 0; i < answer_common_header_count; i++)
        if (header_of(answer, answer_common_headers[i].name) == NULL)
            MHD_add_response_header(response, answer_common_headers[i].name, answer_common_headers[i].value);
    return response;
}

/* Frees what was needed to make an answer. */
static void end_exchange(struct transfer *transfer)
{
    packer_free(transfer->packer);
    transfer->packer = NULL;
    site_end(transfer->exchange);
    transfer->exchange = NULL;
    free(transfer->body);
    transfer->body = NULL;
    transfer->body_capacity = 0;
}

static struct MHD_Response *make_refusal(struct transfer *transfer, enum shares_room room)
{
    /* (further requests that the client has sent already are not worked on) */
    static const struct name_value later[] = { { "Retry-After", "5" }, { "Connection", "close" } };
    static const struct answer too_much = { 503, later, 2, TOO_MUCH, sizeof(TOO_MUCH) - 1, false, false };
    static const struct answer own_share = { 503, later, 2, OWN_SHARE, sizeof(OWN_SHARE) - 1, false, false };

    return make_response(transfer, room == SHARES_OWNER_FULL ? &own_share : &too_much);
}

static enum MHD_Result send_answer(struct transfer *transfer, const struct answer *answer)
{
    struct MHD_Response *response;
    enum shares_room room;
    enum MHD_Result result;
    int64_t begun_ns = monotonic_ns();
    int status;

    if (answer->is_stream)
        answer = open_stream(transfer, answer);
    response = make_response(transfer, answer);
    site_note_work(transfer->exchange, monotonic_ns() - begun_ns); /* with the compression */
    status = answer->status;
    if (!answer->is_stream && !answer->is_parts)
        end_exchange(transfer); /* (the response has a copy of the bytes) */
    memory_give_back(transfer); /* (what was counted while it waited, also without room for it) */
    if (response != NULL && !memory_take(transfer, 0, &room)) {
        MHD_destroy_response(response);
        end_exchange(transfer);
        response = make_refusal(transfer, room);
        status = 503;
    }
    if (response == NULL)
        return MHD_NO;
    transfer->peer->deadline_ms =
        loop_monotonic_ms() +
        transfer->server->limits.answer_ms * (int64_t)(1 + transfer->answer_size / ANSWER_PIECE);
    transfer->sending = transfer->stream == NULL;
    memory_moved(transfer);
    result = MHD_queue_response(transfer->peer->connection, (unsigned)status, response);
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
    forwarded_client(transfer->server->site, transfer->address, transfer->headers, transfer->header_count,
                     transfer->client);
    if (strcmp(transfer->client, transfer->address) != 0 &&
        !connections_lend(transfer->server, transfer->peer, transfer->client))
        transfer->refused = 503;
}

/* Reads the certificate of the client, once for each connection. */
static void read_certificate(const struct http_server *server, struct peer *peer)
{
    const union MHD_ConnectionInfo *info;

    if (!server->asks_for_certificates || peer->certificate_read)
        return;
    peer->certificate_read = true;
    info = MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    peer->certificate_problem =
        info != NULL && info->tls_session != NULL
            ? certificate_user(info->tls_session, peer->user, &peer->certificate_expires_ms)
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
        .client = transfer->client,
        .refused = transfer->refused,
        .certificate_user = *transfer->peer->user != '\0' ? transfer->peer->user : NULL,
        .certificate_problem = transfer->peer->certificate_problem,
        .certificate_expires_ms = transfer->peer->certificate_expires_ms,
    };
}

static void begin_exchange(struct transfer *transfer)
{
    const struct request_text text = text_of(transfer);

    transfer->exchange = site_serve(transfer->server->site, &text, answered, transfer);
}

static enum MHD_Result serve(struct transfer *transfer)
{
    const struct answer *answer;

    connections_serve(transfer->server, transfer->peer);
    begin_exchange(transfer);
    answer = site_answer(transfer->exchange);
    if (answer != NULL)
        return send_answer(transfer, answer);
    memory_count(transfer);
    turns_suspend(transfer);
    return MHD_YES;
}

void transfer_serve(struct transfer *transfer)
{
    if (transfer->exchange == NULL)
        begin_exchange(transfer);
    else
        site_continue(transfer->exchange);
    if (site_answer(transfer->exchange) != NULL)
        transfer_wake(transfer); /* (send_answer takes the memory) */
    else
        memory_count(transfer);
}

static void read_headers(struct transfer *transfer)
{
    transfer->begun = true;
    MHD_get_connection_values(transfer->peer->connection, MHD_HEADER_KIND, add_header, transfer);
    find_address(transfer);
    read_certificate(transfer->server, transfer->peer);
}

const struct answer *transfer_refuse(struct transfer *transfer, int status)
{
    struct request_text text;

    read_headers(transfer);
    transfer->method = "GET"; /* (not known; a refusal is the same for all) */
    text = text_of(transfer);
    text.refused = status;
    transfer->exchange = site_serve(transfer->server->site, &text, answered, transfer);
    return site_answer(transfer->exchange);
}

/* Begins with the headers. A request that is refused for them is not read further. */
static enum MHD_Result begin(struct transfer *transfer)
{
    struct request_text text;
    const char *length;

    read_headers(transfer);
    length = find_header(transfer, "Content-Length");
    if (length != NULL && strtoull(length, NULL, 10) > REQUEST_BODY_MAX)
        transfer->body_size = REQUEST_BODY_MAX + 1;
    text = text_of(transfer);
    if (transfer->body_size > 0 || text.refused != 0 || !request_has_valid_headers(&text))
        return serve(transfer);
    return MHD_YES;
}

/* Appends DATA to the body. Returns false if there is no memory for it. */
static bool append_body(struct transfer *transfer, const char *data, size_t size)
{
    size_t needed = transfer->body_size + size;
    enum shares_room room;

    memory_moved(transfer);
    if (needed <= REQUEST_BODY_MAX && needed >= transfer->body_capacity) {
        size_t capacity = 2 * needed + 1;

        if (!memory_take(transfer, capacity - transfer->body_capacity, &room))
            return false;
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

enum MHD_Result transfer_handle(void *context, struct MHD_Connection *connection, const char *path,
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
    if (transfer->given_up)
        return MHD_NO;
    if (transfer->exchange != NULL) {
        const struct answer *answer = site_answer(transfer->exchange);

        return answer != NULL && !server->ending ? send_answer(transfer, answer) : MHD_NO;
    }
    if (*size == 0) {
        if (server->ending)
            return MHD_NO;
        return turns_may_serve(transfer) ? serve(transfer) : MHD_YES;
    }
    taken = append_body(transfer, data, *size);
    *size = 0;
    return taken ? MHD_YES : MHD_NO;
}
