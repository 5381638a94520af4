/* SPDX-License-Identifier: Apache-2.0 */
/* linux_aggregate.c - test: logs of an application become one file, whatever its user left there */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/mem.h"
#include "nm-agent/linux/aggregate/aggregate.h"
#include "nm-agent/linux/aggregate/sweep.h"

#define APP "application_1700000000000_0001"
#define C1 "container_1700000000000_0001_01_000001"
#define C2 "container_1700000000000_0001_01_000002"

static char folder[64];
static const char *const log_dirs[] = { "logs-1", "logs-2", NULL };
static const struct aggregate_place place = { "shared", "ann", "logs" };

/* Runs a command of the shell; the test fails if it fails. */
static void sh(const char *command)
{
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    (void)state;
    umask(027);
    snprintf(folder, sizeof(folder), "/tmp/creel-linux-aggregate.XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    sh("mkdir shared && chmod 1777 shared && mkdir -p logs-1/" APP "/" C1 " logs-2/" APP "/" C2);
    sh("cd logs-1/" APP "/" C1 " && echo one >stdout && echo two >stderr");
    sh("cd logs-2/" APP "/" C2 " && echo three >stdout");
    return 0;
}

static int tear_down(void **state)
{
    scoped_free char *command = mem_printf("rm -rf '%s'", folder);

    (void)state;
    return chdir("/") != 0 ? -1 : system(command);
}

static int save(int *kind, struct err *err)
{
    return aggregate_save(&place, APP, "n1_8041.tar.gz", log_dirs, kind, err);
}

/* Checks the list of the entries of the file, in one line. */
static void expect_entries(const char *expected)
{
    FILE *pipe = popen("tar tzf shared/ann/logs/" APP "/n1_8041.tar.gz | tr '\\n' ' '", "r");
    char text[1024] = "";

    assert_non_null(pipe);
    text[fread(text, 1, sizeof(text) - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    assert_string_equal(text, expected);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void all_logs_are_in_one_file(void **state)
{
    struct err err = { 0 };
    struct stat status;
    int kind = 0;

    (void)state;
    assert_int_equal(save(&kind, &err), 0);
    expect_entries(C1 "/stderr " C1 "/stdout " C2 "/stdout ");
    sh("test \"$(tar xzOf shared/ann/logs/" APP "/n1_8041.tar.gz " C2 "/stdout)\" = three");
    assert_int_equal(stat("shared/ann/logs/" APP "/n1_8041.tar.gz", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(stat("shared/ann", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0750);
}

static void files_that_are_no_logs_of_the_user_are_left_out(void **state)
{
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    sh("echo secret >secret && cd logs-1/" APP " && mkdir other && echo x >other/stdout && ln -s " C1 " " C1
       "9");
    sh("cd logs-1/" APP "/" C1
       " && rm stdout && ln -s ../../../secret stdout && mkfifo fifo && mkdir folder && "
       "echo x >a && ln a b && echo core >core && echo x >folder/x");
    assert_int_equal(save(&kind, &err), 0);
    expect_entries(C1 "/core " C1 "/stderr " C2 "/stdout ");
}

static void an_unfinished_file_is_replaced(void **state)
{
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    sh("mkdir -p shared/ann/logs/" APP " && cd shared/ann/logs/" APP
       " && ln -s /etc/passwd .n1_8041.tar.gz.tmp");
    assert_int_equal(save(&kind, &err), 0);
    sh("test \"$(ls -A shared/ann/logs/" APP ")\" = n1_8041.tar.gz");
    expect_entries(C1 "/stderr " C1 "/stdout " C2 "/stdout ");
}

static void a_directory_of_another_user_is_refused(void **state)
{
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    if (geteuid() != 0)
        skip();
    sh("mkdir shared/ann && chown 1234 shared/ann");
    assert_int_equal(save(&kind, &err), -EPERM);
    assert_int_equal(kind, AGGREGATE_USER);
    assert_non_null(strstr(err.text, "shared/ann belongs to user id 1234"));
    sh("rm -r shared/ann && mkdir elsewhere && ln -s ../elsewhere shared/ann");
    assert_true(save(&kind, &err) < 0);
    assert_int_equal(kind, AGGREGATE_USER);
    assert_false(exists("elsewhere/logs"));
}

static void storage_that_cannot_be_used(void **state)
{
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    sh("chmod 0777 shared");
    assert_int_equal(save(&kind, &err), -EACCES);
    assert_int_equal(kind, AGGREGATE_STORAGE);
    assert_non_null(strstr(err.text, "1777"));
    sh("rmdir shared");
    assert_int_equal(save(&kind, &err), -ENOENT);
    assert_int_equal(kind, AGGREGATE_STORAGE);
    assert_int_equal(aggregate_sweep("shared", "logs", 1000, 1000, &err), -ENOENT);
}

static void a_full_disk_leaves_no_file(void **state)
{
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    if (mount("creel-test", "shared", "tmpfs", 0, "size=64k,mode=1777") != 0)
        skip();
    sh("head -c 300000 /dev/urandom >logs-1/" APP "/" C1 "/stdout");
    assert_int_equal(save(&kind, &err), -ENOSPC);
    assert_int_equal(kind, AGGREGATE_STORAGE);
    sh("test -z \"$(find shared -type f)\"");
    assert_int_equal(umount("shared"), 0);
}

static void old_files_are_deleted(void **state)
{
    int64_t now_ms = aggregate_now_ms();
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    assert_int_equal(save(&kind, &err), 0);
    sh("cd shared/ann/logs && cp -r " APP " application_1700000000000_0002 && touch -d '2 hours ago' " APP
       "/* " APP " && mkdir other && touch -d '2 hours ago' other other/x.tar.gz");
    assert_int_equal(aggregate_expire(&place, now_ms, 3 * 3600000, 60000, &kind, &err), 0);
    assert_true(exists("shared/ann/logs/" APP "/n1_8041.tar.gz"));
    /* They were checked a moment ago. */
    assert_int_equal(aggregate_expire(&place, now_ms + 1000, 3600000, 60000, &kind, &err), 0);
    assert_true(exists("shared/ann/logs/" APP "/n1_8041.tar.gz"));
    assert_int_equal(aggregate_expire(&place, now_ms + 90000, 3600000, 60000, &kind, &err), 0);
    assert_false(exists("shared/ann/logs/" APP "/n1_8041.tar.gz"));
    assert_true(exists("shared/ann/logs/application_1700000000000_0002/n1_8041.tar.gz"));
    assert_true(exists("shared/ann/logs/other/x.tar.gz"));
}

static void the_directory_of_an_application_ends_with_its_files(void **state)
{
    struct err err = { 0 };
    int kind = 0;

    (void)state;
    assert_int_equal(save(&kind, &err), 0);
    sh("cd shared/ann/logs && rm " APP "/* && touch -d '2 hours ago' " APP);
    assert_int_equal(aggregate_expire(&place, aggregate_now_ms(), 3600000, 60000, &kind, &err), 0);
    assert_false(exists("shared/ann/logs/" APP));
}

static void storage_with_little_room_is_named(void **state)
{
    char text[256] = "";

    (void)state;
    assert_false(aggregate_lacks_room("/shared", 50 << 20, 1000 << 20, text, sizeof(text)));
    assert_true(aggregate_lacks_room("/shared", 49 << 20, 1000 << 20, text, sizeof(text)));
    assert_string_equal(text,
                        "shared storage of logs has little room: 49 MiB of 1000 MiB are free (/shared): "
                        "remove old logs, or enlarge it");
    assert_false(aggregate_lacks_room("/shared", 1 << 30, UINT64_C(1) << 50, text, sizeof(text)));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(all_logs_are_in_one_file),
        CASE(files_that_are_no_logs_of_the_user_are_left_out),
        CASE(an_unfinished_file_is_replaced),
        CASE(a_directory_of_another_user_is_refused),
        CASE(storage_that_cannot_be_used),
        CASE(a_full_disk_leaves_no_file),
        CASE(storage_with_little_room_is_named),
        CASE(old_files_are_deleted),
        CASE(the_directory_of_an_application_ends_with_its_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
