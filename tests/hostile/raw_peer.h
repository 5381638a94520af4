/* SPDX-License-Identifier: Apache-2.0 */
/*
 * raw_peer.h - a client with its own implementation of ZMTP 3.1 and CURVE, which can violate both protocols
 *
 * Uses libsodium without libzmq: single steps of the handshake, any frame, any reset. Functions return false
 * when the connection is closed. All functions block, for at most RAW_PEER_MS.
 */
#ifndef CREEL_TEST_RAW_PEER_H
#define CREEL_TEST_RAW_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_PEER_MS 10000

struct raw_peer {
    int fd;        /* -1: not connected */
    unsigned host; /* connects from address 127.0.0.HOST; 0: 127.0.0.1 */
    uint64_t nonce;
    uint8_t *held; /* not NULL: written bytes are collected in this buffer */
    size_t held_size;
    bool refused; /* the server refused the client's key */
    uint8_t server_key[32], public_key[32], secret_key[32];
    uint8_t short_public[32], short_secret[32]; /* key pair of this connection */
    uint8_t server_short[32], cookie[96];
};

/* Initializes a client with a new key pair, for the server with SERVER_KEY (Z85). */
void raw_peer_init(struct raw_peer *peer, const char *server_key);
/* Like raw_peer_init, with the key pair of a certificate (Z85). */
void raw_peer_init_with(struct raw_peer *peer, const char *server_key, const char *public_text,
                        const char *secret_text);

bool raw_peer_connect(struct raw_peer *peer, int port); /* connects to 127.0.0.1 */
/* The steps of the handshake, in order; each sends, then reads the reply. */
bool raw_peer_greet(struct raw_peer *peer);
bool raw_peer_hello(struct raw_peer *peer);
bool raw_peer_initiate(struct raw_peer *peer);
/* Connects and runs the whole handshake. */
bool raw_peer_open(struct raw_peer *peer, int port);

bool raw_peer_write(struct raw_peer *peer, const void *bytes, size_t size);
/* Flags of frames after the handshake. */
enum { RAW_MORE = 1, RAW_COMMAND = 2 };
bool raw_peer_send(struct raw_peer *peer, unsigned flags, const void *bytes, size_t size);
bool raw_peer_ping(struct raw_peer *peer);
/* Sends COUNT small messages, each followed by a ping, in one write. */
bool raw_peer_send_with_pings(struct raw_peer *peer, unsigned count);
/* Reads and drops received bytes. Returns false if the server has closed the connection. */
bool raw_peer_is_open(struct raw_peer *peer);
/* Waits until the server has closed the connection. Returns false if it is open after RAW_PEER_MS. */
bool raw_peer_wait_closed(struct raw_peer *peer);

void raw_peer_close(struct raw_peer *peer);
void raw_peer_reset(struct raw_peer *peer); /* sends RST instead of FIN */

#endif
