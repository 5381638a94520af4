/* SPDX-License-Identifier: Apache-2.0 */
/* blob_files.c - finds stored files by their hashes; what blobs.c and uploads.c both need */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#include "rm/net/files/blobs_private.h"

int blobs_read_hash(const ProtobufCBinaryData *bytes, struct blob_hash *hash, struct err *err)
{
    if (bytes->len != BLOB_HASH_BYTES)
        return err_set(err, EINVAL, "a hash of %zu bytes: it has to be BLAKE2b-256, %d bytes", bytes->len,
                       BLOB_HASH_BYTES);
    memcpy(hash->bytes, bytes->data, BLOB_HASH_BYTES);
    return 0;
}

const char *blobs_name(const struct blob_hash *hash, char name[BLOB_NAME_MAX])
{
    return sodium_bin2hex(name, BLOB_NAME_MAX, hash->bytes, BLOB_HASH_BYTES);
}

int64_t blobs_ms_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000 + time->tv_nsec / 1000000;
}

static struct timespec time_of(int64_t ms)
{
    struct timespec time = { .tv_nsec = UTIME_OMIT };

    if (ms >= 0) {
        time.tv_sec = (time_t)(ms / 1000);
        time.tv_nsec = (long)(ms % 1000) * 1000000;
    }
    return time;
}

void blobs_set_times(struct blobs *blobs, const char *name, int64_t requested_ms, int64_t used_ms)
{
    const struct timespec times[2] = { time_of(requested_ms), time_of(used_ms) };

    (void)utimensat(blobs->directory_fd, name, times, AT_SYMLINK_NOFOLLOW);
}

bool blobs_find(struct blobs *blobs, const struct blob_hash *hash, int64_t now_ms, int64_t age_max_ms,
                uint64_t *size_bytes)
{
    char name[BLOB_NAME_MAX];
    struct stat status;

    if (fstatat(blobs->directory_fd, blobs_name(hash, name), &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISREG(status.st_mode) || blobs_ms_of(&status.st_mtim) <= now_ms - age_max_ms)
        return false;
    blobs_set_times(blobs, name, now_ms, -1);
    *size_bytes = (uint64_t)status.st_size;
    return true;
}

int blobs_check_size(const struct blobs *blobs, uint64_t size_bytes, struct err *err)
{
    if (size_bytes > (uint64_t)blobs->limits.file_bytes)
        return err_set(err, EFBIG,
                       "%" PRIu64 " bytes: more than creel.submit.file-size-max "
                       "allows, %" PRId64,
                       size_bytes, blobs->limits.file_bytes);
    return 0;
}

int blobs_open_directory(int at_fd, const char *name, const char *path, int *ret, struct err *err)
{
    if (mkdirat(at_fd, name, 0700) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot make this directory", path);
    *ret = openat(at_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (*ret < 0)
        return err_set_errno(err, errno, "%s: cannot open this directory", path);
    return 0;
}

/* Opens the directory at the path instead of one that was removed, with the same descriptors, which another
 * thread may be using. */
static int adopt(struct blobs *blobs, struct err *err)
{
    scoped_fd int directory_fd = -1, temporary_fd = -1;
    int r = blobs_open_directory(AT_FDCWD, blobs->path, blobs->path, &directory_fd, err);

    if (r == 0)
        r = blobs_open_directory(directory_fd, BLOBS_TEMPORARY, blobs->path, &temporary_fd, err);
    if (r < 0)
        return r;
    if (dup3(directory_fd, blobs->directory_fd, O_CLOEXEC) < 0 ||
        dup3(temporary_fd, blobs->temporary_fd, O_CLOEXEC) < 0)
        return err_set_errno(err, errno, "%s: cannot open this directory", blobs->path);
    return 0;
}

int blobs_follow(struct blobs *blobs, struct err *err)
{
    struct stat used, temporary, found;

    if (fstat(blobs->directory_fd, &used) < 0 || fstat(blobs->temporary_fd, &temporary) < 0)
        return err_set_errno(err, errno, "%s: cannot be accessed", blobs->path);
    if (lstat(blobs->path, &found) < 0)
        return err_set(
            err, EIO,
            "%s, which has the submitted files: %s: the administrator makes it again (creel cluster "
            "health has the command); jobs without files are accepted",
            blobs->path, strerror(errno));
    if (used.st_nlink > 0 && (used.st_dev != found.st_dev || used.st_ino != found.st_ino))
        return err_set(
            err, EIO,
            "%s, which has the submitted files, is not the directory that the resource manager uses: it "
            "was replaced or unmounted: the administrator puts it back, or restarts creel-rm; jobs "
            "without files are accepted",
            blobs->path);
    return used.st_nlink == 0 || temporary.st_nlink == 0 ? adopt(blobs, err) : 0;
}
