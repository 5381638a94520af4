/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - the checks of the resource manager itself, for ClusterInfo (pure)
 *
 * The table in health.c has one row for each check: its name, the function that judges the facts, and what to
 * do if it is not ok. `creel cluster health`, `creel cluster info`, the overview of the web pages and
 * creel_health_check of /metrics show what the table has: a new row needs nothing else there. The checks of
 * the states of nodes are in client/cli/show/cmd_health.c, since the client has the list of nodes.
 */
#ifndef CREEL_RM_HEALTH_H
#define CREEL_RM_HEALTH_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/io/channel/channel.h"
#include "common/io/server/gateway_frame.h"
#include "common/proto/creel.pb-c.h"
#include "rm/master/master.h"
#include "rm/net/health/free_space.h"
#include "rm/net/keys/sign_in.h"
#include "rm/net/notify/notifier.h"
#include "rm/net/rescue/backups.h"

#define HEALTH_AGENTS_NAMED 3           /* refused agents that the sentence of the check names */
#define HEALTH_AGENTS_LISTED 64         /* those that it lists: as many as are known (refused_keys.h) */
#define HEALTH_BACKUP_INTERVALS 2       /* a backup that is older than so many intervals is a warning */
#define HEALTH_DEATH_MS 3600000         /* time for which a gateway that has ended is a warning */
#define HEALTH_CRASHES 3                /* so many ends in an hour that were no stops are a failure */
#define HEALTH_DROPPED_MS 3600000       /* time for which a lost job event is a warning */
#define HEALTH_NOTIFY_MS 30000          /* a command that runs longer, while events wait, is a warning */
#define HEALTH_POOL_PERCENT 90          /* a pool that is fuller is a warning */
#define HEALTH_HISTORY_BEHIND_MS 300000 /* a history that lacks a row for longer lags */

struct health_facts { /* all is borrowed */
    int64_t now_ms;
    const char *store_error;   /* why the last transaction failed; NULL: it succeeded */
    int64_t store_failing_ms;  /* since when; 0 with STORE_ERROR NULL */
    const char *store_fault;   /* which file of the state is not in its place; NULL: none */
    const char *guard_fault;   /* why `lock` cannot be made again; NULL: it is in its place */
    const char *key_problem;   /* what is wrong with the files of the own key; NULL: nothing */
    const char *key_directory; /* creel.security.key-dir */
    int64_t key_problem_ms;    /* since when; 0 with KEY_PROBLEM NULL */
    int64_t wall_ms;           /* since 1970 */
    int64_t clock_limit_ms;    /* creel.resourcemanager.clock-skew-warn-ms */
    struct backups_state backups;
    const char *joined_keys_problem; /* why the copy of the keys of hosts is not up to date; NULL: it is */
    const struct free_space *space;
    const struct master_node_faults *nodes;
    const struct master_stopped_queues *stopped;
    const char *history_problem;         /* why the history is incomplete; "": it is complete */
    int64_t history_behind_ms;           /* since when it lacks a row; 0: it lacks none */
    const struct refused_agent *refused; /* the first of REFUSED_COUNT */
    size_t refused_room;                 /* size of REFUSED */
    size_t refused_count;
    struct gateway_deaths deaths;
    struct gateway_counts connections;
    struct sign_in_state munge;
    size_t crashes; /* ends of the resource manager in the last hour that were no stops (run_record.h) */
    struct notifier_state notify;
};

/* Sets INFO->checks, in ARENA. */
void health_fill(const struct health_facts *facts, struct arena *arena, Creel__ClusterInfo *info);

#endif
