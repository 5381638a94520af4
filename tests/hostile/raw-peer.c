/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw-peer.c - program: attacks a port: raw-peer PORT SERVER-KEY-FILE ATTACK COUNT [OWN-KEY-FILE]
 *
 *   pings      messages followed by pings, then a reset (makes libzmq abort)
 *   endless    one message of endless frames, until the server closes the connection
 *   handshakes 16 MiB instead of the first step of the handshake
 *   bare       COUNT connections at once that send nothing, until standard input ends
 *   slow       COUNT connections at once whose handshakes arrive byte by byte; exit status 1: the
 *              server did not close one of them
 *   random     random bytes after each stage
 *   long       one message of COUNT KiB; exit status 1: the server did not close the connection
 *   open       the whole handshake, and nothing else; exit status 1: the server refuses it
 *
 * pings, endless, handshakes and random are repeated COUNT times. OWN-KEY-FILE is the key pair of a
 * certificate; default: a new key, which the server does not know. Exit status: 2 for wrong usage, else 0
 * unless stated above.
 */
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/io/keys/keys.h"
#include "tests/hostile/raw_peer.h"

#define PIECE 65536
#define HOLD_MS 120000
#define HOST_CONNECTIONS \
    8000                 /* connections per source address: with more, the kernel's search
                            for a free port is slow */
#define SLOW_STEP_MS 200 /* time between two bytes */
#define SLOW_MS 60000    /* time after which the server must have closed the connection */

static int port;

static void send_pings(struct raw_peer *peer, long turn)
{
    (void)turn;
    if (raw_peer_open(peer, port))
        raw_peer_send_with_pings(peer, 40);
    raw_peer_reset(peer);
}

static void send_endless(struct raw_peer *peer, long turn)
{
    static const char zeros[PIECE];

    (void)turn;
    if (raw_peer_open(peer, port))
        while (raw_peer_send(peer, RAW_MORE, zeros, sizeof(zeros)))
            ;
    raw_peer_close(peer);
}

static void send_handshake(struct raw_peer *peer, long turn)
{
    enum { SIZE = 16 << 20 };
    scoped_free uint8_t *bytes = mem_alloc0(SIZE + 8);

    (void)turn;
    bytes[0] = 6;
    bytes[5] = SIZE >> 24;
    bytes[6] = SIZE >> 16 & 255;
    if (raw_peer_connect(peer, port) && raw_peer_greet(peer))
        raw_peer_write(peer, bytes, SIZE + 8);
    raw_peer_close(peer);
}

static void send_random(struct raw_peer *peer, long turn)
{
    uint8_t bytes[4096];

    randombytes_buf(bytes, sizeof(bytes));
    if (raw_peer_connect(peer, port) && (turn % 4 < 1 || raw_peer_greet(peer)) &&
        (turn % 4 < 2 || raw_peer_hello(peer)) && (turn % 4 < 3 || raw_peer_initiate(peer)))
        raw_peer_write(peer, bytes, 1 + randombytes_uniform(sizeof(bytes)));
    if (turn % 2 == 0)
        raw_peer_reset(peer);
    else
        raw_peer_close(peer);
}

static void connect_bare(const struct key *server, long count)
{
    struct raw_peer *peers = mem_array0((size_t)count + 1, sizeof(*peers));
    struct pollfd input = { .fd = 0, .events = POLLIN };

    for (long i = 0; i < count; i++) {
        raw_peer_init(&peers[i], server->public_text);
        peers[i].host = (unsigned)(i / HOST_CONNECTIONS);
        if (!raw_peer_connect(&peers[i], port)) {
            perror("raw-peer: cannot connect");
            count = i;
        }
    }
    printf("%ld connections\n", count);
    fflush(stdout);
    poll(&input, 1, HOLD_MS);
    for (long i = 0; i < count; i++)
        raw_peer_close(&peers[i]);
    free(peers);
}

/* Sends the handshakes byte by byte, all connections in turn. Returns false if a connection was still open
 * after SLOW_MS. */
static bool drip(const struct key *server, long count)
{
    static const uint8_t greeting[64] = {
        0xff, [9] = 0x7f, [10] = 3, [11] = 1, [12] = 'C', 'U', 'R', 'V', 'E',
    };
    struct raw_peer *peers = mem_array0((size_t)count + 1, sizeof(*peers));
    long open = count;

    for (long i = 0; i < count; i++) {
        raw_peer_init(&peers[i], server->public_text);
        raw_peer_connect(&peers[i], port);
    }
    for (size_t at = 0; at < SLOW_MS / SLOW_STEP_MS && open > 0; at++) {
        open = 0;
        for (long i = 0; i < count; i++) {
            if (!raw_peer_is_open(&peers[i]))
                continue;
            open++;
            raw_peer_write(&peers[i], &greeting[at < sizeof(greeting) ? at : sizeof(greeting) - 1], 1);
        }
        poll(NULL, 0, SLOW_STEP_MS);
    }
    for (long i = 0; i < count; i++)
        raw_peer_close(&peers[i]);
    free(peers);
    return open == 0;
}

/* Sends one message of KIB KiB. Returns true if the server closes the connection because of it. */
static bool send_long(struct raw_peer *peer, long kib)
{
    size_t size = (size_t)kib << 10;
    scoped_free uint8_t *bytes = mem_array0(size, 1);

    if (!raw_peer_open(peer, port))
        return false;
    (void)raw_peer_send(peer, 0, bytes, size);
    return raw_peer_wait_closed(peer);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*attack)(struct raw_peer *peer, long turn);
    } attacks[] = {
        { "pings", send_pings },
        { "endless", send_endless },
        { "handshakes", send_handshake },
        { "random", send_random },
    };
    struct raw_peer peer;
    struct err err = { 0 };
    struct key server, own;
    long count;

    key_generate(&own);
    if (argc < 5 || argc > 6 || key_load(argv[2], false, &server, &err) < 0 ||
        (argc == 6 && key_load(argv[5], true, &own, &err) < 0)) {
        fprintf(stderr, "usage: raw-peer PORT SERVER-KEY-FILE ATTACK COUNT [OWN-KEY-FILE]: %s\n", err.text);
        return 2;
    }
    port = (int)strtol(argv[1], NULL, 10);
    count = strtol(argv[4], NULL, 10);
    if (strcmp(argv[3], "bare") == 0) {
        connect_bare(&server, count);
        return 0;
    }
    if (strcmp(argv[3], "slow") == 0)
        return drip(&server, count) ? 0 : 1;
    raw_peer_init_with(&peer, server.public_text, own.public_text, own.secret_text);
    if (strcmp(argv[3], "open") == 0)
        return raw_peer_open(&peer, port) && raw_peer_is_open(&peer) ? 0 : 1;
    if (strcmp(argv[3], "long") == 0)
        return send_long(&peer, count) ? 0 : 1;
    for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
        if (strcmp(argv[3], attacks[i].name) != 0)
            continue;
        for (long turn = 0; turn < count; turn++)
            attacks[i].attack(&peer, turn);
        return 0;
    }
    fprintf(stderr, "raw-peer: there is no attack %s\n", argv[3]);
    return 2;
}
