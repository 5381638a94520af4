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
#include "common/conf/conf.h"
#include "common/conf/file_text.h"
#include "common/io/channel/channel.h"
#include "common/io/loop/heap_trim.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/own_key.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"
#include "common/io/loop/run_record.h"
#include "rm/master/master.h"
#include "rm/net/keys/asked_keys.h"
#include "rm/net/keys/derived_keys.h"
#include "rm/net/rescue/backups.h"
#include "rm/net/files/blob_server.h"
#include "rm/net/files/blobs.h"
#include "rm/net/parts/clock.h"
#include "rm/net/parts/clock_record.h"
#include "rm/net/health/free_space.h"
#include "rm/net/history/history_server.h"
#include "rm/net/history/history_writer.h"
#include "rm/net/keys/joined_keys.h"
#include "rm/net/health/metrics.h"
#include "rm/net/notify/notifier.h"
#include "rm/net/requests/pending.h"
#include "rm/net/requests/queries.h"
#include "rm/net/requests/report.h"
#include "rm/net/conf/scheduler_conf.h"
#include "rm/net/conf/settings.h"
#include "rm/net/keys/sign_in.h"
#include "rm/net/keys/signing_keys.h"
#include "rm/net/rescue/state_dir.h"
#include "rm/net/keys/user_groups.h"
#include "rm/net/requests/user_requests.h"
#include "rm/net/files/writer.h"
#include "rm/store/store.h"

struct daemon;

/* The server of a channel, with the channel's kind: the context of its callback. */
struct port {
    struct daemon *daemon;
    enum master_channel channel;
    struct channel_server *server;
};

/* Returns PEER, which has sent a request to PORT, as the master knows it; borrowed. */
static inline struct master_peer port_asker(const struct port *port, const struct peer *peer)
{
    return (struct master_peer){ port->channel, peer->connection, peer->principal, peer->job };
}

/* The configuration in force, and what it was read from (reload.c, reload_access.c, conf_change.c). */
struct daemon_confs {
    struct conf *start; /* that of the start, if it includes overrides of SCHEDULER; else NULL; owned */
    struct scheduler_confs scheduler;
    struct conf *access[2];       /* owned; of the last RefreshAccess of each part; NULL: that of the start */
    struct conf *queues;          /* of the last successful refresh; NULL: that of the start is in force */
    struct file_watch queue_file; /* the fair scheduler's allocation file */
    struct file_mark rules_file;  /* the capacity scheduler's file of mapping rules, as it was read last */
    bool queue_file_holds;        /* the configuration in force was read from an allocation file */
};

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

/* Effects of the master, and rows on their way to the store (apply.c). */
struct daemon_commits {
    struct master_effects effects[2]; /* one is filled while the other one is carried out */
    struct master_effects *filling;
    struct pending *pending;
    bool failing, retry; /* RETRY: it is time for a try to write */
    struct err error;    /* why the last try failed; valid, as the next two, if FAILING */
    int64_t failing_ms;  /* since when */
    int64_t logged_ms;   /* when the last failure was logged */
    int64_t backoff_ms;
    int timer; /* of the next try to write */
    int deadline_timer;
    int64_t deadline_ms; /* time of deadline_timer; INT64_MAX: not set */
};

/* Files of submissions (blob_requests.c). */
struct daemon_uploads {
    struct blobs *blobs;
    struct writer *writer;
    struct blob_server *server;
    struct log_limit refusals;
    /* Continues with a submission whose files are stored: server_pass_on. A pointer: server.c also calls
     * blob_requests.c. */
    void (*pass_on)(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
};

struct daemon_history {
    struct history_writer *writer;
    struct history_server *server;
};

/* Keys of tokens, and how users and hosts are identified (identity.c). */
struct daemon_credentials {
    struct signing_keys signing_keys;
    struct derived_keys *attempt_keys, *job_keys;
    struct asked_keys *asked_keys;
    struct joined_keys *joined_keys;
    struct sign_in *sign_in; /* NULL: users cannot sign in by MUNGE */
    bool certificates;       /* certificates of all users are accepted; false: of proxy users alone */
    struct log_limit sign_in_refusals;
    struct user_groups *user_groups;
};

/* Requests that take turns (server.c). */
struct daemon_requests {
    struct user_requests *of_users;
    struct user_requests *of_masters; /* of application masters, by user */
    struct queries *queries;
};

struct daemon {
    const struct conf *conf; /* of the start */
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

static inline int64_t daemon_now_ms(struct daemon *daemon)
{
    return clock_tick(&daemon->clock, loop_now_ms(), loop_monotonic_ms());
}

/* server.c: binds the four ports, and passes received messages to the master. */
int server_open(struct daemon *daemon, struct err *err);
void server_close(struct daemon *daemon);
/* Passes a request of a user to the history, to the queries or to the master. Files of a submission are
 * stored. */
void server_pass_on(const struct port *port, const struct peer *peer, const Creel__Envelope *request);

/* blob_requests.c: opens the directory of submitted files, whose threads may hang: blob_requests_close
 * returns false then. Answers PutBlob, HaveBlobs and GetBlob. */
int blob_requests_open(struct daemon *daemon, struct err *err);
bool blob_requests_close(struct daemon *daemon);
void blob_requests_put(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
void blob_requests_have(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
void blob_requests_get(const struct port *port, const struct peer *peer, const Creel__Envelope *request);

/* Adds the users who are near the limit on uploads to INFO, in ARENA. */
void blob_requests_report(struct daemon *daemon, struct arena *arena, Creel__ClusterInfo *info);

/* Returns true if REQUEST is a submission with files, which counts for USER: it is passed to server_pass_on
 * when they are found, or refused. */
bool blob_requests_check_job(const struct port *port, const struct peer *peer, const char *user,
                             const Creel__Envelope *request);
/* Refuses REQUEST and returns true if it is a test of a submission with files that are too large. */
bool blob_requests_refuse_sizes(const struct port *port, const struct peer *peer,
                                const Creel__Envelope *request);

/* Sends the page of the configuration that REQUEST, a GetConfiguration, is about. */
void configuration_answer(const struct port *port, uint64_t connection, const Creel__Envelope *request);

/* identity.c: how users are identified. identity_start reads the configuration, and is called when the master
 * exists and before the ports are bound. */
int identity_start(struct daemon *daemon, struct err *err);
/* Returns the user of a key, by certificate or MUNGE, borrowed until the next call; NULL: there is none. */
const char *identity_user_of_key(struct daemon *daemon, const char *public_text);
/* Returns true if USER has a certificate, or may sign in by MUNGE. CONTEXT: the daemon. */
bool identity_has_credential(void *context, const char *user);
/* Sets the principal of PEER, which has the token of a job, to the user of the application; borrowed. Refuses
 * REQUEST and returns false if the token is not for such requests, or the application has ended. */
bool identity_name_job(const struct port *port, struct peer *peer, const Creel__Envelope *request);
/* Refuses REQUEST and returns true if PEER is a guest and must sign in first. */
bool identity_refuse_guest(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
void identity_on_sign_in(const struct port *port, const struct peer *peer, const Creel__Envelope *request);
void identity_on_get(const struct port *port, const struct peer *peer, const Creel__Envelope *request);

/* apply.c: carries out all effects, and the effects that result from them, until there are none. */
void apply_start(struct daemon *daemon);
void apply_effects(struct daemon *daemon);
void apply_last(struct daemon *daemon);      /* at the stop: all effects, for 2 s at most */
void apply_deletions(struct daemon *daemon); /* queues deletions of applications that the history has */
void apply_done(struct daemon *daemon);

/* reload.c: reads the configuration of queues again for RELOAD, and applies all of it or nothing. Warnings
 * are sent to the requester and logged. This and the functions below reply to the requester also if they
 * fail. */
int reload_queues(struct daemon *daemon, const struct master_reload *reload, struct err *err);
/* Applies CONF, and takes ownership of it. CONF NULL: it could not be read, for the reason in ERR, and the
 * refresh fails. Returns false if nothing changed; ERR has the reason. The requester is answered in both
 * cases. */
bool reload_apply(struct daemon *daemon, const struct master_reload *reload, struct conf *conf,
                  struct err *err);
const struct conf *conf_in_force(const struct daemon *daemon); /* of the last refresh, else of the start */
/* Returns true for keys that a refresh applies; changes of other keys take effect at the next start. */
bool reload_applies(const char *name);

/* reload_access.c: answers RefreshAccess, for ASKED. */
int reload_access(struct daemon *daemon, const struct master_reload *asked,
                  const Creel__RefreshAccess *request, struct err *err);
/* Returns the configuration in force for KEY, which RefreshAccess reads. */
const struct conf *reload_access_conf(const struct daemon *daemon, const char *key);
bool reload_access_reads(const char *key);
extern const char *const reload_access_keys[]; /* all keys that RefreshAccess reads; ends with NULL */
/* reload_note_file records the state of the allocation file before the file is first read.
 * reload_check_file, called periodically, reads the file again if it has changed and is stable; the keys of
 * the configuration keep their values. */
void reload_note_file(struct daemon *daemon, const struct conf *conf);
void reload_check_file(struct daemon *daemon);

/* reload_hosts.c: reads the lists of hosts for a master that recovers, and again at a refresh; applies both
 * or none. */
int start_hosts(struct daemon *daemon, struct err *err);
int reload_hosts(struct daemon *daemon, const struct master_reload *reload, struct err *err);
/* Returns the address of HOST as text; NULL: unknown. CONTEXT is the daemon. */
const char *find_address(void *context, struct arena *arena, const char *host);

/* conf_change.c: answers REQUEST, GetSchedulerConf or ChangeSchedulerConf, for ASKED. */
void scheduler_conf_answer(struct daemon *daemon, const struct master_reload *asked,
                           const Creel__Envelope *request);

/* outcome.c: reports REQUEST of ASKED, which the master has handled before. ERR: why it failed; NULL: it was
 * carried out. */
void outcome_report(struct daemon *daemon, const struct master_reload *asked, const Creel__Envelope *request,
                    const struct err *err);

/* tasks.c: signals, sweeping, key rolling, the watchdog. */
int tasks_start(struct daemon *daemon, struct err *err);
void tasks_note_log_level(struct daemon *daemon); /* passes the level of the log to the master */

#endif
