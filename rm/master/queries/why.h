/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.h - explains why an application waits, or how it ended
 *
 * The scheduler returns reasons (sched_why); these functions turn them into text. All results are in the
 * step's arena.
 */
#ifndef CREEL_RM_MASTER_WHY_H
#define CREEL_RM_MASTER_WHY_H

#include "rm/master/state.h"

/* Returns the scheduler's reason why APP waits; the scheduler must know APP. If a node that is out of service
 * would be large enough, the reason is NO_NODES instead of NODE_TOO_SMALL. */
void rm_why_ask(struct master *m, const struct app *app, struct sched_why *ret);
const char *rm_why_text(struct master *m, const struct sched_why *why);  /* a sentence */
const char *rm_why_short(struct master *m, const struct sched_why *why); /* "dev.ml 100% of max 40%" */
/* Returns ITEM of WHY as a sentence. */
const char *rm_why_item_text(struct master *m, const struct sched_why_item *item,
                             const struct sched_why *why);
/* Returns the dominant reason as an item, for a scheduler that returns no items. */
struct sched_why_item rm_why_only_item(const struct sched_why *why);

/* --- the whole explanation (why.c) ----------------------------------------- */

void rm_why_explain(struct master *m, struct app *app, Creel__AppExplanation *reply);
/* Explains an application that waits outside its queue. */
void rm_why_wait(struct master *m, const struct app *app, Creel__AppExplanation *reply);
void rm_why_array(struct master *m, const struct app *app, Creel__AppExplanation *reply);
void rm_why_ended(struct master *m, struct app *app, Creel__AppExplanation *reply);
/* Returns an item with the number of nodes that have room, and the number of rejected nodes by reason. */
Creel__WhyItem *rm_why_nodes(struct master *m, const struct app *app, const struct sched_why *why);
/* Returns which nodes are reserved for requests of APP, and what these lack; NULL: none. Cost: O(nodes). */
const char *rm_why_reserved(struct master *m, const struct app *app);
/* Returns an item about the containers that are preempted for the queue of APP; NULL: there are none. */
Creel__WhyItem *rm_why_room(struct master *m, const struct app *app);
void rm_why_advise_nodes(struct master *m, const struct app *app, const struct sched_why *why,
                         Creel__AppExplanation *reply);

/* --- its parts (why_items.c) ----------------------------------------------- */

Creel__WhyItem *rm_why_item(struct master *m, const struct sched_why_item *item, const char *text);
/* Adds to REPLY, which has room for it, an item that is not one of the scheduler's. */
void rm_why_add(struct master *m, Creel__AppExplanation *reply, const char *code, bool blocking,
                const char *text, int64_t at_ms);
/* Returns why the unmanaged application APP waits; NULL: it does not wait, or is not unmanaged. */
const char *rm_why_unmanaged(const struct app *app);
#define RM_WHY_UNMANAGED "Unmanaged"  /* the code of that reason */
#define RM_WHY_COMMON "CommonFault"   /* the code of: most nodes have the same fault (common_faults.h) */
#define RM_WHY_STUCK "StuckContainer" /* the code of: a container cannot end (node_faults.h) */
#define RM_WHY_SILENT "SilentNode"    /* the code of: a node with its containers is silent (liveness.h) */
#define RM_WHY_ROOM "MakingRoom"      /* the code of: containers are preempted for its queue */
#define RM_WHY_RESERVED "Reserved"    /* the code of: nodes are reserved for it */
#define RM_WHY_AT_ONCE "AtOnce"       /* the code of: as many tasks of the array run as may */
#define RM_WHY_PAUSE "RetryPause"     /* the code of: the next attempt starts later (retry.h) */
void rm_why_advise(struct master *m, Creel__AppExplanation *reply, const char *text);

#endif
