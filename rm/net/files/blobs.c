/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blobs.c - submitted files on disk: finds, reads, checks and sweeps them
 *
 * The directory is the only index. The access time of a file is the time at which the file was last
 * requested, its modification time that of its upload; a sweep that finds that a job uses it sets both.
 * uploads.c writes files.
 */
#include "rm/net/files/blobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/monotonic_wait.h"
#include "common/io/loop/loop.h"
#include "rm/net/files/blobs_private.h"

/* --- names ----------------------------------------------------------------- */

static bool parse_name(const char *name, struct blob_hash *hash)
{
    size_t length = 0;

    return strlen(name) == BLOB_NAME_MAX - 1 &&
           sodium_hex2bin(hash->bytes, BLOB_HASH_BYTES, name, BLOB_NAME_MAX - 1, NULL, &length, NULL) == 0 &&
           length == BLOB_HASH_BYTES;
}

/* --- life ------------------------------------------------------------------ */

/* Opens a directory stream on a duplicate descriptor, since fdopendir takes ownership. */
static DIR *list(int directory_fd)
{
    int fd = openat(directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;

    if (directory == NULL && fd >= 0)
        close(fd);
    return directory;
}

static void clear_temporary(struct blobs *blobs)
{
    DIR *directory = list(blobs->temporary_fd);
    struct dirent *entry;

    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.')
            (void)unlinkat(blobs->temporary_fd, entry->d_name, 0);
    closedir(directory);
}

struct blobs *blobs_new(const char *directory, const struct blobs_limits *limits)
{
    struct blobs *blobs = mem_new0(struct blobs);

    blobs->limits = *limits;
    blobs->quotas = quotas_new(limits->user_bytes);
    blobs->claims = blob_claims_new(limits->unused_bytes);
    blobs->places = shares_new(BLOBS_UPLOADS_MAX, BLOBS_UPLOADS_OF_USER_MAX);
    blobs->path = mem_printf("%s/blobs", directory);
    blobs->directory_fd = blobs->temporary_fd = -1;
    pthread_mutex_init(&blobs->lock, NULL);
    monotonic_wait_init(&blobs->wake);
    return blobs;
}

static void close_directories(struct blobs *blobs)
{
    mem_close_fd(&blobs->temporary_fd);
    mem_close_fd(&blobs->directory_fd);
    blobs->temporary_fd = blobs->directory_fd = -1;
}

static int open_directories(struct blobs *blobs, struct err *err)
{
    scoped_free char *temporary_path = mem_printf("%s/" BLOBS_TEMPORARY, blobs->path);
    int r;

    if (sodium_init() < 0)
        return err_set(err, EIO, "libsodium does not start: no random numbers on this machine");
    close_directories(blobs); /* of an earlier try */
    if ((r = blobs_open_directory(AT_FDCWD, blobs->path, blobs->path, &blobs->directory_fd, err)) < 0 ||
        (r = blobs_open_directory(blobs->directory_fd, BLOBS_TEMPORARY, temporary_path, &blobs->temporary_fd,
                                  err)) < 0)
        return r;
    clear_temporary(blobs);
    return 0;
}

int blobs_directory(struct blobs *blobs)
{
    int fd;

    pthread_mutex_lock(&blobs->lock);
    fd = blobs->opened ? blobs->directory_fd : -1;
    pthread_mutex_unlock(&blobs->lock);
    return fd;
}

int blobs_open(struct blobs *blobs, struct err *err)
{
    struct err found = { 0 };
    int r = open_directories(blobs, &found);

    pthread_mutex_lock(&blobs->lock);
    blobs->opened = true;
    blobs->open_error = found;
    pthread_cond_broadcast(&blobs->wake);
    pthread_mutex_unlock(&blobs->lock);
    return r < 0 ? err_set(err, -r, "%s", found.text) : 0;
}

int blobs_wait(struct blobs *blobs, int64_t timeout_ms, struct err *err)
{
    const struct timespec end = monotonic_wait_end(timeout_ms);
    int r = 0;

    pthread_mutex_lock(&blobs->lock);
    while (!blobs->opened && r == 0)
        r = timeout_ms < 0 ? pthread_cond_wait(&blobs->wake, &blobs->lock)
                           : pthread_cond_timedwait(&blobs->wake, &blobs->lock, &end);
    if (blobs->opened)
        r = blobs->open_error.code != 0 ? err_set(err, blobs->open_error.code, "%s", blobs->open_error.text)
                                        : 0;
    else
        r = err_set(err, ETIMEDOUT, "%s does not answer", blobs->path);
    pthread_mutex_unlock(&blobs->lock);
    return r;
}

int blobs_refuse_silent(const struct blobs *blobs, int64_t silent_ms, struct err *err)
{
    return err_set(err, EAGAIN,
                   "%s, which has the submitted files, has not answered the resource manager for %lld s: "
                   "the administrator looks at its disk or mount; jobs without files are accepted",
                   blobs->path, (long long)silent_ms / 1000);
}

static void clear_marks(struct blobs *blobs)
{
    struct blob_mark *mark, *next;

    HASH_ITER(hh, blobs->marks, mark, next) {
        HASH_DEL(blobs->marks, mark);
        free(mark);
    }
}

void blobs_free(struct blobs *blobs)
{
    if (blobs == NULL)
        return;
    uploads_drop_idle(blobs, INT64_MAX);
    quotas_free(blobs->quotas);
    blob_claims_free(blobs->claims);
    shares_free(blobs->places);
    clear_marks(blobs);
    close_directories(blobs);
    pthread_cond_destroy(&blobs->wake);
    pthread_mutex_destroy(&blobs->lock);
    free(blobs->path);
    free(blobs);
}

/* --- finding and reading --------------------------------------------------------------- */

int blobs_has(struct blobs *blobs, const char *user, const ProtobufCBinaryData *bytes, int64_t now_ms,
              bool *ret, struct err *err)
{
    struct blob_hash hash;
    uint64_t size_bytes;
    int r = blobs_read_hash(bytes, &hash, err);

    if (r < 0 || (r = blobs_follow(blobs, err)) < 0)
        return r;
    *ret = blobs_find(blobs, &hash, now_ms, BLOBS_OFFERED_MAX_MS, &size_bytes);
    return *ret ? blob_claims_take(blobs->claims, user, &hash, size_bytes, err) : 0;
}

void blobs_each_user(struct blobs *blobs, blobs_user_fn *each, void *context)
{
    blob_claims_each(blobs->claims, each, context);
}

int blobs_get(struct blobs *blobs, const Creel__GetBlob *request, uint8_t *data, size_t room, size_t *length,
              uint64_t *size_bytes, struct err *err)
{
    char name[BLOB_NAME_MAX];
    scoped_fd int fd = -1;
    struct blob_hash hash;
    struct stat status;
    ssize_t n;
    int r = blobs_read_hash(&request->hash, &hash, err);

    if (r < 0)
        return r;
    /* A directory that was moved away still has the files of running jobs. */
    (void)blobs_follow(blobs, NULL);
    fd = openat(blobs->directory_fd, blobs_name(&hash, name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        return err_set(err, ENOENT, "file %.12s: is not stored, or was removed", name);
    if (fd < 0 || fstat(fd, &status) < 0)
        return err_set_errno(err, errno, "%s/%s: cannot open", blobs->path, name);
    if (request->offset > (uint64_t)status.st_size)
        return err_set(err, EINVAL, "file %.12s: has %lld bytes, none at %" PRIu64, name,
                       (long long)status.st_size, request->offset);
    n = pread(fd, data, room, (off_t)request->offset);
    if (n < 0)
        return err_set_errno(err, errno, "%s/%s: cannot read", blobs->path, name);
    *length = (size_t)n;
    *size_bytes = (uint64_t)status.st_size;
    return 0;
}

int blobs_judge_sizes(const struct blobs *blobs, const Creel__JobSpec *job, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;
    uint64_t sum = 0;

    for (size_t i = 0; launch != NULL && i < launch->n_files; i++) {
        int r = blobs_check_size(blobs, launch->files[i]->size_bytes, err);

        if (r < 0) {
            err_prefix(err, "file \"%s\"", launch->files[i]->name);
            return r;
        }
        sum += launch->files[i]->size_bytes; /* no overflow: each size is at most file_bytes */
        if (sum > (uint64_t)blobs->limits.files_bytes)
            return err_set(err, EFBIG,
                           "the files of this submission: together more than "
                           "creel.submit.files-size-max allows, %" PRId64 " bytes",
                           blobs->limits.files_bytes);
    }
    return 0;
}

static int check_file(struct blobs *blobs, const Creel__FileRef *file, int64_t now_ms, struct err *err)
{
    struct blob_hash hash;
    uint64_t size_bytes = 0;
    int r = blobs_read_hash(&file->hash, &hash, err);

    if (r < 0) {
        err_prefix(err, "file \"%s\"", file->name);
        return r;
    }
    if (!blobs_find(blobs, &hash, now_ms, BLOBS_SUBMITTED_MAX_MS, &size_bytes))
        return err_set(err, ENOENT,
                       "file \"%s\": was not uploaded, or was removed since it was not used: upload it "
                       "and submit again",
                       file->name);
    if (size_bytes != file->size_bytes)
        return err_set(err, EINVAL,
                       "file \"%s\": it has %" PRIu64 " bytes in the submission, and "
                       "%" PRIu64 " as it was uploaded",
                       file->name, file->size_bytes, size_bytes);
    return 0;
}

int blobs_check_job(struct blobs *blobs, const Creel__JobSpec *job, int64_t now_ms, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;
    int r = blobs_judge_sizes(blobs, job, err);

    if (r == 0 && launch != NULL && launch->n_files > 0)
        r = blobs_follow(blobs, err);
    for (size_t i = 0; r == 0 && launch != NULL && i < launch->n_files; i++)
        r = check_file(blobs, launch->files[i], now_ms, err);
    return r;
}

/* --- sweeping -------------------------------------------------------------- */

void blobs_mark_job(void *context, const Creel__JobSpec *job)
{
    struct blobs *blobs = context;
    const Creel__LaunchContext *launch = job->launch;

    for (size_t i = 0; launch != NULL && i < launch->n_files; i++) {
        struct blob_mark *mark;
        struct blob_hash hash;

        if (blobs_read_hash(&launch->files[i]->hash, &hash, NULL) < 0)
            continue;
        HASH_FIND(hh, blobs->marks, &hash, sizeof(hash), mark);
        if (mark != NULL)
            continue;
        mark = mem_new0(struct blob_mark);
        mark->hash = hash;
        HASH_ADD(hh, blobs->marks, hash, sizeof(mark->hash), mark);
    }
}

static bool is_marked(const struct blobs *blobs, const struct blob_hash *hash)
{
    const struct blob_mark *mark;

    HASH_FIND(hh, blobs->marks, hash, sizeof(*hash), mark);
    return mark != NULL;
}

/* Keeps the file NAME, which a job uses: both its times begin again, so that it is there for BLOBS_KEEP_MS
 * after the last job has ended. That need not be exact. */
static void keep_used(struct blobs *blobs, const char *name, const struct stat *status, int64_t now_ms)
{
    if (blobs_ms_of(&status->st_mtim) <= now_ms - BLOBS_SWEEP_MS)
        blobs_set_times(blobs, name, now_ms, now_ms);
}

static bool is_unused(const struct stat *status, int64_t now_ms)
{
    return blobs_ms_of(&status->st_atim) <= now_ms - BLOBS_KEEP_MS ||
           blobs_ms_of(&status->st_mtim) <= now_ms - BLOBS_UNUSED_MAX_MS;
}

/* Returns true if the file NAME was removed. */
static bool sweep_file(struct blobs *blobs, const char *name, int64_t now_ms)
{
    struct blob_hash hash;
    struct stat status;

    if (!parse_name(name, &hash) || fstatat(blobs->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    if (is_marked(blobs, &hash)) {
        keep_used(blobs, name, &status, now_ms);
        return false;
    }
    if (is_unused(&status, now_ms))
        return unlinkat(blobs->directory_fd, name, 0) == 0;
    blob_claims_keep(blobs->claims, &hash);
    return false;
}

size_t blobs_sweep(struct blobs *blobs, int64_t now_ms)
{
    DIR *directory = blobs_follow(blobs, NULL) == 0 ? list(blobs->directory_fd) : NULL;
    struct dirent *entry;
    size_t removed = 0;

    blob_claims_begin_sweep(blobs->claims);
    while (directory != NULL && (entry = readdir(directory)) != NULL)
        removed += sweep_file(blobs, entry->d_name, now_ms) ? 1 : 0;
    if (directory != NULL) {
        blob_claims_end_sweep(blobs->claims);
        closedir(directory);
    }
    clear_marks(blobs);
    return removed;
}

Creel__ErrorCode blobs_error(int code)
{
    static const struct {
        int code;
        Creel__ErrorCode error;
    } table[] = {
        { EINVAL, CREEL__ERROR_CODE__ERROR_BAD_REQUEST }, { EFBIG, CREEL__ERROR_CODE__ERROR_TOO_LARGE },
        { ESTALE, CREEL__ERROR_CODE__ERROR_BAD_STATE },   { EAGAIN, CREEL__ERROR_CODE__ERROR_UNAVAILABLE },
        { ENOENT, CREEL__ERROR_CODE__ERROR_NOT_FOUND },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].code == code || table[i].code == -code)
            return table[i].error;
    return CREEL__ERROR_CODE__ERROR_STORE;
}
