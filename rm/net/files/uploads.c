/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uploads.c - receives submitted files in chunks
 *
 * Each connection writes a temporary file of its own for each hash. The file is open only while a chunk is
 * written, so that uploads need no descriptors. The hash is updated with each chunk, so that the last chunk
 * does not require reading the whole file.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "rm/net/files/blobs_private.h"

/* An upload without a chunk for this time may be dropped in favour of another one. */
#define STALLED_MS 30000
/* A twentieth of the disk, at most RESERVE_MAX, is kept free for the state store on the same disk. */
#define RESERVE_PART 20
#define RESERVE_MAX ((uint64_t)1 << 30)

struct upload_key {
    uint64_t connection;
    struct blob_hash hash;
};

struct upload {
    crypto_generichash_state state;
    struct upload_key key;
    struct quota *quota;
    char *user; /* owned; its place is in blobs.places */
    bool whole;
    uint64_t size_bytes, received_bytes;
    int64_t touched_ms;
    uint64_t begun;                /* serial number: order among equal times */
    char name[17 + BLOB_NAME_MAX]; /* file name in the temporary directory */
    UT_hash_handle hh;
};

/* --- the table ------------------------------------------------------------- */

static struct upload *find(struct blobs *blobs, const struct upload_key *key)
{
    struct upload *upload;

    HASH_FIND(hh, blobs->uploads, key, sizeof(*key), upload);
    return upload;
}

static void count(struct blobs *blobs)
{
    atomic_store(&blobs->counts.used, shares_used(blobs->places));
    atomic_store(&blobs->counts.refused_full, shares_refused(blobs->places, SHARES_FULL));
    atomic_store(&blobs->counts.refused_owner, shares_refused(blobs->places, SHARES_OWNER_FULL));
}

struct blobs_uploads blobs_uploads(const struct blobs *blobs)
{
    return (struct blobs_uploads){
        .used = atomic_load(&blobs->counts.used),
        .refused_full = atomic_load(&blobs->counts.refused_full),
        .refused_owner = atomic_load(&blobs->counts.refused_owner),
        .over_limit = blob_claims_refused(blobs->claims),
    };
}

static void drop(struct blobs *blobs, struct upload *upload)
{
    (void)unlinkat(blobs->temporary_fd, upload->name, 0);
    quota_settle(upload->quota, upload->size_bytes, upload->whole);
    HASH_DEL(blobs->uploads, upload);
    shares_remove(blobs->places, upload->user);
    count(blobs);
    free(upload->user);
    free(upload);
}

void uploads_drop_idle(struct blobs *blobs, int64_t before_ms)
{
    struct upload *upload, *next;

    HASH_ITER(hh, blobs->uploads, upload, next)
        if (upload->touched_ms <= before_ms)
            drop(blobs, upload);
}

void blobs_drop_stalled(struct blobs *blobs, int64_t now_ms)
{
    uploads_drop_idle(blobs, now_ms - BLOBS_KEEP_MS);
}

/* Returns the upload of USER (NULL: of any) that has been idle longest. */
static struct upload *find_idle(struct blobs *blobs, const char *user)
{
    struct upload *upload, *next, *oldest = NULL;

    HASH_ITER(hh, blobs->uploads, upload, next)
        if ((user == NULL || strcmp(upload->user, user) == 0) &&
            (oldest == NULL || upload->touched_ms < oldest->touched_ms ||
             (upload->touched_ms == oldest->touched_ms && upload->begun < oldest->begun)))
            oldest = upload;
    return oldest;
}

static int refuse_upload(struct blobs *blobs, enum shares_room room, const char *user, struct err *err)
{
    shares_count_refused(blobs->places, room);
    count(blobs);
    if (room == SHARES_OWNER_FULL)
        return err_set(err, EAGAIN,
                       "user %.64s uploads %d files at once, which is the limit of the resource manager for "
                       "one user: try again later",
                       user, BLOBS_UPLOADS_OF_USER_MAX);
    return err_set(err, EAGAIN,
                   "%d files are being uploaded at once, which is the limit of the resource manager: try "
                   "again later",
                   BLOBS_UPLOADS_MAX);
}

/* Makes room for one more upload of USER: if all places are in use, or USER has its share, drops the one of
 * any user, or of this one, that has been idle longest. -EAGAIN: it was idle for less than STALLED_MS. */
static int make_room(struct blobs *blobs, const char *user, int64_t now_ms, struct err *err)
{
    enum shares_room room = shares_room(blobs->places, user);
    struct upload *oldest;

    if (room == SHARES_FREE)
        return 0;
    oldest = find_idle(blobs, room == SHARES_OWNER_FULL ? user : NULL);
    if (oldest->touched_ms > now_ms - STALLED_MS)
        return refuse_upload(blobs, room, user, err);
    drop(blobs, oldest);
    return 0;
}

/* Limits the sum of the unfinished uploads of a connection to the maximum of one submission. */
static int check_sum(struct blobs *blobs, const struct upload_key *key, uint64_t size_bytes, struct err *err)
{
    struct upload *upload, *next;
    uint64_t sum = size_bytes;

    HASH_ITER(hh, blobs->uploads, upload, next)
        if (upload->key.connection == key->connection)
            sum += upload->size_bytes;
    if (sum > (uint64_t)blobs->limits.files_bytes)
        return err_set(err, EFBIG,
                       "files of together %" PRIu64 " bytes: more than "
                       "creel.submit.files-size-max allows, %" PRId64,
                       sum, blobs->limits.files_bytes);
    return 0;
}

uint64_t blobs_reserve_bytes(uint64_t disk_bytes)
{
    uint64_t part = disk_bytes / RESERVE_PART;

    return part < RESERVE_MAX ? part : RESERVE_MAX;
}

/* Returns the bytes of unfinished uploads that have not been received. */
static uint64_t expected_bytes(const struct blobs *blobs)
{
    const struct upload *upload;
    uint64_t sum = 0;

    for (upload = blobs->uploads; upload != NULL; upload = upload->hh.next)
        sum += upload->size_bytes - upload->received_bytes;
    return sum;
}

/* Checks whether the disk has room for BYTES more, beside the reserve and EXPECTED bytes of other uploads. */
static int check_disk(const struct blobs *blobs, uint64_t bytes, uint64_t expected, struct err *err)
{
    uint64_t room, reserve;
    struct statvfs status;

    if (fstatvfs(blobs->temporary_fd, &status) < 0)
        return err_set_errno(err, errno, "%s: cannot be accessed", blobs->path);
    room = (uint64_t)status.f_bavail * status.f_frsize;
    reserve = blobs_reserve_bytes((uint64_t)status.f_blocks * status.f_frsize) + expected;
    if (bytes <= room && room - bytes >= reserve)
        return 0;
    return err_set(
        err, ENOSPC,
        "%s: the resource manager's disk has no room for %" PRIu64 " bytes more of a file: %" PRIu64
        " are free, of which %" PRIu64
        " are reserved for its state and other uploads: the administrator makes room; jobs without "
        "files are accepted",
        blobs->path, bytes, room, reserve);
}

/* --- one upload ------------------------------------------------------------ */

/* ENOENT, of a directory that was removed meanwhile, would mean that the user has named something that does
 * not exist. */
static int fail_storing(const struct blobs *blobs, int error, struct err *err)
{
    return err_set(err, error == ENOENT ? EIO : error, "%s: the resource manager cannot keep the file: %s",
                   blobs->path, strerror(error));
}

static struct upload *upload_new(struct blobs *blobs, const struct upload_key *key, const char *user,
                                 uint64_t size_bytes, struct quota *quota)
{
    struct upload *upload = NULL;
    char hash[BLOB_NAME_MAX];

    /* libsodium requires its state to be aligned to a cache line. */
    if (posix_memalign((void **)&upload, 64, sizeof(*upload)) != 0)
        abort();
    memset(upload, 0, sizeof(*upload));
    crypto_generichash_init(&upload->state, NULL, 0, BLOB_HASH_BYTES);
    upload->key = *key;
    upload->quota = quota;
    upload->user = mem_strdup(user);
    shares_add(blobs->places, user);
    count(blobs);
    upload->size_bytes = size_bytes;
    upload->begun = ++blobs->uploads_begun;
    snprintf(upload->name, sizeof(upload->name), "%" PRIx64 "-%s", key->connection,
             blobs_name(&key->hash, hash));
    HASH_ADD(hh, blobs->uploads, key, sizeof(upload->key), upload);
    return upload;
}

static int begin(struct blobs *blobs, const struct upload_key *key, const char *user,
                 const Creel__PutBlob *chunk, int64_t now_ms, struct upload **ret, struct err *err)
{
    scoped_fd int fd = -1;
    struct upload *upload = find(blobs, key);
    struct quota *quota;
    int r;

    if (upload != NULL)
        drop(blobs, upload);
    if ((r = check_sum(blobs, key, chunk->size_bytes, err)) < 0 ||
        (r = make_room(blobs, user, now_ms, err)) < 0 || (r = blobs_follow(blobs, err)) < 0 ||
        (r = check_disk(blobs, chunk->size_bytes, expected_bytes(blobs), err)) < 0 ||
        (r = quota_charge(blobs->quotas, user, chunk->size_bytes, now_ms, &quota, err)) < 0)
        return r;
    r = blob_claims_judge(blobs->claims, user, &key->hash, quota_pending(quota), err);
    if (r < 0) {
        quota_settle(quota, chunk->size_bytes, false);
        return r;
    }
    upload = upload_new(blobs, key, user, chunk->size_bytes, quota);
    fd = openat(blobs->temporary_fd, upload->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        r = fail_storing(blobs, errno, err);
        drop(blobs, upload);
        return r;
    }
    *ret = upload;
    return 0;
}

static int write_all(int fd, const uint8_t *data, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t n = pwrite(fd, data, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        data += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

/* Others may have filled the disk since the upload began. */
static int append(struct blobs *blobs, struct upload *upload, const Creel__PutBlob *chunk, struct err *err)
{
    scoped_fd int fd = openat(blobs->temporary_fd, upload->name, O_WRONLY | O_CLOEXEC);
    int r = fd < 0 ? -errno : 0;

    if (r == 0 && (r = check_disk(blobs, chunk->data.len, 0, err)) < 0)
        return r;
    if (r == 0)
        r = write_all(fd, chunk->data.data, chunk->data.len, chunk->offset);
    if (r < 0)
        return fail_storing(blobs, -r, err);
    /* Starts to write the data to the disk now, so that the last chunk need not wait for all of it. */
    (void)sync_file_range(fd, (off_t)chunk->offset, (off_t)chunk->data.len, SYNC_FILE_RANGE_WRITE);
    crypto_generichash_update(&upload->state, chunk->data.data, chunk->data.len);
    upload->received_bytes += chunk->data.len;
    return 0;
}

/* Makes the file durable and visible. The reply to the submission that follows means that the job is durable,
 * so its files must be on disk. */
static int store_file(struct blobs *blobs, const struct upload *upload, struct err *err)
{
    char name[BLOB_NAME_MAX];
    scoped_fd int fd = openat(blobs->temporary_fd, upload->name, O_WRONLY | O_CLOEXEC);

    blobs_name(&upload->key.hash, name);
    if (fd < 0 || fsync(fd) < 0 ||
        renameat(blobs->temporary_fd, upload->name, blobs->directory_fd, name) < 0 ||
        fsync(blobs->directory_fd) < 0)
        return fail_storing(blobs, errno, err);
    return 0;
}

static int finish(struct blobs *blobs, struct upload *upload, int64_t now_ms, struct err *err)
{
    char name[BLOB_NAME_MAX];
    struct blob_hash hash;
    int r;

    crypto_generichash_final(&upload->state, hash.bytes, sizeof(hash.bytes));
    if (memcmp(&hash, &upload->key.hash, sizeof(hash)) != 0)
        return err_set(err, EINVAL,
                       "the uploaded bytes do not have the announced hash: "
                       "did the file change meanwhile? Submit again");
    r = blob_claims_take(blobs->claims, upload->user, &hash, upload->size_bytes, err);
    if (r == 0)
        r = store_file(blobs, upload, err); /* if that fails, the next sweep ends the claim */
    upload->whole = r == 0;
    if (r == 0)
        blobs_set_times(blobs, blobs_name(&hash, name), now_ms, now_ms);
    return r;
}

static int check_chunk(struct blobs *blobs, const Creel__PutBlob *chunk, struct err *err)
{
    int r = blobs_check_size(blobs, chunk->size_bytes, err);

    if (r < 0)
        return r;
    if (chunk->data.len > WIRE_CHUNK_MAX)
        return err_set(err, EINVAL, "a chunk of %zu bytes: at most %zu", chunk->data.len, WIRE_CHUNK_MAX);
    if (chunk->offset > chunk->size_bytes || chunk->data.len > chunk->size_bytes - chunk->offset)
        return err_set(err, EINVAL, "a chunk of %zu bytes at %" PRIu64 " in a file of %" PRIu64,
                       chunk->data.len, chunk->offset, chunk->size_bytes);
    if (chunk->data.len == 0 && chunk->size_bytes > 0)
        return err_set(err, EINVAL, "a chunk without bytes");
    return 0;
}

/* Returns true if CHUNK is the chunk written last, sent again because its reply was lost. If its bytes
 * differ, the hash of the file will be wrong. */
static bool is_repeated(const struct upload *upload, const Creel__PutBlob *chunk)
{
    return upload != NULL && chunk->offset > 0 && upload->size_bytes == chunk->size_bytes &&
           upload->received_bytes == chunk->offset + chunk->data.len;
}

int blobs_put(struct blobs *blobs, uint64_t connection, const char *user, const Creel__PutBlob *chunk,
              int64_t now_ms, struct err *err)
{
    struct upload_key key = { .connection = connection };
    struct upload *upload;
    uint64_t size_bytes;
    int r;

    if ((r = blobs_read_hash(&chunk->hash, &key.hash, err)) < 0 || (r = check_chunk(blobs, chunk, err)) < 0)
        return r;
    upload = find(blobs, &key);
    if (upload == NULL && blobs_find(blobs, &key.hash, now_ms, BLOBS_OFFERED_MAX_MS, &size_bytes))
        return blob_claims_take(blobs->claims, user, &key.hash, size_bytes,
                                err); /* another upload of this file finished first */
    if (is_repeated(upload, chunk))
        return 0;
    if (chunk->offset == 0)
        r = begin(blobs, &key, user, chunk, now_ms, &upload, err);
    else if (upload == NULL || upload->received_bytes != chunk->offset ||
             upload->size_bytes != chunk->size_bytes)
        r = err_set(err, ESTALE, "not the chunk that comes next: begin the file again");
    if (r < 0)
        return r;
    upload->touched_ms = now_ms;
    r = append(blobs, upload, chunk, err);
    if (r == 0 && upload->received_bytes < upload->size_bytes)
        return 0;
    if (r == 0)
        r = finish(blobs, upload, now_ms, err);
    drop(blobs, upload);
    return r;
}
