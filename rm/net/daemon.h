/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the state of the daemon creel-rm, and the functions by which its files call each other
 *
 * The daemon has one event loop, two threads that write and read submitted files (writer.h, blob_server.h),
 * two that write and read history files (history_writer.h, history_server.h), one that measures each
 * directory (free_space.h), one for the list of hosts that have joined (joined_keys.h), one that compares
 * the files of the own key (own_key.h), and some that run the notify command (notifier.h). The loop itself
 * touches no file but those of the state, the certificates of others and the configuration: a disk of the
 * history, of submitted files or of backups that does not answer stops nothing else. Messages arrive through
 * four servers (server.c) and are passed to the master or to the store of files; requests of users take turns
 * (user_requests.h), queries are queued (queries.h). Before the loop sleeps, apply.c writes all rows of the
 * turn in one transaction, reports that to the master, and sends the messages. tasks.c handles timers and
 * signals.
 */
#ifndef CREEL_RM_DAEMON_H
#define CREEL_RM_DAEMON_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/io/loop/heap_trim.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/own_key.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"
#include "common/io/loop/run_record.h"
#include "rm/net/keys/asked_keys.h"
#include "rm/net/rescue/backups.h"
#include "rm/net/files/blob_requests.h"
#include "rm/net/identity.h"
#include "rm/net/reload.h"
#include "rm/net/parts/clock_record.h"
#include "rm/net/health/free_space.h"
#include "rm/net/history/history_server.h"
#include "rm/net/history/history_writer.h"
#include "rm/net/keys/joined_keys.h"
#include "rm/net/notify/notifier.h"
#include "rm/net/requests/queries.h"
#include "rm/net/conf/settings.h"
#include "rm/net/keys/signing_keys.h"
#include "rm/net/rescue/state_dir.h"
#include "rm/net/requests/user_requests.h"
#include "rm/store/store.h"

/* The state directory and what is in it (rescue/state_files.h). */
struct daemon_state {
    const char *directory; /* borrowed from the configuration */
    struct store *store;
    struct err fault;        /* of store_watch: a file of the state is lost; its code is 0: none */
    struct err guard_fault;  /* of store_watch: `lock` cannot be made again */
    bool abandoned;          /* a thread that hangs may use the store */
    bool writable;           /* the last measurement of the directory found room */
    struct backups *backups; /* NULL: no automatic backups */
    struct run_record run_record;
    struct clock_record clock_record;
};

struct daemon_history {
    struct history_writer *writer;
    struct history_server *server;
};

/* Keys of tokens and of hosts, and groups of users. */
struct daemon_credentials {
    struct signing_keys signing_keys;
    struct derived_keys *attempt_keys, *job_keys;
    struct asked_keys *asked_keys;
    struct joined_keys *joined_keys;
    struct user_groups *user_groups;
};

/* Requests that take turns (server.c). */
struct daemon_requests {
    struct user_requests *of_users;
    struct user_requests *of_masters; /* of application masters, by user */
    struct queries *queries;
};

struct daemon {
    struct daemon_confs confs;
    struct settings settings;
    bool verbose; /* -v: overrides creel.log.level */
    struct loop *loop;
    struct clock clock;
    bool clock_set; /* the clock of the host was set; logged */
    struct keys *keys;
    struct key own_key;
    struct own_key *own_key_files;
    struct gateway_pool *gateways;
    struct port ports[RM_CHANNELS];
    struct daemon_requests requests;
    struct daemon_credentials credentials;
    struct daemon_users users;
    struct daemon_state state;
    struct daemon_commits commits;
    struct daemon_uploads uploads;
    struct daemon_history history;
    struct notifier *notifier; /* NULL: there is no notify command */
    struct master *master;
    struct report *report;
    struct metrics metrics;
    struct free_space free_space;
    struct heap_trim heap_trim;

    /* tasks.c */
    int64_t roll_retry_ms; /* after a failure: time of the next try to roll the keys */
    int64_t next_sweep_ms;
    int64_t watchdog_ms; /* interval of watchdog messages: half of systemd's WatchdogSec; 0: none */
};

/* Starts all parts, in an order in which each failure has a clear reason. CONF must outlive the daemon. Sets
 * RET in any case: after an error, it has the parts that were started, and daemon_free stops them. -EINVAL:
 * the configuration is invalid. Other errors are those of the system. */
int daemon_start(const struct conf *conf, bool verbose, struct daemon **ret, struct err *err);
void daemon_run(struct daemon *daemon); /* until SIGTERM or SIGINT */
/* Returns false if a thread hangs: then the process has to end with _exit. NULL is fine. */
bool daemon_free(struct daemon *daemon);

/* daemon_master.c: makes the master, and recovers its state from the store. */
int daemon_make_master(struct daemon *daemon, struct err *err);

static inline int64_t daemon_now_ms(struct daemon *daemon)
{
    return clock_now_ms(&daemon->clock);
}

/* apply.c: carries out all effects, and the effects that result from them, until there are none. */
void apply_start(struct daemon *daemon);
void apply_effects(struct daemon *daemon);
void apply_last(struct daemon *daemon);      /* at the stop: all effects, for 2 s at most */
void apply_deletions(struct daemon *daemon); /* queues deletions of applications that the history has */
void apply_done(struct daemon *daemon);

/* tasks.c: signals, sweeping, key rolling, the watchdog. */
int tasks_start(struct daemon *daemon, struct err *err);
void tasks_note_log_level(struct daemon *daemon); /* passes the level of the log to the master */

#endif
