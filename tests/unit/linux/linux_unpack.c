/* SPDX-License-Identifier: Apache-2.0 */
/* linux_unpack.c - test: archives of jobs, also hostile ones, are unpacked into one directory */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
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

#include "common/base/err.h"
#include "common/archive/unpack.h"

static char folder[] = "/tmp/creel-linux-unpack.XXXXXX";

struct item {
    const char *path;
    unsigned type; /* AE_IF...; 0: a hard link */
    unsigned mode;
    const char *text; /* content, or target of a link */
};

static const struct unpack_limits limits = { .entries = 100, .bytes = 1 << 20 };

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    return mkdir("outside", 0755);
}

static int tear_down(void **state)
{
    char command[PATH_MAX];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return chdir("/") != 0 ? -1 : system(command);
}

static void put_item(struct archive *archive, const struct item *item)
{
    struct archive_entry *entry = archive_entry_new();

    archive_entry_set_pathname(entry, item->path);
    archive_entry_set_filetype(entry, item->type ? item->type : AE_IFREG);
    archive_entry_set_perm(entry, (mode_t)item->mode);
    archive_entry_set_mtime(entry, 1000000000, 0);
    archive_entry_set_uid(entry, 4711);
    if (item->type == AE_IFLNK)
        archive_entry_set_symlink(entry, item->text);
    else if (item->type == 0)
        archive_entry_set_hardlink(entry, item->text);
    else if (item->type == AE_IFREG)
        archive_entry_set_size(entry, (la_int64_t)strlen(item->text));
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    if (item->type == AE_IFREG)
        archive_write_data(archive, item->text, strlen(item->text));
    archive_entry_free(entry);
}

/* Makes a tar file NAME of ITEMS, which end with a path NULL. */
static void make_archive(const char *name, const struct item *items)
{
    struct archive *archive = archive_write_new();

    archive_write_set_format_pax_restricted(archive);
    archive_write_add_filter_gzip(archive);
    assert_int_equal(archive_write_open_filename(archive, name), ARCHIVE_OK);
    for (; items->path; items++)
        put_item(archive, items);
    assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
}

static void is_file(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    assert_true(fgets(text, sizeof(text), file) != NULL || *expected == '\0');
    fclose(file);
    assert_string_equal(text, expected);
}

static unsigned mode_of(const char *path)
{
    struct stat info;

    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

static void a_directory_takes_the_place_of_the_archive(void **state)
{
    static const struct item items[] = {
        { "./", AE_IFDIR, 0755, NULL },
        { "a dir/", AE_IFDIR, 0555, NULL },
        { "a dir/file", AE_IFREG, 0644, "text" },
        { "tool", AE_IFREG, 06755, "run" },
        { "secret", AE_IFREG, 0, "kept" },
        { "link", AE_IFLNK, 0777, "a dir/file" },
        { "same", 0, 0644, "tool" },
        { "\303\244", AE_IFREG, 0600, "umlaut" },
        { NULL, 0, 0, NULL },
    };
    struct err err = { 0 };
    struct stat info;
    char here[PATH_MAX];

    (void)state;
    umask(022);
    make_archive("good", items);
    assert_int_equal(unpack_archive("good", &limits, &err), 0);
    assert_string_equal(getcwd(here, sizeof(here)), folder);
    is_file("good/a dir/file", "text");
    is_file("good/link", "text");
    is_file("good/same", "run");
    is_file("good/\303\244", "umlaut");
    assert_int_equal(mode_of("good/tool"), 0755);
    assert_int_equal(mode_of("good/secret") & 0400, 0400);
    assert_int_equal(mode_of("good/a dir"), 0755);
    assert_int_equal(stat("good/tool", &info), 0);
    assert_int_equal(info.st_uid, geteuid());
    assert_int_equal(info.st_mtim.tv_sec, 1000000000);
}

static void hostile_archives_are_refused(void **state)
{
    static const struct {
        struct item items[4];
        const char *message;
    } table[] = {
        { { { "../escaped", AE_IFREG, 0644, "x" } }, "entry \"../escaped\" has \"..\" in its path" },
        { { { "a/../../escaped", AE_IFREG, 0644, "x" } }, "has \"..\" in its path" },
        { { { "/tmp/creel-escaped", AE_IFREG, 0644, "x" } }, "has an absolute path" },
        { { { "to", AE_IFLNK, 0777, "../outside" }, { "to/escaped", AE_IFREG, 0644, "x" } }, "symlink" },
        { { { "to", AE_IFLNK, 0777, "../outside" }, { "to/escaped/", AE_IFDIR, 0755, NULL } }, "symlink" },
        { { { "to", AE_IFLNK, 0777, "../outside" }, { "same", 0, 0644, "to/there" } }, "symlink" },
        { { { "same", 0, 0644, "/etc/passwd" } }, "is a hard link to a file outside" },
        { { { "same", 0, 0644, "../outside/there" } }, "is a hard link to a file outside" },
        { { { "null", AE_IFCHR, 0666, NULL } }, "entry \"null\" is a device" },
        { { { "disk", AE_IFBLK, 0666, NULL } }, "is a device" },
        { { { "pipe", AE_IFIFO, 0666, NULL } }, "is a FIFO" },
        { { { "a\nb", AE_IFIFO, 0666, NULL } }, "entry \"a?b\" is a FIFO" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        char name[32];
        struct err err = { 0 };

        snprintf(name, sizeof(name), "hostile-%zu", i);
        make_archive(name, table[i].items);
        assert_true(unpack_archive(name, &limits, &err) < 0);
        if (!strstr(err.text, table[i].message))
            fail_msg("\"%s\" does not have \"%s\"", err.text, table[i].message);
        if (strncmp(err.text, "archive hostile-", 16) != 0)
            fail_msg("\"%s\" does not name the archive", err.text);
        assert_int_not_equal(access("escaped", F_OK), 0);
        assert_int_not_equal(access("/tmp/creel-escaped", F_OK), 0);
        assert_int_equal(rmdir("outside"), 0); /* it is empty */
        assert_int_equal(mkdir("outside", 0755), 0);
    }
}

static void too_much_is_refused(void **state)
{
    struct item many[102] = { { NULL, 0, 0, NULL } };
    const struct item *big;
    char *text = calloc(1, (1 << 20) + 2);
    struct err err = { 0 };

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < 101; i++)
        many[i] = (struct item){ "again", AE_IFREG, 0644, "" };
    make_archive("many", many);
    assert_int_equal(unpack_archive("many", &limits, &err), -EFBIG);
    assert_string_equal(err.text, "archive many: has more than 100 entries, the limit");

    memset(text, 'x', (1 << 20) + 1);
    big = (struct item[]){ { "bomb", AE_IFREG, 0644, text }, { NULL, 0, 0, NULL } };
    make_archive("big", big);
    assert_int_equal(unpack_archive("big", &limits, &err), -EFBIG);
    assert_string_equal(err.text, "archive big: has more than 1 MiB of files, the limit");
    free(text);
}

static void damaged_archives_are_refused(void **state)
{
    static const struct item items[] = { { "file", AE_IFREG, 0644, "text" }, { NULL, 0, 0, NULL } };
    struct err err = { 0 };
    struct stat info;
    FILE *file;

    (void)state;
    make_archive("cut", items);
    assert_int_equal(stat("cut", &info), 0);
    assert_int_equal(truncate("cut", info.st_size / 2), 0);
    assert_int_equal(unpack_archive("cut", &limits, &err), -EINVAL);
    assert_non_null(strstr(err.text, "archive cut: cannot be read after "));

    file = fopen("text", "w");
    assert_non_null(file);
    fputs("no archive", file);
    fclose(file);
    assert_int_equal(unpack_archive("text", &limits, &err), -EINVAL);
    assert_non_null(strstr(err.text, "archive text: cannot be read after 0 entries: "));

    assert_int_equal(unpack_archive("gone", &limits, &err), -ENOENT);
    assert_int_equal(symlink("/etc/passwd", "elsewhere"), 0);
    assert_int_equal(unpack_archive("elsewhere", &limits, &err), -ELOOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_takes_the_place_of_the_archive),
        cmocka_unit_test(hostile_archives_are_refused),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(damaged_archives_are_refused),
    };

    setlocale(LC_CTYPE, "C.UTF-8"); /* as creel-unpack does */
    return cmocka_run_group_tests_name("linux_unpack", tests, set_up, tear_down);
}
