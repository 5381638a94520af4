/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_state.h - the fields of a server, its connections and their requests (private to server.c,
 * server_run.c, connections.c and transfer*.c)
 *
 * A `peer` is a connection, a `transfer` one request on it. libmicrohttpd calls, in this order:
 * peer_changed when a connection opens; transfer_new with the request line; transfer_handle, first with the
 * headers, then with each piece of the body, and once more when the request is whole; transfer_completed.
 * If the answer needs the resource manager, or others have their turn, the connection is suspended, and
 * transfer_handle is called again after it was resumed. An event stream is suspended while it has no event,
 * an answer in parts while its next part needs the resource manager, or while others have their turn; then
 * it is read again.
 */
#ifndef CREEL_WEB_HTTP_SERVER_STATE_H
#define CREEL_WEB_HTTP_SERVER_STATE_H

#include <microhttpd.h>
#include <stdbool.h>

#include "common/base/shares.h"
#include "common/io/loop/heap_trim.h"
#include "common/io/loop/log.h"
#include "common/io/server/peer_address.h"
#include "web/http/address.h"
#include "web/http/address_queue.h"
#include "web/http/certificate.h"
#include "web/http/server.h"

struct packer;
struct transfer;

enum peer_stage {
    PEER_WAITS,  /* for a complete request */
    PEER_SERVED, /* its request is complete, and not answered yet */
    PEER_CUT,    /* closed, for another connection; it has no place any more */
};

struct peer {
    struct MHD_Connection *connection;
    struct transfer *transfer; /* current request; NULL: the connection waits for the next one */
    int64_t deadline_ms;       /* the connection is closed then (monotonic clock); INT64_MAX: never */
    bool suspended;
    bool certificate_read;
    const char *certificate_problem;  /* NULL: none */
    int64_t certificate_expires_ms;   /* since 1970; 0: there is none */
    char user[CERTIFICATE_USER_SIZE]; /* of the certificate; "": there is none */
    enum peer_stage stage;
    bool answered;                     /* it had an answer already */
    char share[PEER_ADDRESS_TEXT_MAX]; /* the address whose share it takes: of the client of the request */
    char own[PEER_ADDRESS_TEXT_MAX];   /* its own one, between two requests */
    struct peer *prev, *next;
    struct peer *older, *newer; /* in http_server.waiting */
};

struct transfer {
    struct http_server *server;
    struct peer *peer;
    char *target;
    const char *method, *version; /* valid until the request has ended */
    bool begun;                   /* the headers are complete, and begin() has run */
    char *body;
    size_t body_size, body_capacity; /* a body that is too long is counted, but not stored */
    size_t answer_size;              /* bytes of the answer, compressed; 0: it has parts, or is a stream */
    unsigned held;                   /* units of server->memory that body, exchange and answer take */
    bool sending;                    /* its answer is being sent */
    bool given_up;                   /* the connection is closed, since others need its memory */
    uint64_t acked;                  /* bytes that the client had received at... */
    int64_t moved_ms;                /* ...the last time at which it sent or received a piece (monotonic) */
    struct name_value headers[REQUEST_HEADERS_MAX + 1];
    size_t header_count;
    char address[ADDRESS_TEXT_MAX], client[ADDRESS_TEXT_MAX]; /* of the peer; of its client (forwarded.h) */
    int refused;               /* 503: the client has its share of the connections */
    struct exchange *exchange; /* NULL: there is none yet, or its answer is made and has no parts */
    struct stream *stream;     /* the answer; NULL: the answer is no stream */
    const char *part;          /* of an answer in parts: what is left of the last one */
    size_t part_size;
    struct packer *packer;           /* compresses the parts; NULL: they are sent as they are */
    bool packed;                     /* the packer has the last part */
    struct address_queue_entry turn; /* in http_server.readers or .callers, if it waits there */
    unsigned class;                  /* of its route (traffic.h) */
};

struct http_server {
    struct loop *loop;
    const struct site *site;
    struct http_limits limits;
    struct MHD_Daemon *daemon;
    int epoll_fd, listen_fd, port; /* libmicrohttpd closes both */
    loop_fn *run; /* server_run; a field, so that the files that it calls may set a timer for it */
    int run_timer, sweep_timer;
    struct peer *peers;
    struct peer *waiting;       /* peers in PEER_WAITS; the one that has waited longest is first */
    struct shares *places;      /* of connections, by address */
    struct shares *memory;      /* for all bodies and answers, by address; in units of 1 KiB */
    struct heap_trim heap_trim; /* memory of answers that were large */
    struct log_limit closed, memory_short;
    bool secure;
    struct streams *streams;
    struct address_queue *readers; /* transfers whose answers in parts wait for their turn; suspended */
    struct transfer *reader;       /* whose turn it is; NULL: that of the first one that asks */
    bool part_made;                /* in this turn */
    struct address_queue *callers[TRAFFIC_CLASSES]; /* transfers that wait for their turn to be served;
                                                       suspended */
    unsigned next_class;                            /* of which one is served first in the next turn */
    int64_t turn_end_ms; /* until which requests are served in this turn (monotonic) */
    bool asks_for_certificates;
    bool starting, ending;
    char reason[256]; /* why the start failed */
};

/* server_run.c: a turn of the loop: serves the requests whose turn it is, and lets libmicrohttpd work on all
 * connections that are ready. */
void server_run(void *server);

/* connections.c. When there are too many connections, the one that has waited longest for a complete request
 * is closed, which may be the new one: of the same address, if this address has its share, else of any. The
 * share of a trusted proxy is what others leave. During a request, a connection of a proxy counts for the
 * client of the proxy: connections_lend returns false if that client has its share already. */
bool connections_lend(struct http_server *server, struct peer *peer, const char *client);
void connections_take_back(struct http_server *server, struct peer *peer); /* the request has ended */
void connections_add(struct http_server *server, struct peer *peer, const struct sockaddr *address);
void connections_serve(struct http_server *server, struct peer *peer); /* its request is complete */
void connections_wait(struct http_server *server, struct peer *peer);  /* its answer was sent */
void connections_remove(struct http_server *server, struct peer *peer);
void peer_cut(struct peer *peer);     /* closes the connection, in the next turn of libmicrohttpd */
int peer_fd(const struct peer *peer); /* the socket; -1: unknown */
/* Returns whether the client has closed the connection, or its sending side: libmicrohttpd does not watch a
 * suspended connection. */
bool peer_is_closed(const struct peer *peer);

/* transfer_turns.c: a request or an answer waits for its turn, or continues. */
void server_run_soon(struct http_server *server); /* runs server_run in the next turn of the loop */
void transfer_wake(struct transfer *transfer);    /* continues, in the next turn, if it is suspended */

/* Whole requests: in each turn of the loop, requests are served for limits.turn_ms: first those that wait,
 * by the class of their route, the cheapest first, and in turns by address (address_queue.h), then new
 * ones; the others wait. Each turn begins with one request of another class, so that each class goes on. A
 * request whose handler had to wait until the model was updated waits in the same queue. So each turn is
 * short, and a client waits for one request of the same class of each other address, however many requests
 * these send. A request that waits, and whose client has closed the connection or its sending side, is
 * dropped, if others of its address wait: a single client may close its sending side after its request. */
bool turns_has_time(const struct http_server *server); /* for requests, in this turn */
/* Returns whether a request of the class LAST, or a cheaper one, waits. */
bool turns_has_callers(const struct http_server *server, unsigned last);
/* Returns whether TRANSFER may be served now. If not, it is suspended; transfer_serve is called later. */
bool turns_may_serve(struct transfer *transfer);
void turns_suspend(struct transfer *transfer);
void turns_wait(struct transfer *transfer, struct address_queue *queue); /* suspends it */
/* The same for a transfer that is suspended already; transfer_serve is called later. */
void turns_wait_to_continue(struct transfer *transfer);
void turns_wait_again(struct transfer *transfer); /* the same, in the present turn of the loop */
void turns_classify(struct transfer *transfer);   /* by what is known of its route now */
void turns_leave(struct transfer *transfer);      /* it does not wait for its turn any more */
void turns_resume(struct transfer *transfer);     /* and takes it from its queue */

/* transfer_take.c: takes the transfer whose turn it is, after dropping those before it whose clients are
 * gone. Returns NULL if none waits. */
struct transfer *turns_take(struct address_queue *queue);

/* transfer_parts.c: answers in parts. In each turn of the loop one of them gets its next part, in turns by
 * address (address_queue.h), so that others wait for one part at most, however many clients read large
 * answers, and a client waits for one part of each other address. */
void parts_begin_turn(struct http_server *server);
/* Callback of libmicrohttpd that copies at most SIZE bytes. */
ssize_t parts_read(void *transfer, uint64_t position, char *bytes, size_t size);

/* transfer_held.c: memory for bodies and answers, with all that was allocated to make an answer. An address
 * has a share of it. */
struct shares *memory_pool_new(size_t bytes);
unsigned memory_units(const struct transfer *transfer, size_t more); /* that it takes, with MORE bytes */
void memory_hold(struct transfer *transfer, unsigned units);
void memory_count(struct transfer *transfer);     /* what it takes now, also if there is no room */
void memory_give_back(struct transfer *transfer); /* all of it */

/* transfer_memory.c: memory_take takes memory for what the transfer has and MORE bytes. While there is not
 * enough, the transfer whose client has neither sent nor received anything for longest is given up: of the
 * same address, if its share is used up, else of any; if there is none, the oldest one of the address that
 * has most, unless it would have less than that of the new one. Returns false if there is no memory; the
 * reason is in ROOM. */
bool memory_take(struct transfer *transfer, size_t more, enum shares_room *room);
void memory_give_up(struct transfer *transfer); /* closes its connection */
void memory_moved(struct transfer *transfer);   /* its client has sent or may receive a piece */
void memory_watch(struct transfer *transfer);   /* once a second: notes what its client has received */

/* transfer_damaged.c: called when libmicrohttpd refuses a request with STATUS: sends the answer of the
 * site if the headers were read. */
void damaged_answer(struct http_server *server, unsigned status);

/* transfer.c: transfer_serve makes the answer of a suspended transfer, as far as it can be made at once, and
 * resumes it if the answer is there. transfer_refuse returns the site's refusal of a request whose headers
 * were read, with STATUS; NULL: it has none. The others: callbacks of libmicrohttpd, for
 * MHD_OPTION_URI_LOG_CALLBACK, MHD_start_daemon and MHD_OPTION_NOTIFY_COMPLETED. */
void transfer_serve(struct transfer *transfer);
const struct answer *transfer_refuse(struct transfer *transfer, int status);
void *transfer_new(void *server, const char *target, struct MHD_Connection *connection);
enum MHD_Result transfer_handle(void *server, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *data, size_t *size,
                                void **request_context);
void transfer_completed(void *server, struct MHD_Connection *connection, void **request_context,
                        enum MHD_RequestTerminationCode code);

#endif
