/* SPDX-License-Identifier: Apache-2.0 */
/* head.c - the file `head`: two slots of text, written alternately */
#include "rm/store/head.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define SLOTS 2
#define SLOT_SIZE 4096 /* slots share neither a sector nor a page */
#define SUM_BYTES 16
#define FORMAT \
    "creel-head 1\nstore %s\ncommit %" PRIu64 "\nhash %s\nwritten_ms %" PRId64 "\ncluster_ms %" PRId64 \
    "\nepoch %" PRIu32 "\nstart %s\nlast_app %" PRIu32 "\n"

static void sum_text(const char *text, size_t length, char sum[2 * SUM_BYTES + 1])
{
    unsigned char hash[SUM_BYTES];

    crypto_generichash(hash, sizeof(hash), (const unsigned char *)text, length, NULL, 0);
    sodium_bin2hex(sum, 2 * SUM_BYTES + 1, hash, sizeof(hash));
}

static void format_slot(const struct head *head, char slot[SLOT_SIZE])
{
    char store[2 * STORE_ID_BYTES + 1], hash[2 * STORE_HASH_BYTES + 1], sum[2 * SUM_BYTES + 1];
    char start[2 * STORE_ID_BYTES + 1];
    int length;

    sodium_bin2hex(store, sizeof(store), head->store_id, STORE_ID_BYTES);
    sodium_bin2hex(start, sizeof(start), head->start_id, STORE_ID_BYTES);
    sodium_bin2hex(hash, sizeof(hash), head->hash, STORE_HASH_BYTES);
    memset(slot, 0, SLOT_SIZE);
    length = snprintf(slot, SLOT_SIZE, FORMAT, store, head->commit, hash, head->written_ms, head->cluster_ms,
                      head->epoch, start, head->last_app_seq);
    sum_text(slot, (size_t)length, sum);
    snprintf(slot + length, SLOT_SIZE - (size_t)length, "sum %s\n", sum);
}

static bool parse_hex(const char *text, uint8_t *bytes, size_t size)
{
    size_t length;

    return sodium_hex2bin(bytes, size, text, strlen(text), NULL, &length, NULL) == 0 && length == size;
}

static bool parse_slot(const char slot[SLOT_SIZE + 1], struct head *head)
{
    const char *sum_line = strstr(slot, "\nsum ");
    char store[2 * STORE_ID_BYTES + 1], hash[2 * STORE_HASH_BYTES + 1], sum[2 * SUM_BYTES + 1];
    char start[2 * STORE_ID_BYTES + 1];

    if (sum_line == NULL)
        return false;
    sum_text(slot, (size_t)(sum_line + 1 - slot), sum);
    if (strncmp(sum_line + strlen("\nsum "), sum, strlen(sum)) != 0)
        return false;
    return sscanf(slot,
                  "creel-head 1 store %32s commit %" SCNu64 " hash %64s written_ms %" SCNd64
                  " cluster_ms %" SCNd64 " epoch %" SCNu32 " start %32s last_app %" SCNu32,
                  store, &head->commit, hash, &head->written_ms, &head->cluster_ms, &head->epoch, start,
                  &head->last_app_seq) == 8 &&
           parse_hex(start, head->start_id, STORE_ID_BYTES) &&
           parse_hex(store, head->store_id, STORE_ID_BYTES) && parse_hex(hash, head->hash, STORE_HASH_BYTES);
}

int head_read(const char *directory, struct head *ret, struct err *err)
{
    scoped_free char *file = mem_printf("%s/%s", directory, HEAD_NAME);
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDONLY, 0, err);
    bool found = false, written = false;

    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    for (int i = 0; i < SLOTS; i++) {
        char slot[SLOT_SIZE + 1] = "";
        struct head head;
        ssize_t got = pread(fd, slot, SLOT_SIZE, (off_t)i * SLOT_SIZE);

        if (got < 0)
            return err_set_errno(err, errno, "%s: cannot read", file);
        written = written || slot[0] != '\0';
        if (!parse_slot(slot, &head) || (found && head.commit < ret->commit))
            continue;
        *ret = head;
        found = true;
    }
    /* The file was created, but no slot was written: the process ended during the first commit. */
    if (!found && !written)
        return 0;
    return found ? 1
                 : err_set(err, EBADMSG,
                           "%s: is damaged: it cannot be seen which commit was the "
                           "last",
                           file);
}

bool head_has_room(int64_t size)
{
    return size >= SLOTS * SLOT_SIZE;
}

int head_open(const char *directory, int *ret_fd, struct err *err)
{
    static const char nothing[SLOTS * SLOT_SIZE];
    scoped_free char *file = mem_printf("%s/%s", directory, HEAD_NAME);
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDWR | O_CREAT, 0600, err);
    struct stat status;
    int r;

    if (fd < 0)
        return fd;
    if (fstat(fd, &status) < 0)
        return err_set_errno(err, errno, "%s: cannot open", file);
    if (status.st_size < (off_t)sizeof(nothing)) {
        size_t missing = sizeof(nothing) - (size_t)status.st_size;
        ssize_t put = pwrite(fd, nothing, missing, status.st_size);

        if (put != (ssize_t)missing || fsync(fd) < 0)
            return err_set_errno(err, put < 0 ? errno : ENOSPC, "%s: cannot write", file);
        if ((r = file_sync_directory(AT_FDCWD, file)) < 0)
            return err_set_errno(err, -r, "%s: cannot be written to the disk", directory);
    }
    *ret_fd = fd_take(&fd);
    return 0;
}

/* Sends written data to the disk, or waits for it, as the flags HOW specify. File systems that do not support
 * this depend on head_sync. */
static int push(int fd, const char *directory, unsigned how, struct err *err)
{
    if (sync_file_range(fd, 0, SLOTS * SLOT_SIZE, how) < 0 && (errno == EIO || errno == ENOSPC))
        return err_set_errno(err, errno, "%s/%s: cannot write", directory, HEAD_NAME);
    return 0;
}

int head_write(int fd, const char *directory, const struct head *head, struct err *err)
{
    off_t place = (off_t)(head->commit % SLOTS) * SLOT_SIZE;
    char slot[SLOT_SIZE];
    ssize_t put;

    format_slot(head, slot);
    put = pwrite(fd, slot, sizeof(slot), place);
    if (put != (ssize_t)sizeof(slot))
        return err_set_errno(err, put < 0 ? errno : ENOSPC, "%s/%s: cannot write", directory, HEAD_NAME);
    return push(fd, directory, SYNC_FILE_RANGE_WRITE, err);
}

int head_settle(int fd, const char *directory, struct err *err)
{
    return push(fd, directory, SYNC_FILE_RANGE_WAIT_BEFORE, err);
}

int head_sync(int fd, const char *directory, struct err *err)
{
    if (fdatasync(fd) < 0)
        return err_set_errno(err, errno, "%s/%s: cannot write", directory, HEAD_NAME);
    return 0;
}
