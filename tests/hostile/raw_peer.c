/* SPDX-License-Identifier: Apache-2.0 */
/* raw_peer.c - a client with its own implementation of ZMTP 3.1 and CURVE (ZeroMQ RFC 23, 25, 26), for
 * attacks */
#include "tests/hostile/raw_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/keys/z85.h"

#define GREETING_BYTES 64
#define WELCOME_BYTES 168
#define MAC crypto_box_MACBYTES

enum { FRAME_LONG = 2, FRAME_COMMAND = 4 };

void raw_peer_init(struct raw_peer *peer, const char *server_key)
{
    if (sodium_init() < 0)
        abort();
    *peer = (struct raw_peer){ .fd = -1 };
    if (!z85_decode(server_key, peer->server_key, sizeof(peer->server_key)))
        abort();
    crypto_box_keypair(peer->public_key, peer->secret_key);
}

void raw_peer_init_with(struct raw_peer *peer, const char *server_key, const char *public_text,
                        const char *secret_text)
{
    raw_peer_init(peer, server_key);
    if (!z85_decode(public_text, peer->public_key, sizeof(peer->public_key)) ||
        !z85_decode(secret_text, peer->secret_key, sizeof(peer->secret_key)))
        abort();
}

/* --- bytes ----------------------------------------------------------------------- */

static bool wait_for(int fd, short events)
{
    struct pollfd item = { .fd = fd, .events = events };

    return poll(&item, 1, RAW_PEER_MS) > 0;
}

/* Binds only the address. connect() chooses the port, and may reuse a local port that has another remote
 * address. */
static bool bind_to(const struct raw_peer *peer)
{
    const struct sockaddr_in own = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK + peer->host),
    };
    int yes = 1;

    if (peer->host == 0)
        return true;
    return setsockopt(peer->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof(yes)) == 0 &&
           bind(peer->fd, (const struct sockaddr *)&own, sizeof(own)) == 0;
}

bool raw_peer_connect(struct raw_peer *peer, int port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };

    raw_peer_close(peer);
    peer->nonce = 0;
    peer->refused = false;
    crypto_box_keypair(peer->short_public, peer->short_secret);
    peer->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return peer->fd >= 0 && bind_to(peer) &&
           connect(peer->fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
}

bool raw_peer_write(struct raw_peer *peer, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    if (peer->held != NULL) {
        memcpy(peer->held + peer->held_size, bytes, size);
        peer->held_size += size;
        return true;
    }
    while (size > 0) {
        ssize_t written;

        if (!wait_for(peer->fd, POLLOUT))
            return false;
        written = send(peer->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written < 0 && errno != EAGAIN)
            return false;
        if (written > 0) {
            at += written;
            size -= (size_t)written;
        }
    }
    return true;
}

static bool read_exactly(struct raw_peer *peer, void *bytes, size_t size)
{
    uint8_t *at = bytes;

    while (size > 0) {
        ssize_t length;

        if (!wait_for(peer->fd, POLLIN))
            return false;
        length = recv(peer->fd, at, size, 0);
        if (length <= 0)
            return false;
        at += length;
        size -= (size_t)length;
    }
    return true;
}

static bool write_frame(struct raw_peer *peer, uint8_t flags, const void *bytes, size_t size)
{
    uint8_t header[9] = { flags };

    if (size <= 255) {
        header[1] = (uint8_t)size;
        return raw_peer_write(peer, header, 2) && raw_peer_write(peer, bytes, size);
    }
    header[0] |= FRAME_LONG;
    for (int i = 0; i < 8; i++)
        header[1 + i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
    return raw_peer_write(peer, header, 9) && raw_peer_write(peer, bytes, size);
}

/* Reads a short command NAME of at most 255 bytes. Returns its size, or 0. */
static size_t read_command(struct raw_peer *peer, const char *name, uint8_t bytes[255])
{
    uint8_t header[2];

    if (!read_exactly(peer, header, 2) || header[0] != FRAME_COMMAND || !read_exactly(peer, bytes, header[1]))
        return 0;
    peer->refused = header[1] >= 6 && memcmp(bytes,
                                             "\x05"
                                             "ERROR",
                                             6) == 0;
    if (header[1] < 1 + strlen(name) || bytes[0] != strlen(name) || memcmp(bytes + 1, name, bytes[0]) != 0)
        return 0;
    return header[1];
}

/* --- the handshake ----------------------------------------------------------------- */

static void set_nonce(uint8_t nonce[crypto_box_NONCEBYTES], const char *prefix, uint64_t number)
{
    memcpy(nonce, prefix, 16);
    for (int i = 0; i < 8; i++)
        nonce[16 + i] = (uint8_t)(number >> (56 - 8 * i));
}

bool raw_peer_greet(struct raw_peer *peer)
{
    uint8_t greeting[GREETING_BYTES] = { 0xff, [9] = 0x7f, [10] = 3, [11] = 1 };
    uint8_t theirs[GREETING_BYTES];

    memcpy(greeting + 12, "CURVE", 5);
    return raw_peer_write(peer, greeting, sizeof(greeting)) && read_exactly(peer, theirs, sizeof(theirs)) &&
           memcmp(theirs + 12, "CURVE", 6) == 0;
}

bool raw_peer_hello(struct raw_peer *peer)
{
    static const uint8_t zeros[64];
    uint8_t hello[200] = { 0 }, welcome[255], opened[128], nonce[crypto_box_NONCEBYTES];

    memcpy(hello, "\x05HELLO\x01", 7);
    memcpy(hello + 80, peer->short_public, 32);
    set_nonce(nonce, "CurveZMQHELLO---", ++peer->nonce);
    memcpy(hello + 112, nonce + 16, 8);
    if (crypto_box_easy(hello + 120, zeros, sizeof(zeros), nonce, peer->server_key, peer->short_secret) != 0)
        abort();
    if (!write_frame(peer, FRAME_COMMAND, hello, sizeof(hello)) ||
        read_command(peer, "WELCOME", welcome) != WELCOME_BYTES)
        return false;
    memcpy(nonce, "WELCOME-", 8);
    memcpy(nonce + 8, welcome + 8, 16);
    if (crypto_box_open_easy(opened, welcome + 24, 144, nonce, peer->server_key, peer->short_secret) != 0)
        return false;
    memcpy(peer->server_short, opened, 32);
    memcpy(peer->cookie, opened + 32, 96);
    return true;
}

bool raw_peer_initiate(struct raw_peer *peer)
{
    static const char metadata[] = "\x0bSocket-Type\0\0\0\x06"
                                   "DEALER"
                                   "\x08Identity\0\0\0";
    uint8_t plain[32 + 16 + 80 + sizeof(metadata)], vouch[64], nonce[crypto_box_NONCEBYTES];
    uint8_t initiate[9 + 96 + 8 + MAC + sizeof(plain)], ready[255];

    memcpy(plain, peer->public_key, 32);
    memcpy(nonce, "VOUCH---", 8);
    randombytes_buf(nonce + 8, 16);
    memcpy(plain + 32, nonce + 8, 16);
    memcpy(vouch, peer->short_public, 32);
    memcpy(vouch + 32, peer->server_key, 32);
    if (crypto_box_easy(plain + 48, vouch, sizeof(vouch), nonce, peer->server_short, peer->secret_key) != 0)
        abort();
    memcpy(plain + 128, metadata, sizeof(metadata)); /* the final NUL is part of Identity's length, 0 */
    memcpy(initiate, "\x08INITIATE", 9);
    memcpy(initiate + 9, peer->cookie, 96);
    set_nonce(nonce, "CurveZMQINITIATE", ++peer->nonce);
    memcpy(initiate + 105, nonce + 16, 8);
    if (crypto_box_easy(initiate + 113, plain, sizeof(plain), nonce, peer->server_short,
                        peer->short_secret) != 0)
        abort();
    return write_frame(peer, FRAME_COMMAND, initiate, sizeof(initiate)) &&
           read_command(peer, "READY", ready) > 0;
}

bool raw_peer_open(struct raw_peer *peer, int port)
{
    return raw_peer_connect(peer, port) && raw_peer_greet(peer) && raw_peer_hello(peer) &&
           raw_peer_initiate(peer);
}

/* --- after the handshake ------------------------------------------------------------ */

bool raw_peer_send(struct raw_peer *peer, unsigned flags, const void *bytes, size_t size)
{
    scoped_free uint8_t *plain = mem_alloc(1 + size), *frame = mem_alloc(16 + MAC + 1 + size);
    uint8_t nonce[crypto_box_NONCEBYTES];

    plain[0] = (uint8_t)flags;
    if (size > 0)
        memcpy(plain + 1, bytes, size);
    memcpy(frame, "\x07MESSAGE", 8);
    set_nonce(nonce, "CurveZMQMESSAGEC", ++peer->nonce);
    memcpy(frame + 8, nonce + 16, 8);
    if (crypto_box_easy(frame + 16, plain, 1 + size, nonce, peer->server_short, peer->short_secret) != 0)
        abort();
    return write_frame(peer, 0, frame, 16 + MAC + 1 + size);
}

bool raw_peer_ping(struct raw_peer *peer)
{
    return raw_peer_send(peer, RAW_COMMAND, "\x04PING\0\0", 7);
}

bool raw_peer_send_with_pings(struct raw_peer *peer, unsigned count)
{
    scoped_free uint8_t *bytes = mem_alloc((size_t)count * 128);

    peer->held = bytes;
    peer->held_size = 0;
    for (unsigned i = 0; i < count; i++) {
        raw_peer_send(peer, 0, "nonsense", 8);
        raw_peer_ping(peer);
    }
    peer->held = NULL;
    return raw_peer_write(peer, bytes, peer->held_size);
}

bool raw_peer_is_open(struct raw_peer *peer)
{
    char buffer[65536];
    ssize_t length;

    while ((length = recv(peer->fd, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0)
        ;
    return length < 0 && errno == EAGAIN;
}

bool raw_peer_wait_closed(struct raw_peer *peer)
{
    while (raw_peer_is_open(peer))
        if (!wait_for(peer->fd, POLLIN))
            return false;
    return true;
}

void raw_peer_close(struct raw_peer *peer)
{
    mem_close_fd(&peer->fd);
    peer->fd = -1;
}

void raw_peer_reset(struct raw_peer *peer)
{
    const struct linger now = { .l_onoff = 1, .l_linger = 0 };

    setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    raw_peer_close(peer);
}
