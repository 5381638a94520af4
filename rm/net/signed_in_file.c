/* SPDX-License-Identifier: Apache-2.0 */
/* signed_in_file.c - keeps the keys of users who have signed in over a restart */
#include "rm/net/signed_in_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/log.h"
#include "common/io/loop.h"
#include "common/io/z85.h"

#define KEY_SIZE (KEY_TEXT - 1)
#define DIGITS_MAX 18
#define LINE_BYTES (KEY_SIZE + DIGITS_MAX + SIGNED_IN_USER_TEXT + 4)
#define LINES_MAX (4 * (size_t)SIGNED_IN_MAX) /* the file is rewritten when it has more */

struct signed_in_file {
    char *path;
    struct signed_in *table;
    int fd;
    size_t lines;
    struct log_limit complaints;
};

bool signed_in_line_read(const char *bytes, size_t size, struct signed_in_line *ret)
{
    struct signed_in_line line;
    uint8_t key[32];
    size_t at = KEY_SIZE + 1, digits = 0, user_size;

    if (size < KEY_SIZE + 4 || bytes[KEY_SIZE] != ' ')
        return false;
    memcpy(line.key, bytes, KEY_SIZE);
    line.key[KEY_SIZE] = '\0';
    line.until_ms = 0;
    for (; at < size && bytes[at] >= '0' && bytes[at] <= '9' && digits < DIGITS_MAX; at++, digits++)
        line.until_ms = line.until_ms * 10 + (bytes[at] - '0');
    if (digits == 0 || at >= size || bytes[at] != ' ')
        return false;
    at++;
    user_size = size - at;
    if (user_size == 0 || user_size >= sizeof(line.user))
        return false;
    memcpy(line.user, bytes + at, user_size);
    line.user[user_size] = '\0';
    if (strlen(line.user) != user_size || strpbrk(line.user, " \t\r\n") != NULL ||
        !z85_decode(line.key, key, sizeof(key)))
        return false;
    *ret = line;
    return true;
}

/* --- writing -------------------------------------------------------------------- */

static bool write_line(int fd, const char *key, const char *user, int64_t until_ms)
{
    char line[LINE_BYTES];
    int size;

    if (strlen(user) >= SIGNED_IN_USER_TEXT || strpbrk(user, " \t\r\n") != NULL)
        return true; /* not kept: the user signs in again */
    size = snprintf(line, sizeof(line), "%s %lld %s\n", key, (long long)until_ms, user);
    return write(fd, line, (size_t)size) == size;
}

struct writing {
    int fd;
    int64_t now_ms; /* since 1970 */
    size_t lines;
    bool failed;
};

static void write_entry(void *context, const char *key, const char *user, int64_t left_ms)
{
    struct writing *writing = context;

    writing->failed = writing->failed || !write_line(writing->fd, key, user, writing->now_ms + left_ms);
    writing->lines++;
}

/* Rewrites the file with the content of the table. */
static int rewrite(struct signed_in_file *file, struct err *err)
{
    scoped_free char *fresh = mem_printf("%s.new", file->path);
    struct writing writing = { .now_ms = loop_now_ms() };
    int code;

    writing.fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (writing.fd < 0)
        return err_set_errno(err, errno, "%s: cannot write", fresh);
    signed_in_each(file->table, loop_monotonic_ms(), write_entry, &writing);
    if (writing.failed || rename(fresh, file->path) < 0) {
        code = errno;
        close(writing.fd);
        (void)unlink(fresh);
        return err_set_errno(err, code, "%s: cannot write", file->path);
    }
    if (file->fd >= 0)
        close(file->fd);
    file->fd = writing.fd;
    file->lines = writing.lines;
    return 0;
}

void signed_in_file_add(struct signed_in_file *file, const char *key, const char *user, int64_t left_ms)
{
    char more[LOG_MORE_MAX];
    struct err err = { 0 };
    bool good;

    if (file->lines >= LINES_MAX)
        good = rewrite(file, &err) == 0; /* the table has the key */
    else
        good = write_line(file->fd, key, user, loop_now_ms() + left_ms);
    if (good)
        file->lines++;
    else if (log_limit_pass(&file->complaints, more))
        log_line(LOG_LEVEL_WARN, "%s: cannot write: users sign in again after a restart%s", file->path, more);
}

/* --- reading --------------------------------------------------------------------- */

static void load_line(struct signed_in_file *file, const char *bytes, size_t size, int64_t validity_ms)
{
    int64_t now_ms = loop_monotonic_ms(), left_ms;
    struct signed_in_line line;

    if (!signed_in_line_read(bytes, size, &line))
        return;
    left_ms = line.until_ms - loop_now_ms();
    if (left_ms <= 0)
        return;
    if (left_ms > validity_ms) /* a longer time was configured before, or the clock was set back */
        left_ms = validity_ms;
    (void)signed_in_put(file->table, line.key, line.user, now_ms, now_ms + left_ms);
}

static int read_lines(struct signed_in_file *file, int64_t validity_ms, struct err *err)
{
    FILE *stream = fopen(file->path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;

    if (stream == NULL)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "%s: cannot read", file->path);
    while ((size = getline(&line, &room, stream)) > 0)
        if (line[size - 1] == '\n')
            load_line(file, line, (size_t)size - 1, validity_ms);
    free(line);
    fclose(stream);
    return 0;
}

int signed_in_file_open(const char *directory, struct signed_in *table, int64_t validity_ms,
                        struct signed_in_file **ret, struct err *err)
{
    struct signed_in_file *file = mem_new0(struct signed_in_file);
    int r;

    file->path = mem_printf("%s/signed-in", directory);
    file->table = table;
    file->fd = -1;
    if ((r = read_lines(file, validity_ms, err)) < 0 || (r = rewrite(file, err)) < 0) {
        signed_in_file_close(file);
        return r;
    }
    *ret = file;
    return 0;
}

void signed_in_file_close(struct signed_in_file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file);
}
