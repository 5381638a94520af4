/* SPDX-License-Identifier: Apache-2.0 */
/* liveness.h - loses nodes that send no heartbeats any more, and reports silent ones (contacts.h) */
#ifndef CREEL_RM_MASTER_LIVENESS_H
#define CREEL_RM_MASTER_LIVENESS_H

#include "rm/master/state.h"

/* Handles the expiry timer of NODE: NODE is lost, unless a heartbeat arrived since the timer was set. */
void rm_liveness_on_timer(struct master *m, struct node *node);

/* Returns when NODE, which is silent, counts as lost if nothing is heard of it; 0: it is not silent. */
int64_t rm_liveness_lost_at_ms(const struct master *m, const struct node *node);
/* Returns a sentence, in the arena of the step, about NODE, which has not registered since the start. */
const char *rm_liveness_absence(struct master *m, const struct node *node);
/* Returns a sentence, in the arena of the step, about silent nodes with containers of APP; NULL: none. */
const char *rm_liveness_of_app(struct master *m, const struct app *app);
void rm_liveness_summarise(const struct master *m, Creel__ClusterInfo *info);

#endif
