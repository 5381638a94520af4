/* SPDX-License-Identifier: Apache-2.0 */
/* rm_blob_limits.c - test: uploaded files that no job uses: how long they are kept, how many one user has */
#include "tests/unit/rm/blobs_fixture.h"

#include <errno.h>

#define UNUSED_MAX (3 * 4096)

static int set_up(void **state)
{
    return set_up_with(state, UNUSED_MAX);
}

/* --- age ------------------------------------------------------------------- */

static void requests_keep_an_unused_file_for_an_hour_at_most(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(10, 'u');
    struct err err = { 0 };
    struct job job;
    const int64_t offered_max_ms = BLOBS_UNUSED_MAX_MS - 3 * BLOBS_KEEP_MS / 2;

    job_init(&job);
    job_add(&job, (char[]){ "u" }, &sample);
    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    for (int64_t age_ms = 0; age_ms < offered_max_ms; age_ms += BLOBS_KEEP_MS - 1) {
        assert_true(has_at(fixture->blobs, &sample, NOW_MS + age_ms));
        assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + age_ms), 0);
    }
    /* A client that learns that it is stored has ten minutes to submit. */
    assert_false(has_at(fixture->blobs, &sample, NOW_MS + offered_max_ms));
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + offered_max_ms), 0);
    assert_ok(blobs_check_job(fixture->blobs, &job.spec, NOW_MS + BLOBS_UNUSED_MAX_MS - BLOBS_KEEP_MS, &err),
              err);
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_UNUSED_MAX_MS - 1), 0);
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_UNUSED_MAX_MS), 1);
}

static void a_file_that_jobs_use_does_not_age(void **state)
{
    struct fixture *fixture = *state;
    struct sample sample = sample_of(10, 'v');
    struct err err = { 0 };
    struct job job;

    job_init(&job);
    job_add(&job, (char[]){ "v" }, &sample);
    assert_ok(put_whole(fixture->blobs, 1, &sample, &err), err);
    blobs_mark_job(fixture->blobs, &job.spec);
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_UNUSED_MAX_MS), 0);
    assert_true(has_at(fixture->blobs, &sample, NOW_MS + BLOBS_UNUSED_MAX_MS + 1));
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_UNUSED_MAX_MS + 2), 0);
}

/* --- the share of a user ---------------------------------------------------- */

static void put_for(struct fixture *fixture, const char *user, struct sample *sample)
{
    struct err err = { 0 };

    assert_ok(put_at_as(fixture->blobs, user, 1, sample, 0, sample->size, &err), err);
}

static void uploads_that_no_job_uses_are_limited(void **state)
{
    struct fixture *fixture = *state;
    struct sample files[4];
    struct err err = { 0 };
    struct job job;

    for (int i = 0; i < 4; i++)
        files[i] = sample_of(10, i); /* each counts a block */
    for (int i = 0; i < 3; i++)
        put_for(fixture, "ann", &files[i]);
    assert_int_equal(put_whole(fixture->blobs, 1, &files[3], &err), -EFBIG);
    assert_int_equal(blobs_error(-EFBIG), CREEL__ERROR_CODE__ERROR_TOO_LARGE);
    assert_contains(err.text, "user ann has uploaded files of 12288 bytes that no job uses");
    assert_contains(err.text, "creel.submit.user-uploads-size-max is 12288: submit the jobs that need them");
    assert_int_equal(blobs_uploads(fixture->blobs).over_limit, 1);
    assert_int_equal(files_in(fixture->directory, "blobs/tmp"), 0);
    put_for(fixture, "ann", &files[2]); /* is stored already */
    put_for(fixture, "bob", &files[3]);

    job_init(&job);
    job_add(&job, (char[]){ "a" }, &files[0]);
    blobs_mark_job(fixture->blobs, &job.spec);
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS), 0); /* a job uses the first one */
    assert_true(has(fixture->blobs, &files[3]));
    assert_int_equal(blobs_sweep(fixture->blobs, NOW_MS + BLOBS_KEEP_MS), 4);
    for (int i = 0; i < 3; i++)
        put_for(fixture, "ann", &files[i]);
}

static void a_stored_file_counts_for_the_user_who_finds_it(void **state)
{
    struct fixture *fixture = *state;
    struct sample files[4];
    struct err err = { 0 };
    bool here = false;

    for (int i = 0; i < 4; i++) {
        files[i] = sample_of(10, i);
        put_for(fixture, i < 3 ? "ann" : "bob", &files[i]);
    }
    assert_int_equal(find_as(fixture->blobs, "ann", &files[3], NOW_MS, &here, &err), -EFBIG);
    assert_contains(err.text, "creel.submit.user-uploads-size-max");
    assert_int_equal(find_as(fixture->blobs, "bob", &files[0], NOW_MS, &here, &err), 0);
    assert_true(here);
    assert_int_equal(find_as(fixture->blobs, "ann", &files[3], NOW_MS, &here, &err), 0); /* has room now */
}

static void unfinished_uploads_count(void **state)
{
    struct fixture *fixture = *state;
    struct sample first = sample_of(FILE_MAX, 'w'), second = sample_of(10, 'x');
    struct err err = { 0 };

    for (int i = 0; i < 2; i++) {
        struct sample file = sample_of(10, i);

        put_for(fixture, "ann", &file);
    }
    for (uint64_t i = 0; i < 4; i++) { /* together below a block */
        first = sample_of(FILE_MAX, 'a' + (int)i);
        assert_ok(put_at(fixture->blobs, 10 + i, &first, 0, 1, &err), err);
    }
    first = sample_of(FILE_MAX, 'e');
    assert_int_equal(put_at(fixture->blobs, 20, &first, 0, 1, &err), -EFBIG);
    assert_contains(err.text, "creel.submit.user-uploads-size-max");
    assert_int_equal(put_whole(fixture->blobs, 1, &second, &err), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(requests_keep_an_unused_file_for_an_hour_at_most),
        TEST(a_file_that_jobs_use_does_not_age),
        TEST(uploads_that_no_job_uses_are_limited),
        TEST(a_stored_file_counts_for_the_user_who_finds_it),
        TEST(unfinished_uploads_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
