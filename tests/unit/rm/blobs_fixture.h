/* SPDX-License-Identifier: Apache-2.0 */
/* blobs_fixture.h - a directory of submitted files, and files to be stored in it */
#ifndef CREEL_TEST_BLOBS_FIXTURE_H
#define CREEL_TEST_BLOBS_FIXTURE_H

#include "tests/unit/store/store_support.h"

#include <sodium.h>

#include "rm/net/files/blobs.h"

#define FILE_MAX 1000
#define FILES_MAX 2500
#define USER_MAX 8000

struct fixture {
    char *directory;
    struct blobs *blobs;
};

/* A file of SIZE bytes, all of value FILL. */
struct sample {
    uint8_t bytes[4096];
    size_t size;
    uint8_t hash[BLOB_HASH_BYTES];
};

/* UNUSED_BYTES: limit on the files that no job uses; 0: none. */
static inline struct blobs *open_blobs(const char *directory, int64_t unused_bytes)
{
    struct blobs_limits limits = { FILE_MAX, FILES_MAX, USER_MAX, unused_bytes };
    struct blobs *blobs = blobs_new(directory, &limits);
    struct err err = { 0 };

    assert_ok(blobs_open(blobs, &err), err);
    return blobs;
}

static inline int set_up_with(void **state, int64_t unused_bytes)
{
    struct fixture *fixture = mem_new0(struct fixture);

    fixture->directory = scratch_make();
    fixture->blobs = open_blobs(fixture->directory, unused_bytes);
    *state = fixture;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *fixture = *state;

    blobs_free(fixture->blobs);
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

static inline struct sample sample_of(size_t size, int fill)
{
    struct sample sample = { .size = size };

    memset(sample.bytes, fill, size);
    crypto_generichash(sample.hash, sizeof(sample.hash), sample.bytes, size, NULL, 0);
    return sample;
}

static inline int put_at_as(struct blobs *blobs, const char *user, uint64_t connection, struct sample *sample,
                            size_t offset, size_t size, struct err *err)
{
    Creel__PutBlob chunk = CREEL__PUT_BLOB__INIT;

    chunk.hash.data = sample->hash;
    chunk.hash.len = sizeof(sample->hash);
    chunk.size_bytes = sample->size;
    chunk.offset = offset;
    chunk.data.data = sample->bytes + offset;
    chunk.data.len = size;
    return blobs_put(blobs, connection, user, &chunk, NOW_MS, err);
}

static inline int put_at(struct blobs *blobs, uint64_t connection, struct sample *sample, size_t offset,
                         size_t size, struct err *err)
{
    return put_at_as(blobs, "ann", connection, sample, offset, size, err);
}

static inline int put_whole(struct blobs *blobs, uint64_t connection, struct sample *sample, struct err *err)
{
    return put_at(blobs, connection, sample, 0, sample->size, err);
}

static inline int find_as(struct blobs *blobs, const char *user, struct sample *sample, int64_t now_ms,
                          bool *here, struct err *err)
{
    ProtobufCBinaryData hash = { sizeof(sample->hash), sample->hash };

    return blobs_has(blobs, user, &hash, now_ms, here, err);
}

static inline bool has_at(struct blobs *blobs, struct sample *sample, int64_t now_ms)
{
    struct err err = { 0 };
    bool here = false;

    assert_ok(find_as(blobs, "ann", sample, now_ms, &here, &err), err);
    return here;
}

static inline bool has(struct blobs *blobs, struct sample *sample)
{
    return has_at(blobs, sample, NOW_MS);
}

static inline size_t files_in(const char *directory, const char *below)
{
    scoped_free char *command = mem_printf("find %s/%s -type f | wc -l", directory, below);
    FILE *pipe = popen(command, "r");
    int count = -1;

    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return (size_t)count;
}

struct job {
    Creel__JobSpec spec;
    Creel__LaunchContext launch;
    Creel__FileRef refs[4], *files[4];
};

static inline void job_init(struct job *job)
{
    creel__job_spec__init(&job->spec);
    creel__launch_context__init(&job->launch);
    job->spec.launch = &job->launch;
    job->launch.files = job->files;
}

static inline Creel__FileRef *job_add(struct job *job, char *name, struct sample *sample)
{
    Creel__FileRef *file = &job->refs[job->launch.n_files];

    creel__file_ref__init(file);
    file->name = name;
    file->hash.data = sample->hash;
    file->hash.len = sizeof(sample->hash);
    file->size_bytes = sample->size;
    job->files[job->launch.n_files++] = file;
    return file;
}

#endif
