/* SPDX-License-Identifier: Apache-2.0 */
/* message.h - containers as messages, in the step's arena */
#ifndef CREEL_RM_MASTER_MESSAGE_H
#define CREEL_RM_MASTER_MESSAGE_H

#include "rm/master/state.h"

Creel__ContainerGrant *rm_grant_message(struct master *m, const struct container *container);
/* Returns CONTAINER for its AM. TOKEN: with a new token. */
Creel__Container *rm_granted_message(struct master *m, const struct container *container, bool token);
Creel__ContainerReport *rm_container_report(struct master *m, const struct container *container);
Creel__ContainerStatus *rm_status_message(struct master *m, const struct container *container);
Creel__TaskCounts *rm_task_counts(struct arena *arena, const struct app *app);

#endif
