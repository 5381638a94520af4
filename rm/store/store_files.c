/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_files.c - are the files of the open store still those in the directory?
 *
 * SQLite has the database, its write-ahead log and its index open by descriptor, so it goes on with files
 * that were removed. store_files_look compares each file with what store_files_note has noted: another inode
 * means that it was replaced, another size or time of change that another process has written to it. Between
 * two transactions only this process writes to them, so both are called around each transaction. The files
 * are not opened here: to close one would release the locks that SQLite has on it (store_open.c).
 */
#include <errno.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "rm/store/store_sqlite.h"

/* Types of file systems that linux/magic.h lacks. */
#define JFS_MAGIC 0x3153464a
#define ZFS_MAGIC 0x2fc12fc1
#define BCACHEFS_MAGIC 0xca451a4e

static const char *const suffixes[STORE_FILES] = {
    [STORE_FILE_DATABASE] = "",
    [STORE_FILE_LOG] = "-wal",
    [STORE_FILE_INDEX] = "-shm",
};

/* Returns -errno of the file. */
static int stat_file(const struct sqlite_store *store, size_t file, struct stat *status)
{
    scoped_free char *path = mem_printf("%s%s", store->file, suffixes[file]);

    return stat(path, status) < 0 ? -errno : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool store_is_local_type(uint32_t type)
{
    static const uint32_t local_types[] = {
        BTRFS_SUPER_MAGIC,
        EXT4_SUPER_MAGIC,
        F2FS_SUPER_MAGIC,
        NILFS_SUPER_MAGIC,
        RAMFS_MAGIC,
        REISERFS_SUPER_MAGIC,
        OVERLAYFS_SUPER_MAGIC,
        TMPFS_MAGIC,
        XFS_SUPER_MAGIC,
        JFS_MAGIC,
        ZFS_MAGIC,
        BCACHEFS_MAGIC,
    };

    for (size_t i = 0; i < sizeof(local_types) / sizeof(*local_types); i++)
        if (local_types[i] == type)
            return true;
    return false;
}

bool store_is_local(const char *directory, uint32_t *ret_type)
{
    struct statfs status = { 0 };

    if (statfs(directory, &status) < 0)
        status.f_type = 0;
    *ret_type = (uint32_t)status.f_type;
    return store_is_local_type(*ret_type);
}

/* Returns whether times of files are those of this host: a server sets them later, by its own clock. */
static bool has_local_times(const struct sqlite_store *store)
{
    uint32_t type;

    return store_is_local(store->directory, &type);
}

void store_files_note(struct sqlite_store *store)
{
    struct file_mark *directory = &store->directory_mark;

    if (!directory->known)
        directory->known = stat(store->directory, &directory->status) == 0;
    for (size_t i = 0; i < STORE_FILES; i++) {
        struct file_mark *mark = &store->marks[i];
        struct stat status;

        if (stat_file(store, i, &status) == 0 && (!mark->known || is_same(&status, &mark->status))) {
            mark->known = true;
            mark->status = status;
        }
    }
}

void store_files_look(struct sqlite_store *store)
{
    for (size_t i = 0; i < STORE_FILE_INDEX; i++) { /* the index is mapped: its time is not that of a write */
        struct file_mark *mark = &store->marks[i];
        struct stat status;

        if (mark->known && !mark->changed && stat_file(store, i, &status) == 0 &&
            is_same(&status, &mark->status) && !is_unchanged(&status, &mark->status))
            mark->changed = status.st_size < mark->status.st_size || has_local_times(store);
    }
}

static int judge_file(struct sqlite_store *store, size_t file, struct err *err)
{
    const struct file_mark *mark = &store->marks[file];
    struct stat status;
    const char *fault;
    int r;

    if (!mark->known)
        return 0;
    r = stat_file(store, file, &status);
    if (r < 0 && r != -ENOENT && r != -ENOTDIR) {
        (void)err_set_errno(err, -r, "%s%s: cannot be looked at", store->file, suffixes[file]);
        return -ESTALE;
    }
    if (r < 0)
        fault = "was removed";
    else if (!is_same(&status, &mark->status))
        fault = "was replaced";
    else if (mark->changed)
        fault = "was written to by another process";
    else
        return 0;
    return err_set(err, ESTALE, "%s%s %s", store->file, suffixes[file], fault);
}

/* The files below an unmounted directory, or in a copy, may have the same names. */
static int judge_directory(const struct sqlite_store *store, struct err *err)
{
    const struct file_mark *mark = &store->directory_mark;
    struct stat status;

    if (!mark->known || stat(store->directory, &status) < 0 || is_same(&status, &mark->status))
        return 0;
    return err_set(
        err, ESTALE,
        "%s is not the directory that creel-rm uses: it was replaced, or its file system unmounted",
        store->directory);
}

/* --- lock and head, which are made again ------------------------------------------------- */

static bool is_in_place(const char *path, int fd)
{
    struct stat found, open_one;

    return fd >= 0 && stat(path, &found) == 0 && fstat(fd, &open_one) == 0 && is_same(&found, &open_one);
}

/* Locks the directory that is at the path now, so that no other process takes it for unused. The first lock
 * is kept: the first directory may come back. Returns 1 if it made a lock. */
static int keep_lock(struct sqlite_store *store, struct err *err)
{
    scoped_free char *path = mem_printf("%s/" LOCK_NAME, store->directory);
    int r;

    if (is_in_place(path, store->lock_fd) || is_in_place(path, store->second_lock_fd))
        return 0;
    mem_close_fd(&store->second_lock_fd);
    store->second_lock_fd = -1;
    r = store_lock_directory(store->directory, &store->second_lock_fd, err);
    return r < 0 ? r : 1;
}

/* Writes the head again if it is not the one that was written. Returns 1 if it did. */
static int keep_head(struct sqlite_store *store, struct err *err)
{
    scoped_free char *path = mem_printf("%s/" HEAD_NAME, store->directory);
    struct stat status;
    int r;

    if (is_in_place(path, store->head_fd) && stat(path, &status) == 0 && head_has_room(status.st_size))
        return 0;
    mem_close_fd(&store->head_fd);
    store->head_fd = -1;
    store->head_due = true;
    store->head_synced_ms = 0;
    r = store_chain_write_head(store, err);
    return r < 0 ? r : 1;
}

int store_files_watch(struct sqlite_store *store, struct err *err)
{
    struct err lock_reason = { 0 }, head_reason = { 0 };
    int r, lock = 0, head = 0;

    store_files_look(store);
    if (access(store->directory, F_OK) == 0) {
        lock = keep_lock(store, &lock_reason);
        head = keep_head(store, &head_reason);
    }
    if ((r = judge_directory(store, err)) < 0)
        return r;
    for (size_t i = 0; i < STORE_FILES; i++)
        if ((r = judge_file(store, i, err)) < 0)
            return r;
    if (head < 0) {
        *err = head_reason;
        return head;
    }
    if (lock < 0)
        return err_set(err, ENOLCK, "%s", lock_reason.text);
    if (lock == 0 && head == 0)
        return 0;
    (void)err_set(err, ENOENT, "%s/%s was removed or replaced: it is made again", store->directory,
                  head > 0 ? HEAD_NAME : LOCK_NAME);
    return 1;
}
