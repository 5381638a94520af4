/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blobs.h - stores submitted files by the hash of their content
 *
 * Each file is stored as <state-dir>/blobs/HASH, HASH being its BLAKE2b-256 in hexadecimal. Clients send
 * files in chunks. Each connection writes a temporary file of its own, so that two clients can send the same
 * file at the same time. A file becomes visible when it is complete, checked and on disk. It is removed ten
 * minutes after it was last requested, or after the last job that uses it has ended, or may no longer run
 * again (master_each_live_job). Requests keep it for an hour after its upload, or after a job used it, at
 * most: then it has to be uploaded again. Files that no job uses count for users (blob_claims.h).
 *
 * Errors are -errno with a sentence for the user; blobs_error gives the code for the reply. These functions
 * neither log nor send.
 *
 * The directory may be on a disk that does not answer, so only two threads touch it: blobs_put and
 * blobs_drop_stalled, which write, run in that of writer.h, the functions that read in that of blob_server.h.
 * They share only the directory. blobs_mark_job may run in a third one while no sweep runs.
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
#define BLOBS_SWEEP_MS 60000                 /* interval of sweeps */
#define BLOBS_UNUSED_MAX_MS (60 * 60 * 1000) /* longest time for which a file is kept without a job */
#define BLOBS_SILENT_MS 10000                /* a disk that takes longer for a request does not answer */
#define BLOBS_UPLOADS_MAX 1024               /* maximum of unfinished uploads of all connections */
#define BLOBS_UPLOADS_OF_USER_MAX 256        /* of them for one user */

struct blobs; /* opaque */

/* Unfinished uploads; those that were refused because there were BLOBS_UPLOADS_MAX, or because their user had
 * BLOBS_UPLOADS_OF_USER_MAX; requests refused by creel.submit.user-uploads-size-max. */
struct blobs_uploads {
    uint32_t used;
    uint64_t refused_full, refused_owner, over_limit;
};

struct blobs_limits {
    int64_t file_bytes;   /* creel.submit.file-size-max */
    int64_t files_bytes;  /* creel.submit.files-size-max */
    int64_t user_bytes;   /* creel.submit.user-files-size-max */
    int64_t unused_bytes; /* creel.submit.user-uploads-size-max; 0: none */
};

/* BYTES: size of the uploaded files that count for USER. */
typedef void blobs_user_fn(void *context, const char *user, uint64_t bytes);

struct blobs *blobs_new(const char *directory, const struct blobs_limits *limits); /* touches no file */
void blobs_free(struct blobs *blobs); /* NULL is fine; unfinished uploads are removed */

/* Creates DIRECTORY/blobs if it does not exist, and removes unfinished uploads from it. To be called before
 * any
 * function below, and again after an error. */
int blobs_open(struct blobs *blobs, struct err *err);
/* Waits in another thread until blobs_open has ended, TIMEOUT_MS at most (-1: without limit), and returns its
 * error. -ETIMEDOUT: it has not ended. */
int blobs_wait(struct blobs *blobs, int64_t timeout_ms, struct err *err);
/* Returns the descriptor of the directory in use, which stays the same; -1: it is not open yet. */
int blobs_directory(struct blobs *blobs);
/* Sets ERR to the refusal of a request while the directory has not answered for SILENT_MS. */
int blobs_refuse_silent(const struct blobs *blobs, int64_t silent_ms, struct err *err);

/* Sets RET to whether the file exists. An existing file is kept for another ten minutes, and counts for USER;
 * one that is removed within ten minutes because of its age has to be uploaded again. -EINVAL: HASH is not a
 * hash. -EFBIG: the files that count for USER are over the limit. -EIO: the directory was moved away. */
int blobs_has(struct blobs *blobs, const char *user, const ProtobufCBinaryData *hash, int64_t now_ms,
              bool *ret, struct err *err);

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
/* Calls EACH for every user for whom a file counts, from any thread. */
void blobs_each_user(struct blobs *blobs, blobs_user_fn *each, void *context);

/* Reads up to ROOM bytes of the file of REQUEST, beginning at its offset. Sets *LENGTH to the number of bytes
 * read and *SIZE_BYTES to the size of the whole file. -ENOENT: the file is not stored. -EINVAL: the hash or
 * the offset is invalid. */
int blobs_get(struct blobs *blobs, const Creel__GetBlob *request, uint8_t *data, size_t room, size_t *length,
              uint64_t *size_bytes, struct err *err);

/* Checks the files of JOB before its submission. -EFBIG: a file, or all files together, are over the limits;
 * -EINVAL: the size of a file differs from that in JOB; -ENOENT: a file is not stored. ERR names the first
 * such file. */
int blobs_check_job(struct blobs *blobs, const Creel__JobSpec *job, int64_t now_ms, struct err *err);

/* Checks the sizes of the files of JOB alone, as blobs_check_job does. Touches no file. */
int blobs_judge_sizes(const struct blobs *blobs, const Creel__JobSpec *job, struct err *err);

/* A sweep consists of two steps: blobs_mark_job marks the files in use, blobs_sweep removes other files that
 * are old enough. BLOBS is a struct blobs, since this is the callback of master_each_live_job. */
void blobs_mark_job(void *blobs, const Creel__JobSpec *job);
/* Removes unmarked old files. Returns the number of removed files. */
size_t blobs_sweep(struct blobs *blobs, int64_t now_ms);

/* Removes the uploads that received no chunk for ten minutes. */
void blobs_drop_stalled(struct blobs *blobs, int64_t now_ms);

/* Returns how much of a disk of DISK_BYTES the uploads leave free for the state store, which may be on it: an
 * upload that would leave less is refused. */
uint64_t blobs_reserve_bytes(uint64_t disk_bytes);

/* Returns the code of an Error reply for CODE, an error of the functions above. */
Creel__ErrorCode blobs_error(int code);

#endif
