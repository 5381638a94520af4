/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hadoop_session.c - fuzz target: arbitrary bytes of a client of Hadoop's RPC
 *
 * The first byte is the number of bytes that arrive at a time. All peers are accepted. The session must not
 * use more memory than its limits, and what it answers must be frames.
 */
#include <stdlib.h>
#include <string.h>

#include "hadoop/wire/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Puts up to SIZE bytes into the room of SESSION. Returns how many. */
static size_t put(struct hadoop_session *session, const uint8_t *bytes, size_t size)
{
    size_t room;
    uint8_t *at = hadoop_session_room(session, &room);

    if (room == 0 || room > 4 * HADOOP_REQUEST_MAX)
        abort();
    if (size > room)
        size = room;
    memcpy(at, bytes, size);
    hadoop_session_filled(session, size);
    return size;
}

static void handle_call(struct hadoop_session *session)
{
    const struct hadoop_call *call = hadoop_session_call(session);

    if (strlen(call->method) >= HADOOP_NAME_MAX || call->request.rest_size > HADOOP_REQUEST_MAX)
        abort();
    hadoop_answer_packed(hadoop_session_output(session), &call->request, call->request.rest,
                         call->request.rest_size);
}

static void check_frames(const struct hadoop_bytes *out)
{
    size_t length;

    for (size_t at = 0; at < out->size; at += HADOOP_LENGTH_BYTES + length)
        if (hadoop_frame_read(out->data + at, out->size - at, INT32_MAX, &length) != HADOOP_FRAME_WHOLE)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hadoop_session *session;
    enum hadoop_event event = HADOOP_EVENT_NONE;
    bool opened = false;

    if (size == 0)
        return 0;
    session = hadoop_session_new();
    for (size_t at = 1; at < size && event != HADOOP_EVENT_END;) {
        size_t step = data[0] == 0 || data[0] > size - at ? size - at : data[0];

        at += put(session, data + at, step);
        while ((event = hadoop_session_next(session)) != HADOOP_EVENT_NONE && event != HADOOP_EVENT_END) {
            opened = true;
            if (event == HADOOP_EVENT_CALL)
                handle_call(session);
        }
    }
    if (opened) /* before, answers have the form of other protocols, too */
        check_frames(hadoop_session_output(session));
    hadoop_session_free(session);
    return 0;
}
