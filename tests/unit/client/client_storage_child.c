/* SPDX-License-Identifier: Apache-2.0 */
/* client_storage_child.c - test: shared storage is read in child processes, of which none is left */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "client/cli/logs/storage_child.h"

#define LONG_MS 60000

static void count(void *context, const struct storage_message *message)
{
    *(int *)context += message->kind == STORAGE_ENTRY;
}

static void send_entry(void *context, int fd)
{
    const struct storage_message entry = { .kind = STORAGE_ENTRY, .text = "entry" };
    struct storage_message end = { .kind = STORAGE_END, .code = *(int *)context };

    snprintf(end.text, sizeof(end.text), "denied");
    storage_send(fd, &entry);
    storage_send(fd, &end);
}

static void end_early(void *context, int fd)
{
    (void)context;
    (void)fd;
}

static void block(void *context, int fd)
{
    (void)context;
    (void)fd;
    for (;;)
        pause();
}

static void assert_no_child(void)
{
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void no_child_is_left_after_its_last_message(void **state)
{
    struct err err = { .code = 0 };
    int entries = 0;

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_int_equal(storage_child_run(send_entry, count, &(int){ 0 }, LONG_MS, &err), 0);
    assert_no_child();
    entries = EACCES; /* both functions have one context */
    assert_int_equal(storage_child_run(send_entry, count, &entries, LONG_MS, &err), -EACCES);
    assert_string_equal(err.text, "denied");
    assert_int_equal(entries, EACCES + 1);
    assert_no_child();
}

static void no_child_is_left_that_ended_early(void **state)
{
    struct err err = { .code = 0 };

    (void)state;
    assert_int_equal(storage_child_run(end_early, count, NULL, LONG_MS, &err), -ECHILD);
    assert_non_null(strstr(err.text, "try again"));
    assert_no_child();
}

static void a_child_that_blocks_is_killed(void **state)
{
    struct err err = { .code = 0 };
    int status = 0;

    (void)state;
    assert_int_equal(storage_child_run(block, count, NULL, 10, &err), -ETIMEDOUT);
    assert_non_null(strstr(err.text, "does not answer"));
    if (waitpid(-1, &status, 0) > 0)
        assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_no_child();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_child_is_left_after_its_last_message),
        cmocka_unit_test(no_child_is_left_that_ended_early),
        cmocka_unit_test(a_child_that_blocks_is_killed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
