/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io_daemon.h - fixture: a daemon of three channel servers behind a pool, and clients of the servers
 *
 * The servers run in a thread of their own with its own loop, as in a daemon. That thread asserts with
 * abort(), since cmocka's asserts belong to the first thread.
 */
#ifndef CREEL_TEST_IO_DAEMON_H
#define CREEL_TEST_IO_DAEMON_H

#include <pthread.h>
#include <stdbool.h>

#include "common/io/channel/channel.h"

#define CALL_MS 20000  /* deadline of calls that must succeed */
#define SILENCE_MS 300 /* time to wait for a message that must not arrive */

enum { PORT_AGENTS, PORT_USERS, PORT_ANY, PORTS };

struct daemon;

struct port {
    struct daemon *daemon;
    struct channel_server *server;
    int number; /* port number; 0: any; the same after a restart */
};

struct daemon {
    pthread_t thread;
    bool running; /* THREAD runs: between daemon_start and daemon_stop */
    char folder[64];
    int stop[2], ready[2];
    struct loop *loop;
    struct keys *keys;
    struct gateway_pool *pool;
    struct port ports[PORTS];
    struct key own;
    bool without_keys;
    struct gateway_limits limits; /* the defaults, unless a test changes the limits before the start */
    /* Connection of the last GetClusterInfo; number of WaitApp requests received. */
    uint64_t connection;
    unsigned waits;
};

/* For cmocka: *STATE is a struct daemon with a key directory, not started. The daemon answers
 * GetClusterInfo with the client's name, WaitApp after a restart of its server, ReadLog with a full chunk,
 * ListQueues never, GetLogAccess with a reply that is out of bounds, KillApp with a refusal, and all other
 * requests with Ok. */
int daemon_set_up(void **state);
/* Stops the daemon first, if a failed test left it running. */
int daemon_tear_down(void **state);

/* daemon_start and daemon_stop keep the ports. */
void daemon_start(struct daemon *daemon);
void daemon_stop(struct daemon *daemon);

struct key daemon_key(struct daemon *daemon, enum key_owner owner, const char *name);
struct channel_client *daemon_connect(struct daemon *daemon, int which, const struct key *key);

/* Requests the name of CLIENT's key from the daemon; the name is "" under ADMISSION_ANY. */
int daemon_ask(struct channel_client *client, int64_t timeout_ms, char who[64], struct err *err);
void expect_served(struct channel_client *client, const char *principal);
void expect_refused(struct channel_client *client, int code, const char *text);

#endif
