/* SPDX-License-Identifier: Apache-2.0 */
/* disk_health.c - checks whether disks can be used for new containers */
#include "nm-agent/linux/disk_health.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/mem.h"

#define ENOUGH_BYTES \
    (1ULL << 30) /* free bytes that are enough even if they are less than one
                    percent */

/* --- one disk ---------------------------------------------------------------- */

static bool is_bad(struct disk *disk, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool is_bad(struct disk *disk, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(disk->why, sizeof(disk->why), format, args);
    va_end(args);
    return false;
}

/* Returns true if DISK has the free space that is needed whatever the configuration allows. */
static bool has_any_room(struct disk *disk, const struct statvfs *status)
{
    uint64_t free_bytes = (uint64_t)status->f_bavail * status->f_frsize;
    uint64_t all_bytes = (uint64_t)status->f_blocks * status->f_frsize;

    if (status->f_flag & ST_RDONLY)
        return is_bad(disk, "%s: the file system is read-only", disk->path);
    if (free_bytes < all_bytes / 100 && free_bytes < ENOUGH_BYTES)
        return is_bad(disk, "%s: the disk is full (%" PRIu64 " of %" PRIu64 " MiB are free)", disk->path,
                      free_bytes >> 20, all_bytes >> 20);
    if (status->f_files > 0 && status->f_favail < status->f_files / 100 && status->f_favail < 100000)
        return is_bad(disk, "%s: the disk is out of inodes (%" PRIu64 " of %" PRIu64 " are free)", disk->path,
                      (uint64_t)status->f_favail, (uint64_t)status->f_files);
    return true;
}

static bool has_room_by_keys(struct disk *disk, const struct runtime_health *rules,
                             const struct statvfs *status)
{
    double free_bytes = (double)status->f_bavail * (double)status->f_frsize;
    double all_bytes = (double)status->f_blocks * (double)status->f_frsize;
    double used = all_bytes > 0 ? 100 - 100 * free_bytes / all_bytes : 0;

    disk->too_full = used > (disk->too_full ? rules->watermark_percent : rules->used_percent_max);
    if (disk->too_full)
        return is_bad(disk,
                      "%s: the disk is used to %.1f%%, at most %.1f%% are allowed "
                      "(max-disk-utilization-per-disk-percentage)",
                      disk->path, used, rules->used_percent_max);
    if (free_bytes < (double)rules->free_mb_min * 1048576)
        return is_bad(disk,
                      "%s: %.0f MiB of the disk are free, at least %" PRId64 " must be "
                      "(min-free-space-per-disk-mb)",
                      disk->path, free_bytes / 1048576, rules->free_mb_min);
    return true;
}

static bool can_write(struct disk *disk)
{
    scoped_free char *name = mem_printf("%s/.creel-probe", disk->path);
    scoped_fd int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, "probe\n", 6) == 6;
    int code = errno;

    unlink(name);
    return good || is_bad(disk, "%s: cannot be written: %s", disk->path, strerror(code));
}

void disk_check(struct disk *disk, const struct runtime_health *rules, bool probe)
{
    struct statvfs status;

    disk->measured = false;
    if (disk->closed)
        return;
    if (statvfs(disk->path, &status) != 0) {
        disk->bad = !is_bad(disk, "%s: %s", disk->path, strerror(errno));
        return;
    }
    disk->measured = true;
    disk->free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
    if (!has_any_room(disk, &status) || (rules && !has_room_by_keys(disk, rules, &status))) {
        disk->bad = true;
        return;
    }
    /* A bad disk is always tested by a write. */
    if ((probe || disk->bad) && !can_write(disk)) {
        disk->bad = true;
        return;
    }
    disk->bad = false;
    disk->why[0] = '\0';
}

void disk_set_closed(struct disk *disk, const char *why)
{
    disk->closed = disk->bad = true;
    is_bad(disk, "%s", why);
}

/* --- all disks of one key ------------------------------------------------------- */

struct disks disks_new(const char *key, char *const *dirs)
{
    struct disks disks = { .key = key };

    while (dirs[disks.count] != NULL)
        disks.count++;
    disks.items = mem_array0(disks.count + 1, sizeof(*disks.items));
    for (size_t i = 0; i < disks.count; i++)
        disks.items[i].path = mem_strdup(dirs[i]);
    return disks;
}

void disks_clear(struct disks *disks)
{
    for (size_t i = 0; i < disks->count; i++)
        free(disks->items[i].path);
    free(disks->items);
    *disks = (struct disks){ .count = 0 };
}

bool disks_check(struct disks *disks, const struct runtime_health *rules, bool probe,
                 struct health_report *report)
{
    size_t good = 0;
    char text[160];

    for (size_t i = 0; i < disks->count; i++) {
        disk_check(&disks->items[i], rules, probe);
        good += !disks->items[i].bad;
    }
    if (good == disks->count)
        return true;
    if (disks->count > 1) {
        snprintf(text, sizeof(text), "%zu of %zu %s are bad", disks->count - good, disks->count, disks->key);
        health_report_add(report, text);
    }
    for (size_t i = 0; i < disks->count; i++)
        health_report_add(report, disks->items[i].why);
    return good > 0 && (double)good >= (double)disks->count * rules->disks_min;
}

void health_report_add(struct health_report *report, const char *text)
{
    size_t length = strlen(report->text);

    if (*text != '\0' && length + 3 < report->size)
        snprintf(report->text + length, report->size - length, "%s%s", length > 0 ? "; " : "", text);
}
