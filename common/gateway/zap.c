/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zap.c - passes to the daemon libzmq's requests whether a peer may connect (ZAP, ZeroMQ RFC 27)
 *
 * libzmq sends a request over inproc for each connection that has proved to have the secret half of some key.
 * The daemon decides. libzmq then attaches the key, as user id, to all messages of the connection.
 */
#include <assert.h>
#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"
#include "common/gateway/gateway.h"
#include "common/gateway/limiter.h"
#include "common/io/channel/channel_socket.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/loop_socket.h"

#define ENDPOINT "inproc://zeromq.zap.01"
#define PART_BYTES_MAX 255
#define ALLOWED "200"
#define REFUSED "400"

/* Parts of a request, in RFC 27's order, after the parts that a ROUTER adds. */
enum {
    PART_SESSION,
    PART_DELIMITER,
    PART_VERSION,
    PART_ID,
    PART_DOMAIN,
    PART_ADDRESS,
    PART_IDENTITY,
    PART_MECHANISM,
    PART_KEY,
    PARTS,
};

struct part {
    size_t size;
    char bytes[PART_BYTES_MAX + 1]; /* terminated */
};

/* A request that the daemon has not answered yet. */
struct question {
    uint64_t number;
    struct part session, id;
    char key[KEY_TEXT];
    UT_hash_handle hh;
};

struct zap {
    struct gateway *gateway;
    void *socket;
    struct loop_socket *watch;
    struct question *questions;
    uint64_t next_question;
};

/* Reads a request. Returns its number of parts, which may be more than PARTS; 0: there is no message now.
 * Parts after PARTS are dropped, and a part of more than PART_BYTES_MAX is read as an empty one. */
static size_t read_request(struct zap *zap, struct part parts[PARTS])
{
    size_t count = 0;
    bool more = true;

    memset(parts, 0, PARTS * sizeof(parts[0]));
    while (more) {
        zmq_msg_t part;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, zap->socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&part);
            return 0;
        }
        more = zmq_msg_more(&part) != 0;
        if (count < PARTS && zmq_msg_size(&part) <= PART_BYTES_MAX) {
            parts[count].size = zmq_msg_size(&part);
            memcpy(parts[count].bytes, zmq_msg_data(&part), parts[count].size);
        }
        count++;
        zmq_msg_close(&part);
    }
    return count;
}

static void send_part(struct zap *zap, const void *bytes, size_t size, bool more)
{
    /* Ignore errors: if the session that sent the request has ended, the reply is not needed. */
    zmq_send(zap->socket, bytes, size, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
}

/* STATUS is "200" with the KEY of the peer, else why it may not connect, and KEY is NULL. */
static void reply(struct zap *zap, const struct part *session, const struct part *id, const char *status,
                  const char *key)
{
    send_part(zap, session->bytes, session->size, true);
    send_part(zap, "", 0, true);
    send_part(zap, "1.0", 3, true);
    send_part(zap, id->bytes, id->size, true);
    send_part(zap, status, 3, true);
    send_part(zap, "", 0, true);
    send_part(zap, key, key != NULL ? strlen(key) : 0, true);
    send_part(zap, "", 0, false);
}

static void ask_daemon(struct zap *zap, uint8_t port, const struct part parts[PARTS])
{
    struct question *question = mem_new0(struct question);
    struct gateway_peer peer = { .address = "" };

    question->number = ++zap->next_question;
    question->session = parts[PART_SESSION];
    question->id = parts[PART_ID];
    memcpy(peer.key, parts[PART_KEY].bytes, sizeof(peer.key));
    snprintf(peer.address, sizeof(peer.address), "%.63s", parts[PART_ADDRESS].bytes);
    z85_encode(peer.key, sizeof(peer.key), question->key);
    HASH_ADD(hh, zap->questions, number, sizeof(question->number), question);
    gateway_put(zap->gateway, GATEWAY_AUTH, port, question->number, &peer, sizeof(peer));
}

static void ask_daemon_if_room(struct zap *zap, uint8_t port, const struct part parts[PARTS])
{
    port_count_connections(zap->gateway, port);
    if (limiter_has_no_room(zap->gateway->limiter, parts[PART_ADDRESS].bytes))
        reply(zap, &parts[PART_SESSION], &parts[PART_ID], GATEWAY_NO_ROOM, NULL);
    else
        ask_daemon(zap, port, parts);
}

static void read_requests(void *context)
{
    struct zap *zap = context;
    struct part parts[PARTS];
    unsigned port;
    size_t count;

    for (unsigned i = 0; i < CHANNEL_TURN_MAX && (count = read_request(zap, parts)) > 0; i++) {
        if (count == PARTS && strcmp(parts[PART_VERSION].bytes, "1.0") == 0 &&
            strcmp(parts[PART_MECHANISM].bytes, "CURVE") == 0 && parts[PART_KEY].size == 32 &&
            sscanf(parts[PART_DOMAIN].bytes, ZAP_DOMAIN "%u", &port) == 1 && port < GATEWAY_PORTS_MAX)
            ask_daemon_if_room(zap, (uint8_t)port, parts);
        else if (count > PART_ID)
            reply(zap, &parts[PART_SESSION], &parts[PART_ID], REFUSED, NULL);
    }
}

void zap_answer(struct zap *zap, uint64_t number, bool allowed)
{
    struct question *question;

    HASH_FIND(hh, zap->questions, &number, sizeof(number), question);
    if (question == NULL)
        return;
    reply(zap, &question->session, &question->id, allowed ? ALLOWED : REFUSED,
          allowed ? question->key : NULL);
    HASH_DEL(zap->questions, question);
    free(question);
}

struct zap *zap_new(struct gateway *gateway)
{
    struct zap *zap = mem_new0(struct zap);
    int rc;

    zap->gateway = gateway;
    zap->socket = zmq_socket(gateway->zmq, ZMQ_ROUTER);
    assert(zap->socket != NULL);
    channel_socket_set(zap->socket, ZMQ_LINGER, 0);
    /* No queue limits: all peers that connect at the same time have a request. */
    channel_socket_set(zap->socket, ZMQ_RCVHWM, 0);
    channel_socket_set(zap->socket, ZMQ_SNDHWM, 0);
    rc = zmq_bind(zap->socket, ENDPOINT);
    assert(rc == 0);
    (void)rc;
    zap->watch = loop_socket_add(gateway->loop, zap->socket, read_requests, zap);
    return zap;
}

void zap_free(struct zap *zap)
{
    struct question *question, *next;

    if (zap == NULL)
        return;
    HASH_ITER(hh, zap->questions, question, next) {
        HASH_DEL(zap->questions, question);
        free(question);
    }
    loop_socket_remove(zap->watch);
    zmq_close(zap->socket);
    free(zap);
}
