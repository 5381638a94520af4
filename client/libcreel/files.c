/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - opens and hashes files to be submitted */
#include "client/libcreel/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"

#define BLOCK ((size_t)64 << 10)

_Static_assert(FILES_HASH_BYTES == crypto_generichash_BYTES, "BLAKE2b-256");

int files_open(const char *source, int *ret_fd, uint32_t *mode, struct err *err)
{
    /* Non-blocking, so that open does not wait on a FIFO. A FIFO is refused below. */
    scoped_fd int fd = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;

    if (fd < 0)
        return err_set_errno(err, errno, "file %s: cannot be read", source);
    if (fstat(fd, &info) < 0)
        return err_set_errno(err, errno, "file %s: cannot be accessed", source);
    if (S_ISDIR(info.st_mode))
        return err_set(err, EINVAL, "file %s: is a directory, not a file", source);
    if (!S_ISREG(info.st_mode))
        return err_set(err, EINVAL, "file %s: is not a regular file", source);
    *mode = info.st_mode & 0111 ? 0500 : 0400;
    *ret_fd = fd_take(&fd);
    return 0;
}

int files_hash(int fd, const char *name, uint8_t hash[FILES_HASH_BYTES], uint64_t *size_bytes,
               struct err *err)
{
    scoped_free unsigned char *block = mem_alloc(BLOCK);
    crypto_generichash_state state;
    uint64_t size = 0;

    if (sodium_init() < 0)
        return err_set(err, EIO, "libsodium cannot start: no source of randomness");
    crypto_generichash_init(&state, NULL, 0, FILES_HASH_BYTES);
    for (;;) {
        ssize_t got = pread(fd, block, BLOCK, (off_t)size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, errno, "file %s: cannot be read", name);
        if (got == 0)
            break;
        crypto_generichash_update(&state, block, (size_t)got);
        size += (uint64_t)got;
    }
    crypto_generichash_final(&state, hash, FILES_HASH_BYTES);
    *size_bytes = size;
    return 0;
}
