/* SPDX-License-Identifier: Apache-2.0 */
/* store_upgrade.c - copies the state before a new version changes its tables */
#include "rm/store/store_upgrade.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/store/store_sqlite.h"

#define COPY_PREFIX DATABASE_NAME ".schema-"
#define PART_SUFFIX ".part"
#define STAMP_LENGTH 16 /* 20261126T121500Z */
#define MARGIN_BYTES ((uint64_t)4 << 20)
#define KEY "creel.resourcemanager.upgrade-copies"

void store_upgrade_done(struct store_upgrade *upgrade)
{
    free(upgrade->copy);
    *upgrade = (struct store_upgrade){ 0 };
}

/* --- names ----------------------------------------------------------------------- */

/* Returns the time in the name of a copy; NULL: NAME is no copy. */
static const char *stamp_of(const char *name)
{
    const char *last = strrchr(name, '-');

    return text_has_prefix(name, COPY_PREFIX) && last != NULL && strlen(last + 1) == STAMP_LENGTH ? last + 1
                                                                                                  : NULL;
}

static int is_copy(const struct dirent *entry)
{
    return stamp_of(entry->d_name) != NULL;
}

static int oldest_first(const struct dirent **a, const struct dirent **b)
{
    return strcmp(stamp_of((*a)->d_name), stamp_of((*b)->d_name));
}

static char *new_name(const char *directory, int64_t schema, int64_t now_ms)
{
    time_t now = (time_t)(now_ms / 1000);
    char stamp[STAMP_LENGTH + 1];
    struct tm utc;

    gmtime_r(&now, &utc);
    if (strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc) != STAMP_LENGTH)
        snprintf(stamp, sizeof(stamp), "00000000T000000Z");
    return mem_printf("%s/" COPY_PREFIX "%" PRId64 "-%s", directory, schema, stamp);
}

/* Lists the copies in DIRECTORY, the oldest first. The caller frees the entries and the array. */
static int list_copies(const char *directory, struct dirent ***ret, size_t *count, struct err *err)
{
    int found = scandir(directory, ret, is_copy, oldest_first);

    if (found < 0)
        return err_set_errno(err, errno, "%s: cannot be listed", directory);
    *count = (size_t)found;
    return 0;
}

static void free_list(struct dirent **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

/* --- copies that exist --------------------------------------------------------------- */

/* Returns the time of the last change of the file NAME in DIRECTORY; zero: it is not there. */
static struct timespec changed_at(const char *directory, const char *name)
{
    scoped_free char *path = mem_printf("%s/%s", directory, name);
    struct stat status;

    return stat(path, &status) == 0 ? status.st_mtim : (struct timespec){ 0, 0 };
}

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Returns true if NAME is a copy of SCHEMA, made after the last change of the state: the start that made it
 * failed before the change. Otherwise a start that fails again and again would replace all copies. */
static bool is_fresh(const char *directory, const char *name, int64_t schema)
{
    scoped_free char *prefix = mem_printf(COPY_PREFIX "%" PRId64 "-", schema);
    struct timespec made = changed_at(directory, name);

    return text_has_prefix(name, prefix) && is_later(made, changed_at(directory, DATABASE_NAME)) &&
           is_later(made, changed_at(directory, DATABASE_NAME "-wal"));
}

/* Sets *RET to the path of a copy that can be used again; NULL: there is none. */
static int find_fresh(const char *directory, int64_t schema, char **ret, struct err *err)
{
    struct dirent **list;
    size_t count = 0;
    int r = list_copies(directory, &list, &count, err);

    *ret = NULL;
    if (r < 0)
        return r;
    if (count > 0 && is_fresh(directory, list[count - 1]->d_name, schema))
        *ret = mem_printf("%s/%s", directory, list[count - 1]->d_name);
    free_list(list, count);
    return 0;
}

static int remove_old(const char *directory, unsigned kept, struct err *err)
{
    struct dirent **list;
    size_t count = 0;
    int r = list_copies(directory, &list, &count, err);

    if (r < 0)
        return r;
    for (size_t i = 0; i + kept < count; i++) {
        scoped_free char *path = mem_printf("%s/%s", directory, list[i]->d_name);

        if (unlink(path) < 0 && errno != ENOENT && r == 0)
            r = err_set_errno(err, errno, "%s: cannot be removed", path);
    }
    free_list(list, count);
    return r;
}

/* --- room ------------------------------------------------------------------------------ */

static uint64_t size_of(const char *directory, const char *name)
{
    scoped_free char *path = mem_printf("%s/%s", directory, name);
    struct stat status;

    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* The change writes the tables once more, into the log. */
static int judge_room(const char *directory, const struct store_upgrade *upgrade, struct err *err)
{
    uint64_t size = size_of(directory, DATABASE_NAME) + size_of(directory, DATABASE_NAME "-wal");
    uint64_t needed = 2 * size + MARGIN_BYTES, available;
    struct statvfs file_system;

    if (statvfs(directory, &file_system) < 0)
        return err_set_errno(err, errno, "%s: cannot be accessed", directory);
    available = (uint64_t)file_system.f_bavail * file_system.f_frsize;
    if (available >= needed)
        return 0;
    return err_set(err, ENOSPC,
                   "%s: has %" PRIu64 " MiB left, but the upgrade of the state from schema %" PRId64
                   " to %" PRId64 ", with a copy of it, needs %" PRIu64
                   " MiB: nothing was changed; make room there, or set " KEY
                   " to 0 for an upgrade without a copy",
                   directory, available >> 20, upgrade->from, upgrade->to, (needed >> 20) + 1);
}

/* --- the copy --------------------------------------------------------------------------- */

static int make_copy(struct sqlite_store *store, const char *path, struct err *err)
{
    scoped_free char *part = mem_printf("%s" PART_SUFFIX, path);
    struct store_report report = { 0 };
    int r;

    (void)unlink(part);
    r = store_copy_database(store, part, err);
    if (r == 0)
        r = store_examine_copy(part, &report, err);
    store_report_done(&report);
    if (r == 0 && rename(part, path) < 0)
        r = err_set_errno(err, errno, "%s: cannot be made", path);
    if (r == 0)
        return store_sync_path(store->directory, O_RDONLY | O_DIRECTORY, err);
    (void)unlink(part);
    return r;
}

/* Reads the schema from the header of the database file, so that most starts need not check the state
 * twice. An upgrade that is still in the log is not seen here. -1: not known. */
static int64_t schema_in_header(const char *file)
{
    scoped_fd int fd = file_open(AT_FDCWD, file, O_RDONLY, 0, NULL);
    uint32_t version; /* of PRAGMA user_version, the highest byte first */

    if (fd < 0 || pread(fd, &version, sizeof(version), 60) != (ssize_t)sizeof(version))
        return -1;
    return (int64_t)ntohl(version);
}

/* Returns true if the state is sound and of an earlier schema. Any other state is left to
 * store_open_sqlite. */
static bool needs_copy(struct sqlite_store *store, struct store_upgrade *upgrade, struct err *err)
{
    struct store_report report = { 0 };
    bool old;

    if (schema_in_header(store->file) == upgrade->to)
        return false;
    old = store_examine(store, &report, err) == 0 &&
          (report.verdict == STORE_SOUND || report.verdict == STORE_EARLIER) && report.schema > 0 &&
          report.schema < upgrade->to;

    if (old)
        upgrade->from = report.schema;
    store_report_done(&report);
    return old;
}

static int prepare(struct sqlite_store *store, unsigned kept, int64_t now_ms, struct store_upgrade *upgrade,
                   struct err *err)
{
    int r = store_lock_directory(store->directory, &store->lock_fd, err);

    if (r < 0 || !needs_copy(store, upgrade, err) || kept == 0)
        return r;
    if ((r = find_fresh(store->directory, upgrade->from, &upgrade->copy, err)) < 0 || upgrade->copy != NULL)
        return r;
    if ((r = judge_room(store->directory, upgrade, err)) < 0 ||
        (store->database == NULL && (r = store_sqlite_connect(store, err)) < 0))
        return r;
    upgrade->copy = new_name(store->directory, upgrade->from, now_ms);
    if ((r = make_copy(store, upgrade->copy, err)) < 0) {
        err_prefix(err, "copy of the state before its upgrade (" KEY ")");
        return r;
    }
    return remove_old(store->directory, kept, err);
}

int store_upgrade_prepare(const char *directory, unsigned kept, int64_t now_ms, struct store_upgrade *ret,
                          struct err *err)
{
    struct store_upgrade upgrade = { .from = store_schema_newest(), .to = store_schema_newest() };
    struct sqlite_store *store = store_sqlite_new(directory);
    int r = prepare(store, kept, now_ms, &upgrade, err);

    store_close(&store->base);
    if (r < 0)
        store_upgrade_done(&upgrade);
    *ret = upgrade;
    return r;
}
