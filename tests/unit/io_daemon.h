/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_daemon.h - a daemon for tests: three servers behind a gate, and clients of it
 *
 * The servers run in a thread of their own with its own loop, as a daemon would;
 * that thread asserts with abort(), since cmocka's asserts belong to the first one.
 */
#ifndef CREEL_TEST_IO_DAEMON_H
#define CREEL_TEST_IO_DAEMON_H

#include <pthread.h>
#include <stdbool.h>

#include "common/io/channel.h"

#define CALL_MS 20000                   /* a deadline: nothing takes so long */
#define SILENCE_MS 300                  /* what must not come has this long to come */

enum { PORT_AGENTS, PORT_USERS, PORT_ANY, PORTS };

struct daemon;

struct port {
    struct daemon *daemon;
    struct channel_server *server;
    int number;                         /* 0: any; kept over a restart */
};

struct daemon {
    pthread_t thread;
    char folder[64];
    int stop[2], ready[2];
    struct loop *loop;
    struct keys *keys;
    struct gate *gate;
    struct port ports[PORTS];
    struct key own;
    bool without_keys;
    struct gate_limits limits;          /* the defaults, unless a test changes them before the start */
    /* What the last GetClusterInfo came over; WaitApps that were heard. */
    uint64_t connection;
    unsigned waits;
};

/* Fixtures: *STATE is a struct daemon with a key directory, not started. It answers
 * GetClusterInfo with the asker's name, WaitApp after a restart of its server,
 * ReadLog with a full chunk, ListQueues never, GetLogAccess with a reply that is
 * out of bounds, and the rest with Ok. */
int daemon_set_up(void **state);
int daemon_tear_down(void **state);

/* The ports stay the same over stop and start. */
void daemon_start(struct daemon *daemon);
void daemon_stop(struct daemon *daemon);

struct key daemon_key(struct daemon *daemon, enum key_owner owner, const char *name);
struct channel_client *daemon_connect(struct daemon *daemon, int which, const struct key *key);

/* Ask who we are; "" under GATE_ANY. */
int daemon_ask(struct channel_client *client, int64_t timeout_ms, char who[64], struct err *err);
void expect_served(struct channel_client *client, const char *principal);
void expect_refused(struct channel_client *client, int code, const char *text);

#endif
