/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register_list.h - keeps the containers that an agent sends in several messages before it registers
 *
 * An agent whose list of containers is longer than a message sends the first parts with RegisterContainers,
 * and the last part with RegisterNode. Each part continues after the last container of the previous part. The
 * parts have no effect before RegisterNode. Each reply names the last container of the list so far, so that
 * messages may be lost or repeated. A list that is not continued for half a minute is dropped. There are
 * limits for the number of lists, for the bytes of all lists of one agent's key, and for the bytes of all
 * lists.
 */
#ifndef CREEL_RM_MASTER_REGISTER_LIST_H
#define CREEL_RM_MASTER_REGISTER_LIST_H

#include "rm/master/state.h"

struct register_list; /* owned by struct master */

/* Returns RegisterNode IN with the containers of all parts, in the arena of the step, and drops the list; IN
 * itself if it has no other parts. NULL: parts are missing, and a reply that requests them was sent. */
const Creel__Envelope *rm_register_list_complete(struct master *m, const struct master_peer *peer,
                                                 const Creel__Envelope *in);
void rm_register_list_free(struct master *m, struct register_list *list);
void rm_register_lists_free(struct master *m);

#endif
