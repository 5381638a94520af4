/* SPDX-License-Identifier: Apache-2.0 */
/* unpack_archive.c - fuzz target: archives that users send with their jobs */
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/archive/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t files, bytes;

static int count_and_remove(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)at;
    files++;
    if (type == FTW_F)
        bytes += info->st_blocks * 512;
    return remove(path);
}

/* Unpacks the archive in DIRECTORY/in. Afterwards nothing else may be in DIRECTORY. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct unpack_limits limits = { .entries = 20, .bytes = 64 << 10 };
    char directory[] = "/tmp/creel-fuzz-unpack.XXXXXX";
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* paths of libFuzzer are relative */
    struct err err = { 0 };
    int fd;

    if (before < 0 || mkdtemp(directory) == NULL || chdir(directory) != 0 || mkdir("in", 0700) != 0 ||
        chdir("in") != 0)
        abort();
    fd = open("archive", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    if (unpack_archive("archive", &limits, &err) < 0 && err.text[0] == '\0')
        abort();
    files = bytes = 0;
    /* Directories do not count: an entry creates up to one for every two bytes of its path. */
    if (nftw("archive", count_and_remove, 16, FTW_DEPTH | FTW_PHYS) != 0 || bytes > 4 * limits.bytes)
        abort();
    /* These fail if something else was written. */
    if (chdir("..") != 0 || rmdir("in") != 0 || fchdir(before) != 0 || rmdir(directory) != 0)
        abort();
    close(before);
    return 0;
}
