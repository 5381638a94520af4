/* SPDX-License-Identifier: Apache-2.0 */
/* master_script.c - test: the owner alone gets the hash of a script of Slurm, with which a client reads it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/master/master_world.h"

/* Returns the size of the hash that USER gets. */
static size_t hash_size(struct world *w, const char *user)
{
    Creel__Envelope *envelope = harness_envelope(&w->h, CREEL__ENVELOPE__BODY_LIST_APPS);
    Creel__ListApps body = CREEL__LIST_APPS__INIT;
    const Creel__Envelope *reply;

    body.app_id = w->app;
    envelope->list_apps = &body;
    reply = harness_ask(&w->h, MASTER_CLIENT, 900, user, envelope);
    assert_int_equal(reply->body_case, CREEL__ENVELOPE__BODY_APP_LIST);
    assert_non_null(reply->app_list->apps[0]->launch);
    return reply->app_list->apps[0]->launch->script_hash.len;
}

static void only_the_owner_gets_the_hash_of_the_script(void **state)
{
    static uint8_t hash[32] = { 7 };
    static Creel__FileRef ref, *refs[] = { &ref };
    static char name[] = "job.sh", command[] = "./job.sh", system[] = "slurm", *words[] = { command };
    struct world *w = *state;
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, 512, 0);

    creel__file_ref__init(&ref);
    ref.name = name;
    ref.hash = (ProtobufCBinaryData){ sizeof(hash), hash };
    ref.size_bytes = 40;
    job->launch->files = refs;
    job->launch->n_files = 1;
    job->launch->command = words;
    job->launch->n_command = 1;
    job->launch->script_system = system;
    people_submit(&w->h, job, "", w->app, NULL);
    assert_int_equal(hash_size(w, "ann"), sizeof(hash));
    assert_int_equal(hash_size(w, "bob"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_the_owner_gets_the_hash_of_the_script, world_set_up,
                                        world_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
