/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - the frames that a server of Hadoop's RPC sends */
#include "hadoop/wire/answer.h"

#include <stdio.h>
#include <string.h>

#define MISMATCH "org.apache.hadoop.ipc.RPC$VersionMismatch"
#define IPC_EXCEPTION "org.apache.hadoop.ipc.IpcException"

/* --- frames --------------------------------------------------------------------- */

/* Adds room for the length of a frame, and returns where it is. */
static size_t begin_frame(struct hadoop_bytes *out)
{
    (void)hadoop_bytes_extend(out, HADOOP_LENGTH_BYTES);
    return out->size;
}

static void put_length(uint8_t *at, size_t length)
{
    at[0] = (uint8_t)(length >> 24);
    at[1] = (uint8_t)(length >> 16);
    at[2] = (uint8_t)(length >> 8);
    at[3] = (uint8_t)length;
}

/* Writes the length of the frame whose content begins at BEGIN. */
static void end_frame(struct hadoop_bytes *out, size_t begin)
{
    put_length(out->data + begin - HADOOP_LENGTH_BYTES, out->size - begin);
}

/* --- answers -------------------------------------------------------------------- */

static Hadoop__ResponseHeader header_of(const struct hadoop_request *request)
{
    Hadoop__ResponseHeader header = HADOOP__RESPONSE_HEADER__INIT;

    header.status = HADOOP__RPC_STATUS__STATUS_SUCCESS;
    header.has_version = true;
    header.version = HADOOP_VERSION;
    header.has_client_id = true;
    header.has_retry_count = true;
    header.retry_count = -1;
    if (request == NULL)
        return header;
    header.call_id = (uint32_t)request->call_id;
    header.client_id.len = request->client_id_size;
    header.client_id.data = (uint8_t *)(uintptr_t)request->client_id;
    header.retry_count = request->retry_count;
    return header;
}

void hadoop_answer_packed(struct hadoop_bytes *out, const struct hadoop_request *request, const uint8_t *body,
                          size_t body_size)
{
    Hadoop__ResponseHeader header = header_of(request);
    size_t begin = begin_frame(out);

    hadoop_bytes_add_delimited(out, &header.base);
    hadoop_bytes_add_varint(out, body_size);
    hadoop_bytes_add(out, body, body_size);
    end_frame(out, begin);
}

void hadoop_answer_sasl(struct hadoop_bytes *out, const struct hadoop_request *request,
                        const Hadoop__Sasl *message)
{
    Hadoop__ResponseHeader header = header_of(request);
    size_t begin = begin_frame(out);

    hadoop_bytes_add_delimited(out, &header.base);
    hadoop_bytes_add_delimited(out, &message->base);
    end_frame(out, begin);
}

/* As from Hadoop's server, an answer that ends the connection has no client id. */
void hadoop_answer_failure(struct hadoop_bytes *out, const struct hadoop_request *request,
                           const struct hadoop_failure *failure)
{
    Hadoop__ResponseHeader header = header_of(failure->fatal ? NULL : request);
    size_t begin = begin_frame(out);

    header.call_id = (uint32_t)failure->call_id;
    header.retry_count = failure->retry_count;
    header.status = failure->fatal ? HADOOP__RPC_STATUS__STATUS_FATAL : HADOOP__RPC_STATUS__STATUS_ERROR;
    header.exception = (char *)(uintptr_t)failure->exception;
    header.message = (char *)(uintptr_t)failure->message;
    header.has_detail = true;
    header.detail = failure->detail;
    hadoop_bytes_add_delimited(out, &header.base);
    end_frame(out, begin);
}

/* --- openings ------------------------------------------------------------------- */

static void add_text(struct hadoop_bytes *out, const char *text)
{
    put_length(hadoop_bytes_extend(out, HADOOP_LENGTH_BYTES), strlen(text));
    hadoop_bytes_add(out, text, strlen(text));
}

static void refuse_opening(struct hadoop_bytes *out, const char *exception, Hadoop__RpcDetail detail,
                           const char *message)
{
    hadoop_answer_failure(out, NULL,
                          &(struct hadoop_failure){ .exception = exception,
                                                    .message = message,
                                                    .detail = detail,
                                                    .call_id = HADOOP_CALL_NONE,
                                                    .retry_count = -1,
                                                    .fatal = true });
}

void hadoop_answer_opening(struct hadoop_bytes *out, enum hadoop_opening opening, const uint8_t *bytes,
                           size_t size)
{
    static const uint8_t old_form[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    static const char http[] = "HTTP/1.1 404 Not Found\r\nContent-type: text/plain\r\n\r\n"
                               "This is the port of Hadoop's RPC. The web pages are on another port "
                               "(yarn.resourcemanager.webapp.address).\r\n";
    char message[96];

    snprintf(message, sizeof(message), "Server IPC version %d cannot communicate with client version %u",
             HADOOP_VERSION, size > 4 ? bytes[4] : 0u);
    switch (opening) {
    case HADOOP_OPENING_HTTP:
        hadoop_bytes_add(out, http, sizeof(http) - 1);
        break;
    case HADOOP_OPENING_OLD_VERSION:
        hadoop_bytes_add(out, old_form, sizeof(old_form));
        add_text(out, MISMATCH);
        add_text(out, message);
        break;
    case HADOOP_OPENING_AUTH:
        snprintf(message, sizeof(message), "Unknown auth protocol:%d",
                 size >= HADOOP_OPENING_BYTES ? (int8_t)bytes[6] : 0);
        refuse_opening(out, IPC_EXCEPTION, HADOOP__RPC_DETAIL__DETAIL_UNAUTHORIZED, message);
        break;
    default:
        refuse_opening(out, MISMATCH, HADOOP__RPC_DETAIL__DETAIL_VERSION_MISMATCH, message);
    }
}
