/* SPDX-License-Identifier: Apache-2.0 */
/*
 * channel.h - secure message channels between creel's programs: ZeroMQ, CURVE, bounded, reconnecting
 *
 * A server is a TCP port; a client is a DEALER socket connected to a server. Every message is one Envelope
 * (wire.h). CURVE encryption is always on: a server has a secret key, and the server's policy must admit the
 * public key of each peer.
 * The sockets of servers are in separate processes, the gateways (gateway_frame.h). If a peer crashes a
 * gateway, the daemon continues; the peers of that gateway lose their connections and the messages in
 * transit.
 */
#ifndef CREEL_IO_CHANNEL_H
#define CREEL_IO_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/channel/gateway_limits.h"
#include "common/io/keys/keys.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/wire.h"

/* --- which keys may connect ------------------------------------------------- */

/* Set of keys that a server admits. */
enum admission_policy {
    ADMISSION_AGENTS,  /* keys with certificates under agents/ of the key directory, and of hosts that
                          have joined */
    ADMISSION_USERS,   /* keys with certificates under users/, and keys of users who have signed in */
    ADMISSION_CLIENTS, /* keys of ADMISSION_USERS, of join tokens and of jobs, and guests (struct peer) */
    ADMISSION_MASTERS, /* keys of attempts that gateway_pool_find_masters finds, and keys of
                          ADMISSION_USERS; requests must carry a token */
    ADMISSION_LOOKUP,  /* keys that the function of gateway_pool_set_lookup finds; requests must carry a
                          token */
    ADMISSION_ANY,     /* any key; only for servers of tests */
};

/* Returns the id of the attempt whose application master has the key PUBLIC_TEXT; NULL if there is none.
 * Borrowed until the next call. */
typedef const char *find_master_fn(void *context, const char *public_text);

enum key_lookup {
    KEY_LOOKUP_UNKNOWN,
    KEY_LOOKUP_KNOWN,
    KEY_LOOKUP_PENDING, /* result not available yet: gateway_pool_lookup_done will be called */
};

/* Decides whether a peer with the key PUBLIC_TEXT may connect. CONNECTED: the peer is connected already.
 * Then the function returns its last result while it has no new one, since KEY_LOOKUP_PENDING closes the
 * connection. */
typedef enum key_lookup key_lookup_fn(void *context, const char *public_text, bool connected);

struct channel_server;
struct channel_client;
struct gateway_pool;

/* Starts GATEWAYS gateways of this process. Connections are spread over them, so that encryption uses
 * several cores. LIMITS are copied; NULL: the defaults. Call this before the first channel_server_new, and
 * gateway_pool_free after the last server is freed. KEYS may be NULL if all servers are ADMISSION_ANY. The
 * key directory is read again when a peer shows an unknown key, so that certificates can be added at run
 * time; connections whose certificate was removed are closed within some seconds. A gateway that ends is
 * started again. Fails if there is no gateway program. */
int gateway_pool_new(struct loop *loop, struct keys *keys, const struct gateway_limits *limits,
                     unsigned gateways, struct gateway_pool **ret, struct err *err);
void gateway_pool_free(struct gateway_pool *pool); /* POOL may be NULL */
/* Sets FIND_MASTER, which is called for each connection to an ADMISSION_MASTERS server, and again every
 * second (for up to 1000 connections at a time), so that connections of ended attempts are closed. Without
 * FIND_MASTER no application master is admitted. */
void gateway_pool_find_masters(struct gateway_pool *pool, find_master_fn *find_master, void *context);
/* Sets two functions, which are called at the same times as FIND_MASTER. FIND_HOST returns the name of the
 * host that has joined with a key (ADMISSION_AGENTS), FIND_TOKEN the id of the join token that has a key
 * (ADMISSION_CLIENTS). */
void gateway_pool_find_joined(struct gateway_pool *pool, find_master_fn *find_host,
                              find_master_fn *find_token, void *context);
/* How users are found beside their certificates. Without it all certificates are accepted, no user can sign
 * in, and there are no guests. */
struct channel_users {
    /* Returns the name of the user who has signed in with a key; called at the same times as FIND_MASTER. */
    find_master_fn *find_signed_in;
    /* Returns true if the certificate of USER is accepted. */
    bool (*accepts_certificate)(void *context, const char *user);
    /* Returns the id of the application whose job token has a key (ADMISSION_CLIENTS); called at the same
     * times. NULL: jobs have no keys. */
    find_master_fn *find_job;
    bool guests; /* ADMISSION_CLIENTS admits any other key as a guest, who may send SignIn alone */
    void *context;
};
void gateway_pool_set_users(struct gateway_pool *pool, const struct channel_users *users);
/* Sets FIND_OWNER, which returns the user of an attempt or an application by its id, or of a key that LOOKUP
 * has found; NULL: not known. The replies that a user has not read are bounded together, whatever number of
 * connections and keys the user has (owners.h). Without FIND_OWNER such a key counts for itself. */
void gateway_pool_set_owners(struct gateway_pool *pool, find_master_fn *find_owner, void *context);
/* Replies that are not read yet, for the metrics. */
struct gateway_unread {
    uint32_t used_kib, limit_kib;
    uint64_t refused_full,
        refused_owner; /* requests refused and replies dropped, because those of all, or of their owner, take
                          too much */
};
struct gateway_unread gateway_pool_unread(const struct gateway_pool *pool);
/* Writes the numbers of connections of all gateways (gateway_frame.h) to *RET. */
struct gateway_counts;
void gateway_pool_connections(const struct gateway_pool *pool, struct gateway_counts *ret);
/* Returns the number of connections that were refused for their key. */
uint64_t gateway_pool_refused_keys(const struct gateway_pool *pool);
struct peer;

/* An agent whose key is not admitted, or whose registration was refused. */
#define REFUSED_AGENT_NAME_MAX 256
struct refused_agent {
    char name[REFUSED_AGENT_NAME_MAX]; /* of its certificate; "": not known */
    char key[KEY_TEXT];
    char address[64];
    int64_t since_ms;   /* of the first refusal */
    const char *reason; /* why the registration was refused; NULL: the key is not admitted */
};
/* Writes agents that are refused to RET, at most ROOM. Returns the number of all, at most REFUSED_AGENTS_MAX
 * (refused_keys.h). The reasons are borrowed until the next refusal. */
size_t gateway_pool_refused_agents(const struct gateway_pool *pool, struct refused_agent *ret, size_t room);
/* Notes that the registration of PEER, an agent, was refused for REASON; NULL: it was accepted. */
void gateway_pool_note_registration(struct gateway_pool *pool, const struct peer *peer, const char *reason);
/* Gateways that have ended unexpectedly since the start. LAST_MS: when the last one did; 0: none has.
 * LAST_HUNG_MS: that one was killed because it did not answer for so long; 0: it was not. */
struct gateway_deaths {
    uint64_t count;
    int64_t last_ms, last_hung_ms;
};
struct gateway_deaths gateway_pool_deaths(const struct gateway_pool *pool);
/* Sets LOOKUP, which is called for each handshake with an ADMISSION_LOOKUP server, and again every second
 * for the connections of the server (up to 1000 at a time). A handshake waits for the result
 * (handshakes.h). Without LOOKUP the server admits no key. */
void gateway_pool_set_lookup(struct gateway_pool *pool, key_lookup_fn *lookup, void *context);
/* Decides the handshakes that wait for the lookup of PUBLIC_TEXT. The caller of the lookup calls this
 * function when there is a result. */
void gateway_pool_lookup_done(struct gateway_pool *pool, const char *public_text);
/* Closes the connections with PUBLIC_TEXT at once, if this key is not admitted any more. Scans all
 * connections. */
void gateway_pool_judge_key(struct gateway_pool *pool, const char *public_text);

/* --- servers --------------------------------------------------------------- */

struct peer {
    uint64_t connection;    /* number of the connection, never used twice */
    const char *principal;  /* name of the certificate (agent or user) or of the user who has signed in, or id
                               of the attempt; "" under ADMISSION_LOOKUP and ADMISSION_ANY, of a peer with a
                               join token, of a job, and of a guest */
    const char *key;        /* its public key */
    bool guest;             /* its key is unknown: it may send SignIn alone */
    const char *join_token; /* id of the join token of the peer, which may send JoinNode alone; NULL: none */
    const char *job;        /* id of the application whose job token the peer has; NULL: none */
    const char *address;    /* IP address of the peer, for logs */
};

/* Called for each decoded request. ENVELOPE is borrowed for the call. A message that cannot be decoded has
 * been answered with an Error before, and is not passed to this function. */
typedef void channel_server_fn(void *context, const struct peer *peer, const Creel__Envelope *envelope);

/* Binds to ADDRESS ("host:port", "0.0.0.0:8032", "[::1]:8032"; port 0: any free port). With -EADDRINUSE, ERR
 * names the address and, if known, the process that uses it. */
int channel_server_new(struct gateway_pool *pool, const char *address, enum admission_policy policy,
                       const struct key *own, channel_server_fn *fn, void *context,
                       struct channel_server **ret, struct err *err);
/* Frees SERVER, which may be NULL. Queued replies are sent for up to half a second more. May be called in
 * the server's own callback. */
void channel_server_free(struct channel_server *server);
int channel_server_port(const struct channel_server *server);

/* Returns the IP address of a peer, valid until the peer disconnects; "" if it has disconnected. */
const char *channel_server_address(struct channel_server *server, uint64_t connection);

/* Returns how the user at a connection is identified: "munge", "certificate" or "job"; "" for other
 * peers. */
const char *channel_server_method(struct channel_server *server, uint64_t connection);

/* Sends ENVELOPE to a peer. Returns false if the message is lost, because the peer has disconnected or its
 * queue is full; the caller's protocol must tolerate lost messages. Also returns false if ENVELOPE exceeds
 * the limits; this is logged, and the peer gets an Error instead of a reply. Only the version of ENVELOPE
 * is changed. */
bool channel_server_send(struct channel_server *server, uint64_t connection, Creel__Envelope *envelope);
/* Returns 0 if a request of KIND of a peer may be answered now: its answer is short, or the owner of the
 * peer (a user, a host: owners.h) has read its earlier answers. If not, the request is refused before the
 * callback sees it. A request that is answered later asks again before the work. -EAGAIN: the owner has
 * too much to read; ERR has the text for the peer. ERR may be NULL if the request waits for that.
 * -ENOTCONN: the peer has disconnected; ERR is not set. */
int channel_server_may_answer(struct channel_server *server, uint64_t connection,
                              Creel__Envelope__BodyCase kind, struct err *err);
/* Sends an Error reply to REQUEST_ID. */
void channel_server_refuse(struct channel_server *server, uint64_t connection, uint64_t request_id,
                           Creel__ErrorCode code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* --- clients --------------------------------------------------------------- */

#define CHANNEL_REFUSALS 5 /* consecutive refusals, in about 2 s, that mean a withdrawn certificate */

typedef void channel_client_fn(void *context, const Creel__Envelope *envelope);

/* Connects to ADDRESS, whose server must have PEER_KEY (Z85, 40 characters); the client's own key is OWN.
 * Returns at once; ZeroMQ connects in the background, and reconnects with back-off (100 ms doubling to 5 s).
 * FN is called for each message received. If LOOP is NULL, only channel_client_call may be used. */
int channel_client_new(struct loop *loop, const char *address, const char *peer_key, const struct key *own,
                       channel_client_fn *fn, void *context, struct channel_client **ret, struct err *err);
void channel_client_free(struct channel_client *client);

/* Sets names for error texts: the program expected at the address ("creel-rm") and the option that chooses
 * another address ("--rm HOST:PORT"). Both may be NULL, and are copied. */
void channel_client_name_peer(struct channel_client *client, const char *program, const char *hint);

/* Returns 0 if the client is connected and both keys are verified. Else ERR has the reason in words for a
 * person: -ENOTCONN (no server, connection lost, handshake not finished), -EACCES (keys), -EAGAIN (the
 * server has no free connection). May take 0.2 s. */
int channel_client_state(struct channel_client *client, struct err *err);

/* Returns true if the server refused the client's key in all of the last handshakes, at least
 * CHANNEL_REFUSALS. One refusal may be a certificate that is just being replaced. The client continues to
 * try. */
bool channel_client_is_refused(struct channel_client *client);

/* Returns true if the server refused the client's key in the last handshake. A server with another key, or
 * of another protocol, is -EACCES of channel_client_state, too, but false here. */
bool channel_client_key_is_refused(struct channel_client *client);

/* Returns how many connections were lost so far. After each loss, requests without a reply must be sent
 * again. */
unsigned channel_client_losses(struct channel_client *client);

/* Makes calls end with -ECONNREFUSED, after CHANNEL_LISTENER_MS, if there has been no connection yet and no
 * program listens at the address. Otherwise they wait for one until their time limit. */
#define CHANNEL_LISTENER_MS 300
void channel_client_needs_listener(struct channel_client *client);

/* Makes calls that wait end with -EINTR when FD, which is borrowed, is readable, as a signalfd is. -1:
 * none. */
void channel_client_set_interrupt(struct channel_client *client, int fd);

/* Queues ENVELOPE for sending. Returns false if the queue is full or there is no connection now; then
 * ENVELOPE is not queued. */
bool channel_client_send(struct channel_client *client, Creel__Envelope *envelope);

/* Sends REQUEST when there is a connection, and waits for the reply with the same request id (set by this
 * function), at most TIMEOUT_MS in all. Replies to older requests and pushed messages are dropped. LOOP must
 * be NULL. If the connection is lost meanwhile, the request is sent again over the next connection, so it
 * must be safe to repeat.
 * The caller frees the reply with wire_free. An Error reply is returned as a reply.
 *   -EBADMSG    REQUEST exceeds the limits (wire_pack); -EMSGSIZE: too long
 *   -ETIMEDOUT  no reply; ERR has the known reason: never connected (refused, no route),
 *               handshake refused (wrong keys), or no answer
 *   -ECONNREFUSED  no program listens: channel_client_needs_listener
 *   -EINTR      channel_client_set_interrupt
 *   -EACCES     the peer refused the client's key, or does not have PEER_KEY */
int channel_client_call(struct channel_client *client, Creel__Envelope *request, int64_t timeout_ms,
                        Creel__Envelope **reply, struct err *err);

#endif
