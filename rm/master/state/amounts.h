/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.h - converts resources from messages, to messages and to text */
#ifndef CREEL_RM_MASTER_AMOUNTS_H
#define CREEL_RM_MASTER_AMOUNTS_H

#include "rm/master/state.h"

/* Converts RESOURCE; resource types that are not configured are left out. NULL gives zero. */
struct resource rm_resource_from(const struct master *m, const Creel__Resource *resource);
/* Checks the types, amounts and units of a requested RESOURCE. -EINVAL or -ERANGE if one is invalid. */
int rm_resource_judge(const struct master *m, const Creel__Resource *resource, struct err *err);
/* The next four functions return results in the step's arena. */
Creel__Resource *rm_resource_message(struct master *m, const struct resource *resource);
const char *rm_format_amount(struct master *m, const struct resource *amounts);
/* Returns the text of a limit: memory alone, if the scheduler limits memory alone. */
const char *rm_format_limit(struct master *m, const struct resource *amounts);
/* Returns the text of a fair share. vcores are left out if the share has none. */
const char *rm_format_share(struct master *m, const struct resource *share);
bool rm_limits_memory_only(const struct master *m); /* true if the scheduler limits memory alone */

#endif
