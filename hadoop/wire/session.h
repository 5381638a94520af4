/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - one connection of a client, from its opening to its calls (pure: bytes in, events and bytes
 * out)
 *
 * The caller reads from the network into the room that the session offers, takes events until there is none,
 * and sends what is in the output. Before the context of the connection is accepted, the session has memory
 * for HADOOP_CONTEXT_MAX bytes at most; afterwards for HADOOP_REQUEST_MAX, and no more than twice what has
 * arrived.
 *
 * client                                  events opening                                 HADOOP_EVENT_OPENED:
 * may this peer be served? SASL: NEGOTIATE, INITIATE with SIMPLE   (answered by the session; only the method
 * SIMPLE is offered) context                                 HADOOP_EVENT_CONTEXT: whom does it name? calls
 * HADOOP_EVENT_CALL
 */
#ifndef CREEL_HADOOP_WIRE_SESSION_H
#define CREEL_HADOOP_WIRE_SESSION_H

#include "hadoop/wire/answer.h"

#define HADOOP_CONTEXT_MAX 4096  /* bytes of a frame of a client that is not known yet */
#define HADOOP_REQUEST_MAX 65536 /* bytes of a request */
#define HADOOP_REQUEST_MEMORY (8 * HADOOP_REQUEST_MAX) /* bytes of a request that is unpacked */
#define HADOOP_NAME_MAX 256                            /* bytes of a name, with the terminator */

enum hadoop_event {
    HADOOP_EVENT_NONE, /* more bytes are needed */
    HADOOP_EVENT_OPENED,
    HADOOP_EVENT_CONTEXT,
    HADOOP_EVENT_CALL,
    HADOOP_EVENT_END, /* the connection is to be closed when the output is sent. No other event follows */
};

/* The user of a connection, as the client says. */
struct hadoop_claim {
    char effective_user[HADOOP_NAME_MAX];
    char real_user[HADOOP_NAME_MAX]; /* who acts for the effective user; "": nobody */
};

struct hadoop_call {
    struct hadoop_request
        request; /* its rest is the message, and is valid until the next use of the session */
    char method[HADOOP_NAME_MAX], protocol[HADOOP_NAME_MAX];
    uint64_t version;
};

struct hadoop_session;

struct hadoop_session *hadoop_session_new(void);
void hadoop_session_free(struct hadoop_session *session); /* SESSION may be NULL */

/* Returns where the next bytes of the client are to be put, and how many there may be, at least 1. */
uint8_t *hadoop_session_room(struct hadoop_session *session, size_t *size);
/* Records that SIZE bytes were put there. */
void hadoop_session_filled(struct hadoop_session *session, size_t size);

/* Returns what the client has sent next. After HADOOP_EVENT_OPENED and HADOOP_EVENT_CONTEXT,
 * hadoop_session_refuse ends the connection; without it, the peer is accepted. */
enum hadoop_event hadoop_session_next(struct hadoop_session *session);
const struct hadoop_claim *hadoop_session_claim(const struct hadoop_session *session); /* after CONTEXT */
const struct hadoop_call *hadoop_session_call(const struct hadoop_session *session);   /* after CALL */

/* Refuses the peer, with MESSAGE as the reason. */
void hadoop_session_refuse(struct hadoop_session *session, const char *message);
/* Bytes that are to be sent. The caller adds the answers to calls, and removes what it has sent. */
struct hadoop_bytes *hadoop_session_output(struct hadoop_session *session);

#endif
