/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_frame.h - the protocol between a daemon and its gateways, and its limits
 *
 * A gateway is a process without privileges that serves ZeroMQ connections for a daemon. The daemon and
 * the gateway communicate over a socketpair. Each frame is a header and SIZE bytes of payload, in the byte
 * order of the machine: both programs are from one build, which HELLO checks.
 *
 *   daemon -> gateway                                      payload
 *   SETUP    the first frame, once                         struct gateway_setup
 *   LISTEN   serve PORT on the descriptor sent with        struct gateway_listen
 *            this frame (SCM_RIGHTS), a listening socket
 *   UNLISTEN stop serving PORT; queued replies are sent for GATEWAY_LINGER_MS more
 *   VERDICT  reply to AUTH number CONNECTION               empty: refused; else any byte
 *   SEND     one message for CONNECTION                    the message
 *   DROP     close CONNECTION
 *   PING     answer with PONG
 *
 *   gateway -> daemon
 *   HELLO    ready to serve, once                          struct gateway_hello
 *   AUTH     may a peer connect to PORT? CONNECTION is     struct gateway_peer
 *            the number of this request
 *   OPEN     CONNECTION to PORT has sent its first message struct gateway_peer
 *   MESSAGE  a message from CONNECTION of COUNT frames     the message; empty unless COUNT is 1
 *   SENT     bytes of SEND that were sent on CONNECTION    uint64_t
 *   CLOSED   CONNECTION is closed
 *   LOG      a line for the daemon's log                   text without terminator
 *   COUNTS   connections, when they have changed          struct gateway_counts
 *   PONG     reply to PING
 *
 * The gateway assigns the numbers of connections, and uses no number twice. The daemon trusts a gateway in
 * one point: that the peer of a connection has the secret half of the key in its OPEN. The daemon checks the
 * rest, and ends a gateway that breaks these rules. When a gateway ends, all its connections are closed.
 *
 * Flow control. The daemon counts the bytes of SEND that SENT has not confirmed, for each owner of
 * connections in all gateways (GATEWAY_OWNER_WAITING_MAX), and for each kind of owners in each gateway
 * (GATEWAY_HOSTS_WAITING_MAX and the next two); over a limit a message is not sent (owners.h). They bound
 * the daemon's queue to the gateway, too. Long answers are not even made from GATEWAY_OWNER_UNREAD_MAX on,
 * those by which nodes and attempts stay alive from GATEWAY_OWNER_ALIVE_MAX on, and contents of files and
 * logs from GATEWAY_OWNER_BULK_MAX on. The gateway receives nothing from the network while
 * GATEWAY_BACKLOG_MAX bytes wait for the daemon.
 */
#ifndef CREEL_IO_GATEWAY_FRAME_H
#define CREEL_IO_GATEWAY_FRAME_H

#include <stdint.h>

#include "common/io/channel/gateway_limits.h"
#include "common/io/wire/wire.h"

#define GATEWAY_PROTOCOL 4u
#define GATEWAY_FD 3                                  /* the gateway's end of the socketpair */
#define GATEWAY_PORTS_MAX 8                           /* ports of one daemon */
#define GATEWAYS_MAX 4                                /* gateways of one daemon */
#define GATEWAY_PAYLOAD_MAX (WIRE_FRAME_MAX + 1024)   /* bytes of one frame: the largest message */
#define GATEWAY_MESSAGE_MAX WIRE_FRAME_MAX            /* bytes of a message to a port */
#define GATEWAY_OWNER_WAITING_MAX ((size_t)32 << 20)  /* unconfirmed bytes of one owner, in all gateways */
#define GATEWAY_OWNER_ALIVE_MAX ((size_t)24 << 20)    /* from which on it gets no answers to heartbeats, */
#define GATEWAY_OWNER_UNREAD_MAX ((size_t)16 << 20)   /* no other long answers, */
#define GATEWAY_OWNER_BULK_MAX ((size_t)8 << 20)      /* and no contents of files and logs */
#define GATEWAY_HOSTS_WAITING_MAX ((size_t)384 << 20) /* unconfirmed bytes of all agents in one gateway */
#define GATEWAY_USERS_WAITING_MAX ((size_t)256 << 20) /* of all users */
#define GATEWAY_STRANGERS_WAITING_MAX \
    ((size_t)16 << 20)           /* of all peers that have not signed in. The sum of the three
                                                            is less than GATEWAY_MEMORY_MAX */
#define GATEWAY_MESSAGE_COST 256 /* bytes added to the size of a message in WAITING_MAX */
#define GATEWAY_BACKLOG_MAX \
    ((size_t)512 << 10)                       /* bytes in a gateway's queue to its daemon. All peers
                           wait for it: the users have no turns there */
#define GATEWAY_SENT_STEP ((size_t)256 << 10) /* SENT is sent when so many bytes are unreported */
#define GATEWAY_CONNECTIONS_MAX 262144u       /* connections of one gateway that the daemon knows */
#define GATEWAY_LINGER_MS 500
#define GATEWAY_DESCRIPTORS_MAX \
    262144u                           /* sockets of one gateway, if the daemon's RLIMIT_NOFILE
               allows so many */
#define GATEWAY_DESCRIPTORS_MIN 1024u /* a gateway with fewer does not start */
#define GATEWAY_NO_ROOM "500"         /* status of ZAP for a peer for which there is no room */
#define GATEWAY_MEMORY_MAX \
    ((uint64_t)2 << 30)              /* bytes of memory; a gateway that exceeds this limit ends,
                                        and is restarted */
#define GATEWAY_USER "creel-gateway" /* user of gateways that root starts; if missing, "nobody" */

enum gateway_frame_type {
    GATEWAY_SETUP = 1,
    GATEWAY_LISTEN,
    GATEWAY_UNLISTEN,
    GATEWAY_VERDICT,
    GATEWAY_SEND,
    GATEWAY_DROP,
    GATEWAY_PING,
    GATEWAY_HELLO = 65,
    GATEWAY_AUTH,
    GATEWAY_OPEN,
    GATEWAY_MESSAGE,
    GATEWAY_SENT,
    GATEWAY_CLOSED,
    GATEWAY_LOG,
    GATEWAY_COUNTS,
    GATEWAY_PONG,
};

struct gateway_header {
    uint32_t size; /* bytes of the payload */
    uint8_t type;  /* enum gateway_frame_type */
    uint8_t port;
    uint16_t count;
    uint64_t connection;
};

struct gateway_setup {
    uint32_t protocol;
    uint32_t user, group; /* ids to which a gateway started by root switches */
    uint32_t descriptors_max;
    uint64_t memory_max_bytes; /* limit of the gateway's memory, in bytes */
    struct gateway_limits limits;
};

struct gateway_listen {
    char secret_text[41]; /* Z85, terminated */
    uint32_t message_max; /* bytes of a message to this port; a longer message closes the connection */
};

struct gateway_hello {
    uint32_t protocol;
};

struct gateway_counts {
    uint32_t used, limit; /* connections */
    uint64_t refused_full,
        refused_address; /* closed because all were in use, or their address had its share */
};

#define GATEWAY_ADDRESS_MAX 64

struct gateway_peer {
    uint8_t key[32];
    char address[GATEWAY_ADDRESS_MAX]; /* IP address in text, terminated */
};

#endif
