/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota.h - limits the bytes that each user may upload
 *
 * Unfinished uploads count, and uploads that were finished in the present window. A window lasts
 * BLOBS_KEEP_MS, the time for which an unused file is kept. The number of users is small, since each has a
 * certificate.
 */
#ifndef CREEL_RM_QUOTA_H
#define CREEL_RM_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct quotas;
struct quota; /* the quota of one user; lives as long as its quotas */

struct quotas *quotas_new(int64_t bytes_max);
void quotas_free(struct quotas *quotas); /* NULL is fine */

/* Charges USER with BYTES for an upload that begins. -EFBIG: too many bytes, and ERR names the limit. */
int quota_charge(struct quotas *quotas, const char *user, uint64_t bytes, int64_t now_ms, struct quota **ret,
                 struct err *err);
uint64_t quota_pending(const struct quota *quota); /* bytes of unfinished uploads */
/* Ends an upload of BYTES. If WHOLE (the file is complete), the bytes count until the end of the window. */
void quota_settle(struct quota *quota, uint64_t bytes, bool whole);

#endif
