/* SPDX-License-Identifier: Apache-2.0 */
/* client_field_words.c - test: errors name fields of messages by the words of the user */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/libcreel/field_words.h"

static void paths_become_words(void **state)
{
    static const struct {
        const char *before, *after;
    } cases[] = {
        { "submit_app.job.name: is longer than 255 bytes", "--name: is longer than 255 bytes" },
        { "test_app.job.name: is longer than 255 bytes", "--name: is longer than 255 bytes" },
        { "submit_app.job.time_limit_s: must be from 1 to 5", "--time: must be from 1 to 5" },
        { "submit_app.job.launch.out_file: has a NUL", "--out: has a NUL" },
        { "submit_app.job.launch.command[3]: is too long",
          "argument 3 (the command is argument 0): is too long" },
        { "submit_app.job.launch.environment[2].name: is empty", "variable 3 (--env): is empty" },
        { "submit_app.job.tags[1]: is too long", "--tag 2: is too long" },
        { "submit_app.job.resource.memory_mb: is -1", "--memory: is -1" },
        { "submit_app.job.unknown_field: is 7", "unknown field: is 7" },
        { "requeue_app.reason: is too long", "reason: is too long" },
        { "list_apps.users[4]: is empty", "users: is empty" },
        { "the resource manager does not answer: bad", "the resource manager does not answer: bad" },
        { "node: x", "node: x" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err;

        err_set(&err, EBADMSG, "%s", cases[i].before);
        field_words_replace(&err);
        assert_string_equal(err.text, cases[i].after);
        assert_int_equal(err.code, EBADMSG);
    }
    field_words_replace(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(paths_become_words) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
