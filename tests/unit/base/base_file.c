/* SPDX-License-Identifier: Apache-2.0 */
/* base_file.c - tests: whole files are read up to a bound, and replaced as a whole or not at all */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/file.h"
#include "common/base/mem.h"

#define SIZE 10000
#define LIMIT_BYTES 4096

struct place {
    char path[64];
    int fd; /* of the directory */
    char data[SIZE];
};

/* The calls of file.c that a test changes or counts; reset by set_up. */
static struct {
    size_t most;     /* bytes that one write takes at most; 0: any number */
    int interrupted; /* writes that are interrupted before one succeeds */
    bool stuck;      /* a write takes no byte */
    int fail_fsync;  /* number of the fsync that fails; 0: none */
    char calls[32];  /* 'f': fsync of a file, 'd': of a directory, 'r': rename */
} wrapped;

static void note(char call)
{
    size_t used = strlen(wrapped.calls);

    assert_true(used + 1 < sizeof(wrapped.calls));
    wrapped.calls[used] = call;
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    if (wrapped.interrupted > 0) {
        wrapped.interrupted--;
        errno = EINTR;
        return -1;
    }
    if (wrapped.stuck)
        return 0;
    return __real_write(fd, data, wrapped.most > 0 && wrapped.most < size ? wrapped.most : size);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    note(S_ISDIR(status.st_mode) ? 'd' : 'f');
    if (wrapped.fail_fsync > 0 && --wrapped.fail_fsync == 0) {
        errno = EIO;
        return -1;
    }
    return __real_fsync(fd);
}

int __real_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    note('r');
    return __real_renameat(from_fd, from, to_fd, to);
}

static int set_up(void **state)
{
    struct place *place = mem_new0(struct place);

    memset(&wrapped, 0, sizeof(wrapped));
    snprintf(place->path, sizeof(place->path), "/tmp/creel-base-file-XXXXXX");
    assert_non_null(mkdtemp(place->path));
    place->fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(place->fd >= 0);
    for (size_t i = 0; i < SIZE; i++)
        place->data[i] = (char)('a' + i % 23);
    *state = place;
    return 0;
}

/* Calls EACH for the name of each file in the directory. */
static size_t each_file(const struct place *place, void (*each)(const struct place *place, const char *name))
{
    DIR *list = opendir(place->path);
    const struct dirent *entry;
    size_t count = 0;

    assert_non_null(list);
    while ((entry = readdir(list)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            if (each)
                each(place, entry->d_name);
            count++;
        }
    closedir(list);
    return count;
}

static void remove_file(const struct place *place, const char *name)
{
    if (unlinkat(place->fd, name, 0) != 0)
        (void)unlinkat(place->fd, name, AT_REMOVEDIR);
}

static int tear_down(void **state)
{
    struct place *place = *state;

    memset(&wrapped, 0, sizeof(wrapped));
    each_file(place, remove_file);
    close(place->fd);
    rmdir(place->path);
    free(place);
    return 0;
}

static int read_name(const struct place *place, const char *name, size_t most, char **text, size_t *size)
{
    scoped_fd int fd = openat(place->fd, name, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    return file_read(fd, most, text, size);
}

static void assert_content(const struct place *place, const char *name, const char *expected)
{
    scoped_free char *text = NULL;

    assert_int_equal(read_name(place, name, SIZE, &text, NULL), 0);
    assert_string_equal(text, expected);
}

static int replace(const struct place *place, const char *text, enum file_durability durability)
{
    return file_replace(
        place->fd, "target",
        &(struct file_content){ .data = text, .size = strlen(text), .mode = 0640, .durability = durability });
}

static int replace_by_data(const struct place *place)
{
    return file_replace(place->fd, "target",
                        &(struct file_content){ .data = place->data, .size = SIZE, .mode = 0600 });
}

/* --- reading ---------------------------------------------------------------- */

static void a_file_is_read_up_to_the_bound(void **state)
{
    struct place *place = *state;
    scoped_free char *text = NULL;
    char *none = NULL;
    size_t size = 0;

    assert_int_equal(replace_by_data(place), 0);
    assert_int_equal(read_name(place, "target", SIZE, &text, &size), 0);
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, place->data, SIZE);
    assert_int_equal(text[SIZE], '\0');
    assert_int_equal(read_name(place, "target", SIZE - 1, &none, &size), -EFBIG);
    assert_null(none);
    assert_int_equal(read_name(place, "target", 0, &none, &size), -EFBIG);
}

static void an_empty_file_is_an_empty_text(void **state)
{
    struct place *place = *state;
    scoped_free char *text = NULL;
    size_t size = 1;

    assert_int_equal(replace(place, "", FILE_COMPLETE), 0);
    assert_int_equal(read_name(place, "target", 0, &text, &size), 0);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
}

/* A pipe and most files of /proc have no size. */
static void a_file_without_size_is_read_whole(void **state)
{
    struct place *place = *state;
    scoped_free char *text = NULL, *status = NULL;
    scoped_fd int proc = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    char *none = NULL;
    size_t size;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(file_write(ends[1], place->data, SIZE), 0);
    close(ends[1]);
    assert_int_equal(file_read(ends[0], SIZE, &text, &size), 0);
    close(ends[0]);
    assert_int_equal(size, SIZE);
    assert_memory_equal(text, place->data, SIZE);
    assert_int_equal(file_read(proc, SIZE_MAX, &status, NULL), 0);
    assert_non_null(strstr(status, "Name:"));
    assert_int_equal(file_read(place->fd, SIZE, &none, NULL), -EISDIR);
}

/* --- writing ---------------------------------------------------------------- */

static void short_and_interrupted_writes_are_continued(void **state)
{
    struct place *place = *state;
    scoped_free char *text = NULL;

    wrapped.most = 7;
    wrapped.interrupted = 2;
    assert_int_equal(replace_by_data(place), 0);
    assert_int_equal(read_name(place, "target", SIZE, &text, NULL), 0);
    assert_memory_equal(text, place->data, SIZE);
}

static void a_full_disk_is_an_error(void **state)
{
    scoped_fd int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_true(full >= 0);
    assert_int_equal(file_write(full, "text", 4), -ENOSPC);
    assert_int_equal(file_write(full, "", 0), 0);
    wrapped.stuck = true;
    assert_int_equal(file_write(full, "text", 4), -ENOSPC);
    wrapped.stuck = false;
    assert_int_equal(file_write(-1, "text", 4), -EBADF);
}

/* The first write is short, as on a disk that becomes full; the next one fails. */
static void a_replacement_that_does_not_fit_changes_nothing(void **state)
{
    struct place *place = *state;
    struct rlimit before, limit;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    int r;

    assert_int_equal(replace(place, "old", FILE_COMPLETE), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = LIMIT_BYTES;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    r = replace_by_data(place);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(r, -EFBIG);
    assert_content(place, "target", "old");
    assert_int_equal(each_file(place, NULL), 1);
}

/* --- replacing -------------------------------------------------------------- */

static void an_existing_file_is_replaced_with_its_mode(void **state)
{
    struct place *place = *state;
    mode_t mask = umask(077);
    struct stat status;

    assert_int_equal(replace(place, "old", FILE_COMPLETE), 0);
    assert_int_equal(fchmodat(place->fd, "target", 0400, 0), 0);
    assert_int_equal(linkat(place->fd, "target", place->fd, "second", 0), 0);
    assert_int_equal(replace(place, "new", FILE_COMPLETE), 0);
    umask(mask);
    assert_content(place, "target", "new");
    assert_content(place, "second", "old");
    assert_int_equal(fstatat(place->fd, "target", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(each_file(place, NULL), 2);
}

static void a_link_is_replaced_itself(void **state)
{
    struct place *place = *state;
    struct stat status;

    assert_int_equal(replace(place, "old", FILE_COMPLETE), 0);
    assert_int_equal(renameat(place->fd, "target", place->fd, "other"), 0);
    assert_int_equal(symlinkat("other", place->fd, "target"), 0);
    assert_int_equal(symlinkat("other", place->fd, "target.new"), 0);
    assert_int_equal(replace(place, "new", FILE_COMPLETE), 0);
    assert_content(place, "other", "old");
    assert_content(place, "target", "new");
    assert_int_equal(fstatat(place->fd, "target", &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(each_file(place, NULL), 2);
}

static void a_temporary_file_of_a_crash_is_removed(void **state)
{
    struct place *place = *state;
    struct file_content content = { .data = "new", .size = 3, .mode = 0600, .temporary = ".mine" };

    assert_int_equal(file_replace(place->fd, ".mine", &content), 0);
    assert_int_equal(file_replace(place->fd, "target", &content), 0);
    assert_content(place, "target", "new");
    assert_int_equal(each_file(place, NULL), 1);
    assert_int_equal(mkdirat(place->fd, ".mine", 0700), 0);
    assert_int_equal(file_replace(place->fd, "target", &content), -EISDIR);
    assert_content(place, "target", "new");
}

static void a_directory_is_not_replaced(void **state)
{
    struct err err = { 0 };
    struct place *place = *state;
    scoped_free char *nowhere = mem_printf("%s/none/target", place->path);

    assert_int_equal(mkdirat(place->fd, "target", 0700), 0);
    assert_int_equal(replace(place, "new", FILE_COMPLETE), -EISDIR);
    assert_int_equal(file_explain_replace("/s/clock", -EISDIR, &err), -EISDIR);
    assert_string_equal(err.text, "/s/clock: is a directory in place of a file: move it away");
    assert_int_equal(file_explain_replace("/s/clock", -EROFS, &err), -EROFS);
    assert_string_equal(err.text, "/s/clock: cannot write: Read-only file system");
    assert_int_equal(each_file(place, NULL), 1);
    assert_int_equal(file_replace(AT_FDCWD, nowhere, &(struct file_content){ .mode = 0600 }), -ENOENT);
}

static void the_owner_is_set_before_the_file_has_its_name(void **state)
{
    struct place *place = *state;
    uid_t other = geteuid() + 1;
    struct file_content content = { .data = "new", .size = 3, .mode = 0400, .owner = other };
    struct stat status;

    if (geteuid() == 0) {
        assert_int_equal(file_replace(place->fd, "target", &content), 0);
        assert_int_equal(fstatat(place->fd, "target", &status, 0), 0);
        assert_int_equal(status.st_uid, other);
        assert_int_equal(status.st_mode & 07777, 0400);
    } else {
        assert_int_equal(file_replace(place->fd, "target", &content), -EPERM);
        assert_int_equal(each_file(place, NULL), 0);
    }
}

static void a_durable_file_is_synchronized_before_and_after_the_rename(void **state)
{
    struct place *place = *state;
    scoped_free char *path = mem_printf("%s/target", place->path);
    struct file_content content = { .data = "", .mode = 0600, .durability = FILE_DURABLE };

    assert_int_equal(replace(place, "new", FILE_COMPLETE), 0);
    assert_string_equal(wrapped.calls, "r");
    assert_int_equal(replace(place, "new", FILE_DURABLE), 0);
    assert_string_equal(wrapped.calls, "rfrd");
    assert_int_equal(file_replace(AT_FDCWD, path, &content), 0);
    assert_string_equal(wrapped.calls, "rfrdfrd");
    assert_int_equal(file_sync_directory(AT_FDCWD, "/nowhere"), 0);
    assert_int_equal(file_sync_directory(AT_FDCWD, "/nowhere/file"), -ENOENT);
}

static void a_failed_synchronization_is_an_error(void **state)
{
    struct place *place = *state;

    assert_int_equal(replace(place, "old", FILE_COMPLETE), 0);
    wrapped.fail_fsync = 1;
    assert_int_equal(replace(place, "new", FILE_DURABLE), -EIO);
    assert_content(place, "target", "old");
    assert_int_equal(each_file(place, NULL), 1);
    wrapped.fail_fsync = 2; /* of the directory: the file has its name */
    assert_int_equal(replace(place, "new", FILE_DURABLE), -EIO);
    assert_content(place, "target", "new");
    assert_int_equal(each_file(place, NULL), 1);
}

/* A FIFO would be waited for. */
static void what_is_no_file_is_refused_at_once(void **state)
{
    static const struct {
        mode_t kind;
        int code;
        const char *words;
    } cases[] = {
        { S_IFIFO, -EINVAL, "is a FIFO in place of a file: move it away" },
        { S_IFSOCK, -EINVAL, "is a socket in place of a file: move it away" },
        { S_IFDIR, -EISDIR, "is a directory in place of a file: move it away" },
    };
    static const int flags[] = { O_RDONLY, O_WRONLY | O_APPEND, O_RDWR | O_CREAT,
                                 O_WRONLY | O_CREAT | O_TRUNC };
    struct place *place = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(cases[i].kind == S_IFDIR ? mkdirat(place->fd, "other", 0700)
                                                  : mknodat(place->fd, "other", cases[i].kind | 0600, 0),
                         0);
        for (size_t j = 0; j < sizeof(flags) / sizeof(flags[0]); j++) {
            struct err err = { 0 };

            assert_int_equal(file_open(place->fd, "other", flags[j], 0600, &err), cases[i].code);
            assert_non_null(strstr(err.text, cases[i].words));
        }
        assert_int_equal(unlinkat(place->fd, "other", cases[i].kind == S_IFDIR ? AT_REMOVEDIR : 0), 0);
    }
    assert_int_equal(file_open(place->fd, "other", O_RDONLY, 0, NULL), -ENOENT);
}

static void a_file_is_opened_and_made(void **state)
{
    struct place *place = *state;
    scoped_fd int made = file_open(place->fd, "other", O_RDWR | O_CREAT, 0600, NULL), read_fd = -1;
    scoped_free char *path = mem_printf("%s/other", place->path), *text = NULL;
    FILE *stream;
    char line[8];

    assert_true(made >= 0);
    assert_int_equal(fcntl(made, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(file_write(made, "one\n", 4), 0);
    read_fd = file_open(place->fd, "other", O_RDONLY, 0, NULL);
    assert_int_equal(file_read(read_fd, 8, &text, NULL), 0);
    assert_string_equal(text, "one\n");
    stream = file_stream(path, NULL);
    assert_non_null(stream);
    assert_non_null(fgets(line, sizeof(line), stream));
    assert_string_equal(line, "one\n");
    fclose(stream);
    assert_int_equal(unlinkat(place->fd, "other", 0), 0);
    assert_null(file_stream(path, NULL));
    assert_int_equal(errno, ENOENT);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_read_up_to_the_bound),
        TEST(an_empty_file_is_an_empty_text),
        TEST(a_file_without_size_is_read_whole),
        TEST(short_and_interrupted_writes_are_continued),
        TEST(a_full_disk_is_an_error),
        TEST(a_replacement_that_does_not_fit_changes_nothing),
        TEST(an_existing_file_is_replaced_with_its_mode),
        TEST(a_link_is_replaced_itself),
        TEST(a_temporary_file_of_a_crash_is_removed),
        TEST(a_directory_is_not_replaced),
        TEST(the_owner_is_set_before_the_file_has_its_name),
        TEST(a_durable_file_is_synchronized_before_and_after_the_rename),
        TEST(a_failed_synchronization_is_an_error),
        TEST(what_is_no_file_is_refused_at_once),
        TEST(a_file_is_opened_and_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
