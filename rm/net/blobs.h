/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blobs.h - stores submitted files by the hash of their content
 *
 * Each file is stored as <state-dir>/blobs/HASH, HASH being its BLAKE2b-256 in hexadecimal. Clients send
 * files in chunks. Each connection writes a temporary file of its own, so that two clients can send the same
 * file at the same time. A file becomes visible when it is complete, checked and on disk. It is removed ten
 * minutes after it was last requested, unless a job that has not ended uses it.
 *
 * Errors are -errno with a sentence for the user; blobs_error gives the code for the reply. These functions
 * neither log nor send.
 *
 * blobs_put and blobs_drop_stalled, which write, may run in one thread while the other functions run in
 * another thread: they share only the directory.
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
#define BLOBS_UPLOADS_MAX 1024        /* maximum of unfinished uploads of all connections */
#define BLOBS_UPLOADS_OF_USER_MAX 256 /* of them for one user */

struct blobs; /* opaque */

/* Unfinished uploads; those that were refused because there were BLOBS_UPLOADS_MAX, or because their user had
 * BLOBS_UPLOADS_OF_USER_MAX. */
struct blobs_uploads {
    uint32_t used;
    uint64_t refused_full, refused_owner;
};

struct blobs_limits {
    int64_t file_bytes;  /* creel.submit.file-size-max */
    int64_t files_bytes; /* creel.submit.files-size-max */
    int64_t user_bytes;  /* creel.submit.user-files-size-max */
};

/* Creates DIRECTORY/blobs if it does not exist, and removes unfinished uploads from it. */
int blobs_open(const char *directory, const struct blobs_limits *limits, struct blobs **ret, struct err *err);
void blobs_free(struct blobs *blobs); /* NULL is fine; unfinished uploads are removed */

/* Sets RET to whether the file exists. An existing file is kept for another ten minutes. -EINVAL: HASH is not
 * a hash. */
int blobs_has(struct blobs *blobs, const ProtobufCBinaryData *hash, int64_t now_ms, bool *ret,
              struct err *err);

/* Writes one chunk that CONNECTION of USER sent. Offset 0 begins the upload (again); further chunks follow in
 * order and may be repeated; the last one completes the file. Chunks of a file that is stored already are
 * accepted without a check.
 *   -EINVAL  the chunk is out of bounds, or the content of the file does not have the hash
 *   -EFBIG   over a configured limit, which ERR names
 *   -ESTALE  not the next chunk: the client has to begin again
 *   -EAGAIN  too many unfinished uploads, of this user or of all
 *   -ENOSPC, -EIO, ...  a disk error; the upload is removed */
int blobs_put(struct blobs *blobs, uint64_t connection, const char *user, const Creel__PutBlob *chunk,
              int64_t now_ms, struct err *err);

/* Returns the numbers of uploads, from any thread. */
struct blobs_uploads blobs_uploads(const struct blobs *blobs);

/* Reads up to ROOM bytes of the file of REQUEST, beginning at its offset. Sets *LENGTH to the number of bytes
 * read and *SIZE_BYTES to the size of the whole file. -ENOENT: the file is not stored. -EINVAL: the hash or
 * the offset is invalid. */
int blobs_get(struct blobs *blobs, const Creel__GetBlob *request, uint8_t *data, size_t room, size_t *length,
              uint64_t *size_bytes, struct err *err);

/* Checks the files of JOB before its submission. -EFBIG: a file, or all files together, are over the limits;
 * -EINVAL: the size of a file differs from that in JOB; -ENOENT: a file is not stored. ERR names the first
 * such file. */
int blobs_check_job(struct blobs *blobs, const Creel__JobSpec *job, int64_t now_ms, struct err *err);

/* A sweep consists of two steps: blobs_mark_job marks the files in use, blobs_sweep removes other files that
 * are old enough. BLOBS is a struct blobs, since this is the callback of master_each_live_job. */
void blobs_mark_job(void *blobs, const Creel__JobSpec *job);
/* Removes unmarked old files. Returns the number of removed files. */
size_t blobs_sweep(struct blobs *blobs, int64_t now_ms);

/* Removes the uploads that received no chunk for ten minutes. */
void blobs_drop_stalled(struct blobs *blobs, int64_t now_ms);

/* Returns the code of an Error reply for CODE, an error of the functions above. */
Creel__ErrorCode blobs_error(int code);

#endif
