/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the parts of creel-rm, and how they hang together
 *
 * One loop, and beside it one thread that writes submitted files (writer.h).
 * Messages come in through four servers (server.c), go to the master or to the
 * store of files, and leave effects behind; queries wait first (queries.h). Before the loop sleeps, apply.c
 * writes all rows of the turn in one transaction, tells the master, and sends.
 * tasks.c is what happens by time and by signals.
 */
#ifndef CREEL_RM_DAEMON_H
#define CREEL_RM_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/conf/file_text.h"
#include "common/io/channel.h"
#include "common/io/keys.h"
#include "common/io/log.h"
#include "common/io/loop.h"
#include "rm/master/master.h"
#include "rm/net/attempt_keys.h"
#include "rm/net/blobs.h"
#include "rm/net/clock.h"
#include "rm/net/pending.h"
#include "rm/net/queries.h"
#include "rm/net/report.h"
#include "rm/net/settings.h"
#include "rm/net/signing_keys.h"
#include "rm/net/state_dir.h"
#include "rm/net/user_groups.h"
#include "rm/net/writer.h"
#include "rm/store/store.h"

struct daemon;

/* A channel's server, and which one it is: what its callback gets. */
struct port {
    struct daemon *daemon;
    enum master_channel channel;
    struct channel_server *server;
};

struct daemon {
    const struct conf *conf;
    struct conf *queue_conf;            /* of the last refresh that was taken; NULL: CONF still holds */
    struct file_watch queue_file;       /* the fair scheduler's allocation file */
    bool queue_file_holds;              /* what is in force came from one */
    const char *state_directory;        /* in CONF */
    bool verbose;                       /* -v wins over creel.log.level */
    struct clock clock;
    struct loop *loop;
    struct keys *keys;
    struct key own_key;
    struct gate *gate;
    struct port ports[RM_CHANNELS];
    struct queries *queries;
    struct store *store;
    struct blobs *blobs;
    struct writer *writer;
    struct signing_keys signing_keys;
    struct attempt_keys *attempt_keys;
    struct settings settings;
    struct user_groups *user_groups;
    struct master *master;
    struct report *report;

    /* apply.c */
    struct master_effects effects[2];   /* one is filled while the other is carried out */
    struct master_effects *filling;
    struct pending *pending;
    bool store_failing, store_retry;    /* the latter: it is time to try again */
    int64_t store_backoff_ms;
    int deadline_timer;
    int64_t deadline_ms;                /* of deadline_timer; INT64_MAX: none is set */

    /* tasks.c */
    int64_t roll_retry_ms;              /* not before, after a failure */
    int64_t next_sweep_ms;
    int64_t watchdog_ms;                /* half of systemd's patience; 0: none */
};

/* Start everything, in an order in which each failure has a clear reason and
 * leaves nothing behind. CONF must outlive the daemon. -EINVAL: the
 * configuration; any other error: the world. */
int daemon_start(const struct conf *conf, bool verbose, struct daemon **ret, struct err *err);
void daemon_run(struct daemon *daemon);         /* until SIGTERM or SIGINT */
void daemon_free(struct daemon *daemon);        /* NULL is fine */

static inline int64_t daemon_now_ms(struct daemon *daemon)
{
    return clock_tick(&daemon->clock, loop_now_ms(), loop_monotonic_ms());
}

/* server.c: bind the four ports; what arrives goes to the master. */
int server_open(struct daemon *daemon, struct err *err);
void server_close(struct daemon *daemon);
/* The writer's callback: a chunk of a file is dealt with. CONTEXT is the daemon. */
void server_on_written(void *context, uint64_t connection, uint64_t request_id,
                       const char *principal, int result, const struct err *err);

/* apply.c: carry out all effects, and what follows from them, until there are no more. */
void apply_start(struct daemon *daemon);
void apply_effects(struct daemon *daemon);
void apply_done(struct daemon *daemon);

/* reload.c: read the queues' configuration again, all of it or nothing, for RELOAD. Where its
 * warnings go: to who asked, and into the log. */
void reload_queues(struct daemon *daemon, const struct master_reload *reload);
/* The allocation file as it is before it is read for the first time; and from time to time: if it has
 * changed, and come to rest, it alone is read again, with the other keys as they are in force. */
void reload_note_file(struct daemon *daemon, const struct conf *conf);
void reload_look_at_file(struct daemon *daemon);

/* reload_hosts.c: the lists of hosts, for a master that recovers; and again, both or none. */
int start_hosts(struct daemon *daemon, struct err *err);
void reload_hosts(struct daemon *daemon, const struct master_reload *reload);
/* Of HOST, as text; NULL: it is not known. CONTEXT is the daemon. */
const char *find_address(void *context, struct arena *arena, const char *host);

/* tasks.c: signals, sweeping, key rolling, the watchdog. */
int tasks_start(struct daemon *daemon, struct err *err);

#endif
