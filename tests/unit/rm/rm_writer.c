/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm_writer.c - test: the thread that writes submitted files answers every chunk once, in order
 *
 * scripts/test also runs this test under the thread sanitizer. For that, the loop queries and sweeps files
 * while the thread writes them, as the resource manager does.
 */
#include "tests/unit/store/store_support.h"

#include <errno.h>
#include <sodium.h>

#include "rm/net/files/writer.h"

#define NOW_MS 1700000000000
#define CHUNK 512
#define CHUNKS 16
#define CONNECTIONS 12

struct fixture {
    char *directory;
    struct loop *loop;
    struct blobs *blobs;
    struct writer *writer;
    uint8_t bytes[CONNECTIONS][CHUNK * CHUNKS], hash[CONNECTIONS][BLOB_HASH_BYTES];
    size_t next[CONNECTIONS]; /* number of the next chunk to be answered */
    size_t answered, expected;
    int result; /* result in the last answer */
    char principal[32];
};

static void on_done(void *context, uint64_t connection, uint64_t request_id, const char *principal,
                    int result, const struct err *err)
{
    struct fixture *f = context;
    bool has;

    (void)err;
    assert_in_range(connection, 0, CONNECTIONS - 1);
    assert_int_equal(request_id, f->next[connection]++);
    snprintf(f->principal, sizeof(f->principal), "%s", principal);
    f->result = result;
    for (size_t i = 0; i < CONNECTIONS; i++) {
        ProtobufCBinaryData hash = { BLOB_HASH_BYTES, f->hash[i] };

        assert_int_equal(blobs_has(f->blobs, "ann", &hash, NOW_MS, &has, NULL), 0);
        if (f->next[i] == CHUNKS)
            assert_true(has);
    }
    assert_int_equal(blobs_sweep(f->blobs, NOW_MS), 0);
    if (++f->answered == f->expected)
        loop_stop(f->loop);
}

static int set_up(void **state)
{
    struct blobs_limits limits = { CHUNK * CHUNKS, CHUNK * CHUNKS, INT64_MAX, 0 };
    struct fixture *f = mem_new0(struct fixture);
    struct err err = { 0 };

    f->directory = scratch_make();
    for (size_t i = 0; i < CONNECTIONS; i++) {
        memset(f->bytes[i], (int)i, sizeof(f->bytes[i]));
        crypto_generichash(f->hash[i], BLOB_HASH_BYTES, f->bytes[i], sizeof(f->bytes[i]), NULL, 0);
    }
    assert_int_equal(loop_new(&f->loop, &err), 0);
    f->blobs = blobs_new(f->directory, &limits);
    assert_int_equal(blobs_open(f->blobs, &err), 0);
    assert_int_equal(writer_new(f->loop, f->blobs, on_done, f, &f->writer, &err), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    writer_free(f->writer);
    blobs_free(f->blobs);
    loop_free(f->loop);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

/* Queues chunk NUMBER of the file of CONNECTION. */
static int put(struct fixture *f, size_t connection, size_t number, struct err *err)
{
    struct peer peer = { .connection = connection, .principal = "ann", .address = "" };
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;

    chunk.hash = (ProtobufCBinaryData){ BLOB_HASH_BYTES, f->hash[connection] };
    chunk.size_bytes = CHUNK * CHUNKS;
    chunk.offset = number * CHUNK;
    chunk.data = (ProtobufCBinaryData){ CHUNK, f->bytes[connection] + number * CHUNK };
    return writer_put(f->writer, &peer, number, &chunk, NOW_MS, err);
}

static void put_all(struct fixture *f)
{
    struct err err = { 0 };

    for (size_t number = 0; number < CHUNKS; number++)
        for (size_t connection = 0; connection < CONNECTIONS; connection++)
            assert_int_equal(put(f, connection, number, &err), 0);
}

static void every_chunk_is_answered_once_in_order(void **state)
{
    struct fixture *f = *state;

    f->expected = CHUNKS * CONNECTIONS;
    put_all(f);
    writer_drop_stalled(f->writer, NOW_MS); /* has no answer */
    loop_run(f->loop);
    assert_int_equal(f->answered, f->expected);
    assert_int_equal(f->result, 0);
    assert_string_equal(f->principal, "ann");
}

static void invalid_chunk_gets_an_error(void **state)
{
    struct fixture *f = *state;
    struct err err = { 0 };

    f->expected = 1;
    f->next[3] = 5;
    assert_int_equal(put(f, 3, 5, &err), 0);
    loop_run(f->loop);
    assert_int_equal(f->result, -ESTALE); /* the upload starts in the middle */
}

static void more_than_the_bound_is_refused_at_once(void **state)
{
    struct fixture *f = *state;
    struct peer peer = { .connection = 1, .principal = "ann", .address = "" };
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;
    scoped_free uint8_t *bytes = mem_alloc(WRITER_QUEUE_BYTES_MAX + 1);
    struct err err = { 0 };

    chunk.data = (ProtobufCBinaryData){ WRITER_QUEUE_BYTES_MAX + 1, bytes };
    assert_int_equal(writer_put(f->writer, &peer, 0, &chunk, NOW_MS, &err), -EAGAIN);
    assert_non_null(strstr(err.text, "try again"));
    f->expected = CHUNKS * CONNECTIONS; /* and the refused chunk does not count for the
                                           bound */
    put_all(f);
    loop_run(f->loop);
    assert_int_equal(f->answered, f->expected);
}

static void an_end_in_the_middle_leaves_no_half_file(void **state)
{
    struct fixture *f = *state;
    bool has;

    put_all(f);
    writer_free(f->writer);
    f->writer = NULL;
    assert_int_equal(f->answered, 0); /* the loop has not run */
    for (size_t i = 0; i < CONNECTIONS; i++) {
        ProtobufCBinaryData hash = { BLOB_HASH_BYTES, f->hash[i] };
        Creel__GetBlob request = CREEL__GET_BLOB__INIT;
        uint64_t size_bytes = 0;
        uint8_t data[CHUNK];
        size_t length;

        request.hash = hash;
        assert_int_equal(blobs_has(f->blobs, "ann", &hash, NOW_MS, &has, NULL), 0);
        assert_int_equal(blobs_get(f->blobs, &request, data, sizeof(data), &length, &size_bytes, NULL),
                         has ? 0 : -ENOENT);
        assert_int_equal(size_bytes, has ? CHUNK * CHUNKS : 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_chunk_is_answered_once_in_order),
        TEST(invalid_chunk_gets_an_error),
        TEST(more_than_the_bound_is_refused_at_once),
        TEST(an_end_in_the_middle_leaves_no_half_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
