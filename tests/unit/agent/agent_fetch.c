/* SPDX-License-Identifier: Apache-2.0 */
/* agent_fetch.c - test: a user has a share of the files that an agent fetches at the same time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/shares.h"
#include "nm-agent/net/fetch.h"

enum { FILES_MAX = 64 };

struct scene {
    struct loop *loop;
    struct fetcher *fetcher;
    uint64_t
        requests[FILES_MAX]; /* id of the request for the first byte of the file 0, 1, ...; 0: none yet */
    bool done[FILES_MAX];
};

/* The cache of the agent, which is empty, and takes all. */
bool runtime_cache_has(const struct runtime *runtime, const char *hash)
{
    (void)runtime;
    (void)hash;
    return false;
}

int runtime_cache_write(struct runtime *runtime, const char *hash, uint64_t size, uint64_t offset,
                        const void *data, size_t length, struct err *err)
{
    (void)runtime;
    (void)hash;
    (void)size;
    (void)offset;
    (void)data;
    (void)length;
    (void)err;
    return 0;
}

static bool take(void *context, Creel__Envelope *request)
{
    struct scene *scene = context;

    scene->requests[request->get_blob->hash.data[0]] = request->request_id;
    return true;
}

static void note_done(void *context, const uint8_t hash[32], int code, const char *why)
{
    struct scene *scene = context;

    (void)why;
    assert_int_equal(code, 0);
    scene->done[hash[0]] = true;
}

static void request_files(struct scene *scene, int first, int count, const char *user)
{
    for (int file = first; file < first + count; file++) {
        uint8_t hash[32] = { (uint8_t)file };

        fetcher_request(scene->fetcher, hash, user);
    }
}

/* Answers the request for FILE with the whole file, of one byte. */
static void answer(struct scene *scene, int file)
{
    Creel__Envelope reply = CREEL__ENVELOPE__INIT;
    Creel__BlobChunk chunk = CREEL__BLOB_CHUNK__INIT;

    assert_true(scene->requests[file] != 0);
    chunk.size_bytes = 1;
    chunk.data = (ProtobufCBinaryData){ 1, (uint8_t *)&chunk };
    reply.request_id = scene->requests[file];
    reply.body_case = CREEL__ENVELOPE__BODY_BLOB_CHUNK;
    reply.blob_chunk = &chunk;
    fetcher_receive(scene->fetcher, &reply);
    assert_true(scene->done[file]);
}

static int requested(const struct scene *scene, int first, int count)
{
    int n = 0;

    for (int file = first; file < first + count; file++)
        n += scene->requests[file] != 0;
    return n;
}

static int set_up(void **state)
{
    struct scene *scene = mem_new0(struct scene);
    struct err err;

    assert_int_equal(loop_new(&scene->loop, &err), 0);
    scene->fetcher = fetcher_new(scene->loop, NULL, 1, take, note_done, scene);
    *state = scene;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;

    fetcher_free(scene->fetcher);
    loop_free(scene->loop);
    free(scene);
    return 0;
}

static void one_user_does_not_delay_the_files_of_others(void **state)
{
    struct scene *scene = *state;
    const struct shares *places = fetcher_places(scene->fetcher);

    request_files(scene, 0, 20, "ann");
    assert_int_equal(requested(scene, 0, 20), FETCH_PLACES_OF_USER);
    request_files(scene, 20, 1, "bob");
    assert_int_equal(requested(scene, 20, 1), 1);
    assert_int_equal(shares_used(places), FETCH_PLACES_OF_USER + 1);
    assert_int_equal(shares_refused(places, SHARES_OWNER_FULL), 20 - FETCH_PLACES_OF_USER);
    answer(scene, 0); /* the next file of the same user begins */
    assert_int_equal(requested(scene, 0, 20), FETCH_PLACES_OF_USER + 1);
    answer(scene, 20);
    assert_int_equal(requested(scene, 0, 20), FETCH_PLACES_OF_USER + 1);
    for (int file = 1; file < 20; file++)
        answer(scene, file);
    assert_int_equal(shares_used(places), 0);
}

static void all_places_are_used(void **state)
{
    struct scene *scene = *state;
    const struct shares *places = fetcher_places(scene->fetcher);

    request_files(scene, 0, 10, "ann");
    request_files(scene, 10, 10, "bob");
    request_files(scene, 20, 1, "cid");
    assert_int_equal(shares_used(places), FETCH_PLACES);
    assert_int_equal(requested(scene, 20, 1), 0);
    assert_int_equal(shares_refused(places, SHARES_FULL), 1);
    answer(scene, 10); /* the place goes to a user who has none */
    assert_int_equal(requested(scene, 20, 1), 1);
    assert_int_equal(shares_used(places), FETCH_PLACES);
    answer(scene, 20);
    assert_int_equal(requested(scene, 10, 10), FETCH_PLACES_OF_USER + 1);
}

/* A file that bob waits for, too, does not wait behind the files of ann, who requested it first. */
static void a_shared_file_takes_a_place_of_any_user_who_waits(void **state)
{
    struct scene *scene = *state;
    const struct shares *places = fetcher_places(scene->fetcher);

    request_files(scene, 0, 20, "ann");
    assert_int_equal(requested(scene, 19, 1), 0);
    request_files(scene, 19, 1, "bob");
    assert_int_equal(requested(scene, 19, 1), 1);
    assert_int_equal(shares_of(places, "ann"), FETCH_PLACES_OF_USER);
    assert_int_equal(shares_of(places, "bob"), 1);
    request_files(scene, 0, 1, "bob"); /* is being fetched: no further place */
    assert_int_equal(shares_of(places, "bob"), 1);
    assert_int_equal(shares_used(places), FETCH_PLACES_OF_USER + 1);
    for (int file = 0; file < 20; file++)
        answer(scene, file);
    assert_int_equal(shares_used(places), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_user_does_not_delay_the_files_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shared_file_takes_a_place_of_any_user_who_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_places_are_used, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
