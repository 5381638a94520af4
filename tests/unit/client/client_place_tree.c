/* SPDX-License-Identifier: Apache-2.0 */
/* client_place_tree.c - test: files of results are moved to their places, and nowhere else */
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

#include "client/cli/results/place_tree.h"
#include "common/base/mem.h"

static char folder[] = "/tmp/creel-place-tree.XXXXXX";

static void holds(const char *command)
{
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Each test has the directories from, to and outside/ with the file victim. */
static int set_up(void **state)
{
    (void)state;
    holds("mkdir from to outside && echo victim >outside/victim");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    holds("rm -rf from to outside");
    return 0;
}

static int enter(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    return chdir(folder);
}

static int leave(void **state)
{
    (void)state;
    return chdir("/") != 0 ? -1 : rmdir(folder);
}

static int place(struct err *err)
{
    scoped_fd int from = open("from", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    scoped_fd int to = open("to", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return place_tree(from, to, err);
}

static void files_are_moved_below_existing_directories(void **state)
{
    struct err err = { 0 };

    (void)state;
    holds("mkdir -p from/a/b from/empty to/a && echo new >from/a/b/file && echo new >from/a/old"
          " && ln -s b/file from/a/link"
          " && ln -s ../a from/empty/up && echo old >to/a/old && echo other >to/a/other");
    assert_int_equal(place(&err), 0);
    holds("test $(cat to/a/b/file to/a/old to/a/link | sort -u) = new && test $(cat to/a/other) = other"
          " && test -L to/empty/up");
    holds("test -z \"$(ls -A from)\"");
}

static void refused(const char *prepare, const char *message)
{
    struct err err = { 0 };

    holds(prepare);
    assert_true(place(&err) < 0);
    if (strstr(err.text, message) == NULL)
        fail_msg("no \"%s\" in: %s", message, err.text);
    holds("test $(cat outside/victim) = victim && test \"$(ls outside)\" = victim");
}

static void link_in_the_target_is_not_followed(void **state)
{
    (void)state;
    refused("ln -s ../outside to/d && mkdir from/d && echo evil >from/d/victim",
            "d is a directory among the results");
}

static void link_to_a_file_is_replaced_and_not_followed(void **state)
{
    struct err err = { 0 };

    (void)state;
    holds("ln -s ../outside/victim to/f && echo new >from/f");
    assert_int_equal(place(&err), 0);
    holds("test ! -L to/f && test $(cat to/f) = new && test $(cat outside/victim) = victim");
}

static void links_that_lead_outside_are_refused(void **state)
{
    (void)state;
    refused("ln -s ../outside from/l", "l is a link that leads outside");
    refused("rm from/l; ln -s /etc/passwd from/l", "l is a link that leads outside");
    refused("rm from/l; mkdir from/d; ln -s x/../../../outside from/d/l", "d/l is a link that leads outside");
}

static void other_files_are_refused(void **state)
{
    (void)state;
    refused("mkfifo from/pipe", "pipe is neither a file");
    refused("rm from/pipe; echo x >from/one; ln from/one from/two", "is a hard link");
}

static void files_and_directories_do_not_replace_each_other(void **state)
{
    (void)state;
    refused("mkdir to/d; echo x >from/d", "d is a file among the results, but a directory here");
    refused("rm from/d; rmdir to/d; echo x >to/d; mkdir from/d; echo y >from/d/f",
            "d is a directory among the results");
}

static void trees_are_removed(void **state)
{
    scoped_fd int fd = -1;

    (void)state;
    holds("mkdir -p from/a/b/c from/d && echo x >from/a/b/f && ln -s ../outside from/a/l");
    fd = open("from", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    place_tree_clear(fd);
    holds("test -z \"$(ls -A from)\" && test $(cat outside/victim) = victim");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_moved_below_existing_directories, set_up, tear_down),
        cmocka_unit_test_setup_teardown(link_in_the_target_is_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(link_to_a_file_is_replaced_and_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_that_lead_outside_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_and_directories_do_not_replace_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(trees_are_removed, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
