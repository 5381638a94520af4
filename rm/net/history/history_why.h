/* SPDX-License-Identifier: Apache-2.0 */
/* history_why.h - explains how an application ended that only the history has, as master_query does for
 * others */
#ifndef CREEL_RM_NET_HISTORY_WHY_H
#define CREEL_RM_NET_HISTORY_WHY_H

#include "common/base/arena.h"
#include "common/proto/creel.pb-c.h"

/* Fills REPLY, whose memory is in ARENA; REPLY refers to APP. CONTAINERS are some or all of its
 * containers. */
void history_why(struct arena *arena, Creel__AppReport *app, Creel__ContainerReport *const *containers,
                 size_t count, Creel__AppExplanation *reply);

/* Returns the text that names the application of REQUEST. NULL: REQUEST is not about one application, or its
 * kind is not answered from the history. */
const char *history_named_app(const Creel__Envelope *request);

#endif
