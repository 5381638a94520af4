/* SPDX-License-Identifier: Apache-2.0 */
/* client_log_archive.c - test: files of aggregated logs, also hostile ones, are read entry by entry */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/logs/log_archive.h"
#include "common/base/mem.h"

#define C1 "container_1700000000000_0001_01_000001"
#define C2 "container_1700000000000_0001_01_000002"

static void put_entry(struct archive *out, const char *path, unsigned type, const char *text)
{
    struct archive_entry *entry = archive_entry_new();

    archive_entry_set_pathname(entry, path);
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0640);
    archive_entry_set_mtime(entry, 1700000000, 0);
    if (type == AE_IFREG)
        archive_entry_set_size(entry, (la_int64_t)strlen(text));
    else
        archive_entry_set_symlink(entry, text);
    assert_int_equal(archive_write_header(out, entry), ARCHIVE_OK);
    if (type == AE_IFREG)
        archive_write_data(out, text, strlen(text));
    archive_entry_free(entry);
}

/* Returns a memory file with a tar of some logs and of entries that are none. */
static int make_file(void)
{
    int fd = memfd_create("archive", MFD_CLOEXEC);
    struct archive *out = archive_write_new();

    archive_write_set_format_pax_restricted(out);
    archive_write_add_filter_gzip(out);
    assert_int_equal(archive_write_open_fd(out, fd), ARCHIVE_OK);
    put_entry(out, C1 "/stderr", AE_IFREG, "two\n");
    put_entry(out, C1 "/stdout", AE_IFREG, "one\n");
    put_entry(out, C1 "/stdout", AE_IFREG, "again\n");
    put_entry(out, C1 "/link", AE_IFLNK, "/etc/passwd");
    put_entry(out, "../" C1 "/stdout", AE_IFREG, "outside\n");
    put_entry(out, C1 "/folder/stdout", AE_IFREG, "below\n");
    put_entry(out, "stdout", AE_IFREG, "no container\n");
    put_entry(out, C2 "/stdout", AE_IFREG, "three\n");
    assert_int_equal(archive_write_close(out), ARCHIVE_OK);
    archive_write_free(out);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void expect(const struct log_archive *archive, const char *container, const char *file,
                   const char *text)
{
    const struct log_archive_entry *entry = log_archive_find(archive, container, file);
    char got[64] = "";

    assert_non_null(entry);
    assert_int_equal(entry->size, strlen(text));
    assert_int_equal(entry->modified_ms, 1700000000000);
    assert_int_equal(pread(log_archive_fd(archive), got, sizeof(got) - 1, (off_t)entry->offset) >=
                         (ssize_t)entry->size,
                     1);
    assert_memory_equal(got, text, strlen(text));
}

static void logs_are_found(void **state)
{
    scoped_fd int fd = make_file();
    struct log_archive *archive;

    (void)state;
    assert_int_equal(log_archive_new(&archive, NULL), 0);
    assert_int_equal(log_archive_add(archive, fd, NULL, NULL), 0);
    expect(archive, C1, "stdout", "one\n");
    expect(archive, C1, "stderr", "two\n");
    expect(archive, C2, "stdout", "three\n");
    assert_null(log_archive_find(archive, C2, "stderr"));
    assert_null(log_archive_find(archive, C1, "link"));
    assert_null(log_archive_find(archive, C1, "folder/stdout"));
    assert_null(log_archive_find(archive, "..", C1 "/stdout"));
    log_archive_free(archive);
}

static void one_container_alone(void **state)
{
    scoped_fd int fd = make_file();
    struct log_archive *archive;

    (void)state;
    assert_int_equal(log_archive_new(&archive, NULL), 0);
    assert_int_equal(log_archive_add(archive, fd, C2, NULL), 0);
    expect(archive, C2, "stdout", "three\n");
    assert_null(log_archive_find(archive, C1, "stdout"));
    log_archive_free(archive);
}

static void a_damaged_file_is_an_error(void **state)
{
    scoped_fd int fd = make_file();
    struct log_archive *archive;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(ftruncate(fd, 60), 0);
    assert_int_equal(log_archive_new(&archive, NULL), 0);
    assert_int_equal(log_archive_add(archive, fd, NULL, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "cannot be read"));
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, "no archive", 10, 0), 10);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(log_archive_add(archive, fd, NULL, &err), -EBADMSG);
    log_archive_free(archive);
}

/* The shell or the service manager may have ignored SIGCHLD: then the kernel keeps no exit status. */
static void an_exit_status_that_is_lost_is_an_error(void **state)
{
    scoped_fd int fd = make_file();
    struct log_archive *archive;
    struct err err = { 0 };

    (void)state;
    assert_int_equal(ftruncate(fd, 60), 0);
    assert_int_equal(log_archive_new(&archive, NULL), 0);
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(log_archive_add(archive, fd, NULL, &err), -ECHILD);
    signal(SIGCHLD, SIG_DFL);
    log_archive_free(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_found),
        cmocka_unit_test(one_container_alone),
        cmocka_unit_test(a_damaged_file_is_an_error),
        cmocka_unit_test(an_exit_status_that_is_lost_is_an_error),
    };

    setenv("CREEL_ARCHIVE", ARCHIVE_PATH, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
