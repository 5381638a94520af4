/* SPDX-License-Identifier: Apache-2.0 */
/* expire.c - deletes aggregated logs of one user that are older than the time for which they are kept */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "nm-agent/linux/aggregate/aggregate.h"
#include "nm-agent/linux/aggregate/place.h"

#define MARK ".checked"

static int64_t modified_ms(const struct stat *status)
{
    return (int64_t)status->st_mtim.tv_sec * 1000 + status->st_mtim.tv_nsec / 1000000;
}

/* Returns true if the user's files were checked less than INTERVAL_MS before NOW_MS. */
static bool is_checked(int fd, int64_t now_ms, int64_t interval_ms)
{
    struct stat status;

    return fstatat(fd, MARK, &status, AT_SYMLINK_NOFOLLOW) == 0 && modified_ms(&status) <= now_ms &&
           modified_ms(&status) > now_ms - interval_ms;
}

static int set_mark(int fd)
{
    scoped_fd int mark_fd = openat(fd, MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0640);

    return mark_fd < 0 || futimens(mark_fd, NULL) != 0 ? -errno : 0;
}

static bool is_ours(const char *name)
{
    return text_has_suffix(name, ".tar.gz") || text_has_suffix(name, ".tar.gz.tmp");
}

/* Deletes the old files of one application. A file that cannot be deleted stays until the next time. */
static void expire_app(int parent_fd, const char *app_id, int64_t before_ms)
{
    int fd = openat(parent_fd, app_id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    struct stat status;

    if (stream == NULL) {
        mem_close_fd(&fd);
        return;
    }
    while ((entry = readdir(stream)) != NULL) {
        if (is_ours(entry->d_name) && fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode) && modified_ms(&status) < before_ms)
            (void)unlinkat(fd, entry->d_name, 0);
    }
    /* Only an empty directory can be deleted. One that was just made for a new file may be empty, too. */
    if (fstat(fd, &status) == 0 && modified_ms(&status) < before_ms)
        (void)unlinkat(parent_fd, app_id, AT_REMOVEDIR);
    closedir(stream);
}

static void expire_all(DIR *stream, int64_t before_ms)
{
    struct dirent *entry;
    struct app_id id;

    while ((entry = readdir(stream)) != NULL)
        if (app_id_parse(entry->d_name, &id))
            expire_app(dirfd(stream), entry->d_name, before_ms);
}

int aggregate_expire(const struct aggregate_place *place, int64_t now_ms, int64_t retain_ms,
                     int64_t interval_ms, int *kind, struct err *err)
{
    scoped_fd int fd = place_open(place, false, kind, err);
    DIR *stream;
    int r;

    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return fd;
    if (is_checked(fd, now_ms, interval_ms))
        return 0;
    r = set_mark(fd);
    if (r < 0) {
        *kind = place_kind(-r);
        return err_set_errno(err, -r, "%s/%s/%s/" MARK, place->base, place->user, place->suffix);
    }
    stream = fdopendir(fd);
    if (stream == NULL)
        return err_set_errno(err, errno, "%s/%s/%s", place->base, place->user, place->suffix);
    (void)fd_take(&fd);
    expire_all(stream, now_ms - retain_ms);
    closedir(stream);
    return 0;
}

/* --- room ------------------------------------------------------------------------ */

bool aggregate_lacks_room(const char *base, uint64_t free_bytes, uint64_t size_bytes, char *text, size_t size)
{
    uint64_t reserve = size_bytes / 100 * AGGREGATE_RESERVE_PERCENT;

    if (reserve > AGGREGATE_RESERVE_MAX_BYTES)
        reserve = AGGREGATE_RESERVE_MAX_BYTES;
    if (free_bytes >= reserve)
        return false;
    snprintf(text, size,
             "shared storage of logs has little room: %" PRIu64 " MiB of %" PRIu64
             " MiB are free (%s): remove old logs, or enlarge it",
             free_bytes >> 20, size_bytes >> 20, base);
    return true;
}
