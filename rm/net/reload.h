/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.h - the configuration in force, and what reads parts of it again
 *
 * A part is applied as a whole, or stays as it was: queues (reload.c), lists of hosts (reload_hosts.c),
 * access lists or groups (reload_access.c), and changes of queues by request (conf_change.c).
 */
#ifndef CREEL_RM_RELOAD_H
#define CREEL_RM_RELOAD_H

#include <stdbool.h>

#include "common/conf/conf.h"
#include "common/conf/file_text.h"
#include "rm/net/commits.h"
#include "rm/net/conf/scheduler_conf.h"
#include "rm/net/health/metrics.h"
#include "rm/net/keys/user_groups.h"
#include "rm/net/parts/clock.h"
#include "rm/net/port.h"
#include "rm/net/requests/report.h"

/* Parts of the daemon that a reload changes or uses; borrowed. */
struct reload_parts {
    struct master *master;
    struct daemon_commits *commits;
    struct metrics *metrics;
    struct clock *clock;
    const struct port *ports;
    struct report *report;
    struct user_groups **user_groups; /* replaced by a reload of the groups */
    bool is_fair;                     /* the scheduler is the fair one */
};

struct daemon_confs {
    struct reload_parts parts;
    const struct conf *started; /* of the start */
    struct conf *overridden;    /* STARTED, if it includes overrides of SCHEDULER; else NULL; owned */
    struct scheduler_confs scheduler;
    struct conf *access[2];       /* owned; of the last RefreshAccess of each part; NULL: that of the start */
    struct conf *queues;          /* owned; of the last successful refresh; NULL: that of the start */
    struct file_watch queue_file; /* the fair scheduler's allocation file */
    struct file_mark rules_file;  /* the capacity scheduler's file of mapping rules, as it was read last */
    bool queue_file_holds;        /* the configuration in force was read from an allocation file */
};

void confs_done(struct daemon_confs *confs);

/* --- queues (reload.c) ---------------------------------------------------------- */

const struct conf *
conf_in_force(const struct daemon_confs *confs); /* of the last refresh, else of the start */
/* Returns true for keys that a refresh applies; changes of other keys take effect at the next start. */
bool reload_applies(const char *name);

/* Reads the configuration of queues again for RELOAD. Warnings are sent to the requester and logged. This and
 * the functions below reply to the requester also if they fail. */
int reload_queues(struct daemon_confs *confs, const struct master_reload *reload, struct err *err);
/* Applies CONF, and takes ownership of it. CONF NULL: it could not be read, for the reason in ERR, and the
 * refresh fails. Returns false if nothing changed; ERR has the reason. The requester is answered in both
 * cases. */
bool reload_apply(struct daemon_confs *confs, const struct master_reload *reload, struct conf *conf,
                  struct err *err);
/* reload_note_file records the state of the allocation file before the file is first read.
 * reload_check_file, called periodically, reads the file again if it has changed and is stable; the keys of
 * the configuration keep their values. */
void reload_note_file(struct daemon_confs *confs, const struct conf *conf);
void reload_check_file(struct daemon_confs *confs);

/* --- access lists and groups (reload_access.c) ---------------------------------- */

/* Answers RefreshAccess, for ASKED. */
int reload_access(struct daemon_confs *confs, const struct master_reload *asked,
                  const Creel__RefreshAccess *request, struct err *err);
/* Returns the configuration in force for KEY, which RefreshAccess reads. */
const struct conf *reload_access_conf(const struct daemon_confs *confs, const char *key);
bool reload_access_reads(const char *key);
extern const char *const reload_access_keys[]; /* all keys that RefreshAccess reads; ends with NULL */

/* --- lists of hosts (reload_hosts.c) -------------------------------------------- */

/* Reads the lists that CONF names for MASTER, which recovers. */
int start_hosts(const struct conf *conf, struct master *master, struct err *err);
/* Reads them again, and applies both lists or none. */
int reload_hosts(struct daemon_confs *confs, const struct master_reload *reload, struct err *err);
/* Returns the address of HOST as text; NULL: unknown. CONTEXT is not used. */
const char *find_address(void *context, struct arena *arena, const char *host);

/* --- requests (conf_change.c, configuration.c, outcome.c) ----------------------- */

/* Answers REQUEST, GetSchedulerConf or ChangeSchedulerConf, for ASKED. */
void scheduler_conf_answer(struct daemon_confs *confs, const struct master_reload *asked,
                           const Creel__Envelope *request);
/* Sends the page of the configuration that REQUEST, a GetConfiguration, is about. */
void configuration_answer(const struct daemon_confs *confs, const struct port *port, uint64_t connection,
                          const Creel__Envelope *request);
/* Reports REQUEST of ASKED, which the master has handled before. ERR: why it failed; NULL: it was carried
 * out. */
void outcome_report(const struct reload_parts *parts, const struct master_reload *asked,
                    const Creel__Envelope *request, const struct err *err);

#endif
