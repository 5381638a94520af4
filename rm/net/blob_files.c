/* SPDX-License-Identifier: Apache-2.0 */
/* blob_files.c - finds stored files by their hashes; what blobs.c and uploads.c both need */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

#include "rm/net/blobs_private.h"

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

bool blobs_find(struct blobs *blobs, const struct blob_hash *hash, int64_t now_ms, uint64_t *size_bytes)
{
    char name[BLOB_NAME_MAX];
    struct stat status;
    struct timespec times[2];

    if (fstatat(blobs->directory_fd, blobs_name(hash, name), &status, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISREG(status.st_mode))
        return false;
    times[0].tv_sec = times[1].tv_sec = (time_t)(now_ms / 1000);
    times[0].tv_nsec = times[1].tv_nsec = (long)(now_ms % 1000) * 1000000;
    /* If this fails, the file may be removed too early; the client uploads the file again. */
    (void)utimensat(blobs->directory_fd, name, times, AT_SYMLINK_NOFOLLOW);
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
