/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.h - resources: from messages, to messages and as text */
#ifndef CREEL_RM_MASTER_AMOUNTS_H
#define CREEL_RM_MASTER_AMOUNTS_H

#include "rm/master/state.h"

/* Types that are not configured (any more) are left out; NULL gives zero. */
struct resource rm_resource_from(const struct master *m, const Creel__Resource *resource);
/* Are all types, amounts and units in a request valid? -EINVAL, -ERANGE. */
int rm_resource_judge(const struct master *m, const Creel__Resource *resource, struct err *err);
/* These are in the step's arena. */
Creel__Resource *rm_resource_message(struct master *m, const struct resource *resource);
const char *rm_amount_words(struct master *m, const struct resource *amounts);
/* An amount of a limit: memory alone, if the scheduler limits memory alone. */
const char *rm_limit_words(struct master *m, const struct resource *amounts);
/* A fair share: without vcores if it has none. */
const char *rm_share_words(struct master *m, const struct resource *share);
bool rm_limits_memory_only(const struct master *m);    /* the scheduler limits memory alone */

#endif
