/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - packs the results of a task from its working directory */
#include "nm-agent/linux/pack/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/job/archive_limits.h"
#include "common/base/mem.h"

#define BLOCK_BYTES ((size_t)64 << 10)
#define PART RESULTS_ARCHIVE ".part"

struct pack {
    const struct pack_request *request;
    struct results *results;
    int target_fd, part_fd;
    struct archive *out; /* owned */
    crypto_hash_sha256_state hash;
    char *root;  /* owned; the working directory, without links */
    char *block; /* owned */
    int64_t bytes;
};

/* --- the file ------------------------------------------------------------------------ */

/* A callback of libarchive: writes a block of the archive. */
static la_ssize_t write_block(struct archive *archive, void *context, const void *data, size_t size)
{
    struct pack *pack = context;
    int r;

    if (pack->bytes + (int64_t)size > pack->request->bytes_max) {
        archive_set_error(archive, EFBIG,
                          "the results are larger than %" PRId64
                          " MiB, the limit of this node (creel.nodemanager.fetch.max-mb)",
                          pack->request->bytes_max >> 20);
        return -1;
    }
    r = file_write(pack->part_fd, data, size);
    if (r < 0) {
        archive_set_error(archive, -r, "the results cannot be written: %s", strerror(-r));
        return -1;
    }
    crypto_hash_sha256_update(&pack->hash, data, size);
    pack->bytes += (int64_t)size;
    return (la_ssize_t)size;
}

/* Adds the error of the archive, which ends the packing. Returns its errno. */
static int failed(struct pack *pack)
{
    const char *reason = archive_error_string(pack->out);
    int code = archive_errno(pack->out);

    results_add_problem(pack->results, "%s", reason ? reason : "the results cannot be packed");
    return code > 0 ? -code : -EIO;
}

/* --- one entry ------------------------------------------------------------------------- */

/* Returns PATH without "./" at its beginning. */
static const char *plain_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return path;
}

static bool is_own(const struct pack *pack, const char *path)
{
    for (const char *const *own = pack->request->own_names; *own; own++)
        if (strcmp(plain_path(path), *own) == 0)
            return true;
    return false;
}

/* Returns whether ENTRY is packed. */
static bool is_wanted(struct pack *pack, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    const char *target;

    if (is_own(pack, path))
        return false;
    switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
        return true;
    case AE_IFLNK:
        target = archive_entry_symlink(entry);
        if (target != NULL && results_link_stays_inside(path, target))
            return true;
        break;
    default:
        break;
    }
    results_leave_out(pack->results, path);
    return false;
}

static int copy_content(struct pack *pack, struct archive *in, const char *path, int64_t size)
{
    while (size > 0) {
        la_ssize_t got = archive_read_data(in, pack->block, BLOCK_BYTES);

        if (got <= 0) {
            results_add_problem(pack->results, "%s: %s", path,
                                got < 0 ? archive_error_string(in) : "became shorter while it was packed");
            return -EIO;
        }
        if (archive_write_data(pack->out, pack->block, (size_t)got) != got)
            return failed(pack);
        size -= got;
    }
    return 0;
}

static int pack_entry(struct pack *pack, struct archive *in, struct archive_entry *entry)
{
    const char *path = archive_entry_pathname(entry);
    bool is_file = archive_entry_filetype(entry) == AE_IFREG;

    if (++pack->results->entries > ARCHIVE_ENTRIES_MAX) {
        results_add_problem(pack->results, "the results have more than %d files and directories, the limit",
                            ARCHIVE_ENTRIES_MAX);
        return -EFBIG;
    }
    archive_entry_set_perm(entry, archive_entry_perm(entry) & 0777);
    archive_entry_sparse_clear(entry);
    if (archive_write_header(pack->out, entry) < ARCHIVE_OK)
        return failed(pack);
    return is_file ? copy_content(pack, in, path, archive_entry_size(entry)) : 0;
}

/* --- one path --------------------------------------------------------------------------- */

static struct archive *reader_new(void)
{
    struct archive *in = archive_read_disk_new();

    if (in == NULL)
        return NULL;
    archive_read_disk_set_symlink_hybrid(in); /* follows the named path alone */
    archive_read_disk_set_behavior(in, ARCHIVE_READDISK_NO_ACL | ARCHIVE_READDISK_NO_XATTR |
                                           ARCHIVE_READDISK_NO_FFLAGS);
    return in;
}

static int pack_tree(struct pack *pack, struct archive *in, const char *path)
{
    struct archive_entry *entry = archive_entry_new();
    int result = 0, r = archive_read_disk_open(in, path);

    while (r == ARCHIVE_OK && result == 0) {
        r = archive_read_next_header2(in, entry);
        if (r == ARCHIVE_EOF || r == ARCHIVE_FATAL)
            break;
        if (r < ARCHIVE_WARN)
            results_add_problem(pack->results, "%s", archive_error_string(in));
        else if (is_wanted(pack, entry)) {
            result = pack_entry(pack, in, entry);
            if (archive_read_disk_can_descend(in) && archive_read_disk_descend(in) < ARCHIVE_WARN)
                results_add_problem(pack->results, "%s", archive_error_string(in));
        }
        r = ARCHIVE_OK;
    }
    if (result == 0 && r != ARCHIVE_EOF)
        results_add_problem(pack->results, "%s: cannot be read: %s", path, archive_error_string(in));
    archive_entry_free(entry);
    return result;
}

/* Returns whether PATH, with all links followed, is in the working directory. */
static bool is_inside(const struct pack *pack, const char *path)
{
    scoped_free char *real = realpath(path, NULL);
    size_t length = strlen(pack->root);

    if (strcmp(pack->root, "/") == 0)
        return real != NULL;
    return real != NULL && strncmp(real, pack->root, length) == 0 &&
           (real[length] == '/' || real[length] == '\0');
}

static int pack_path(struct pack *pack, const char *path)
{
    struct archive *in;
    int r;

    if (is_own(pack, path)) {
        results_add_problem(pack->results, "%s was put there by creel, and is no result", path);
        return 0;
    }
    if (!is_inside(pack, path)) {
        results_add_problem(pack->results,
                            "%s is a link that leads outside of the working directory, or nowhere", path);
        return 0;
    }
    in = reader_new();
    r = in != NULL ? pack_tree(pack, in, path) : -ENOMEM;
    archive_read_free(in);
    return r;
}

static int pack_pattern(struct pack *pack, const char *pattern)
{
    glob_t found = { .gl_pathc = 0 };
    int r = glob(pattern, GLOB_ERR, NULL, &found), result = 0;

    if (r != 0)
        results_add_problem(pack->results, "%s: %s", pattern,
                            r == GLOB_NOMATCH ? "no such file in the working directory" : "cannot be read");
    for (size_t i = 0; r == 0 && result == 0 && i < found.gl_pathc; i++) {
        bool is_named = found.gl_pathc == 1 && strcmp(found.gl_pathv[i], pattern) == 0;

        if (is_named || !is_own(pack, found.gl_pathv[i]))
            result = pack_path(pack, found.gl_pathv[i]);
    }
    globfree(&found);
    return result;
}

/* --- all of them ------------------------------------------------------------------------- */

static int pack_all(struct pack *pack)
{
    const char *text = pack->request->paths;
    char path[RESULTS_TEXT_MAX];
    int r = 0;

    pack->out = archive_write_new();
    pack->block = mem_alloc(BLOCK_BYTES);
    if (pack->out == NULL)
        return -ENOMEM;
    archive_write_set_format_gnutar(pack->out); /* names are bytes, in no character set */
    archive_write_set_bytes_per_block(pack->out, (int)BLOCK_BYTES);
    archive_write_set_bytes_in_last_block(pack->out, 1);
    if (archive_write_open(pack->out, pack, NULL, write_block, NULL) != ARCHIVE_OK)
        return failed(pack);
    while (r == 0 && results_next_path(&text, path) > 0)
        r = pack_pattern(pack, path);
    if (r == 0 && archive_write_close(pack->out) != ARCHIVE_OK)
        r = failed(pack);
    return r;
}

static int open_target(struct pack *pack, struct err *err)
{
    const char *target = pack->request->target;

    pack->target_fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (pack->target_fd < 0)
        return err_set_errno(err, errno, "%s", target);
    pack->part_fd =
        openat(pack->target_fd, PART, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
    return pack->part_fd < 0 ? err_set_errno(err, errno, "%s/" PART, target) : 0;
}

/* Writes TEXT to the file NAME as a whole, or not at all. */
static int write_list(const struct pack *pack, const char *text, size_t size, struct err *err)
{
    int r = file_replace(pack->target_fd, RESULTS_LIST,
                         &(struct file_content){
                             .data = text, .size = size, .mode = 0640, .temporary = RESULTS_LIST ".part" });

    return r < 0 ? err_set_errno(err, -r, "%s/" RESULTS_LIST, pack->request->target) : 0;
}

/* Gives the archive its name if PACKED and it has entries, else removes it. Then writes the list. */
static int publish(struct pack *pack, bool packed, struct err *err)
{
    struct results *results = pack->results;
    char text[RESULTS_LIST_MAX];

    if (!packed || results->entries == 0) {
        results->entries = 0;
        unlinkat(pack->target_fd, PART, 0);
    } else {
        results->bytes = pack->bytes;
        crypto_hash_sha256_final(&pack->hash, results->sha256);
        if (renameat(pack->target_fd, PART, pack->target_fd, RESULTS_ARCHIVE) != 0)
            return err_set_errno(err, errno, "%s/" RESULTS_ARCHIVE, pack->request->target);
    }
    return write_list(pack, text, results_format(results, text), err);
}

int pack_results(const struct pack_request *request, struct results *results, struct err *err)
{
    struct pack pack = { .request = request, .results = results, .target_fd = -1, .part_fd = -1 };
    int r;

    *results = (struct results){ .bytes = 0 };
    if ((r = open_target(&pack, err)) == 0) {
        crypto_hash_sha256_init(&pack.hash);
        pack.root = realpath(".", NULL);
        if (pack.root == NULL)
            results_add_problem(results, "the working directory cannot be read: %s", strerror(errno));
        r = publish(&pack, pack.root != NULL && pack_all(&pack) == 0, err);
    }
    archive_write_free(pack.out);
    free(pack.root);
    free(pack.block);
    if (pack.part_fd >= 0)
        close(pack.part_fd);
    if (pack.target_fd >= 0)
        close(pack.target_fd);
    return r;
}
