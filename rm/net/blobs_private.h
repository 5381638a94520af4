/* SPDX-License-Identifier: Apache-2.0 */
/* blobs_private.h - the struct and functions that blobs.c, uploads.c and blob_files.c share */
#ifndef CREEL_RM_BLOBS_PRIVATE_H
#define CREEL_RM_BLOBS_PRIVATE_H

#include <stdatomic.h>
#include <uthash.h>

#include "common/base/shares.h"
#include "rm/net/blobs.h"
#include "rm/net/quota.h"

#define BLOB_NAME_MAX (2 * BLOB_HASH_BYTES + 1)

struct blob_hash {
    uint8_t bytes[BLOB_HASH_BYTES];
};

struct blob_mark { /* a file that a job uses; exists only during a sweep */
    struct blob_hash hash;
    UT_hash_handle hh;
};

struct upload;

struct blobs {
    struct blobs_limits limits;
    char *path; /* for error messages */
    int directory_fd, temporary_fd;
    struct upload *uploads; /* hash table by connection and hash */
    struct shares *places;  /* of uploads, by user */
    struct {
        atomic_uint used;
        atomic_ullong refused_full, refused_owner;
    } counts; /* of PLACES, for other threads */
    struct quotas *quotas;
    uint64_t uploads_begun; /* number of uploads begun so far: each upload gets a serial number */
    struct blob_mark *marks;
};

/* blob_files.c. blobs_read_hash: -EINVAL if BYTES is no hash. blobs_check_size: -EFBIG if SIZE_BYTES is over
 * the limit of a file. */
int blobs_read_hash(const ProtobufCBinaryData *bytes, struct blob_hash *hash, struct err *err);
const char *blobs_name(const struct blob_hash *hash, char name[BLOB_NAME_MAX]);
/* Returns true and the size if the file exists, and restarts its ten minutes. */
bool blobs_find(struct blobs *blobs, const struct blob_hash *hash, int64_t now_ms, uint64_t *size_bytes);
int blobs_check_size(const struct blobs *blobs, uint64_t size_bytes, struct err *err);

/* uploads.c: removes the uploads that received no chunk since BEFORE_MS. */
void uploads_drop_idle(struct blobs *blobs, int64_t before_ms);

#endif
