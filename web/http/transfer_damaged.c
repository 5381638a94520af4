/* SPDX-License-Identifier: Apache-2.0 */
/* transfer_damaged.c - the answer to a request whose headers libmicrohttpd refuses */
/*
 * libmicrohttpd 0.9.75 sends its own answer to such a request twice, the second one as the body of the
 * first (a Content-Length that is no number, more cookies than it has memory for), and calls no function of
 * ours but that for its log: when it logs the status, before it sends anything. At that time this file
 * sends the answer of the site, and ends what is sent on the connection. A library that sends one answer is
 * served in the same way.
 */
#include <gnutls/gnutls.h>
#include <sys/socket.h>
#include <utlist.h>

#include "common/base/text_builder.h"
#include "web/http/answer.h"
#include "web/http/server_state.h"

/* Returns the connection whose headers are complete, but were not handed over; NULL: there is none. */
static struct peer *find_damaged(const struct http_server *server)
{
    struct peer *peer;

    DL_FOREACH(server->peers, peer)
    if (peer->transfer != NULL && !peer->transfer->begun &&
        MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL)
        return peer;
    return NULL;
}

static void add_headers(struct text_builder *text, const struct answer *answer)
{
    for (size_t i = 0; i < answer->header_count; i++)
        text_builder_printf(text, "%s: %s\r\n", answer->headers[i].name, answer->headers[i].value);
    for (size_t i = 0; i < answer_common_header_count; i++)
        if (answer_find_header(answer->headers, answer->header_count, answer_common_headers[i].name) == NULL)
            text_builder_printf(text, "%s: %s\r\n", answer_common_headers[i].name,
                                answer_common_headers[i].value);
}

/* Nothing else is waiting to be sent: libmicrohttpd reads a request after the answer to the one before. */
static void send_bytes(const struct peer *peer, const char *bytes, size_t size)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(peer->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);

    if (info != NULL && info->tls_session != NULL)
        gnutls_record_send(info->tls_session, bytes, size);
    else
        send(peer_fd(peer), bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(peer_fd(peer), SHUT_WR);
}

static void send_answer(const struct peer *peer, const struct answer *answer)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;

    text_builder_printf(&text, "HTTP/1.1 %d %s\r\n", answer->status,
                        MHD_get_reason_phrase_for((unsigned)answer->status));
    add_headers(&text, answer);
    text_builder_printf(&text, "Content-Length: %zu\r\n\r\n", answer->size);
    text_builder_add_bytes(&text, answer->bytes, answer->size);
    send_bytes(peer, text_builder_text(&text), text.length);
    text_builder_clear(&text);
}

void damaged_answer(struct http_server *server, unsigned status)
{
    struct peer *peer = find_damaged(server);
    const struct answer *answer;

    if (peer == NULL)
        return;
    answer = transfer_refuse(peer->transfer, (int)status);
    if (answer != NULL)
        send_answer(peer, answer);
}
