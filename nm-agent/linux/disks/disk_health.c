/* SPDX-License-Identifier: Apache-2.0 */
/* disk_health.c - checks whether disks can be used for new containers */
#include "nm-agent/linux/disks/disk_health.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "common/base/directory_probe.h"
#include "common/base/mem.h"
#include "common/base/monotonic.h"
#include "common/base/text_print.h"

#define ENOUGH_BYTES \
    (1ULL << 30) /* free bytes that are enough even if they are less than one
                    percent */

/* --- one disk ---------------------------------------------------------------- */

static bool is_bad(struct disk *disk, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool is_bad(struct disk *disk, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    text_vprint(disk->why, sizeof(disk->why), format, args);
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
    if (status->f_files > 0 && status->f_favail < (status->f_files + 99) / 100 && status->f_favail < 100000)
        return is_bad(disk,
                      "%s: the disk is out of inodes (%" PRIu64 " of %" PRIu64 " are free): remove files",
                      disk->path, (uint64_t)status->f_favail, (uint64_t)status->f_files);
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

/* --- the check, in the threads of the disk -------------------------------------- */

struct check {
    struct worker_job job; /* first member */
    struct disk *disk;     /* used by the loop alone */
    char *path;            /* owned */
    struct disk_finding found;
    int write_error; /* of a synced write */
};

static void run_check(struct worker_job *job)
{
    struct check *check = (struct check *)job;

    if (statvfs(check->path, &check->found.status) != 0)
        check->found.error = errno;
    else
        check->found.create_error = directory_probe(check->path, false);
}

static void run_write(struct worker_job *job)
{
    struct check *check = (struct check *)job;

    check->write_error = directory_probe(check->path, true);
}

static void free_check(struct check *check)
{
    free(check->path);
    free(check);
}

static void end_check(struct worker_job *job)
{
    struct check *check = (struct check *)job;

    check->disk->found = check->found;
    check->disk->asked_ms = 0;
    free_check(check);
}

static void end_write(struct worker_job *job)
{
    struct check *check = (struct check *)job;

    check->disk->write_error = check->write_error;
    check->disk->write_ms = 0;
    free_check(check);
}

/* Runs a job in WORKER (NULL: at once). */
static void begin(struct disk *disk, struct worker *worker, void (*run)(struct worker_job *job),
                  void (*done)(struct worker_job *job))
{
    struct check *check = mem_new0(struct check);

    check->job = (struct worker_job){ .run = run, .done = done };
    check->disk = disk;
    check->path = mem_strdup(disk->path);
    if (worker != NULL)
        worker_add(worker, &check->job);
    else
        disk_run(NULL, &check->job);
}

/* Returns the thread of synced writes. */
static struct worker *writer_of(const struct disk *disk)
{
    return disk->writer != NULL ? disk->writer : disk->worker;
}

static void begin_write(struct disk *disk, int64_t now_ms)
{
    if (disk->write_ms != 0 && disk->writer != NULL)
        worker_finish(disk->writer);
    if (disk->write_ms != 0)
        return;
    disk->write_ms = now_ms;
    disk->write_is_awaited = true;
    begin(disk, writer_of(disk), run_write, end_write);
}

void disk_check_begin(struct disk *disk, bool probe, int64_t now_ms)
{
    if (disk->closed || disk->asked_ms != 0)
        return;
    disk->asked_ms = now_ms;
    begin(disk, disk->worker, run_check, end_check);
    if (probe || disk->bad)
        begin_write(disk, now_ms);
}

static int64_t left_ms(int64_t until_ms)
{
    int64_t now_ms = monotonic_ms();

    return until_ms > now_ms ? until_ms - now_ms : 0;
}

void disk_check_wait(struct disk *disk, int64_t until_ms)
{
    if (disk->asked_ms != 0 && !disk_is_late(disk) && !worker_wait(disk->worker, left_ms(until_ms)))
        disk->late = monotonic_ms() - disk->asked_ms >= DISK_WAIT_MS;
    if (disk->write_ms == 0 || disk->late)
        return;
    (void)worker_wait(writer_of(disk), disk->write_is_awaited ? left_ms(until_ms) : 0);
    disk->write_is_awaited = false;
}

/* --- the verdict ----------------------------------------------------------------- */

static bool is_good(struct disk *disk, const struct runtime_health *rules)
{
    const struct disk_finding *found = &disk->found;
    int error;

    if (found->error != 0)
        return is_bad(disk, "%s: %s", disk->path, strerror(found->error));
    disk->measured = true;
    disk->free_bytes = (uint64_t)found->status.f_bavail * found->status.f_frsize;
    disk->inodes = found->status.f_files;
    disk->free_inodes = found->status.f_favail;
    if (!has_any_room(disk, &found->status) || (rules && !has_room_by_keys(disk, rules, &found->status)))
        return false;
    error = found->create_error != 0 ? found->create_error : disk->write_error;
    return error == 0 || is_bad(disk, "%s: cannot be written: %s", disk->path, strerror(error));
}

void disk_judge(struct disk *disk, const struct runtime_health *rules, int64_t now_ms)
{
    if (disk->asked_ms != 0 && now_ms - disk->asked_ms <= DISK_SILENT_MS)
        return; /* the last verdict still counts */
    disk->measured = false;
    if (disk->closed)
        return;
    if (disk->asked_ms != 0)
        disk->bad = !is_bad(disk, "%s " DISK_NO_ANSWER, disk->path);
    else if (disk->write_ms != 0 && now_ms - disk->write_ms > DISK_SYNC_MAX_MS)
        disk->bad = !is_bad(disk, "%s: a synced write has not ended within %d s: look at its disk or mount",
                            disk->path, DISK_SYNC_MAX_MS / 1000);
    else
        disk->bad = !is_good(disk, rules);
    if (!disk->bad)
        disk->why[0] = '\0';
}

bool disk_is_noexec(const struct disk *disk)
{
    return disk->measured && (disk->found.status.f_flag & ST_NOEXEC) != 0;
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

bool disks_clear(struct disks *disks)
{
    bool ended = true;

    for (size_t i = 0; i < disks->count; i++) {
        ended = disk_io_end(&disks->items[i]) && ended;
        free(disks->items[i].path);
    }
    free(disks->items);
    *disks = (struct disks){ .count = 0 };
    return ended;
}

void disks_check_begin(struct disks *disks, bool probe, int64_t now_ms)
{
    for (size_t i = 0; i < disks->count; i++)
        disk_check_begin(&disks->items[i], probe, now_ms);
}

void disks_check_wait(struct disks *disks, int64_t until_ms)
{
    for (size_t i = 0; i < disks->count; i++)
        disk_check_wait(&disks->items[i], until_ms);
}

bool disks_judge(struct disks *disks, const struct runtime_health *rules, int64_t now_ms,
                 struct health_report *report)
{
    size_t good = 0;
    char text[160];

    for (size_t i = 0; i < disks->count; i++) {
        disk_judge(&disks->items[i], rules, now_ms);
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
    text_print_more(report->text, report->size, "%s", text);
}
