/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - the checks of the resource manager itself, for ClusterInfo (pure)
 *
 * The table in health.c has one row for each check: its name, the function that judges the facts, and what to
 * do if it is not ok. `creel cluster health`, `creel cluster info`, the overview of the web pages and
 * creel_health_check of /metrics show what the table has: a new row needs nothing else there. The checks of
 * the states of nodes are in client/cli/cmd_health.c, since the client has the list of nodes.
 */
#ifndef CREEL_RM_HEALTH_H
#define CREEL_RM_HEALTH_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/io/channel.h"
#include "common/io/gateway_frame.h"
#include "common/proto/creel.pb-c.h"
#include "rm/master/master.h"
#include "rm/net/backups.h"
#include "rm/net/free_space.h"

#define HEALTH_RESCUED "state.rescued"  /* begin of a name in the state directory: see rescue_state() */
#define HEALTH_AGENTS_NAMED 3           /* refused agents that the sentence of the check names */
#define HEALTH_AGENTS_LISTED 64         /* those that it lists: as many as are known (refused_keys.h) */
#define HEALTH_BACKUP_INTERVALS 2       /* a backup that is older than so many intervals is a warning */
#define HEALTH_DEATH_MS 3600000         /* time for which a gateway that has ended is a warning */
#define HEALTH_POOL_PERCENT 90          /* a pool that is fuller is a warning */
#define HEALTH_HISTORY_BEHIND_MS 300000 /* a history that lacks a row for longer lags */

struct health_facts { /* all is borrowed */
    int64_t now_ms;
    const char *store_error;  /* why the last transaction failed; NULL: it succeeded */
    int64_t store_failing_ms; /* since when; 0 with STORE_ERROR NULL */
    bool store_moved;         /* the file of the state was removed or replaced */
    int64_t wall_ms;          /* since 1970 */
    struct backups_state backups;
    const char *joined_keys_problem; /* why the copy of the keys of hosts is not up to date; NULL: it is */
    const struct free_space *space;
    const struct master_node_faults *nodes;
    const char *history_problem;         /* why the history is incomplete; "": it is complete */
    int64_t history_behind_ms;           /* since when it lacks a row; 0: it lacks none */
    const struct refused_agent *refused; /* the first of REFUSED_COUNT */
    size_t refused_room;                 /* size of REFUSED */
    size_t refused_count;
    struct gateway_deaths deaths;
    struct gateway_counts connections;
};

/* Sets INFO->checks, in ARENA. */
void health_fill(const struct health_facts *facts, struct arena *arena, Creel__ClusterInfo *info);

#endif
