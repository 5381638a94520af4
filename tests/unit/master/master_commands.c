/* SPDX-License-Identifier: Apache-2.0 */
/*
 * master_commands.c - test: commands of more than 1,024 bytes are left out of replies to changes, and of
 * lists for clients that accept that (Envelope.no_long_commands)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/master/master_harness.h"

#define PEOPLE 901
#define SHORT_MAX 1024 /* bytes of a command that is never left out */
#define WORD "true"

struct world {
    struct harness h;
    bool accepts; /* no_long_commands of the requests */
    uint64_t session, since;
    char app[80];
};

static int set_up(void **state)
{
    struct world *w = mem_new0(struct world);

    harness_init(&w->h);
    w->h.config.proxy_users = "web";
    harness_start(&w->h);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;

    harness_done(&w->h);
    free(w);
    return 0;
}

static const Creel__Envelope *ask(struct world *w, const char *user, Creel__Envelope *envelope)
{
    const Creel__Envelope *reply;

    envelope->no_long_commands = w->accepts;
    reply = harness_ask(&w->h, MASTER_CLIENT, PEOPLE, user, envelope);
    assert_non_null(reply);
    return reply;
}

/* Submits a held job of ann whose command has SIZE bytes, with the 0 bytes of its two words. */
static void submit(struct world *w, size_t size, const char *key)
{
    static char command[] = WORD;
    scoped_free char *argument = mem_alloc(size - sizeof(WORD));
    char *words[] = { command, argument };
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 16, 0);

    memset(argument, 'x', size - sizeof(WORD) - 1);
    argument[size - sizeof(WORD) - 1] = '\0';
    job->hold = true;
    job->launch->command = words;
    job->launch->n_command = 2;
    (void)people_submit_as(&w->h, "ann", job, key, w->app);
    assert_string_not_equal(w->app, "");
}

static const Creel__AppReport *only(const Creel__Envelope *reply)
{
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    assert_int_equal(reply->app_list->n_apps, 1);
    return reply->app_list->apps[0];
}

static const Creel__AppReport *change_priority(struct world *w, int priority)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_SET_PRIORITY);
    Creel__SetPriority body = CREEL__SET_PRIORITY__INIT;

    body.app_id = w->app;
    body.priority = priority;
    envelope->set_priority = &body;
    return only(ask(w, "ann", envelope));
}

static const Creel__AppReport *find_change(struct world *w)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_GET_CHANGES);
    Creel__GetChanges body = CREEL__GET_CHANGES__INIT;
    const Creel__Changes *changes;

    body.session = w->session;
    body.since = w->since;
    envelope->get_changes = &body;
    changes = ask(w, "web", envelope)->changes;
    w->session = changes->session;
    w->since = changes->version;
    return changes->n_apps > 0 ? changes->apps[0] : NULL;
}

static const Creel__Envelope *list(struct world *w, char *app_id, char *after)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__Envelope *reply;

    body.app_id = app_id;
    body.after = after;
    envelope->list_apps = &body;
    reply = ask(w, "ann", envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    return reply;
}

/* Returns the id of the request. */
static uint64_t begin_wait(struct world *w, uint64_t known_version)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_WAIT_APP);
    Creel__WaitApp body = CREEL__WAIT_APP__INIT;

    body.app_id = w->app;
    body.known_version = known_version;
    body.wait_ms = 60000;
    envelope->wait_app = &body;
    envelope->no_long_commands = w->accepts;
    (void)harness_ask(&w->h, MASTER_CLIENT, PEOPLE, "ann", envelope);
    return w->h.next_request;
}

static const Creel__AppReport *answer_of(struct world *w, uint64_t request)
{
    const Creel__Envelope *reply = harness_find_reply(&w->h, PEOPLE, request);

    assert_non_null(reply);
    return only(reply);
}

static void check_report(const Creel__AppReport *report, bool left_out)
{
    assert_non_null(report);
    assert_int_equal(report->command_left_out, left_out);
    assert_int_equal(report->n_command, left_out ? 0 : 2);
}

/* A change of a few bytes makes no reports of hundreds of kilobytes. Lists for a client of 0.2.0 have whole
 * commands. */
static void long_commands_are_left_out_if_the_client_accepts_that(void **state)
{
    struct world *w = *state;
    char all[] = "";
    int changes = 0;

    for (size_t size = SHORT_MAX; size <= SHORT_MAX + 1; size++)
        for (int accepts = 0; accepts < 2; accepts++) {
            bool is_long = size > SHORT_MAX, left_out = accepts && is_long;
            char key[16];
            uint64_t request;

            w->accepts = accepts;
            snprintf(key, sizeof(key), "key-%d", changes);
            (void)find_change(w);
            submit(w, size, key);
            check_report(find_change(w), left_out);
            check_report(change_priority(w, ++changes), is_long);
            check_report(answer_of(w, begin_wait(w, 0)), is_long);
            request = begin_wait(w, only(list(w, w->app, all))->version);
            assert_null(harness_find_reply(&w->h, PEOPLE, request));
            (void)change_priority(w, ++changes);
            check_report(answer_of(w, request), is_long);
            check_report(list(w, all, all)->app_list->apps[changes / 2 - 1], left_out);
            check_report(only(list(w, w->app, all)), false);
        }
}

/* --- the size of a list -------------------------------------------------------------- */

enum {
    JOBS = 60,
    COMMAND_BYTES = 600000,
};

/* Returns the bytes of the replies to a list of all applications. */
static size_t bytes_of_list(struct world *w)
{
    size_t bytes = 0, rows = 0;
    char after[80] = "", all[] = "";

    do {
        const Creel__Envelope *reply = list(w, all, after);

        bytes += creel__envelope__get_packed_size(reply);
        rows += reply->app_list->n_apps;
        snprintf(after, sizeof(after), "%s", reply->app_list->next);
        harness_forget(&w->h);
    } while (*after != '\0');
    assert_int_equal(rows, JOBS);
    return bytes;
}

/* creel ps, which shows no command, of jobs with long ones: a kilobyte for each at most. */
static void a_list_without_long_commands_is_small(void **state)
{
    struct world *w = *state;
    size_t whole, brief;

    for (int i = 0; i < JOBS; i++) {
        char key[16];

        snprintf(key, sizeof(key), "key-%d", i);
        submit(w, COMMAND_BYTES, key);
    }
    whole = bytes_of_list(w);
    w->accepts = true;
    brief = bytes_of_list(w);
    print_message("# %d commands of %d bytes: a list has %zu bytes, without them %zu\n", JOBS, COMMAND_BYTES,
                  whole, brief);
    assert_true(whole > (size_t)JOBS * COMMAND_BYTES);
    assert_true(brief < (size_t)JOBS * 1024);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(long_commands_are_left_out_if_the_client_accepts_that),
        TEST(a_list_without_long_commands_is_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
