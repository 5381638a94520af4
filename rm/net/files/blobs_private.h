/* SPDX-License-Identifier: Apache-2.0 */
/* blobs_private.h - the struct and functions that blobs.c, uploads.c and blob_files.c share */
#ifndef CREEL_RM_BLOBS_PRIVATE_H
#define CREEL_RM_BLOBS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <uthash.h>

#include "common/base/shares.h"
#include "rm/net/files/blob_claims.h"
#include "rm/net/files/blobs.h"
#include "rm/net/files/quota.h"

#define BLOBS_TEMPORARY "tmp"
/* A submission with an older file is refused: it might be removed before the job is there. */
#define BLOBS_SUBMITTED_MAX_MS (BLOBS_UNUSED_MAX_MS - BLOBS_KEEP_MS / 2)
/* An older file is not offered any more: a client has ten minutes for a submission with an offered file. */
#define BLOBS_OFFERED_MAX_MS (BLOBS_SUBMITTED_MAX_MS - BLOBS_KEEP_MS)
#define BLOB_NAME_MAX (2 * BLOB_HASH_BYTES + 1)

struct blob_mark { /* a file that a job uses; exists only during a sweep */
    struct blob_hash hash;
    UT_hash_handle hh;
};

struct upload;

struct blobs {
    struct blobs_limits limits;
    char *path;
    pthread_mutex_t lock; /* protects OPENED and OPEN_ERROR */
    pthread_cond_t wake;
    bool opened; /* blobs_open has ended */
    struct err open_error;
    int directory_fd, temporary_fd;
    struct upload *uploads; /* hash table by connection and hash */
    struct shares *places;  /* of uploads, by user */
    struct {
        atomic_uint used;
        atomic_ullong refused_full, refused_owner;
    } counts; /* of PLACES, for other threads */
    struct quotas *quotas;
    struct blob_claims *claims;
    uint64_t uploads_begun; /* number of uploads begun so far: each upload gets a serial number */
    struct blob_mark *marks;
};

/* blob_files.c. blobs_read_hash: -EINVAL if BYTES is no hash. blobs_check_size: -EFBIG if SIZE_BYTES is over
 * the limit of a file. */
int blobs_read_hash(const ProtobufCBinaryData *bytes, struct blob_hash *hash, struct err *err);
const char *blobs_name(const struct blob_hash *hash, char name[BLOB_NAME_MAX]);
/* Returns true and the size if the file exists and its age is less than AGE_MAX_MS (is_unused), and restarts
 * its ten minutes. */
bool blobs_find(struct blobs *blobs, const struct blob_hash *hash, int64_t now_ms, int64_t age_max_ms,
                uint64_t *size_bytes);
/* Sets when the file NAME was last needed to REQUESTED_MS, and the begin of its age to USED_MS; -1: it stays.
 * If this fails, the file may be removed too early; the client uploads the file again. */
int64_t blobs_ms_of(const struct timespec *time);
void blobs_set_times(struct blobs *blobs, const char *name, int64_t requested_ms, int64_t used_ms);
int blobs_check_size(const struct blobs *blobs, uint64_t size_bytes, struct err *err);

/* Opens the directory NAME of AT_FD, whose path is PATH, and makes it if it is missing. */
int blobs_open_directory(int at_fd, const char *name, const char *path, int *ret, struct err *err);
/* Finds out whether the path leads to the directory in use. Opens the new one if the one in use was
 * removed. -EIO: there is none, or it is another one. */
int blobs_follow(struct blobs *blobs, struct err *err);

/* uploads.c: removes the uploads that received no chunk since BEFORE_MS. */
void uploads_drop_idle(struct blobs *blobs, int64_t before_ms);

#endif
