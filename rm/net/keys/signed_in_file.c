/* SPDX-License-Identifier: Apache-2.0 */
/* signed_in_file.c - keeps the keys of users who have signed in over a restart */
#include "rm/net/keys/signed_in_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "common/io/keys/z85.h"
#include "common/io/loop/log.h"
#include "common/io/loop/loop.h"

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

/* Formats the line of a key. Returns its size; 0: it is not kept, and the user signs in again. */
static size_t format_line(const char *key, const char *user, int64_t until_ms, char line[LINE_BYTES])
{
    if (strlen(user) >= SIGNED_IN_USER_TEXT || strpbrk(user, " \t\r\n") != NULL)
        return 0;
    return (size_t)snprintf(line, LINE_BYTES, "%s %lld %s\n", key, (long long)until_ms, user);
}

struct writing {
    struct text_builder text;
    int64_t now_ms; /* since 1970 */
    size_t lines;
};

static void write_entry(void *context, const char *key, const char *user, int64_t left_ms)
{
    struct writing *writing = context;
    char line[LINE_BYTES];

    text_builder_add_bytes(&writing->text, line, format_line(key, user, writing->now_ms + left_ms, line));
    writing->lines++;
}

/* Rewrites the file with the content of the table. */
static int rewrite(struct signed_in_file *file, struct err *err)
{
    struct writing writing = { .now_ms = loop_now_ms() };
    int fd, r;

    signed_in_each(file->table, loop_monotonic_ms(), write_entry, &writing);
    r = file_replace(AT_FDCWD, file->path,
                     &(struct file_content){ .data = text_builder_text(&writing.text),
                                             .size = writing.text.length,
                                             .mode = 0600 });
    text_builder_clear(&writing.text);
    if (r < 0 || (fd = file_open(AT_FDCWD, file->path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0, NULL)) < 0)
        return err_set_errno(err, r < 0 ? -r : -fd, "%s: cannot write", file->path);
    if (file->fd >= 0)
        close(file->fd);
    file->fd = fd;
    file->lines = writing.lines;
    return 0;
}

/* Adds one line. Returns false if it cannot be written. */
static bool append(struct signed_in_file *file, const char *key, const char *user, int64_t until_ms)
{
    char line[LINE_BYTES];

    return file_write(file->fd, line, format_line(key, user, until_ms, line)) == 0;
}

void signed_in_file_add(struct signed_in_file *file, const char *key, const char *user, int64_t left_ms)
{
    char more[LOG_MORE_MAX];
    struct err err = { 0 };
    bool good;

    if (file->lines >= LINES_MAX)
        good = rewrite(file, &err) == 0; /* the table has the key */
    else
        good = append(file, key, user, loop_now_ms() + left_ms);
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
    FILE *stream = file_stream(file->path, err);
    char *line = NULL;
    size_t room = 0;
    ssize_t size;

    if (stream == NULL)
        return errno == ENOENT ? 0 : -errno;
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
