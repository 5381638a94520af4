/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c - read-only cache of submitted files, named by their BLAKE2b-256 hash */
#include "nm-agent/linux/disks/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "nm-agent/linux/parts/paths.h"

#define HASH_BYTES 32

struct arrival { /* a file that is received in parts */
    char hash_hex[65];
    uint64_t total, done;
    crypto_generichash_state state;
    int fd;
    TAILQ_ENTRY(arrival) link;
};

struct cache {
    int fd;
    int64_t size_bytes; /* 0: no limit */
    TAILQ_HEAD(, arrival) arrivals;
};

static char *part_name(const char *hash_hex)
{
    return mem_printf("%s.part", hash_hex);
}

static char *executable_name(const char *hash_hex)
{
    return mem_printf("%s.x", hash_hex);
}

/* --- opening --------------------------------------------------------------- */

static void remove_parts(const struct cache *cache)
{
    int fd = openat(cache->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL)
        if (text_has_suffix(entry->d_name, ".part"))
            unlinkat(cache->fd, entry->d_name, 0);
    if (stream != NULL)
        closedir(stream);
}

int cache_new(const char *state_dir, int64_t size_mb, struct cache **ret, struct err *err)
{
    scoped_free char *path = mem_printf("%s/cache", state_dir);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return err_set_errno(err, errno, "cannot open %s", path);
    if (sodium_init() < 0) {
        close(fd);
        return err_set(err, EIO, "libsodium cannot be used");
    }
    *ret = mem_new0(struct cache);
    (*ret)->fd = fd;
    (*ret)->size_bytes = size_mb > 0 ? size_mb * (1 << 20) : 0;
    TAILQ_INIT(&(*ret)->arrivals);
    remove_parts(*ret);
    return 0;
}

static void drop(struct cache *cache, struct arrival *arrival)
{
    scoped_free char *name = part_name(arrival->hash_hex);

    unlinkat(cache->fd, name, 0); /* after a rename this name does not exist */
    close(arrival->fd);
    TAILQ_REMOVE(&cache->arrivals, arrival, link);
    free(arrival);
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    while (!TAILQ_EMPTY(&cache->arrivals))
        drop(cache, TAILQ_FIRST(&cache->arrivals));
    close(cache->fd);
    free(cache);
}

bool cache_has(const struct cache *cache, const char *hash_hex)
{
    return paths_is_hash(hash_hex) && faccessat(cache->fd, hash_hex, F_OK, 0) == 0;
}

/* --- size limit ------------------------------------------------------------ */

struct entry {
    char name[72];
    int64_t bytes;
    struct timespec used;
    bool linked;
};

static int by_use(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static size_t list(const struct cache *cache, struct entry **entries, int64_t *sum)
{
    int fd = openat(cache->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    size_t count = 0, capacity = 0;
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        struct stat status;

        if (strlen(entry->d_name) >= sizeof((*entries)->name) ||
            fstatat(cache->fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
            continue;
        mem_grow(*entries, count, capacity);
        (*entries)[count] = (struct entry){
            .bytes = status.st_size,
            .used = status.st_atim,
            .linked = status.st_nlink > 1 || text_has_suffix(entry->d_name, ".part"),
        };
        memcpy((*entries)[count++].name, entry->d_name, strlen(entry->d_name) + 1);
        *sum += status.st_size;
    }
    if (stream != NULL)
        closedir(stream);
    return count;
}

/* Makes room for BYTES more. Files that live containers link to are not removed, so the limit can be
 * exceeded; a single file larger than the limit is refused. */
static int make_room(const struct cache *cache, uint64_t bytes, struct err *err)
{
    struct entry *entries = NULL;
    int64_t sum = 0;
    size_t count;

    if (cache->size_bytes == 0)
        return 0;
    if (bytes > (uint64_t)cache->size_bytes)
        return err_set(err, EFBIG,
                       "a file of %" PRIu64 " bytes does not fit into the cache of "
                       "%" PRId64 " MiB (yarn.nodemanager.localizer.cache.target-size-mb)",
                       bytes, cache->size_bytes >> 20);
    count = list(cache, &entries, &sum);
    if (count > 0)
        qsort(entries, count, sizeof(*entries), by_use);
    for (size_t i = 0; i < count && sum + (int64_t)bytes > cache->size_bytes; i++)
        if (!entries[i].linked && unlinkat(cache->fd, entries[i].name, 0) == 0)
            sum -= entries[i].bytes;
    free(entries);
    return 0;
}

/* --- receiving files ------------------------------------------------------- */

static struct arrival *find_arrival(struct cache *cache, const char *hash_hex)
{
    struct arrival *arrival;

    TAILQ_FOREACH(arrival, &cache->arrivals, link)
        if (strcmp(arrival->hash_hex, hash_hex) == 0)
            return arrival;
    return NULL;
}

static int begin(struct cache *cache, const char *hash_hex, uint64_t total, struct err *err)
{
    struct arrival *arrival = find_arrival(cache, hash_hex);
    scoped_free char *name = part_name(hash_hex);
    int result, fd;

    if (arrival != NULL)
        drop(cache, arrival);
    result = make_room(cache, total, err);
    if (result != 0)
        return result;
    fd = file_open(cache->fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600, NULL);
    if (fd < 0)
        return err_set_errno(err, -fd, "cannot write to the cache");
    arrival = mem_new0(struct arrival);
    memcpy(arrival->hash_hex, hash_hex, sizeof(arrival->hash_hex));
    arrival->total = total;
    arrival->fd = fd;
    crypto_generichash_init(&arrival->state, NULL, 0, HASH_BYTES);
    TAILQ_INSERT_TAIL(&cache->arrivals, arrival, link);
    return 0;
}

static int publish(struct cache *cache, struct arrival *arrival, struct err *err)
{
    scoped_free char *part = part_name(arrival->hash_hex);
    unsigned char hash[HASH_BYTES];
    char hash_hex[2 * HASH_BYTES + 1];

    crypto_generichash_final(&arrival->state, hash, sizeof(hash));
    sodium_bin2hex(hash_hex, sizeof(hash_hex), hash, sizeof(hash));
    if (strcmp(hash_hex, arrival->hash_hex) != 0)
        return err_set(err, EBADMSG, "file %.12s...: what arrived has another hash (%.12s...)",
                       arrival->hash_hex, hash_hex);
    if (fchmod(arrival->fd, 0444) != 0 || fsync(arrival->fd) != 0 ||
        renameat(cache->fd, part, cache->fd, arrival->hash_hex) != 0 || fsync(cache->fd) != 0)
        return err_set_errno(err, errno, "cannot keep file %.12s... in the cache", arrival->hash_hex);
    return 0;
}

static int append(struct arrival *arrival, const void *data, size_t size, struct err *err)
{
    int r = file_write(arrival->fd, data, size);

    if (r < 0)
        return err_set_errno(err, -r, "cannot write to the cache");
    crypto_generichash_update(&arrival->state, data, size);
    arrival->done += size;
    return 0;
}

int cache_write(struct cache *cache, const char *hash_hex, uint64_t total, uint64_t offset, const void *data,
                size_t size, struct err *err)
{
    struct arrival *arrival;
    int result = 0;

    if (!paths_is_hash(hash_hex))
        return err_set(err, EINVAL, "\"%.80s\" is not the hash of a file", hash_hex);
    if (cache_has(cache, hash_hex))
        return 0;
    if (offset == 0)
        result = begin(cache, hash_hex, total, err);
    if (result != 0)
        return result;
    arrival = find_arrival(cache, hash_hex);
    if (arrival == NULL || arrival->total != total || arrival->done != offset || size > total - offset)
        return err_set(err, EINVAL,
                       "file %.12s...: bytes from %" PRIu64 " do not follow the %" PRIu64
                       " that are here; begin again at 0",
                       hash_hex, offset, arrival ? arrival->done : 0);
    result = append(arrival, data, size, err);
    if (result == 0 && arrival->done < total)
        return 0;
    if (result == 0)
        result = publish(cache, arrival, err);
    drop(cache, arrival);
    return result;
}

/* --- linking --------------------------------------------------------------- */

static int copy(int from_fd, const char *from, int to_fd, const char *to, mode_t mode)
{
    scoped_fd int in = openat(from_fd, from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int out, result = 0;
    ssize_t moved;

    if (in < 0)
        return -errno;
    out = openat(to_fd, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0)
        return -errno;
    /* Not copy_file_range: it fails between different kinds of file systems. */
    do
        moved = sendfile(out, in, NULL, 1 << 30);
    while (moved > 0);
    if (moved < 0 || fchmod(out, mode) != 0)
        result = -errno;
    if (close(out) != 0 && result == 0)
        result = -errno;
    if (result != 0)
        unlinkat(to_fd, to, 0);
    return result;
}

/* Returns the name of the file's entry with the right mode; creates the entry at first use. */
static int with_mode(const struct cache *cache, const char *hash_hex, bool executable, char **name)
{
    scoped_free char *part = NULL;
    int result;

    *name = executable ? executable_name(hash_hex) : mem_strdup(hash_hex);
    if (!executable || faccessat(cache->fd, *name, F_OK, 0) == 0)
        return 0;
    part = mem_printf("%s.part", *name);
    unlinkat(cache->fd, part, 0);
    result = copy(cache->fd, hash_hex, cache->fd, part, 0555);
    if (result == 0 && renameat(cache->fd, part, cache->fd, *name) != 0)
        result = -errno;
    return result;
}

int cache_link(struct cache *cache, const char *hash_hex, bool executable, uid_t user, int directory_fd,
               const char *name, struct err *err)
{
    const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
    scoped_free char *entry = NULL;
    int result;

    if (!cache_has(cache, hash_hex))
        return err_set(err, ENOENT, "file \"%s\" (%.12s...) is not in the cache of this node", name,
                       hash_hex);
    result = with_mode(cache, hash_hex, executable, &entry);
    /* A container of the agent's own user could write to a linked file, which is input of later
     * containers. */
    if (result == 0 && user == geteuid())
        result = -EPERM;
    else if (result == 0 && linkat(cache->fd, entry, directory_fd, name, 0) != 0)
        result = -errno;
    if (result == -EXDEV || result == -EMLINK || result == -EPERM)
        result = copy(cache->fd, entry, directory_fd, name, executable ? 0555 : 0444);
    if (result != 0)
        return err_set_errno(err, -result, "cannot put file \"%s\" into the working directory", name);
    utimensat(cache->fd, hash_hex, times, 0);
    utimensat(cache->fd, entry, times, 0);
    return 0;
}
