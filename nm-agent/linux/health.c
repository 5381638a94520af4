/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.c - whether disks and control groups can take another container
 *
 * Room and inodes are looked at every time, which is cheap; whether a file can
 * really be written only now and then.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/container.h"

#define PROBE_MS 10000
#define ENOUGH_BYTES (1ULL << 30)       /* on a large disk one percent is more than is needed */

static bool has_room(const char *path, char *report, size_t size)
{
    struct statvfs status;
    uint64_t free_bytes, all_bytes;

    if (statvfs(path, &status) != 0) {
        snprintf(report, size, "%s: %s", path, strerror(errno));
        return false;
    }
    if (status.f_flag & ST_RDONLY) {
        snprintf(report, size, "%s: the file system is read-only", path);
        return false;
    }
    free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
    all_bytes = (uint64_t)status.f_blocks * status.f_frsize;
    if (free_bytes < all_bytes / 100 && free_bytes < ENOUGH_BYTES) {
        snprintf(report, size, "%s: the disk is full (%" PRIu64 " of %" PRIu64 " MiB are free)",
                 path, free_bytes >> 20, all_bytes >> 20);
        return false;
    }
    if (status.f_files > 0 && status.f_favail < status.f_files / 100 &&
        status.f_favail < 100000) {
        snprintf(report, size, "%s: the disk is out of inodes (%" PRIu64 " of %" PRIu64
                 " are free)", path, (uint64_t)status.f_favail, (uint64_t)status.f_files);
        return false;
    }
    return true;
}

static bool can_write(const char *path, char *report, size_t size)
{
    scoped_free char *name = mem_printf("%s/.creel-probe", path);
    scoped_fd int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, "probe\n", 6) == 6;

    if (!good)
        snprintf(report, size, "%s: cannot be written: %s", path, strerror(errno));
    unlink(name);
    return good;
}

static bool each(const struct runtime *runtime, bool (*check)(const char *, char *, size_t),
                 char *report, size_t size)
{
    bool good = check(runtime->state_dir, report, size);

    for (char **dir = runtime->local_dirs; *dir && good; dir++)
        good = check(*dir, report, size);
    for (char **dir = runtime->log_dirs; *dir && good; dir++)
        good = check(*dir, report, size);
    return good;
}

bool runtime_healthy(struct runtime *runtime, char *report, size_t size)
{
    int64_t now_ms = monotonic_ms();
    struct err err = { .code = 0 };

    report[0] = '\0';
    if (keeper_check(&runtime->keeper, &err) < 0) {
        snprintf(report, size, "%s", err.text);
        return false;
    }
    if (!each(runtime, has_room, report, size))
        return false;
    if (runtime->probed_ms == 0 || now_ms - runtime->probed_ms >= PROBE_MS) {
        runtime->probed_ms = now_ms;
        runtime->disk_report[0] = '\0';
        each(runtime, can_write, runtime->disk_report, sizeof(runtime->disk_report));
    }
    snprintf(report, size, "%s", runtime->disk_report);
    return runtime->disk_report[0] == '\0';
}
