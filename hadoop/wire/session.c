/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - one connection of a client, from its opening to its calls */
#include "hadoop/wire/session.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"

#define ROOM_FIRST 512 /* bytes; an opening, a context and a call have 200 */
#define SERVER_EXCEPTION "org.apache.hadoop.ipc.RpcServerException"
#define ACCESS_EXCEPTION "org.apache.hadoop.security.AccessControlException"
#define SIMPLE "SIMPLE"

enum stage { STAGE_OPENING, STAGE_SASL, STAGE_CONTEXT, STAGE_CALLS, STAGE_END };

struct hadoop_session {
    enum stage stage;
    uint8_t *in;
    size_t begin, end, capacity; /* of IN; what is between BEGIN and END is not handled yet */
    bool negotiated;             /* the methods of SASL were offered */
    struct hadoop_bytes out;
    struct hadoop_claim claim;
    struct hadoop_call call;
};

struct hadoop_session *hadoop_session_new(void)
{
    return mem_new0(struct hadoop_session);
}

void hadoop_session_free(struct hadoop_session *session)
{
    if (session == NULL)
        return;
    free(session->in);
    hadoop_bytes_done(&session->out);
    free(session);
}

/* --- input ---------------------------------------------------------------------- */

uint8_t *hadoop_session_room(struct hadoop_session *session, size_t *size)
{
    if (session->begin > 0) {
        memmove(session->in, session->in + session->begin, session->end - session->begin);
        session->end -= session->begin;
        session->begin = 0;
    }
    if (session->end == session->capacity) {
        session->capacity = session->capacity > 0 ? 2 * session->capacity : ROOM_FIRST;
        session->in = mem_resize(session->in, session->capacity, 1);
    }
    *size = session->capacity - session->end;
    return session->in + session->end;
}

void hadoop_session_filled(struct hadoop_session *session, size_t size)
{
    session->end += size;
}

/* --- ends ----------------------------------------------------------------------- */

static enum hadoop_event end(struct hadoop_session *session)
{
    session->stage = STAGE_END;
    return HADOOP_EVENT_END;
}

static enum hadoop_event fail(struct hadoop_session *session, const struct hadoop_request *request,
                              const struct hadoop_failure *failure)
{
    hadoop_answer_failure(&session->out, request, failure);
    return end(session);
}

/* Ends the connection because of REQUEST, which is not allowed there. */
static enum hadoop_event fail_header(struct hadoop_session *session, const struct hadoop_request *request,
                                     const char *message)
{
    return fail(session, request,
                &(struct hadoop_failure){ .exception = SERVER_EXCEPTION,
                                          .message = message,
                                          .detail = HADOOP__RPC_DETAIL__DETAIL_INVALID_RPC_HEADER,
                                          .call_id = request->call_id,
                                          .retry_count = request->retry_count,
                                          .fatal = true });
}

static enum hadoop_event fail_content(struct hadoop_session *session, const struct hadoop_request *request,
                                      const char *message)
{
    return fail(session, request,
                &(struct hadoop_failure){ .exception = SERVER_EXCEPTION,
                                          .message = message,
                                          .detail = HADOOP__RPC_DETAIL__DETAIL_DESERIALIZING_REQUEST,
                                          .call_id = request->call_id,
                                          .retry_count = request->retry_count,
                                          .fatal = true });
}

void hadoop_session_refuse(struct hadoop_session *session, const char *message)
{
    (void)fail(session, NULL,
               &(struct hadoop_failure){ .exception = ACCESS_EXCEPTION,
                                         .message = message,
                                         .detail = HADOOP__RPC_DETAIL__DETAIL_UNAUTHORIZED,
                                         .call_id = HADOOP_CALL_NONE,
                                         .retry_count = -1,
                                         .fatal = true });
}

/* --- opening -------------------------------------------------------------------- */

static enum hadoop_event read_opening(struct hadoop_session *session)
{
    const uint8_t *bytes = session->in + session->begin;
    size_t size = session->end - session->begin;
    enum hadoop_opening opening = hadoop_opening_read(bytes, size);

    if (opening == HADOOP_OPENING_PARTIAL)
        return HADOOP_EVENT_NONE;
    if (opening != HADOOP_OPENING_SIMPLE && opening != HADOOP_OPENING_SASL) {
        hadoop_answer_opening(&session->out, opening, bytes, size);
        return end(session);
    }
    session->begin += HADOOP_OPENING_BYTES;
    session->stage = opening == HADOOP_OPENING_SASL ? STAGE_SASL : STAGE_CONTEXT;
    return HADOOP_EVENT_OPENED;
}

/* --- SASL ----------------------------------------------------------------------- */

static void offer_simple(struct hadoop_session *session, const struct hadoop_request *request)
{
    Hadoop__Sasl offer = HADOOP__SASL__INIT;
    Hadoop__SaslAuth simple = HADOOP__SASL_AUTH__INIT, *list[1] = { &simple };

    simple.method = (char *)(uintptr_t)SIMPLE;
    simple.mechanism = (char *)(uintptr_t) "";
    offer.state = HADOOP__SASL_STATE__SASL_NEGOTIATE;
    offer.auths = list;
    offer.n_auths = 1;
    hadoop_answer_sasl(&session->out, request, &offer);
    session->negotiated = true;
}

/* A client without a token for this server takes SIMPLE, and then names its user as without SASL. */
static enum hadoop_event answer_sasl(struct hadoop_session *session, const struct hadoop_request *request,
                                     const Hadoop__Sasl *sasl)
{
    if (sasl->state == HADOOP__SASL_STATE__SASL_NEGOTIATE ||
        (sasl->state == HADOOP__SASL_STATE__SASL_INITIATE && !session->negotiated)) {
        if (session->negotiated)
            return fail_header(session, request, "SASL: NEGOTIATE was sent twice");
        offer_simple(session, request);
        return HADOOP_EVENT_NONE;
    }
    if (sasl->state != HADOOP__SASL_STATE__SASL_INITIATE || sasl->n_auths != 1 ||
        strcmp(sasl->auths[0]->method, SIMPLE) != 0) {
        hadoop_session_refuse(session, "only SIMPLE authentication is enabled.  Available:[SIMPLE]");
        return HADOOP_EVENT_END;
    }
    session->stage = STAGE_CONTEXT;
    return HADOOP_EVENT_NONE;
}

static enum hadoop_event read_sasl(struct hadoop_session *session, const struct hadoop_request *request)
{
    const uint8_t *rest = request->rest;
    size_t size = request->rest_size;
    struct wire_memory memory;
    const ProtobufCMessage *sasl;
    enum hadoop_event event;

    wire_memory_init(&memory, HADOOP_REQUEST_MEMORY);
    sasl = hadoop_message_read(&hadoop__sasl__descriptor, &rest, &size, &memory);
    event = sasl == NULL ? fail_content(session, request, "Error decoding RpcSaslProto")
                         : answer_sasl(session, request, (const Hadoop__Sasl *)sasl);
    wire_memory_done(&memory);
    return event;
}

/* --- context -------------------------------------------------------------------- */

static bool copy_name(char to[HADOOP_NAME_MAX], const char *name)
{
    return name == NULL || snprintf(to, HADOOP_NAME_MAX, "%s", name) < HADOOP_NAME_MAX;
}

static bool copy_claim(struct hadoop_claim *claim, const Hadoop__UserInfo *user)
{
    return user == NULL || (copy_name(claim->effective_user, user->effective_user) &&
                            copy_name(claim->real_user, user->real_user));
}

static enum hadoop_event read_context(struct hadoop_session *session, const struct hadoop_request *request)
{
    const uint8_t *rest = request->rest;
    size_t size = request->rest_size;
    const Hadoop__ConnectionContext *context;
    struct wire_memory memory;
    bool good;

    if (session->stage == STAGE_CALLS)
        return fail_header(session, request, "Connection context already processed");
    if (session->stage == STAGE_SASL)
        return fail_header(session, request, "Connection header sent during SASL negotiation");
    wire_memory_init(&memory, HADOOP_REQUEST_MEMORY);
    context = (const Hadoop__ConnectionContext *)hadoop_message_read(&hadoop__connection_context__descriptor,
                                                                     &rest, &size, &memory);
    good = context != NULL && copy_claim(&session->claim, context->user);
    wire_memory_done(&memory);
    if (!good)
        return fail_content(session, request, "Error decoding IpcConnectionContextProto");
    session->stage = STAGE_CALLS;
    return HADOOP_EVENT_CONTEXT;
}

/* --- calls ---------------------------------------------------------------------- */

static enum hadoop_event read_call(struct hadoop_session *session, const struct hadoop_request *request)
{
    struct hadoop_call *call = &session->call;
    const Hadoop__MethodHeader *header;
    struct wire_memory memory;
    bool good;

    if (session->stage != STAGE_CALLS)
        return fail_header(session, request, "Connection context not established");
    *call = (struct hadoop_call){ .request = *request };
    wire_memory_init(&memory, HADOOP_REQUEST_MEMORY);
    header = (const Hadoop__MethodHeader *)hadoop_message_read(
        &hadoop__method_header__descriptor, &call->request.rest, &call->request.rest_size, &memory);
    good = header != NULL && copy_name(call->method, header->method) &&
           copy_name(call->protocol, header->protocol);
    if (good)
        call->version = header->version;
    wire_memory_done(&memory);
    return good ? HADOOP_EVENT_CALL : fail_content(session, request, "Error decoding RequestHeaderProto");
}

static enum hadoop_event handle(struct hadoop_session *session, const struct hadoop_request *request)
{
    char message[64];

    if (request->call_id >= 0)
        return read_call(session, request);
    switch (request->call_id) {
    case HADOOP_CALL_PING:
        return HADOOP_EVENT_NONE;
    case HADOOP_CALL_CONTEXT:
        return read_context(session, request);
    case HADOOP_CALL_SASL:
        if (session->stage == STAGE_SASL)
            return read_sasl(session, request);
        return fail_header(session, request, "SASL protocol not requested by client");
    default:
        snprintf(message, sizeof(message), "Unknown out of band call #%d", request->call_id);
        return fail_header(session, request, message);
    }
}

/* --- events --------------------------------------------------------------------- */

/* Reads one frame. Returns false if it is not there yet. */
static bool read_frame(struct hadoop_session *session, enum hadoop_event *event)
{
    size_t max = session->stage == STAGE_CALLS ? HADOOP_REQUEST_MAX : HADOOP_CONTEXT_MAX;
    const uint8_t *bytes = session->in + session->begin;
    struct hadoop_failure failure;
    struct hadoop_request request;
    size_t length;
    enum hadoop_frame frame = hadoop_frame_read(bytes, session->end - session->begin, max, &length);

    if (frame == HADOOP_FRAME_PARTIAL)
        return false;
    if (frame == HADOOP_FRAME_BAD_LENGTH) { /* closed without a word, as by Hadoop's server */
        *event = end(session);
        return true;
    }
    session->begin += HADOOP_LENGTH_BYTES + length;
    *event = hadoop_request_read(bytes + HADOOP_LENGTH_BYTES, length, &request, &failure)
                 ? handle(session, &request)
                 : fail(session, NULL, &failure);
    return true;
}

enum hadoop_event hadoop_session_next(struct hadoop_session *session)
{
    enum hadoop_event event = HADOOP_EVENT_NONE;

    if (session->stage == STAGE_END)
        return HADOOP_EVENT_END;
    if (session->stage == STAGE_OPENING)
        return read_opening(session);
    while (event == HADOOP_EVENT_NONE && session->end > session->begin)
        if (!read_frame(session, &event))
            break;
    return event;
}

const struct hadoop_claim *hadoop_session_claim(const struct hadoop_session *session)
{
    return &session->claim;
}

const struct hadoop_call *hadoop_session_call(const struct hadoop_session *session)
{
    return &session->call;
}

struct hadoop_bytes *hadoop_session_output(struct hadoop_session *session)
{
    return &session->out;
}
