/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blobs.h - submitted files, by the hash of their content
 *
 * Each file is in <state-dir>/blobs under its BLAKE2b-256 in hexadecimal. Clients send files in chunks, each
 * connection into a temporary file of its own, so that two can send the same file at once. A file appears
 * when it is complete, checked and on disk. It is removed ten minutes after it was last requested, unless a
 * job that is not over uses it.
 *
 * Errors are -errno with a sentence for the user; blobs_error gives the code for the reply. Nothing here logs
 * or sends.
 *
 * blobs_put and blobs_drop_stalled, which write, may run in one thread while the others run in another: they
 * share only the directory.
 */
#ifndef CREEL_RM_BLOBS_H
#define CREEL_RM_BLOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/proto/creel.pb-c.h"

#define BLOB_HASH_BYTES 32
#define BLOBS_KEEP_MS (10 * 60 * 1000)
#define BLOBS_UPLOADS_MAX 1024          /* unfinished ones, of all connections */

struct blobs;                           /* opaque */

struct blobs_limits {
    int64_t file_bytes;                 /* creel.submit.file-size-max */
    int64_t files_bytes;                /* creel.submit.files-size-max */
    int64_t user_bytes;                 /* creel.submit.user-files-size-max */
};

/* Make DIRECTORY/blobs if it is not there and remove what uploads that were cut
 * short left in it. */
int blobs_open(const char *directory, const struct blobs_limits *limits, struct blobs **ret,
               struct err *err);
void blobs_free(struct blobs *blobs);   /* NULL is fine; unfinished uploads are removed */

/* Is it here? Then it stays for another ten minutes. -EINVAL: not a hash. */
int blobs_has(struct blobs *blobs, const ProtobufCBinaryData *hash, int64_t now_ms, bool *ret,
              struct err *err);

/* Take one chunk of CONNECTION, which is USER's. Offset 0 begins (again); the others follow in
 * order, each perhaps repeated; the last makes the file whole. A file that is
 * here already is taken without looking.
 *   -EINVAL  out of bounds, or the content does not have that hash
 *   -EFBIG   over a configured limit, which ERR names
 *   -ESTALE  not the chunk that comes next: begin again
 *   -EAGAIN  too many unfinished uploads
 *   -ENOSPC, -EIO, ...  the disk; the upload is gone */
int blobs_put(struct blobs *blobs, uint64_t connection, const char *user,
              const Creel__PutBlob *chunk, int64_t now_ms, struct err *err);

/* Up to ROOM bytes from OFFSET on. *SIZE_BYTES is the whole file's. -ENOENT. */
int blobs_get(struct blobs *blobs, const Creel__GetBlob *request, uint8_t *data, size_t room,
              size_t *length, uint64_t *size_bytes, struct err *err);

/* Can JOB be submitted? -EFBIG: a file is over the limits; -EINVAL: it has another size than in JOB; -ENOENT:
 * it is not here. ERR names the first such file. */
int blobs_check_job(struct blobs *blobs, const Creel__JobSpec *job, int64_t now_ms,
                    struct err *err);

/* One sweep: mark what is in use, then remove the rest that is old enough.
 * BLOBS is a struct blobs: this is master_each_live_job's callback. */
void blobs_mark_job(void *blobs, const Creel__JobSpec *job);
/* Returns how many files went. */
size_t blobs_sweep(struct blobs *blobs, int64_t now_ms);

/* Remove the uploads that stood still for ten minutes. */
void blobs_drop_stalled(struct blobs *blobs, int64_t now_ms);

/* What a failure of the above is called in an Error reply. */
Creel__ErrorCode blobs_error(int code);

#endif
