/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the parts of the agent daemon creel-nm, and their shared state
 *
 * One thread, one loop. Events (messages from the RM: rm_link.c; messages from AMs and clients: am_service.c
 * and log_service.c; runtime events; time) are passed to the core, which returns effects. Before the loop
 * sleeps, apply.c executes the effects and reports their results to the core, until there are no more
 * effects.
 */
#ifndef CREEL_NM_DAEMON_H
#define CREEL_NM_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/channel/channel.h"
#include "common/io/keys/keys.h"
#include "common/io/keys/own_key.h"
#include "common/io/loop/run_record.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"
#include "common/io/wire/token.h"
#include "nm-agent/core/agent.h"
#include "nm-agent/linux/state/node_use.h"
#include "nm-agent/linux/runtime.h"
#include "nm-agent/net/deferred.h"
#include "nm-agent/net/exec_service.h"
#include "nm-agent/net/fetch.h"
#include "nm-agent/net/finished_apps.h"
#include "nm-agent/net/log_waits.h"
#include "nm-agent/net/peer_keys.h"
#include "nm-agent/net/settings.h"
#include "nm-agent/net/web_service.h"

/* First request id of the fetcher; smaller ids belong to the core. */
#define FETCH_REQUESTS (UINT64_C(1) << 63)
/* First request id of peer_keys.h. */
#define PEER_KEYS_REQUESTS (FETCH_REQUESTS | UINT64_C(1) << 62)

/* The result of a launch, not yet reported to the core. */
struct launched {
    STAILQ_ENTRY(launched) link;
    char container_id[ID_TEXT_MAX];
    int code;
    char *why; /* owned; reason of a failure; NULL: success */
};

struct daemon {
    const struct conf *conf;
    bool verbose; /* -v overrides creel.log.level */
    struct settings settings;
    struct loop *loop;
    struct key own_key, rm_key;
    struct run_record run_record;
    struct own_key *own_key_files;
    struct keys *keys;
    struct gateway_pool *gateways;
    int lock_fd;
    struct runtime *runtime;
    struct finished_apps *finished;
    struct token_ring ring;
    struct channel_server *server;
    struct channel_client *rm;
    struct peer_keys *peer_keys;
    struct fetcher *fetcher;
    struct log_waits *log_waits;
    struct log_limit log_waits_refused;
    struct exec_service *exec;
    struct shares *exec_places;    /* for commands inside containers, by the user who runs them */
    struct web_service *web;       /* NULL: none */
    int64_t certificate_begins_ms; /* of WEB, since 1970; 0: it has none */
    uint64_t web_deaths;           /* processes of it that have ended unexpectedly */
    struct deferred deferred;
    bool looking_at_logs; /* a timer for the log waits is set */
    char *node_id;
    struct agent *agent;
    struct agent_effects effects; /* issued by the core, not yet executed */
    STAILQ_HEAD(, launched) launched;

    int64_t started_ms;
    bool started; /* agent_start was called */
    bool watching_runtime;
    bool rm_away;              /* the loss of the RM was logged */
    bool refusal_noted;        /* it was logged what a refusal of this agent's key may mean */
    int64_t away_since_ms;     /* steady clock; 0: connected */
    uint64_t heartbeat_id;     /* request id of the newest heartbeat sent; 0: none, or answered */
    int64_t heartbeat_sent_us; /* steady clock; first sending of this heartbeat */
    int64_t heartbeat_rtt_us;  /* from the newest answered heartbeat to its reply; -1: none yet */
    int deadline_timer;
    int64_t contact_ms;  /* last stored value of agent_contact_ms */
    int64_t deadline_ms; /* time of deadline_timer; INT64_MAX: not set */
    int64_t watchdog_ms; /* half of systemd's watchdog timeout; 0: no watchdog */
    struct node_use_meter node_use;
    struct agent_use use; /* as measured last */
    unsigned health_checks;
    char *status_sent; /* last status sent to systemd */
    bool refused;      /* the RM refused this node, which changes the exit status */
};

/* Starts all parts, in an order in which each failure has a clear reason. CONF must outlive the daemon. RET
 * gets the daemon in any case: after an error, it has the parts that were started, and daemon_free ends them.
 * Returns -EINVAL if the configuration is wrong, another error if the system is the cause. */
int daemon_start(const struct conf *conf, bool verbose, struct daemon **ret, struct err *err);
/* Runs until SIGTERM or SIGINT, then returns 0, or until the RM refuses this node, then returns -EPERM. */
int daemon_run(struct daemon *daemon);
/* Containers continue to run. Returns false if a local or log directory does not answer: the process has to
 * end with _exit. DAEMON may be NULL. */
bool daemon_free(struct daemon *daemon);

static inline struct agent_time daemon_now(void)
{
    return (struct agent_time){ loop_now_ms(), loop_monotonic_ms() };
}

/* rm_link.c: the connection to the RM */
int rm_link_open(struct daemon *daemon, struct err *err);
/* Returns true if ENVELOPE was sent; a longer loss of the connection is logged once. */
bool rm_link_send(struct daemon *daemon, Creel__Envelope *envelope);

/* am_service.c: handles StartContainers, StopContainers, ReadLog on the agent's own port. */
int am_service_open(struct daemon *daemon, struct err *err);

/* log_service.c: handles a ReadLog from PEER. */
void log_service_read(struct daemon *daemon, const struct peer *peer, const Creel__Envelope *envelope);
/* Reads the part of a log that BODY names into CHUNK, without waiting for more output. The caller has checked
 * the reader's right. DATA has space for WIRE_CHUNK_MAX bytes, or for BODY's maximum if that is less. Returns
 * 0, or a negative errno and ERR. */
int log_service_piece(struct daemon *daemon, const Creel__ReadLog *body, uint8_t *data,
                      Creel__LogChunk *chunk, struct err *err);
/* Checks that the TOKEN_LOG of ENVELOPE is for this container, and with CONTROL that it allows more than
 * reading logs. USER (may be NULL) gets a copy of the token's user name. */
int log_service_judge(const struct daemon *daemon, const Creel__Envelope *envelope, const char *container_id,
                      bool control, char **user, struct err *err);
/* Sends the refusal of the request, with the error CODE. */
void log_service_refuse(struct daemon *daemon, const struct peer *peer, const Creel__Envelope *envelope,
                        int code, const struct err *err);
/* Replies to the clients that wait for more of the log of CONTAINER_ID, which has ended. */
void log_service_ended(struct daemon *daemon, const char *container_id);

/* apply.c: executes all effects, and the effects that result from them, until there are no more. */
void apply_effects(struct daemon *daemon);

/* launches.c: launches the container of EFFECT. The core gets the result in the next turn of the loop, so
 * that heartbeats are sent and exits are handled between many launches. */
void launch_start(struct daemon *daemon, const struct agent_effect *effect);
/* Reports the results of the launches of the last turn to the core. */
void launch_report_results(struct daemon *daemon);
void launch_forget_results(struct daemon *daemon);

/* journal.c: writes a line about a container to the journal, where journalctl CONTAINER_ID=ID finds it. If
 * APP_ID is NULL, it is derived from the container's id. */
void journal_container(const struct daemon *daemon, const char *container_id, const char *app_id,
                       const char *text);

/* measure.c: measures containers periodically. */
void measure_start(struct daemon *daemon);

/* node_health.c: checks the node's health, periodically and now. */
void node_health_start(struct daemon *daemon);
void node_health_check(struct daemon *daemon);
/* Writes the problems of the node, and of the files of its key, which containers do not need, to REPORT.
 * Returns false if the node is unhealthy. */
bool node_health_report(const struct daemon *daemon, char *report, size_t size);
/* An effect for a container has failed with CODE. If a disk may be the cause, all disks are tested at once,
 * so that the node is reported as unhealthy with the failure. */
void node_health_note_failure(struct daemon *daemon, int code);

/* tasks.c: signals, the watchdog, and the events of the runtime. */
int tasks_start(struct daemon *daemon, struct err *err);
void tasks_note_log_level(struct daemon *daemon); /* passes the level of the log to the agent's core */
void tasks_send_status(struct daemon *daemon);    /* to systemd, if the text has changed */

#endif
