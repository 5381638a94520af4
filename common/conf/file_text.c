/* SPDX-License-Identifier: Apache-2.0 */
/* file_text.c - reads a whole file that people edit, and decides when to read the file again */
#include "common/conf/file_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define TRIES 3 /* attempts to read a file that changes while it is read */
#define NS_PER_MS 1000000

/* --- marks ------------------------------------------------------------------ */

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000 * NS_PER_MS + time->tv_nsec;
}

static struct file_mark mark_of(const struct stat *info)
{
    return (struct file_mark){
        .there = true,
        .device = info->st_dev,
        .inode = info->st_ino,
        .size = info->st_size,
        .modified_ns = ns_of(&info->st_mtim),
        .changed_ns = ns_of(&info->st_ctim),
    };
}

struct file_mark file_mark_of(const char *path)
{
    struct stat info;

    return stat(path, &info) < 0 ? (struct file_mark){ .there = false } : mark_of(&info);
}

bool file_mark_equal(const struct file_mark *a, const struct file_mark *b)
{
    return a->there == b->there && a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

/* --- reading ---------------------------------------------------------------- */

static int open_plain(const char *path, size_t most, struct file_mark *mark, struct err *err)
{
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    int opened;

    if (fd < 0 || fstat(fd, &info) < 0)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    if (S_ISDIR(info.st_mode))
        return err_set(err, EINVAL, "%s: is a directory: expected a file", path);
    if (!S_ISREG(info.st_mode))
        return err_set(err, EINVAL, "%s: expected a plain file", path);
    if ((uint64_t)info.st_size > most)
        return err_set(err, EINVAL, "%s: has %lld bytes: expected at most %zu", path, (long long)info.st_size,
                       most);
    *mark = mark_of(&info);
    opened = fd;
    fd = -1;
    return opened;
}

/* Reads the file once. -EAGAIN: the file changed while it was read. */
static int read_once(const char *path, size_t most, char **text, size_t *size, struct err *err)
{
    struct file_mark before = { .there = false }, after;
    scoped_free char *bytes = NULL;
    scoped_fd int fd = open_plain(path, most, &before, err);
    int r;

    if (fd < 0)
        return fd;
    r = file_read(fd, most, &bytes, size);
    if (r < 0 && r != -EFBIG)
        return err_set_errno(err, -r, "%s: cannot be read", path);
    after = file_mark_of(path);
    if (r < 0 || *size != (size_t)before.size || !file_mark_equal(&before, &after))
        return err_set(err, EAGAIN, "%s: is changed while it is read", path);
    *text = bytes;
    bytes = NULL;
    return 0;
}

int file_text_read(const char *path, size_t most, char **text, size_t *size, struct err *err)
{
    int r = -EAGAIN;

    for (int i = 0; i < TRIES && r == -EAGAIN; i++)
        r = read_once(path, most, text, size, err);
    return r;
}

/* --- when to read a file again ---------------------------------------------- */

static int64_t last_touched_ms(const struct file_mark *mark)
{
    int64_t ns = mark->changed_ns > mark->modified_ns ? mark->changed_ns : mark->modified_ns;

    return ns / NS_PER_MS;
}

void file_watch_note_read(struct file_watch *watch, const struct file_mark *mark)
{
    watch->taken = watch->seen = *mark;
}

enum file_watch_verdict file_watch_check(struct file_watch *watch, const struct file_mark *mark,
                                         int64_t now_ms, int64_t quiet_ms)
{
    bool rests;

    if (file_mark_equal(mark, &watch->taken)) {
        watch->seen = *mark;
        return FILE_WATCH_REST;
    }
    if (!file_mark_equal(mark, &watch->seen)) {
        watch->seen = *mark;
        watch->seen_ms = now_ms;
    }
    /* The file's times may be from another machine's clock, or set by a user: in that case only the time
     * since this process first saw the mark counts. */
    rests =
        now_ms - watch->seen_ms >= quiet_ms || (mark->there && now_ms - last_touched_ms(mark) >= quiet_ms);
    if (!rests)
        return FILE_WATCH_REST;
    watch->taken = *mark;
    return mark->there ? FILE_WATCH_READ : FILE_WATCH_GONE;
}
