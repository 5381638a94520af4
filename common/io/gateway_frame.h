/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_frame.h - the protocol between a daemon and its gateways, and its limits
 *
 * A gateway is a process without privileges that speaks ZeroMQ to the network for a daemon. The two
 * speak over a socketpair. Each frame is a header and SIZE bytes of payload, in the byte order of the
 * machine: both programs come from one build, and HELLO checks that.
 *
 *   daemon -> gateway                                      payload
 *   SETUP    the first frame, once                         struct gateway_setup
 *   LISTEN   serve PORT on the descriptor that comes with  struct gateway_listen
 *            this frame (SCM_RIGHTS); it listens already
 *   UNLISTEN stop serving PORT; queued replies still have GATEWAY_LINGER_MS to leave
 *   VERDICT  answer to AUTH number CONNECTION              empty: refused; else any byte
 *   SEND     one message for CONNECTION                    the message
 *   DROP     close CONNECTION
 *
 *   gateway -> daemon
 *   HELLO    ready to serve, once                          struct gateway_hello
 *   AUTH     may a peer connect to PORT? CONNECTION is     struct gateway_peer
 *            the number of the question
 *   OPEN     CONNECTION to PORT has sent its first message struct gateway_peer
 *   MESSAGE  a message from CONNECTION of COUNT frames     the message; empty unless COUNT is 1
 *   SENT     bytes of SEND that have left for CONNECTION   uint64_t
 *   CLOSED   CONNECTION is gone
 *   LOG      something for the daemon's log                text without terminator
 *
 * Numbers of connections are the gateway's and are not used twice. The daemon believes one thing: that the
 * peer of a connection has the secret half of the key in its OPEN. It checks the rest, and ends a gateway
 * that breaks these rules. When a gateway ends, all its connections are gone.
 *
 * Flow control. The daemon counts the bytes of SEND that SENT has not confirmed, for each connection of an
 * agent and each other key (GATEWAY_WAITING_MAX), for each gateway (GATEWAY_PEERS_WAITING_MAX,
 * GATEWAY_ALL_WAITING_MAX), and in its queue to the gateway (GATEWAY_QUEUE_MAX); over a limit a message is
 * not sent. The gateway receives nothing from the network while GATEWAY_BACKLOG_MAX bytes wait for the
 * daemon.
 */
#ifndef CREEL_IO_GATEWAY_FRAME_H
#define CREEL_IO_GATEWAY_FRAME_H

#include <stdint.h>

#include "common/io/gate_limits.h"
#include "common/io/wire.h"

#define GATEWAY_PROTOCOL 2u
#define GATEWAY_FD 3                            /* the gateway's end of the socketpair */
#define GATEWAY_PORTS_MAX 8                     /* ports of one daemon */
#define GATEWAYS_MAX 4                          /* gateways of one daemon */
#define GATEWAY_PAYLOAD_MAX (WIRE_FRAME_MAX + 1024)     /* of one frame: what the network lets through */
#define GATEWAY_MESSAGE_MAX WIRE_REQUEST_MAX    /* to a port */
#define GATEWAY_AGENT_MESSAGE_MAX WIRE_FRAME_MAX        /* to a port of agents, whose keys are known */
#define GATEWAY_WAITING_MAX ((size_t)64 << 20)  /* bytes on the way to an agent's connection, or to all
                                                   connections of another key */
#define GATEWAY_PEERS_WAITING_MAX ((size_t)512 << 20)   /* bytes of one gateway; then agents alone get more */
#define GATEWAY_ALL_WAITING_MAX ((size_t)1 << 30)       /* then nobody does; below GATEWAY_MEMORY_MAX */
#define GATEWAY_MESSAGE_COST 256                /* what a message costs beside its bytes, in WAITING_MAX */
#define GATEWAY_QUEUE_MAX ((size_t)512 << 20)   /* bytes in the daemon's queue to one gateway */
#define GATEWAY_BACKLOG_MAX ((size_t)4 << 20)   /* bytes in a gateway's queue to its daemon */
#define GATEWAY_SENT_STEP ((size_t)256 << 10)   /* SENT is due after so many bytes */
#define GATEWAY_CONNECTIONS_MAX 262144u         /* connections of one gateway that the daemon knows */
#define GATEWAY_LINGER_MS 500
#define GATEWAY_DESCRIPTORS_MAX 262144u         /* sockets of one gateway, if the daemon may have so many */
#define GATEWAY_MEMORY_MAX ((uint64_t)2 << 30)  /* bytes of one gateway: it ends, and starts again */
#define GATEWAY_USER "creel-gateway"            /* of gateways that root starts; if there is none, nobody */

enum gateway_frame_type {
    GATEWAY_SETUP = 1, GATEWAY_LISTEN, GATEWAY_UNLISTEN, GATEWAY_VERDICT, GATEWAY_SEND, GATEWAY_DROP,
    GATEWAY_HELLO = 65, GATEWAY_AUTH, GATEWAY_OPEN, GATEWAY_MESSAGE, GATEWAY_SENT, GATEWAY_CLOSED,
    GATEWAY_LOG,
};

struct gateway_header {
    uint32_t size;              /* of the payload */
    uint8_t type;               /* enum gateway_frame_type */
    uint8_t port;
    uint16_t count;
    uint64_t connection;
};

struct gateway_setup {
    uint32_t protocol;
    uint32_t user, group;       /* what it becomes if it was started by root */
    uint32_t descriptors_max;
    uint64_t memory_max;        /* bytes */
    struct gate_limits limits;
};

struct gateway_listen {
    char secret_text[41];       /* Z85, terminated */
    uint32_t message_max;       /* bytes of a message to this port: a longer one ends its connection */
};

struct gateway_hello {
    uint32_t protocol;
};

#define GATEWAY_ADDRESS_MAX 64

struct gateway_peer {
    uint8_t key[32];
    char address[GATEWAY_ADDRESS_MAX];  /* IP address in text, terminated */
};

#endif
