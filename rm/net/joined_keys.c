/* SPDX-License-Identifier: Apache-2.0 */
/* joined_keys.c - a copy of the public keys of hosts that have joined, in the key directory */
#include "rm/net/joined_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "common/io/keys.h"
#include "common/io/log.h"
#include "common/io/z85.h"

#define RETRY_MS 60000
#define SIZE_MAX_BYTES ((off_t)64 << 20)
#define HEADING \
    "# Public keys of the hosts that have joined with a token. creel-rm writes this file.\n" \
    "# To remove a host: creel token revoke --join HOST\n"

struct joined_keys {
    const char *key_directory;
    char *text; /* content of the file; NULL: there is none, or it could not be read */
    bool changed, unreadable;
    int64_t retry_ms; /* after a failure: steady time of the next try */
    struct err problem;
};

struct joined_keys *joined_keys_new(const char *key_directory)
{
    struct joined_keys *joined = mem_new0(struct joined_keys);

    joined->key_directory = key_directory;
    joined->changed = true;
    return joined;
}

void joined_keys_free(struct joined_keys *joined)
{
    if (joined == NULL)
        return;
    free(joined->text);
    free(joined);
}

const char *joined_keys_problem(const struct joined_keys *joined)
{
    return joined->problem.code != 0 ? joined->problem.text : NULL;
}

void joined_keys_change(struct joined_keys *joined)
{
    joined->changed = true;
    joined->retry_ms = 0;
}

/* --- reading -------------------------------------------------------------------- */

/* -EPERM: others can write PATH, and so admit any key. */
static int judge_mode(const char *path, const struct stat *status, struct err *err)
{
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return 0;
    return err_set(err, EPERM,
                   "%s: group or others can write it (mode %04o), so it does not count: chmod go-w it, and "
                   "check its content",
                   path, (unsigned)(status->st_mode & 07777));
}

/* Reads the file into *RET, which the caller frees; NULL if there is none. */
static int read_file(const struct joined_keys *joined, char **ret, struct err *err)
{
    scoped_free char *folder = mem_printf("%s/" JOINED_KEYS_FOLDER, joined->key_directory);
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, joined->key_directory);
    scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status, folder_status;
    ssize_t got;
    int r;

    *ret = NULL;
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &status) < 0 || stat(folder, &folder_status) < 0)
        return err_set_errno(err, errno, "%s: cannot be read", path);
    if ((r = judge_mode(folder, &folder_status, err)) < 0 || (r = judge_mode(path, &status, err)) < 0)
        return r;
    if (!S_ISREG(status.st_mode) || status.st_size > SIZE_MAX_BYTES)
        return err_set(err, EINVAL, "%s: is no list of hosts: remove it", path);
    *ret = mem_alloc((size_t)status.st_size + 1);
    got = read(fd, *ret, (size_t)status.st_size);
    (*ret)[got > 0 ? got : 0] = '\0';
    if (got == status.st_size)
        return 0;
    free(*ret);
    *ret = NULL;
    return err_set_errno(err, got < 0 ? errno : EIO, "%s: cannot be read", path);
}

/* Adds the host of LINE, "HOST KEY TOKEN SINCE_MS". Returns true if the state did not have it. */
static bool adopt_line(struct master *master, int64_t now_ms, const char *line,
                       struct master_effects *effects)
{
    char host[256], key[KEY_TEXT], token[64];
    struct master_joined joined = { host, key, token, 0 };
    uint8_t bytes[32];

    if (*line == '#' || *line == '\0')
        return false;
    if (sscanf(line, "%255s %40s %63s %" SCNd64, host, key, token, &joined.since_ms) != 4 ||
        !z85_decode(key, bytes, sizeof(bytes))) {
        log_line(LOG_LEVEL_WARN, "%s: this line is no host that has joined, and is removed: %.80s",
                 JOINED_KEYS_FILE, line);
        return false;
    }
    return master_adopt_host(master, now_ms, &joined, effects);
}

size_t joined_keys_adopt(struct joined_keys *joined, struct master *master, int64_t now_ms,
                         struct master_effects *effects)
{
    scoped_free char *copy = NULL;
    char *next, *line;
    size_t count = 0;

    joined->unreadable = read_file(joined, &joined->text, &joined->problem) < 0;
    if (joined->unreadable)
        log_line(LOG_LEVEL_ERROR, "%s", joined->problem.text);
    if (joined->text == NULL)
        return 0;
    next = copy = mem_strdup(joined->text);
    while ((line = strsep(&next, "\n")) != NULL)
        count += adopt_line(master, now_ms, line, effects);
    if (count > 0)
        log_line(LOG_LEVEL_WARN,
                 "%zu host%s joined that the state does not have: the list in %s/%s admits their agents",
                 count, count == 1 ? " has" : "s have", joined->key_directory, JOINED_KEYS_FILE);
    return count;
}

/* --- writing -------------------------------------------------------------------- */

struct lines {
    char **items; /* owned, and each */
    size_t count, capacity;
};

static void add_line(void *context, const struct master_joined *joined)
{
    struct lines *lines = context;

    mem_grow(lines->items, lines->count, lines->capacity);
    lines->items[lines->count++] = mem_printf("%s %s %s %" PRId64 "\n", joined->host, joined->public_key,
                                              joined->token != NULL ? joined->token : "-", joined->since_ms);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the content of the file; "" if no host has joined. The caller frees it. */
static char *make_text(const struct master *master)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;
    struct lines lines = { .count = 0 };

    master_each_joined_host(master, add_line, &lines);
    if (lines.count > 0) {
        qsort(lines.items, lines.count, sizeof(*lines.items), compare_lines);
        text_builder_add(&text, HEADING);
    }
    for (size_t i = 0; i < lines.count; i++) {
        text_builder_add(&text, lines.items[i]);
        free(lines.items[i]);
    }
    free(lines.items);
    return text_builder_finish(&text);
}

static int write_fresh(const char *path, const char *text, struct err *err)
{
    scoped_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    ssize_t put = fd < 0 ? -1 : write(fd, text, strlen(text));

    /* The mask of the process may be 077; the file has no secrets. */
    if (put != (ssize_t)strlen(text) || fchmod(fd, 0644) < 0 || fsync(fd) < 0)
        return err_set_errno(err, put >= 0 && put < (ssize_t)strlen(text) ? ENOSPC : errno,
                             "%s: cannot be written", path);
    return 0;
}

static int sync_folder(const char *folder, struct err *err)
{
    scoped_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return err_set_errno(err, errno, "%s: cannot be written to the disk", folder);
    return 0;
}

static int replace_file(const struct joined_keys *joined, const char *text, struct err *err)
{
    scoped_free char *folder = mem_printf("%s/" JOINED_KEYS_FOLDER, joined->key_directory);
    scoped_free char *path = mem_printf("%s/" JOINED_KEYS_FILE, joined->key_directory);
    scoped_free char *fresh = mem_printf("%s.new", path);
    int r;

    if (mkdir(folder, 0755) < 0 && errno != EEXIST)
        return err_set_errno(err, errno, "%s: cannot be made", folder);
    r = write_fresh(fresh, text, err);
    if (r == 0 && rename(fresh, path) < 0)
        r = err_set_errno(err, errno, "%s: cannot be written", path);
    if (r < 0)
        (void)unlink(fresh);
    return r < 0 ? r : sync_folder(folder, err);
}

static void note_failure(struct joined_keys *joined, int64_t steady_ms, const struct err *err)
{
    joined->retry_ms = steady_ms + RETRY_MS;
    if (joined->problem.code == 0)
        log_line(
            LOG_LEVEL_ERROR,
            "%s; if the state is lost, agents of hosts that joined since are refused, and a host that is "
            "removed now is admitted again at the next start",
            err->text);
    joined->problem = *err;
}

void joined_keys_write(struct joined_keys *joined, const struct master *master, int64_t steady_ms)
{
    scoped_free char *text = NULL;
    struct err err = { 0 };

    if (!joined->changed || joined->unreadable || steady_ms < joined->retry_ms)
        return;
    text = make_text(master);
    if (!text_equal(text, joined->text != NULL ? joined->text : "") && replace_file(joined, text, &err) < 0) {
        note_failure(joined, steady_ms, &err);
        return;
    }
    free(joined->text);
    joined->text = text;
    text = NULL;
    joined->changed = false;
    joined->problem = (struct err){ 0 };
}
