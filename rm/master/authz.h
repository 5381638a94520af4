/* SPDX-License-Identifier: Apache-2.0 */
/* authz.h - who may do what */
#ifndef CREEL_RM_MASTER_AUTHZ_H
#define CREEL_RM_MASTER_AUTHZ_H

#include "rm/master/state.h"

bool rm_user_list_has(const char *list, const char *user);                 /* "*", or words */
/* Who acts: the peer, or whom it may stand for; NULL after an error reply. */
const char *rm_acting_user(struct master *m, const struct master_peer *peer,
                           const Creel__Envelope *envelope);
/* As that, of an administrator of the cluster. */
const char *rm_administrator(struct master *m, const struct master_peer *peer,
                             const Creel__Envelope *envelope);
bool rm_may_administer(struct master *m, const char *user, const struct app *app);
bool rm_may_see(struct master *m, const char *user, const struct app *app);

#endif
