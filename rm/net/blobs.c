/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blobs.c - submitted files on disk: finds, reads, checks and sweeps them
 *
 * The directory is the only index. The modification time of a file is the time at which the file was last
 * requested. uploads.c writes files.
 */
#include "rm/net/blobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "rm/net/blobs_private.h"

#define TEMPORARY "tmp"

/* --- names ----------------------------------------------------------------- */

static bool parse_name(const char *name, struct blob_hash *hash)
{
    size_t length = 0;

    return strlen(name) == BLOB_NAME_MAX - 1 &&
           sodium_hex2bin(hash->bytes, BLOB_HASH_BYTES, name, BLOB_NAME_MAX - 1, NULL, &length, NULL) == 0 &&
           length == BLOB_HASH_BYTES;
}

/* --- life ------------------------------------------------------------------ */

static int open_directory(int at_fd, const char *name, const char *path, int *ret, struct err *err)
{
    if (mkdirat(at_fd, name, 0700) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot make this directory", path);
    *ret = openat(at_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (*ret < 0)
        return err_set_errno(err, errno, "%s: cannot open this directory", path);
    return 0;
}

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

int blobs_open(const char *directory, const struct blobs_limits *limits, struct blobs **ret, struct err *err)
{
    scoped_free char *path = mem_printf("%s/blobs", directory);
    scoped_free char *temporary_path = mem_printf("%s/" TEMPORARY, path);
    scoped_fd int directory_fd = -1, temporary_fd = -1;
    struct blobs *blobs;
    int r;

    if (sodium_init() < 0)
        return err_set(err, EIO, "libsodium does not start: no random numbers on this machine");
    if ((r = open_directory(AT_FDCWD, path, path, &directory_fd, err)) < 0 ||
        (r = open_directory(directory_fd, TEMPORARY, temporary_path, &temporary_fd, err)) < 0)
        return r;
    blobs = mem_new0(struct blobs);
    blobs->limits = *limits;
    blobs->quotas = quotas_new(limits->user_bytes);
    blobs->places = shares_new(BLOBS_UPLOADS_MAX, BLOBS_UPLOADS_OF_USER_MAX);
    blobs->path = path;
    path = NULL;
    blobs->directory_fd = fd_take(&directory_fd);
    blobs->temporary_fd = fd_take(&temporary_fd);
    clear_temporary(blobs);
    *ret = blobs;
    return 0;
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
    shares_free(blobs->places);
    clear_marks(blobs);
    close(blobs->temporary_fd);
    close(blobs->directory_fd);
    free(blobs->path);
    free(blobs);
}

/* --- finding and reading --------------------------------------------------------------- */

int blobs_has(struct blobs *blobs, const ProtobufCBinaryData *bytes, int64_t now_ms, bool *ret,
              struct err *err)
{
    struct blob_hash hash;
    uint64_t size_bytes;
    int r = blobs_read_hash(bytes, &hash, err);

    if (r < 0)
        return r;
    *ret = blobs_find(blobs, &hash, now_ms, &size_bytes);
    return 0;
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

static int check_file(struct blobs *blobs, const Creel__FileRef *file, int64_t now_ms, struct err *err)
{
    struct blob_hash hash;
    uint64_t size_bytes = 0;
    int r = blobs_read_hash(&file->hash, &hash, err);

    if (r == 0)
        r = blobs_check_size(blobs, file->size_bytes, err);
    if (r < 0) {
        err_prefix(err, "file \"%s\"", file->name);
        return r;
    }
    if (!blobs_find(blobs, &hash, now_ms, &size_bytes))
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
    uint64_t sum = 0;

    for (size_t i = 0; launch != NULL && i < launch->n_files; i++) {
        int r = check_file(blobs, launch->files[i], now_ms, err);

        if (r < 0)
            return r;
        sum += launch->files[i]->size_bytes; /* no overflow: each size is at most file_bytes */
        if (sum > (uint64_t)blobs->limits.files_bytes)
            return err_set(err, EFBIG,
                           "the files of this submission: together more than "
                           "creel.submit.files-size-max allows, %" PRId64 " bytes",
                           blobs->limits.files_bytes);
    }
    return 0;
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

static bool is_unused(struct blobs *blobs, const char *name, int64_t now_ms)
{
    struct blob_mark *mark;
    struct blob_hash hash;
    struct stat status;

    if (!parse_name(name, &hash))
        return false;
    HASH_FIND(hh, blobs->marks, &hash, sizeof(hash), mark);
    if (mark != NULL || fstatat(blobs->directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    return (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000 <= now_ms - BLOBS_KEEP_MS;
}

size_t blobs_sweep(struct blobs *blobs, int64_t now_ms)
{
    DIR *directory = list(blobs->directory_fd);
    struct dirent *entry;
    size_t removed = 0;

    while (directory != NULL && (entry = readdir(directory)) != NULL)
        if (is_unused(blobs, entry->d_name, now_ms) && unlinkat(blobs->directory_fd, entry->d_name, 0) == 0)
            removed++;
    if (directory != NULL)
        closedir(directory);
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
