/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blob_claims.h - counts the uploaded files that no application uses for users, and limits their bytes
 *
 * A file counts for one user: the one who uploaded it, or who last learned that it is stored (HaveBlobs) and
 * so need not upload it. It counts until a sweep finds that it was removed, or that an application uses it;
 * files of applications have a limit of their own, creel.submit.user-jobs-files-size-max. A file counts a
 * whole number of blocks, so that empty files count, too. After a restart a file counts for nobody until it
 * is claimed again; without that it is removed after ten minutes.
 *
 * All functions may be called from any thread.
 */
#ifndef CREEL_RM_BLOB_CLAIMS_H
#define CREEL_RM_BLOB_CLAIMS_H

#include <stdint.h>

#include "common/base/err.h"
#include "rm/net/files/blobs.h"

struct blob_hash {
    uint8_t bytes[BLOB_HASH_BYTES];
};

struct blob_claims; /* opaque */

struct blob_claims *blob_claims_new(int64_t bytes_max); /* of one user; 0: no limit */
void blob_claims_free(struct blob_claims *claims);      /* NULL is fine */

/* Checks whether the file HASH may count for USER, with BYTES: its own, and those of other uploads of USER
 * that are not finished. -EFBIG: USER would have too many; it is counted as refused. */
int blob_claims_judge(struct blob_claims *claims, const char *user, const struct blob_hash *hash,
                      uint64_t bytes, struct err *err);
/* Counts the file HASH of BYTES for USER, and for no other user any more. -EFBIG as above: nothing has
 * changed. */
int blob_claims_take(struct blob_claims *claims, const char *user, const struct blob_hash *hash,
                     uint64_t bytes, struct err *err);

/* A sweep: what is neither kept nor claimed between begin and end counts for nobody any more. */
void blob_claims_begin_sweep(struct blob_claims *claims);
void blob_claims_keep(struct blob_claims *claims, const struct blob_hash *hash);
void blob_claims_end_sweep(struct blob_claims *claims);

uint64_t blob_claims_refused(struct blob_claims *claims);
/* Calls EACH for every user for whom a file counts. */
void blob_claims_each(struct blob_claims *claims, blobs_user_fn *each, void *context);

#endif
