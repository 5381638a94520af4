/* SPDX-License-Identifier: Apache-2.0 */
/* submit_files.c - the values of --file and --archive, and packing of directories */
#include "client/cli/submit/submit_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/frame/archive_program.h"
#include "common/base/mem.h"

/* Suffixes that the name of an archive loses; longer ones first. */
static const char *const suffixes[] = {
    ".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".cpio", ".tzst", ".tbz2",
    ".tar",     ".tgz",     ".txz",    ".tbz",    ".zip",  ".jar",
};

/* The last component of PATH, without slashes at its end. */
static const char *last_component(const char *path, struct arena *arena)
{
    char *copy = arena_strdup(arena, path);
    size_t length = strlen(copy);
    char *slash;

    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    slash = strrchr(copy, '/');
    return slash ? slash + 1 : copy;
}

static const char *without_suffix(const char *name, struct arena *arena)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        size_t suffix = strlen(suffixes[i]);

        if (length > suffix && !strcmp(name + length - suffix, suffixes[i]))
            return arena_printf(arena, "%.*s", (int)(length - suffix), name);
    }
    return name;
}

static bool is_plain_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check_source(const char *source, bool is_archive, bool *is_directory, struct err *err)
{
    const char *what = is_archive ? "archive" : "file";
    struct stat info;

    if (stat(source, &info) < 0)
        return err_set_errno(err, errno, "%s %s", what, source);
    *is_directory = S_ISDIR(info.st_mode);
    if (is_archive && *is_directory)
        return err_set(err, EINVAL, "archive %s: is a directory; send it with --file", source);
    if (!*is_directory && !S_ISREG(info.st_mode))
        return err_set(err, EINVAL, "%s %s: is not a regular file%s", what, source,
                       is_archive ? "" : " or a directory");
    return 0;
}

int submit_file_read(const char *value, bool is_archive, struct arena *arena, struct creel_file *file,
                     struct err *err)
{
    const char *option = is_archive ? "archive" : "file";
    const char *hash = strrchr(value, '#');
    const char *source = value, *name = NULL;
    bool is_directory = false;
    int r;

    /* A file whose own name contains '#' takes precedence. */
    if (hash && access(value, F_OK) < 0) {
        source = arena_printf(arena, "%.*s", (int)(hash - value), value);
        name = hash + 1;
    } else {
        name = last_component(source, arena);
        name = is_archive ? without_suffix(name, arena) : name;
    }
    if (!*source || !is_plain_name(name))
        return err_set(err, EINVAL, "--%s %s: expected SRC or SRC#NAME, NAME without a '/'", option, value);
    if ((r = check_source(source, is_archive, &is_directory, err)) < 0)
        return r;
    *file = (struct creel_file){ .source = source, .name = name, .unpack = is_archive || is_directory };
    return 0;
}

bool submit_file_unpacks(const struct creel_file *files, size_t count, const char *path)
{
    path += strncmp(path, "./", 2) == 0 ? 2 : 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(files[i].name);

        if (files[i].unpack && !strncmp(path, files[i].name, length) && path[length] == '/')
            return true;
    }
    return false;
}

static int pack_file(struct creel_file *file, int *fd, struct arena *arena, struct err *err)
{
    scoped_fd int target = -1;
    struct stat info;
    int r;

    if (!file->unpack || (stat(file->source, &info) == 0 && !S_ISDIR(info.st_mode)))
        return 0;
    target = archive_program_temporary(err);
    if (target < 0)
        return err_prefix(err, "directory %s", file->source), target;
    r = archive_program_run(
        &(struct archive_request){
            .words = { "pack", file->source }, .in = -1, .out = target, .list = -1, .directory = -1 },
        err);
    if (r < 0)
        return r;
    *fd = fd_take(&target);
    file->source = arena_printf(arena, "/proc/self/fd/%d", *fd);
    return 0;
}

int submit_files_pack(struct creel_job *job, int *fds, struct arena *arena, struct err *err)
{
    struct creel_file *files = arena_array0(arena, job->file_count + 1, sizeof(*files));

    for (size_t i = 0; i < job->file_count; i++) {
        int r;

        fds[i] = -1;
        files[i] = job->files[i];
        if ((r = pack_file(&files[i], &fds[i], arena, err)) < 0)
            return r;
    }
    job->files = files;
    return 0;
}
