/* SPDX-License-Identifier: Apache-2.0 */
/* master_refused_jobs.c - test: submissions that are refused because a node could not start them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

#define COMMAND CREEL__APP_KIND__APP_COMMAND

static void is_refused(struct world *w, Creel__JobSpec *job, Creel__ErrorCode code, const char *text)
{
    const Creel__Error *error;

    people_submit(&w->h, job, "", w->app, &error);
    assert_string_equal(w->app, "");
    assert_int_equal(error->code, code);
    assert_non_null(strstr(error->message, text));
}

/* An agent of 0.2.0 would start the command with the archive in place of the directory. */
static void archives_need_agents_that_unpack_them(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files[] = { &file };
    uint8_t hash[32] = { 0 };

    file.name = (char *)(uintptr_t) "data";
    file.hash = (ProtobufCBinaryData){ .len = sizeof(hash), .data = hash };
    file.unpack = true;
    job->launch->files = files;
    job->launch->n_files = 1;
    is_refused(w, job, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "archive data: the agent of node ");
    w->a.unpacks = true;
    w->a.incarnation++;
    agent_register(&w->h, &w->a);
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
    job->launch->n_files = 0;
}

static void files_cannot_have_names_that_the_agent_makes(void **state)
{
    static const char *const names[] = { "tmp", ".creel-input", "preempt.json", "creel-token", "creel-job" };
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    Creel__FileRef file = CREEL__FILE_REF__INIT, *files[] = { &file };
    uint8_t hash[32] = { 0 };

    file.hash = (ProtobufCBinaryData){ .len = sizeof(hash), .data = hash };
    job->launch->files = files;
    job->launch->n_files = 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        file.name = (char *)(uintptr_t)names[i];
        is_refused(w, job, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "in the working directory itself");
    }
    file.name = (char *)(uintptr_t) "tmp2";
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
    job->launch->n_files = 0;
}

/* An agent of 0.2.0 would start the command with other bytes. */
static void bytes_that_are_no_utf8_need_agents_that_restore_them(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    char directory[] = "/caf\xf4\x8f\xbb\xa9", slash[] = "/caf\xf4\x8f\xb8\xaf";

    job->launch->escaped = true;
    job->launch->directory = directory;
    is_refused(w, job, CREEL__ERROR_CODE__ERROR_UNSUPPORTED, "not UTF-8, and the agent of node ");
    w->a.restores = true;
    w->a.incarnation++;
    agent_register(&w->h, &w->a);
    job->launch->directory = slash;
    is_refused(w, job, CREEL__ERROR_CODE__ERROR_BAD_REQUEST, "escapes of characters that are UTF-8");
    job->launch->directory = directory;
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
}

/* An agent of 0.2.0 cannot decode a message with them. */
static void long_arguments_need_agents_that_accept_them(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    static char longest[131072];
    char *command[] = { (char[]){ "echo" }, longest };

    memset(longest, 'a', sizeof(longest) - 1);
    job->launch->command = command;
    job->launch->n_command = 2;
    is_refused(w, job, CREEL__ERROR_CODE__ERROR_UNSUPPORTED,
               "have a text of more than 64 KiB, and the agent of node ");
    w->a.restores = true;
    w->a.incarnation++;
    agent_register(&w->h, &w->a);
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
}

/* Nor one with so many. */
static void many_arguments_need_agents_that_accept_them(void **state)
{
    struct world *w = *state;
    Creel__JobSpec *job = job_of(COMMAND, 512, 0);
    static char *command[5000];

    for (size_t i = 0; i < 5000; i++)
        command[i] = (char *)(uintptr_t) "a";
    job->launch->command = command;
    job->launch->n_command = 5000;
    is_refused(w, job, CREEL__ERROR_CODE__ERROR_UNSUPPORTED,
               "have more than 4096 arguments, and the agent of node ");
    w->a.restores = true;
    w->a.incarnation++;
    agent_register(&w->h, &w->a);
    people_submit(&w->h, job, "", w->app, NULL);
    assert_string_not_equal(w->app, "");
}

#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, world_set_up, world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(archives_need_agents_that_unpack_them),
        WORLD_TEST(files_cannot_have_names_that_the_agent_makes),
        WORLD_TEST(bytes_that_are_no_utf8_need_agents_that_restore_them),
        WORLD_TEST(long_arguments_need_agents_that_accept_them),
        WORLD_TEST(many_arguments_need_agents_that_accept_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
