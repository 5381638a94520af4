/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.h - secure message channels: ZeroMQ, CURVE, bounded, reconnecting
 *
 * A server is a TCP port, a client a DEALER connected to one. Every message is one Envelope (wire.h). CURVE
 * is always on: a server has a secret key, and each peer shows a public key that the server's policy must
 * admit.
 * The sockets of servers are in processes of their own, the gateways (gateway_frame.h): whatever a peer does
 * to one of them, the daemon goes on. Peers then lose their connection, and messages that were under way.
 */
#ifndef CREEL_IO_CHANNEL_H
#define CREEL_IO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/gate_limits.h"
#include "common/io/keys.h"
#include "common/io/loop.h"
#include "common/io/wire.h"

/* --- which keys may connect ------------------------------------------------- */

/* Which keys a server admits. */
enum gate_policy {
    GATE_AGENTS,        /* certificates under agents/ of the key directory */
    GATE_USERS,         /* certificates under users/ */
    GATE_MASTERS,       /* those of attempts, which gate_find_masters knows, and users' certificates;
                           requests must carry a token */
    GATE_LOOKUP,        /* those that the function of gate_set_lookup knows; requests must carry a token */
    GATE_ANY,           /* any key: servers of tests */
};

/* The id of the attempt whose application master has the key PUBLIC_TEXT; NULL: none has it. Borrowed until
 * the next call. */
typedef const char *gate_master_fn(void *context, const char *public_text);

enum gate_key {
    GATE_KEY_UNKNOWN, GATE_KEY_KNOWN,
    GATE_KEY_PENDING,   /* not known yet: gate_lookup_done will be called */
};

/* May a peer with the key PUBLIC_TEXT connect? CONNECTED: it did; the last answer then counts until there is
 * another, and GATE_KEY_PENDING is none. */
typedef enum gate_key gate_lookup_fn(void *context, const char *public_text, bool connected);

struct channel_server;
struct channel_client;
struct gate;

/* The gateways of this process, GATEWAYS of them: connections are spread over them, so that encryption uses
 * several cores. LIMITS are copied; NULL: the defaults. Make it before the first server and free it after
 * the last. KEYS, which may be NULL where all servers are GATE_ANY, is read again when a key is met that it
 * does not have, so that certificates can be added while it runs; connections of one whose file was removed
 * are closed within some seconds. Each gateway is started again when it ends. Fails if there is no gateway
 * program. */
int gate_new(struct loop *loop, struct keys *keys, const struct gate_limits *limits, unsigned gateways,
             struct gate **ret, struct err *err);
void gate_free(struct gate *gate);              /* NULL is fine */
/* FIND_MASTER is called for each connection to a GATE_MASTERS server, and again each second (of 1000
 * connections, in turn), so that one whose attempt has ended is closed. Without it no application master is
 * admitted. */
void gate_find_masters(struct gate *gate, gate_master_fn *find_master, void *context);
/* LOOKUP is called for each handshake with a GATE_LOOKUP server, and again each second for its connections
 * (1000 of them, in turn). A handshake waits for the result (handshakes.h). Without LOOKUP such a server
 * admits no key. */
void gate_set_lookup(struct gate *gate, gate_lookup_fn *lookup, void *context);
/* The lookup of PUBLIC_TEXT has a result now: handshakes with this key that wait are decided. */
void gate_lookup_done(struct gate *gate, const char *public_text);

/* --- servers --------------------------------------------------------------- */

struct peer {
    uint64_t connection;        /* stable while the peer stays connected; never used twice */
    const char *principal;      /* name of its certificate (agent or user), or id of its attempt; "" under
                                   GATE_LOOKUP and GATE_ANY */
    const char *address;        /* its IP address, for logs */
};

/* A decoded request. ENVELOPE is borrowed for the call. What cannot be decoded
 * was answered with an Error already and is not seen here. */
typedef void channel_server_fn(void *context, const struct peer *peer,
                               const Creel__Envelope *envelope);

/* Bind to ADDRESS ("host:port", "0.0.0.0:8032", "[::1]:8032", port 0: any free
 * one). -EADDRINUSE names the address and, where it can be found, who has it. */
int channel_server_new(struct gate *gate, const char *address, enum gate_policy policy,
                       const struct key *own, channel_server_fn *fn, void *context,
                       struct channel_server **ret, struct err *err);
/* NULL is fine; replies that are queued get half a second to leave. May be called
 * in the server's own callback. */
void channel_server_free(struct channel_server *server);
int channel_server_port(const struct channel_server *server);

/* Send to a peer; false if it is gone or its queue is full (the caller's
 * protocol must survive that). The envelope is only read, but for its version. One
 * that is out of bounds is logged, and the peer gets an Error instead of a reply. */
bool channel_server_send(struct channel_server *server, uint64_t connection,
                         Creel__Envelope *envelope);
/* How many bytes wait to be read by a peer; false if it is gone. Up to some hundred KiB may have been
 * read already. */
bool channel_server_waiting(struct channel_server *server, uint64_t connection, size_t *bytes);
/* An Error reply to REQUEST_ID. */
void channel_server_refuse(struct channel_server *server, uint64_t connection,
                           uint64_t request_id, Creel__ErrorCode code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* --- clients --------------------------------------------------------------- */

typedef void channel_client_fn(void *context, const Creel__Envelope *envelope);

/* Connect to ADDRESS whose server has PEER_KEY (Z85, 40 characters), showing
 * OWN. Returns at once; ZeroMQ connects when the peer appears, and again with
 * back-off (100 ms doubling to 5 s) when it goes. FN gets what arrives; with LOOP NULL the
 * channel is used by channel_client_call alone. */
int channel_client_new(struct loop *loop, const char *address, const char *peer_key,
                       const struct key *own, channel_client_fn *fn, void *context,
                       struct channel_client **ret, struct err *err);
void channel_client_free(struct channel_client *client);

/* Messages may have WIRE_FRAME_MAX bytes, as servers take them from agents; else WIRE_REQUEST_MAX. */
void channel_client_send_long(struct channel_client *client);

/* For error texts: the program expected there ("creel-rm") and how to choose another
 * one ("--rm HOST:PORT"); both may be NULL, and are copied. */
void channel_client_name_peer(struct channel_client *client, const char *program,
                              const char *hint);

/* 0: connected, and each has shown its key. Else why not, in words for a person:
 * -ENOTCONN (nobody there, lost, not done yet), -EACCES (keys). May take 0.2 s. */
int channel_client_state(struct channel_client *client, struct err *err);

/* How many connections were lost so far. After each, what was sent and not answered has to be
 * sent again. */
unsigned channel_client_losses(struct channel_client *client);

/* Queue for sending; false if the queue is full or there is no connection now:
 * nothing is kept for later. */
bool channel_client_send(struct channel_client *client, Creel__Envelope *envelope);

/* Send REQUEST when there is a connection, and wait for the reply with the same request id
 * (set here), at most TIMEOUT_MS in all. Replies to older requests and pushed messages are
 * dropped. Only with LOOP NULL. If the connection is lost meanwhile, the request is sent again
 * over the next one, so it must be safe to repeat.
 * The reply is freed with wire_free. An Error reply is returned as a reply.
 *   -EBADMSG    REQUEST is out of bounds (wire_pack); -EMSGSIZE: too long
 *   -ETIMEDOUT  no reply; ERR has what is known: never connected (refused, no route),
 *               handshake refused (wrong keys), or no answer
 *   -EACCES     the peer refused our key, or does not have PEER_KEY */
int channel_client_call(struct channel_client *client, Creel__Envelope *request,
                        int64_t timeout_ms, Creel__Envelope **reply, struct err *err);

#endif
