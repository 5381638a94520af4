/* SPDX-License-Identifier: Apache-2.0 */
/* transfer_memory.c - memory for bodies and answers: which transfer is given up for another one */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

#include "web/http/server_state.h"

#define PIECE 16384 /* bytes that a client receives at least, if its transfer moves */

/* --- what moves --------------------------------------------------------------- */

/* Returns the bytes that the host of the client has received; 0: unknown. */
static uint64_t acked_bytes(const struct peer *peer)
{
    struct tcp_info info = { .tcpi_state = 0 };
    socklen_t size = sizeof(info);

    if (getsockopt(peer_fd(peer), IPPROTO_TCP, TCP_INFO, &info, &size) < 0)
        return 0;
    return info.tcpi_bytes_acked;
}

void memory_moved(struct transfer *transfer)
{
    transfer->moved_ms = loop_monotonic_ms();
    transfer->acked = acked_bytes(transfer->peer);
}

void memory_watch(struct transfer *transfer)
{
    if (transfer->sending && acked_bytes(transfer->peer) >= transfer->acked + PIECE)
        memory_moved(transfer);
}

/* A transfer that waits for creel itself, or for the resource manager, is not given up for its client. */
static bool is_stalled(const struct transfer *transfer, int64_t now_ms)
{
    bool receives = transfer->exchange == NULL && !transfer->sending && transfer->turn.queue == NULL;

    return (receives || (transfer->sending && !transfer->peer->suspended)) &&
           now_ms - transfer->moved_ms >= transfer->server->limits.stalled_ms;
}

/* --- connections that end for others ------------------------------------------------------ */

static bool is_of(const struct peer *peer, const char *share)
{
    return share == NULL || strcmp(peer->share, share) == 0;
}

/* Returns the transfer, other than ONE, that has not moved for longest, of the address SHARE; NULL: of any.
 * If there is none, NULL. */
static struct transfer *longest_stalled(const struct transfer *one, const char *share)
{
    int64_t now_ms = loop_monotonic_ms();
    struct transfer *found = NULL, *transfer;
    struct peer *peer;

    DL_FOREACH(one->server->peers, peer)
    {
        transfer = peer->transfer;
        if (transfer == NULL || transfer == one || transfer->held == 0 || !is_of(peer, share))
            continue;
        memory_watch(transfer);
        if (is_stalled(transfer, now_ms) && (found == NULL || transfer->moved_ms < found->moved_ms))
            found = transfer;
    }
    return found;
}

/* Returns the oldest transfer of the address that has most memory, if it has more than that of ONE would have
 * with COUNT units more; else NULL. */
static struct transfer *oldest_of_largest(const struct transfer *one, unsigned count)
{
    const struct shares *memory = one->server->memory;
    unsigned most = shares_of(memory, one->peer->share) + count;
    struct transfer *found = NULL;
    struct peer *peer;

    DL_FOREACH(one->server->peers, peer)
    {
        if (peer->transfer == NULL || peer->transfer->held == 0 || !peer->transfer->sending ||
            shares_of(memory, peer->share) <= most)
            continue;
        most = shares_of(memory, peer->share);
        found = peer->transfer;
    }
    return found;
}

void memory_give_up(struct transfer *transfer)
{
    memory_give_back(transfer);
    transfer->given_up = true;
    peer_cut(transfer->peer);
    transfer_wake(transfer);
}

/* --- room ----------------------------------------------------------------------- */

static void note(struct http_server *server, const char *share, const char *what, const char *why)
{
    char line[256], more[LOG_MORE_MAX];

    if (server->site->note == NULL || !log_limit_pass(&server->memory_short, more))
        return;
    snprintf(line, sizeof(line), "HTTP connection from %s: %s, %s%s", share, what, why, more);
    server->site->note(server->site->note_context, line);
}

static const char *text_of(enum shares_room room)
{
    return room == SHARES_OWNER_FULL ? "this address has its share of the memory for answers"
                                     : "the memory for answers is in use";
}

bool memory_take(struct transfer *transfer, size_t more, enum shares_room *room)
{
    struct http_server *server = transfer->server;
    const char *share = transfer->peer->share;
    unsigned needed = memory_units(transfer, more);
    unsigned missing = needed > transfer->held ? needed - transfer->held : 0;
    struct transfer *victim;

    for (;;) {
        *room = shares_room_for(server->memory, share, missing);
        if (*room == SHARES_FREE || missing == 0)
            break;
        shares_count_refused(server->memory, *room);
        victim = longest_stalled(transfer, *room == SHARES_OWNER_FULL ? share : NULL);
        if (victim == NULL && *room == SHARES_FULL)
            victim = oldest_of_largest(transfer, missing);
        note(server, victim != NULL ? victim->peer->share : share,
             victim != NULL ? "closed before its answer was read" : "refused a request", text_of(*room));
        if (victim == NULL)
            return false;
        memory_give_up(victim);
    }
    memory_hold(transfer, needed);
    return true;
}
