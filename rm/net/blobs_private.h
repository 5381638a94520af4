/* SPDX-License-Identifier: Apache-2.0 */
/* blobs_private.h - what blobs.c and uploads.c share */
#ifndef CREEL_RM_BLOBS_PRIVATE_H
#define CREEL_RM_BLOBS_PRIVATE_H

#include <uthash.h>

#include "rm/net/blobs.h"
#include "rm/net/quota.h"

#define BLOB_NAME_MAX (2 * BLOB_HASH_BYTES + 1)

struct blob_hash {
    uint8_t bytes[BLOB_HASH_BYTES];
};

struct blob_mark {                      /* in use by a job, during a sweep */
    struct blob_hash hash;
    UT_hash_handle hh;
};

struct upload;

struct blobs {
    struct blobs_limits limits;
    char *path;                         /* for messages */
    int directory_fd, temporary_fd;
    struct upload *uploads;             /* by connection and hash */
    struct quotas *quotas;
    uint64_t uploads_begun;             /* gives each its place in time */
    struct blob_mark *marks;
};

int blobs_read_hash(const ProtobufCBinaryData *bytes, struct blob_hash *hash, struct err *err);
const char *blobs_name(const struct blob_hash *hash, char name[BLOB_NAME_MAX]);
/* Is it here, and how large? Its ten minutes begin again. */
bool blobs_find(struct blobs *blobs, const struct blob_hash *hash, int64_t now_ms,
                uint64_t *size_bytes);
int blobs_check_size(const struct blobs *blobs, uint64_t size_bytes, struct err *err);

/* Remove the uploads that got no chunk since BEFORE_MS. */
void uploads_drop_idle(struct blobs *blobs, int64_t before_ms);

#endif
