/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.h - the parts of creel-nm, and how they hang together
 *
 * One thread, one loop. What arrives (rm_link.c: from the RM; am_service.c and
 * log_service.c: from AMs and clients; runtime events; time) goes to the core,
 * which leaves effects behind. Before the loop sleeps, apply.c carries them
 * out and hands the results to the core, until there are no more.
 */
#ifndef CREEL_NM_DAEMON_H
#define CREEL_NM_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "common/base/err.h"
#include "common/conf/conf.h"
#include "common/io/channel.h"
#include "common/io/keys.h"
#include "common/io/log.h"
#include "common/io/loop.h"
#include "common/io/token.h"
#include "nm-agent/core/agent.h"
#include "nm-agent/linux/runtime.h"
#include "nm-agent/net/exec_service.h"
#include "nm-agent/net/fetch.h"
#include "nm-agent/net/finished_apps.h"
#include "nm-agent/net/log_waits.h"
#include "nm-agent/net/peer_keys.h"
#include "nm-agent/net/settings.h"

/* Request ids from here on are the fetcher's, those below the core's. */
#define FETCH_REQUESTS (UINT64_C(1) << 63)
/* And from here on peer_keys.h's. */
#define PEER_KEYS_REQUESTS (FETCH_REQUESTS | UINT64_C(1) << 62)

/* A launch whose result the core does not have yet. */
struct launched {
    STAILQ_ENTRY(launched) link;
    char container_id[ID_TEXT_MAX];
    int code;
    char *why;                          /* owned; NULL: it went well */
};

struct daemon {
    const struct conf *conf;
    bool verbose;                       /* -v wins over creel.log.level */
    struct settings settings;
    struct loop *loop;
    struct key own_key, rm_key;
    struct keys *keys;
    struct gate *gate;
    int lock_fd;
    struct runtime *runtime;
    struct finished_apps *finished;
    struct token_ring ring;
    struct channel_server *server;
    struct channel_client *rm;
    struct peer_keys *peer_keys;
    struct fetcher *fetcher;
    struct log_waits *log_waits;
    struct exec_service *exec;
    bool looking_at_logs;               /* a timer for them is set */
    char *node_id;
    struct agent *agent;
    struct agent_effects effects;       /* left by events, not yet carried out */
    STAILQ_HEAD(, launched) launched;

    bool started;                       /* agent_start was called */
    bool watching_runtime;
    bool rm_away;                       /* and that was logged */
    int64_t away_since_ms;              /* steady clock; 0: connected */
    int deadline_timer;
    int64_t contact_ms;                 /* agent_contact_ms as it was kept last */
    int64_t deadline_ms;                /* of deadline_timer; INT64_MAX: none is set */
    int64_t watchdog_ms;                /* half of systemd's patience; 0: none */
    unsigned health_checks;
    char *status_sent;                  /* to systemd */
    bool refused;                       /* by the RM: the exit status is another */
};

/* Start everything, in an order in which each failure has a clear reason and leaves
 * nothing behind. CONF must outlive the daemon. -EINVAL: the configuration; any other
 * error: the world. */
int daemon_start(const struct conf *conf, bool verbose, struct daemon **ret, struct err *err);
/* Until SIGTERM or SIGINT: 0; until the RM refuses this node: -EPERM. */
int daemon_run(struct daemon *daemon);
void daemon_free(struct daemon *daemon);        /* containers go on; NULL is fine */

static inline struct agent_time daemon_now(void)
{
    return (struct agent_time){ loop_now_ms(), loop_monotonic_ms() };
}

/* rm_link.c */
int rm_link_open(struct daemon *daemon, struct err *err);
/* Whether it left; if it does not for a while that is logged, once. */
bool rm_link_send(struct daemon *daemon, Creel__Envelope *envelope);

/* am_service.c: StartContainers, StopContainers, ReadLog on the agent's own port. */
int am_service_open(struct daemon *daemon, struct err *err);

/* log_service.c: a ReadLog whose sender is PEER. */
void log_service_read(struct daemon *daemon, const struct peer *peer,
                      const Creel__Envelope *envelope);
/* Whether the TOKEN_LOG of ENVELOPE is for this container, and with CONTROL for more than logs; then
 * USER (may be NULL) gets a copy of the user that has it. */
int log_service_judge(const struct daemon *daemon, const Creel__Envelope *envelope,
                      const char *container_id, bool control, char **user, struct err *err);
/* Answer that it is not, for CODE. */
void log_service_refuse(struct daemon *daemon, const struct peer *peer,
                        const Creel__Envelope *envelope, int code, const struct err *err);
/* CONTAINER_ID has ended: answer the clients that wait for more of it. */
void log_service_ended(struct daemon *daemon, const char *container_id);

/* apply.c: carry out all effects, and what follows from them, until there are no more. */
void apply_effects(struct daemon *daemon);

/* launches.c: launch the container of EFFECT. The core gets the result in the next turn: one that has many to
 * launch goes on at once, and between them heartbeats leave and ends are seen. */
void launch_start(struct daemon *daemon, const struct agent_effect *effect);
/* Give the core the results of the launches of the last turn. */
void launch_report_results(struct daemon *daemon);
void launch_forget_results(struct daemon *daemon);

/* journal.c: one line of a container's story for the journal, where CONTAINER_ID= finds it. APP_ID
 * may be NULL: it is in the container's. */
void journal_container(const struct daemon *daemon, const char *container_id, const char *app_id,
                       const char *text);

/* measure.c: look at containers again and again. */
void measure_start(struct daemon *daemon);

/* node_health.c: check the node's health again and again; and now. */
void node_health_start(struct daemon *daemon);
void node_health_check(struct daemon *daemon);

/* tasks.c: signals, the watchdog; what happened in the runtime. */
int tasks_start(struct daemon *daemon, struct err *err);
void tasks_poll_runtime(struct daemon *daemon);
void tasks_send_status(struct daemon *daemon);  /* to systemd, if there is news */

#endif
