/* SPDX-License-Identifier: Apache-2.0 */
/* log_archive.c - fuzz target: files of aggregated logs, which other users have written */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/log_archive.h"

#define C1 "container_1700000000000_0001_01_000001"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("archive", MFD_CLOEXEC);
    const struct log_archive_entry *entry;
    struct log_archive *archive;
    struct err err = { 0 };
    struct stat status;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0 ||
        log_archive_new(&archive, &err) < 0)
        abort();
    if (log_archive_add(archive, fd, size % 2 ? C1 : NULL, &err) < 0 && err.text[0] == '\0')
        abort();
    entry = log_archive_find(archive, C1, "stdout");
    if (fstat(log_archive_fd(archive), &status) != 0 ||
        (entry != NULL && entry->offset + entry->size > (uint64_t)status.st_size))
        abort();
    log_archive_free(archive);
    close(fd);
    return 0;
}
