/* SPDX-License-Identifier: Apache-2.0 */
/* linux_pack.c - test: results are packed from a working directory, with their hash and their problems */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <sodium.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/archive/unpack.h"
#include "common/base/mem.h"
#include "nm-agent/linux/pack/pack.h"

static char folder[] = "/tmp/creel-linux-pack.XXXXXX";
static char logs[PATH_MAX];

static void holds(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Each test is in the empty directory work, and has the empty directories logs and got. */
static int set_up(void **state)
{
    (void)state;
    holds("cd .. && rm -rf work/* logs got && mkdir logs got");
    return 0;
}

static int enter(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(logs, sizeof(logs), "%s/logs", folder);
    return chdir(folder) == 0 && mkdir("work", 0755) == 0 ? chdir("work") : -1;
}

static int leave(void **state)
{
    char command[PATH_MAX];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return chdir("/") != 0 ? -1 : system(command);
}

static void pack(const char *paths, int64_t bytes_max, struct results *results)
{
    static const char *const own[] = { "token", NULL };
    struct pack_request request = {
        .paths = paths, .target = logs, .bytes_max = bytes_max, .own_names = own
    };
    struct err err = { 0 };

    assert_int_equal(pack_results(&request, results, &err), 0);
}

/* Reads the list that was written, compares it with RESULTS, and unpacks the archive in ../got. */
static void check_results(const struct results *results)
{
    static const struct unpack_limits limits = { .entries = 100, .bytes = 1 << 20 };
    scoped_fd int list = open("../logs/" RESULTS_LIST, O_RDONLY | O_CLOEXEC);
    scoped_fd int archive = open("../logs/" RESULTS_ARCHIVE, O_RDONLY | O_CLOEXEC);
    char text[RESULTS_LIST_MAX];
    uint8_t hash[crypto_hash_sha256_BYTES];
    scoped_free uint8_t *data = mem_alloc((size_t)results->bytes + 1);
    struct results written;
    struct err err = { 0 };
    ssize_t size = read(list, text, sizeof(text));

    assert_int_equal(results_parse(text, (size_t)size, &written), 0);
    assert_int_equal(written.bytes, results->bytes);
    if (results->bytes == 0) {
        assert_true(archive < 0);
        return;
    }
    assert_int_equal(read(archive, data, (size_t)results->bytes + 1), results->bytes);
    crypto_hash_sha256(hash, data, (size_t)results->bytes);
    assert_memory_equal(hash, written.sha256, sizeof(hash));
    lseek(archive, 0, SEEK_SET);
    assert_int_equal(chdir("../got"), 0);
    assert_int_equal(unpack_here(archive, &limits, &err), 0);
    assert_int_equal(chdir("../work"), 0);
}

static void files_directories_and_links_are_packed(void **state)
{
    struct results results;

    (void)state;
    holds("mkdir -p d/e && echo one >d/e/f && ln -s e/f d/l && echo two >g1 && echo three >g2"
          " && echo no >h && chmod 6751 g1"
          " && truncate -s 200000 d/holes");
    pack("d,g*,./g1", 1 << 20, &results);
    assert_int_equal(results.problem_count, 0);
    check_results(&results);
    holds("test $(cat ../got/d/e/f ../got/d/l ../got/g1 ../got/g2 | tr '\\n' -) = one-one-two-three-");
    holds("test ! -e ../got/h && test $(stat -c %a ../got/g1) = 751 && cmp d/holes ../got/d/holes");
    holds("test -z \"$(ls ../logs | grep part)\"");
}

static void files_of_creel_are_left_out(void **state)
{
    struct results results;

    (void)state;
    holds("echo secret >token && echo r >result && mkdir sub && echo t >sub/token");
    pack(".", 1 << 20, &results);
    check_results(&results);
    holds("test ! -e ../got/token && test -e ../got/result && test -e ../got/sub/token");
    pack("to*", 1 << 20, &results);
    assert_int_equal(results.bytes, 0);
    pack("token", 1 << 20, &results);
    assert_string_equal(results.problems[0], "token was put there by creel, and is no result");
}

static void nothing_outside_is_packed(void **state)
{
    struct results results;

    (void)state;
    holds("mkdir d && ln -s /etc/passwd leak && ln -s .. up && ln -s /etc d/etc"
          " && mkfifo d/pipe && echo f >d/f && ln -s d inner");
    pack("leak,up/logs,up,d,inner", 1 << 20, &results);
    assert_int_equal(results.problem_count, 3);
    assert_string_equal(results.problems[0], "leak is a link that leads outside of "
                                             "the working directory, or nowhere");
    assert_string_equal(results.problems[1], "up/logs is a link that leads outside of "
                                             "the working directory, or nowhere");
    assert_int_equal(results.left_out, 4);
    check_results(&results);
    holds("test \"$(cd ../got && echo *)\" = 'd inner'"
          " && test $(cat ../got/d/f ../got/inner/f | tr -d '\\n') = ff");
    holds("test ! -e ../got/d/etc");
}

static void missing_path_is_a_problem_and_others_are_packed(void **state)
{
    struct results results;

    (void)state;
    holds("echo x >there");
    pack("gone,there,no*", 1 << 20, &results);
    assert_int_equal(results.problem_count, 2);
    assert_string_equal(results.problems[0], "gone: no such file in the working directory");
    check_results(&results);
    holds("test -e ../got/there");
}

static void results_beyond_the_limit_are_not_packed(void **state)
{
    struct results results;

    (void)state;
    holds("head -c 100000 /dev/zero >large");
    pack("large", 100000, &results);
    assert_int_equal(results.bytes, 0);
    assert_non_null(strstr(results.problems[0], "larger than 0 MiB, the limit of this node"));
    check_results(&results);
    holds("test -z \"$(ls ../logs | grep -v txt)\"");
    pack("large", 200000, &results);
    assert_int_equal(results.problem_count, 0);
    check_results(&results);
}

static void files_of_the_log_directory_are_not_followed(void **state)
{
    struct results results;
    struct pack_request request = {
        .paths = "f", .target = logs, .bytes_max = 1 << 20, .own_names = (const char *const[]){ NULL }
    };
    struct err err = { 0 };

    (void)state;
    holds("echo x >f && echo victim >../victim && ln -s ../victim ../logs/results.tar.part");
    assert_true(pack_results(&request, &results, &err) < 0);
    holds("test $(cat ../victim) = victim");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(files_directories_and_links_are_packed, set_up),
        cmocka_unit_test_setup(files_of_creel_are_left_out, set_up),
        cmocka_unit_test_setup(nothing_outside_is_packed, set_up),
        cmocka_unit_test_setup(missing_path_is_a_problem_and_others_are_packed, set_up),
        cmocka_unit_test_setup(results_beyond_the_limit_are_not_packed, set_up),
        cmocka_unit_test_setup(files_of_the_log_directory_are_not_followed, set_up),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
