/* SPDX-License-Identifier: Apache-2.0 */
/* state_manifest.c - MANIFEST, the first member of an archive of the resource manager */
#include "rm/net/rescue/state_manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"

#define HASH_TEXT (2 * crypto_hash_sha256_BYTES + 1)
#define READ_BYTES 65536

/* --- files ------------------------------------------------------------------------- */

/* Sets TEXT and *SIZE to hash and size of the file PATH. */
static int hash_file(const char *path, char text[HASH_TEXT], uint64_t *size, struct err *err)
{
    scoped_fd int fd = file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0, err);
    scoped_free uint8_t *buffer = mem_alloc(READ_BYTES);
    uint8_t hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    ssize_t got = 1;

    if (fd < 0)
        return fd;
    *size = 0;
    crypto_hash_sha256_init(&state);
    while (got > 0 && (got = read(fd, buffer, READ_BYTES)) > 0) {
        crypto_hash_sha256_update(&state, buffer, (size_t)got);
        *size += (uint64_t)got;
    }
    if (got < 0)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(text, HASH_TEXT, hash, sizeof(hash));
    return 0;
}

/* Called for each file and DIRECTORY of a part; NAME begins with the name of the part. */
typedef int entry_fn(void *context, const char *name, bool directory, struct err *err);

struct walk {
    const char *stage;
    entry_fn *fn;
    void *context;
    bool links; /* parts may be links to directories */
};

static int walk_directory(const struct walk *walk, const char *name, bool flat, struct err *err);

static int walk_entry(const struct walk *walk, const char *name, bool flat, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", walk->stage, name);
    struct stat status;
    int r;

    if (lstat(path, &status) < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "%s: cannot be read", path);
    if (S_ISREG(status.st_mode))
        return walk->fn(walk->context, name, false, err);
    if (!S_ISDIR(status.st_mode) || flat)
        return 0;
    r = walk->fn(walk->context, name, true, err);
    return r < 0 ? r : walk_directory(walk, name, false, err);
}

static int walk_directory(const struct walk *walk, const char *name, bool flat, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", walk->stage, name);
    DIR *directory = opendir(path);
    const struct dirent *entry;
    int r = 0;

    if (directory == NULL)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    while (r == 0 && (entry = readdir(directory)) != NULL) {
        scoped_free char *inner = mem_printf("%s/%s", name, entry->d_name);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            r = walk_entry(walk, inner, flat, err);
    }
    closedir(directory);
    return r;
}

static int walk_part(const struct walk *walk, const struct state_part *part, struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", walk->stage, part->name);
    struct stat status;
    int r = 0;

    if ((walk->links ? stat(path, &status) : lstat(path, &status)) < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "%s: cannot be read", path);
    if (!S_ISDIR(status.st_mode))
        return walk_entry(walk, part->name, false, err);
    if (!part->flat)
        r = walk->fn(walk->context, part->name, true, err);
    return r < 0 ? r : walk_directory(walk, part->name, part->flat, err);
}

/* --- writing ----------------------------------------------------------------------- */

struct writing {
    const char *stage;
    FILE *manifest;
    int names;
    uint64_t files;
};

static int add_name(int names, const char *name, struct err *err)
{
    size_t size = strlen(name) + 1;

    return write(names, name, size) == (ssize_t)size
               ? 0
               : err_set_errno(err, errno, "the list of files for tar cannot be written");
}

static int add_entry(void *context, const char *name, bool directory, struct err *err)
{
    struct writing *writing = context;
    scoped_free char *path = mem_printf("%s/%s", writing->stage, name);
    char hash[HASH_TEXT];
    uint64_t size;
    int r;

    if (strchr(name, '\n') != NULL)
        return err_set(err, EINVAL, "%s: has a line break in its name: rename or remove it", name);
    if (directory)
        return add_name(writing->names, name, err);
    r = hash_file(path, hash, &size, err);
    if (r == -ENOENT)
        return 0; /* an uploaded file that was removed meanwhile */
    if (r < 0)
        return r;
    writing->files++;
    fprintf(writing->manifest, "%s %" PRIu64 " %s\n", hash, size, name);
    return add_name(writing->names, name, err);
}

int state_manifest_write(const char *stage, const struct state_part *parts, size_t count, int names,
                         struct err *err)
{
    scoped_free char *path = mem_printf("%s/" STATE_MANIFEST, stage);
    struct writing writing = { .stage = stage, .names = names };
    const struct walk walk = { stage, add_entry, &writing, true };
    int r = add_name(names, STATE_MANIFEST, err);

    writing.manifest = fopen(path, "wxe");
    if (writing.manifest == NULL)
        return err_set_errno(err, errno, "%s: cannot be made", path);
    for (size_t i = 0; r == 0 && i < count; i++)
        r = walk_part(&walk, &parts[i], err);
    fprintf(writing.manifest, "end %" PRIu64 "\n", writing.files);
    if ((fclose(writing.manifest) != 0) && r == 0)
        r = err_set_errno(err, errno, "%s: cannot be written", path);
    return r;
}

/* --- checking ---------------------------------------------------------------------- */

#define REMEDY "copy the archive again, or use an older one"

struct checking {
    const char *stage, *archive;
    const struct state_part *parts;
    size_t count;
    uint64_t listed, found; /* files of the parts */
};

static int count_entry(void *context, const char *name, bool directory, struct err *err)
{
    struct checking *checking = context;

    (void)name;
    (void)err;
    checking->found += !directory;
    return 0;
}

static bool is_of_part(const char *name, const struct state_part *part)
{
    size_t length = strlen(part->name);

    return strncmp(name, part->name, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

static int check_file(const struct checking *checking, const char *hash, uint64_t size, const char *name,
                      struct err *err)
{
    scoped_free char *path = mem_printf("%s/%s", checking->stage, name);
    char found_hash[HASH_TEXT];
    uint64_t found_size = 0;
    int r = hash_file(path, found_hash, &found_size, err);

    if (r == -ENOENT)
        return err_set(err, EBADMSG, "%s: is cut or damaged: it lacks %s: " REMEDY, checking->archive, name);
    if (r < 0)
        return r;
    if (found_size == size && strcmp(found_hash, hash) == 0)
        return 0;
    return err_set(err, EBADMSG, "%s: is damaged: %s is not as it was saved: " REMEDY, checking->archive,
                   name);
}

static int fail_manifest(const struct checking *checking, struct err *err)
{
    return err_set(err, EBADMSG, "%s: is damaged: its " STATE_MANIFEST " is not as it was saved: " REMEDY,
                   checking->archive);
}

/* Checks the file of a LINE: hash, size, name. */
static int check_line(struct checking *checking, char *line, struct err *err)
{
    char *size = strchr(line, ' '), *end = NULL;
    uint64_t bytes = size != NULL ? strtoull(size + 1, &end, 10) : 0;

    if (size != line + HASH_TEXT - 1 || end == size + 1 || *end != ' ')
        return fail_manifest(checking, err);
    *size = '\0';
    for (size_t i = 0; i < checking->count; i++) {
        if (!is_of_part(end + 1, &checking->parts[i]))
            continue;
        checking->listed++;
        return check_file(checking, line, bytes, end + 1, err);
    }
    return 0;
}

/* Checks all lines. The last one has their number. */
static int check_lines(struct checking *checking, FILE *manifest, struct err *err)
{
    char *line = NULL;
    size_t room = 0;
    uint64_t lines = 0;
    bool complete = false;
    int r = 0;

    while (r == 0 && !complete && getline(&line, &room, manifest) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        complete = strncmp(line, "end ", 4) == 0;
        if (!complete)
            r = check_line(checking, line, err);
        else if (strtoull(line + 4, NULL, 10) != lines)
            r = fail_manifest(checking, err);
        lines++;
    }
    free(line);
    return r == 0 && !complete ? fail_manifest(checking, err) : r;
}

int state_manifest_check(const char *stage, const struct state_part *parts, size_t count, const char *archive,
                         struct err *err)
{
    scoped_free char *path = mem_printf("%s/" STATE_MANIFEST, stage);
    struct checking checking = { .stage = stage, .archive = archive, .parts = parts, .count = count };
    const struct walk walk = { stage, count_entry, &checking, false };
    FILE *manifest = file_stream(path, NULL);
    int r;

    if (manifest == NULL)
        return fail_manifest(&checking, err);
    r = check_lines(&checking, manifest, err);
    fclose(manifest);
    for (size_t i = 0; r == 0 && i < count; i++)
        r = walk_part(&walk, &parts[i], err);
    if (r == 0 && checking.found != checking.listed)
        r = err_set(err, EBADMSG,
                    "%s: is damaged: it has files that its " STATE_MANIFEST " does not list: " REMEDY,
                    archive);
    return r;
}
