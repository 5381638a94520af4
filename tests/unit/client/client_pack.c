/* SPDX-License-Identifier: Apache-2.0 */
/* client_pack.c - test: directories of jobs are packed, always in the same way */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/archive/pack.h"
#include "client/cli/submit/submit_files.h"

static char folder[] = "/tmp/creel-client-pack.XXXXXX";
static const char *grows; /* file that grows while the first one is packed; NULL: none */

ssize_t __real_archive_write_data(struct archive *archive, const void *data, size_t size);
ssize_t __wrap_archive_write_data(struct archive *archive, const void *data, size_t size);

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "a");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

ssize_t __wrap_archive_write_data(struct archive *archive, const void *data, size_t size)
{
    if (grows)
        put(grows, "more");
    grows = NULL;
    return __real_archive_write_data(archive, data, size);
}

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("dir", 0755), 0);
    assert_int_equal(mkdir("dir/b", 0755), 0);
    put("dir/b/file", "text");
    put("dir/a file", "other");
    assert_int_equal(chmod("dir/a file", 0755), 0);
    return symlink("b/file", "dir/link");
}

static int tear_down(void **state)
{
    char command[PATH_MAX];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return chdir("/") != 0 ? -1 : system(command);
}

/* Packs DIRECTORY into a file without name, *FD, which is the caller's. */
static int pack(const char *directory, int *fd, struct err *err)
{
    *fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    assert_true(*fd >= 0);
    return pack_directory(directory, *fd, err);
}

static void pack_fails(const char *directory, int result, struct err *err)
{
    int fd;

    assert_int_equal(pack(directory, &fd, err), result);
    close(fd);
}

/* The bytes of the file FD, which is closed; to be freed. */
static char *content(int fd, size_t *size)
{
    struct stat info;
    char *bytes;

    assert_int_equal(fstat(fd, &info), 0);
    *size = (size_t)info.st_size;
    bytes = calloc(1, *size + 1);
    assert_non_null(bytes);
    assert_int_equal(pread(fd, bytes, *size, 0), (ssize_t)*size);
    close(fd);
    return bytes;
}

static void entries_are_sorted_and_have_no_owner(void **state)
{
    static const struct {
        const char *path;
        unsigned type, perm;
    } expected[] = {
        { "a file", AE_IFREG, 0755 },
        { "b/", AE_IFDIR, 0755 },
        { "b/file", AE_IFREG, 0644 },
        { "link", AE_IFLNK, 0777 },
    };
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    struct err err = { 0 };
    int fd = -1;

    (void)state;
    assert_int_equal(chmod("dir/b/file", 0644), 0);
    assert_int_equal(pack("dir", &fd, &err), 0);
    lseek(fd, 0, SEEK_SET);
    archive_read_support_filter_zstd(archive);
    archive_read_support_format_tar(archive);
    assert_int_equal(archive_read_open_fd(archive, fd, 10240), ARCHIVE_OK);
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_OK);
        assert_string_equal(archive_entry_pathname(entry), expected[i].path);
        assert_int_equal(archive_entry_filetype(entry), expected[i].type);
        assert_int_equal(archive_entry_perm(entry), expected[i].perm);
        assert_int_equal(archive_entry_uid(entry), 0);
    }
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_EOF);
    archive_read_free(archive);
    close(fd);
}

static void the_same_directory_makes_the_same_archive(void **state)
{
    char *one, *other;
    size_t size, other_size;
    struct err err = { 0 };
    int fd = -1;

    (void)state;
    assert_int_equal(pack("dir", &fd, &err), 0);
    one = content(fd, &size);
    assert_int_equal(pack("./dir/", &fd, &err), 0);
    other = content(fd, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(one, other, size);
    free(one);
    free(other);
}

static void a_directory_that_changes_meanwhile_is_refused(void **state)
{
    struct err err = { 0 };

    (void)state;
    grows = "dir/a file"; /* the file that is read */
    pack_fails("dir", -EAGAIN, &err);
    assert_string_equal(err.text,
                        "directory dir: dir/a file changed while it was packed; submit again when it is "
                        "complete");
    grows = "dir/new"; /* the directory */
    pack_fails("dir", -EAGAIN, &err);
    assert_non_null(strstr(err.text, "dir changed while it was packed"));
    assert_int_equal(unlink("dir/new"), 0);
}

static void only_files_directories_and_links_are_packed(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_int_equal(mkfifo("dir/b/pipe", 0600), 0);
    pack_fails("dir", -EINVAL, &err);
    assert_string_equal(err.text,
                        "directory dir: b/pipe is a FIFO; only files, directories and links are sent with a "
                        "job");
    assert_int_equal(unlink("dir/b/pipe"), 0);
    pack_fails("gone", -ENOENT, &err);
}

/* --- values of --file and --archive ------------------------------------------- */

static void names_of_archives_have_no_suffix(void **state)
{
    static const struct {
        const char *value;
        bool is_archive;
        const char *name; /* NULL: refused */
        bool unpack;
    } table[] = {
        { "x.tar.gz", true, "x", true },
        { "x.tar.gz#y.zip", true, "y.zip", true },
        { "x.tar.gz", false, "x.tar.gz", false },
        { "noise", true, "noise", true },
        { ".tar", true, ".tar", true },
        { "dir", false, "dir", true },
        { "dir/", false, "dir", true },
        { "dir/#other", false, "other", true },
        { "dir/b/../.#here", false, "here", true },
        { ".", false, NULL, false },
        { "dir/..", false, NULL, false },
        { "dir", true, NULL, false },
        { "gone", true, NULL, false },
    };
    struct arena *arena = arena_new();

    (void)state;
    put("x.tar.gz", "");
    put("noise", "");
    put(".tar", "");
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct creel_file file = { .name = NULL };
        struct err err = { 0 };
        int r = submit_file_read(table[i].value, table[i].is_archive, arena, &file, &err);

        assert_int_equal(r == 0, table[i].name != NULL);
        if (r < 0)
            continue;
        assert_string_equal(file.name, table[i].name);
        assert_int_equal(file.unpack, table[i].unpack);
    }
    arena_free(arena);
}

static void commands_inside_of_directories_are_known(void **state)
{
    static const struct creel_file files[] = { { .name = "plain" }, { .name = "dir", .unpack = true } };

    (void)state;
    assert_true(submit_file_unpacks(files, 2, "dir/tool"));
    assert_true(submit_file_unpacks(files, 2, "./dir/tool"));
    assert_false(submit_file_unpacks(files, 2, "dir"));
    assert_false(submit_file_unpacks(files, 2, "directory/tool"));
    assert_false(submit_file_unpacks(files, 2, "plain/tool"));
    assert_false(submit_file_unpacks(files, 2, "/dir/tool"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted_and_have_no_owner),
        cmocka_unit_test(the_same_directory_makes_the_same_archive),
        cmocka_unit_test(a_directory_that_changes_meanwhile_is_refused),
        cmocka_unit_test(only_files_directories_and_links_are_packed),
        cmocka_unit_test(names_of_archives_have_no_suffix),
        cmocka_unit_test(commands_inside_of_directories_are_known),
    };

    return cmocka_run_group_tests_name("client_pack", tests, set_up, tear_down);
}
