/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota.h - how much each user may upload
 *
 * What is under way counts, and what was finished in a window of BLOBS_KEEP_MS:
 * so long stays what no job uses. Users are few: who has a certificate.
 */
#ifndef CREEL_RM_QUOTA_H
#define CREEL_RM_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct quotas;
struct quota;                           /* of one user; lives as long as its quotas */

struct quotas *quotas_new(int64_t bytes_max);
void quotas_free(struct quotas *quotas);        /* NULL is fine */

/* USER begins to bring BYTES. -EFBIG: too many, and ERR names the limit. */
int quota_take(struct quotas *quotas, const char *user, uint64_t bytes, int64_t now_ms,
               struct quota **ret, struct err *err);
/* They came whole, or not at all. */
void quota_settle(struct quota *quota, uint64_t bytes, bool whole);

#endif
