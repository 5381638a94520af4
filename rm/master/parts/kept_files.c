/* SPDX-License-Identifier: Apache-2.0 */
/* kept_files.c - the files of the jobs of one user that have not ended, each counted once */
#include "rm/master/parts/kept_files.h"

#include <string.h>
#include <uthash.h>

#include "common/base/mem.h"

struct kept_file {
    UT_hash_handle hh;
    size_t jobs; /* how often it is named */
    uint64_t size_bytes;
    size_t hash_size;
    uint8_t hash[]; /* of HASH_SIZE bytes */
};

static struct kept_file *find(const struct kept_files *files, const ProtobufCBinaryData *hash)
{
    struct kept_file *file;

    HASH_FIND(hh, files->by_hash, hash->data, hash->len, file);
    return file;
}

static void add(struct kept_files *files, const Creel__FileRef *ref)
{
    struct kept_file *file = find(files, &ref->hash);

    if (file == NULL) {
        file = mem_alloc(sizeof(*file) + ref->hash.len);
        *file = (struct kept_file){ .size_bytes = ref->size_bytes, .hash_size = ref->hash.len };
        memcpy(file->hash, ref->hash.data, ref->hash.len);
        HASH_ADD_KEYPTR(hh, files->by_hash, file->hash, file->hash_size, file);
        files->bytes += file->size_bytes;
    }
    file->jobs++;
}

static void drop(struct kept_files *files, const Creel__FileRef *ref)
{
    struct kept_file *file = find(files, &ref->hash);

    if (--file->jobs > 0)
        return;
    files->bytes -= file->size_bytes;
    HASH_DEL(files->by_hash, file);
    free(file);
}

/* A row of the store may have a reference without a hash, which no file has. */
static bool names_file(const Creel__FileRef *ref)
{
    return ref->hash.len > 0;
}

void rm_kept_files_add(struct kept_files *files, const Creel__JobSpec *job)
{
    for (size_t i = 0; job->launch && i < job->launch->n_files; i++)
        if (names_file(job->launch->files[i]))
            add(files, job->launch->files[i]);
}

void rm_kept_files_remove(struct kept_files *files, const Creel__JobSpec *job)
{
    for (size_t i = 0; job->launch && i < job->launch->n_files; i++)
        if (names_file(job->launch->files[i]))
            drop(files, job->launch->files[i]);
}

void rm_kept_files_clear(struct kept_files *files)
{
    struct kept_file *file, *next;

    HASH_ITER(hh, files->by_hash, file, next) {
        HASH_DEL(files->by_hash, file);
        free(file);
    }
    files->bytes = 0;
}

uint64_t rm_kept_files_missing(const struct kept_files *files, const Creel__JobSpec *job)
{
    uint64_t bytes = 0;

    for (size_t i = 0; job->launch && i < job->launch->n_files; i++)
        if (names_file(job->launch->files[i]) && find(files, &job->launch->files[i]->hash) == NULL)
            bytes += job->launch->files[i]->size_bytes;
    return bytes;
}
