/* SPDX-License-Identifier: Apache-2.0 */
/* io_admission.c - test: which client keys each port of a daemon admits */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/io/server/admission.h"

#define APP "application_1795000000000_0001"
#define ATTEMPT "appattempt_1795000000000_0001_000001"

struct stage {
    char folder[64];
    struct key user, agent, master, stranger, job;
    const char *attempt; /* attempt of MASTER; NULL: it has ended */
    const char *app;     /* application of JOB; NULL: it has ended */
    struct admission admission;
};

static const char *find_master(void *context, const char *public_text)
{
    const struct stage *stage = context;

    return strcmp(public_text, stage->master.public_text) == 0 ? stage->attempt : NULL;
}

static void unlink_certificate(const struct stage *stage, const char *name)
{
    static const char *const suffixes[] = { "", "_secret" };

    for (size_t i = 0; i < 2; i++) {
        scoped_free char *path = mem_printf("%s/%s%s", stage->folder, name, suffixes[i]);

        unlink(path);
    }
}

/* A lookup that knows the user's key and has no result for the attempt's key yet. */
static enum key_lookup answer(void *context, const char *public_text, bool connected)
{
    const struct stage *stage = context;

    if (strcmp(public_text, stage->user.public_text) == 0)
        return KEY_LOOKUP_KNOWN;
    return !connected && strcmp(public_text, stage->master.public_text) == 0 ? KEY_LOOKUP_PENDING
                                                                             : KEY_LOOKUP_UNKNOWN;
}

static int set_up(void **state)
{
    struct stage *stage = mem_new0(struct stage);

    snprintf(stage->folder, sizeof(stage->folder), "/tmp/creel-admission-XXXXXX");
    assert_non_null(mkdtemp(stage->folder));
    assert_int_equal(key_make(stage->folder, KEY_AGENT, "n1", NULL), 0);
    assert_int_equal(key_make(stage->folder, KEY_USER, "ann", NULL), 0);
    assert_int_equal(key_load_for(stage->folder, KEY_AGENT, "n1", false, &stage->agent, NULL), 0);
    assert_int_equal(key_load_for(stage->folder, KEY_USER, "ann", false, &stage->user, NULL), 0);
    key_generate(&stage->master);
    key_generate(&stage->stranger);
    stage->attempt = ATTEMPT;
    stage->admission.find_master = find_master;
    stage->admission.context = stage;
    stage->admission.lookup = answer;
    stage->admission.lookup_context = stage;
    assert_int_equal(keys_open(stage->folder, &stage->admission.keys, NULL), 0);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const folders[] = { "/agents", "/users", "" };
    struct stage *stage = *state;

    keys_free(stage->admission.keys);
    unlink_certificate(stage, "agents/n1");
    unlink_certificate(stage, "users/ann");
    for (size_t i = 0; i < 3; i++) {
        scoped_free char *path = mem_printf("%s%s", stage->folder, folders[i]);

        rmdir(path);
    }
    free(stage);
    return 0;
}

static enum admitted judge(const struct stage *stage, enum admission_policy policy, const struct key *key)
{
    const char *name;

    return admission_judge(&stage->admission, policy, key->public_text, &name);
}

static void each_port_admits_its_own_keys(void **state)
{
    const struct stage *stage = *state;
    const struct {
        enum admission_policy policy;
        enum admitted user, agent, master, stranger;
    } rows[] = {
        { ADMISSION_AGENTS, ADMITTED_NOT, ADMITTED_AGENT, ADMITTED_NOT, ADMITTED_NOT },
        { ADMISSION_USERS, ADMITTED_USER, ADMITTED_NOT, ADMITTED_NOT, ADMITTED_NOT },
        { ADMISSION_MASTERS, ADMITTED_USER, ADMITTED_NOT, ADMITTED_MASTER, ADMITTED_NOT },
        { ADMISSION_ANY, ADMITTED_ANY, ADMITTED_ANY, ADMITTED_ANY, ADMITTED_ANY },
        { ADMISSION_LOOKUP, ADMITTED_LOOKUP, ADMITTED_NOT, ADMITTED_PENDING, ADMITTED_NOT },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(judge(stage, rows[i].policy, &stage->user), rows[i].user);
        assert_int_equal(judge(stage, rows[i].policy, &stage->agent), rows[i].agent);
        assert_int_equal(judge(stage, rows[i].policy, &stage->master), rows[i].master);
        assert_int_equal(judge(stage, rows[i].policy, &stage->stranger), rows[i].stranger);
    }
}

static void admitted_keys_have_names(void **state)
{
    const struct stage *stage = *state;
    const char *name;

    admission_judge(&stage->admission, ADMISSION_MASTERS, stage->master.public_text, &name);
    assert_string_equal(name, ATTEMPT);
    admission_judge(&stage->admission, ADMISSION_MASTERS, stage->user.public_text, &name);
    assert_string_equal(name, "ann");
    admission_judge(&stage->admission, ADMISSION_MASTERS, stage->stranger.public_text, &name);
    assert_null(name);
}

static const char *find_host(void *context, const char *public_text)
{
    const struct stage *stage = context;

    return strcmp(public_text, stage->master.public_text) == 0 ? stage->attempt : NULL;
}

static const char *find_token(void *context, const char *public_text)
{
    const struct stage *stage = context;

    return strcmp(public_text, stage->stranger.public_text) == 0 ? "0a1b2c3d" : NULL;
}

static void a_host_that_has_joined_is_an_agent_and_a_token_is_for_clients_port_alone(void **state)
{
    struct stage *stage = *state;
    struct admission *admission = &stage->admission;
    const char *name;

    admission->find_host = find_host;
    admission->find_token = find_token;
    admission->join_context = stage;
    stage->attempt = "n7";
    assert_int_equal(judge(stage, ADMISSION_AGENTS, &stage->master), ADMITTED_AGENT);
    assert_int_equal(judge(stage, ADMISSION_CLIENTS, &stage->master), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_CLIENTS, &stage->user), ADMITTED_USER);
    assert_int_equal(judge(stage, ADMISSION_USERS, &stage->stranger), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_AGENTS, &stage->stranger), ADMITTED_NOT);
    assert_int_equal(admission_judge(admission, ADMISSION_CLIENTS, stage->stranger.public_text, &name),
                     ADMITTED_JOIN);
    assert_string_equal(name, "0a1b2c3d");
    assert_true(admission_holds(admission, ADMITTED_AGENT, "n7", stage->master.public_text));
    assert_false(admission_holds(admission, ADMITTED_AGENT, "n8", stage->master.public_text));
    assert_true(admission_holds(admission, ADMITTED_AGENT, "n1", stage->agent.public_text));
    assert_true(admission_holds(admission, ADMITTED_JOIN, name, stage->stranger.public_text));
    stage->attempt = NULL;
    assert_false(admission_holds(admission, ADMITTED_AGENT, "n7", stage->master.public_text));
}

static const char *find_signed_in(void *context, const char *public_text)
{
    const struct stage *stage = context;

    return strcmp(public_text, stage->master.public_text) == 0 ? stage->attempt : NULL;
}

static bool takes_no_certificate(void *context, const char *user)
{
    (void)context;
    return strcmp(user, "ann") != 0;
}

static const char *find_job(void *context, const char *public_text)
{
    const struct stage *stage = context;

    return strcmp(public_text, stage->job.public_text) == 0 ? stage->app : NULL;
}

static void the_key_of_a_job_is_admitted_to_the_clients_port_until_the_job_ends(void **state)
{
    struct stage *stage = *state;
    struct admission *admission = &stage->admission;
    const char *name, *key = stage->job.public_text;

    key_generate(&stage->job);
    stage->app = APP;
    admission->users = (struct channel_users){ .find_job = find_job, .context = stage };
    assert_int_equal(admission_judge(admission, ADMISSION_CLIENTS, key, &name), ADMITTED_JOB);
    assert_string_equal(name, APP);
    assert_int_equal(judge(stage, ADMISSION_USERS, &stage->job), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_MASTERS, &stage->job), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_AGENTS, &stage->job), ADMITTED_NOT);
    assert_true(admission_holds(admission, ADMITTED_JOB, APP, key));
    stage->app = NULL;
    assert_false(admission_holds(admission, ADMITTED_JOB, APP, key));
    assert_int_equal(judge(stage, ADMISSION_CLIENTS, &stage->job), ADMITTED_NOT);
}

static void users_who_have_signed_in_are_admitted_and_others_are_guests_of_the_clients_port(void **state)
{
    struct stage *stage = *state;
    struct admission *admission = &stage->admission;
    const char *name, *key = stage->master.public_text;

    admission->find_master = NULL;
    admission->users = (struct channel_users){ find_signed_in, takes_no_certificate, find_job, true, stage };
    stage->attempt = "bob";
    assert_int_equal(admission_judge(admission, ADMISSION_CLIENTS, key, &name), ADMITTED_SIGNED_IN);
    assert_string_equal(name, "bob");
    assert_int_equal(judge(stage, ADMISSION_USERS, &stage->master), ADMITTED_SIGNED_IN);
    assert_int_equal(judge(stage, ADMISSION_MASTERS, &stage->master), ADMITTED_SIGNED_IN);
    assert_int_equal(judge(stage, ADMISSION_AGENTS, &stage->master), ADMITTED_NOT);
    assert_true(admission_holds(admission, ADMITTED_SIGNED_IN, "bob", key));
    assert_false(admission_holds(admission, ADMITTED_SIGNED_IN, "ann", key));

    assert_int_equal(judge(stage, ADMISSION_CLIENTS, &stage->stranger), ADMITTED_GUEST);
    assert_int_equal(judge(stage, ADMISSION_USERS, &stage->stranger), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_MASTERS, &stage->stranger), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_AGENTS, &stage->stranger), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_CLIENTS, &stage->user),
                     ADMITTED_GUEST); /* her certificate is not taken */
    assert_int_equal(judge(stage, ADMISSION_MASTERS, &stage->user), ADMITTED_NOT);
    stage->attempt = NULL;
    assert_false(admission_holds(admission, ADMITTED_SIGNED_IN, "bob", key));
    admission->users.guests = false;
    assert_int_equal(judge(stage, ADMISSION_CLIENTS, &stage->stranger), ADMITTED_NOT);
}

static void withdrawn_key_is_not_admitted_any_longer(void **state)
{
    struct stage *stage = *state;
    const struct admission *admission = &stage->admission;

    assert_true(admission_holds(admission, ADMITTED_MASTER, ATTEMPT, stage->master.public_text));
    assert_true(admission_holds(admission, ADMITTED_USER, "ann", stage->user.public_text));
    assert_true(admission_holds(admission, ADMITTED_AGENT, "n1", stage->agent.public_text));
    stage->attempt = NULL;
    unlink_certificate(stage, "users/ann");
    assert_false(admission_holds(admission, ADMITTED_MASTER, ATTEMPT, stage->master.public_text));
    assert_false(admission_holds(admission, ADMITTED_USER, "ann", stage->user.public_text));
    assert_true(admission_holds(admission, ADMITTED_AGENT, "n1", stage->agent.public_text));
}

static void no_attempts_means_no_admitted_master(void **state)
{
    struct stage *stage = *state;

    stage->admission.find_master = NULL;
    assert_int_equal(judge(stage, ADMISSION_MASTERS, &stage->master), ADMITTED_NOT);
    assert_int_equal(judge(stage, ADMISSION_MASTERS, &stage->user), ADMITTED_USER);
}

static void looked_up_key_stays_admitted_while_known(void **state)
{
    struct stage *stage = *state;
    const char *user = stage->user.public_text, *master = stage->master.public_text;

    assert_true(admission_holds(&stage->admission, ADMITTED_LOOKUP, user, user));
    assert_false(admission_holds(&stage->admission, ADMITTED_LOOKUP, master, master));
    stage->admission.lookup = NULL;
    assert_int_equal(judge(stage, ADMISSION_LOOKUP, &stage->user), ADMITTED_NOT);
    assert_false(admission_holds(&stage->admission, ADMITTED_LOOKUP, user, user));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_port_admits_its_own_keys),
        TEST(admitted_keys_have_names),
        TEST(a_host_that_has_joined_is_an_agent_and_a_token_is_for_clients_port_alone),
        TEST(the_key_of_a_job_is_admitted_to_the_clients_port_until_the_job_ends),
        TEST(users_who_have_signed_in_are_admitted_and_others_are_guests_of_the_clients_port),
        TEST(withdrawn_key_is_not_admitted_any_longer),
        TEST(no_attempts_means_no_admitted_master),
        TEST(looked_up_key_stays_admitted_while_known),
    };

    return cmocka_run_group_tests_name("io_admission", tests, NULL, NULL);
}
