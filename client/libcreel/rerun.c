/* SPDX-License-Identifier: Apache-2.0 */
/* rerun.c - submits an ended application again, or its tasks that did not succeed; reads its script */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/libcreel/request.h"
#include "client/libcreel/submit.h"
#include "client/libcreel/texts.h"
#include "common/base/arena.h"
#include "common/base/mem.h"
#include "common/io/wire/wire.h"

#define HASH_BYTES 32
#define SCRIPT_BYTES_MAX ((size_t)64 << 20)

/* Requests the submission of ID. *REPLY is freed with wire_free. */
static int get_submission(struct creel_client *client, const char *id, bool failed, Creel__Envelope **reply,
                          struct err *err)
{
    Creel__GetRerun get = CREEL__GET_RERUN__INIT;

    get.app_id = texts_borrow(id);
    get.failed = failed;
    return request_reply(client, REQUEST(GET_RERUN, &get), ANSWER(RERUN), reply, err);
}

static const char *name_of_hash(const Creel__LaunchContext *launch, const ProtobufCBinaryData *hash)
{
    for (size_t i = 0; i < launch->n_files; i++)
        if (launch->files[i]->hash.len == hash->len &&
            !memcmp(launch->files[i]->hash.data, hash->data, hash->len))
            return launch->files[i]->name;
    return "(no name)";
}

/* Checks that the resource manager still has the files of JOB; a request keeps them for ten minutes. */
static int check_files(struct creel_client *client, const Creel__JobSpec *job, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;
    Creel__HaveBlobs have = CREEL__HAVE_BLOBS__INIT;
    Creel__Envelope *reply;
    struct arena *arena;
    int r;

    if (launch->n_files == 0)
        return 0;
    arena = arena_new();
    have.hashes = arena_array0(arena, launch->n_files, sizeof(*have.hashes));
    for (size_t i = 0; i < launch->n_files; i++)
        have.hashes[have.n_hashes++] = launch->files[i]->hash;
    r = request_reply(client, REQUEST(HAVE_BLOBS, &have), ANSWER(HAVE_BLOBS_REPLY), &reply, err);
    arena_free(arena);
    if (r < 0)
        return r;
    if (reply->have_blobs_reply->n_missing > 0)
        r = err_set(err, ENOENT,
                    "%s: its file %s is no longer kept (files of ended jobs are, up to 1 MiB, if the job did "
                    "not succeed): submit the job again",
                    job->rerun_of, name_of_hash(launch, &reply->have_blobs_reply->missing[0]));
    wire_free(reply);
    return r;
}

static int rerun(struct creel_client *client, const char *id, bool failed, bool hold, struct creel_rerun *ret,
                 struct creel_error *error)
{
    struct err err = { 0 };
    Creel__Envelope *reply;
    int r = get_submission(client, id, failed, &reply, &err);

    if (r < 0)
        return client_set_error(error, &err, r);
    *ret = (struct creel_rerun){
        .tasks = reply->rerun->tasks,
        .no_deadline = reply->rerun->no_deadline,
    };
    snprintf(ret->rerun_of, sizeof(ret->rerun_of), "%s", reply->rerun->job->rerun_of);
    reply->rerun->job->hold = hold;
    r = check_files(client, reply->rerun->job, &err);
    if (r == 0)
        r = submit_send(client, reply->rerun->job, reply->rerun->am_state, ret->id, &err);
    wire_free(reply);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_app_rerun(struct creel_client *client, const char *id, bool failed, struct creel_rerun *ret,
                    struct creel_error *error)
{
    return rerun(client, id, failed, false, ret, error);
}

CREEL_EXPORT
int creel_app_rerun_held(struct creel_client *client, const char *id, bool failed, struct creel_rerun *ret,
                         struct creel_error *error)
{
    return rerun(client, id, failed, true, ret, error);
}

/* --- scripts -------------------------------------------------------------------- */

/* Adds the part of the file of HASH behind the first *SIZE bytes to *TEXT. Returns 1 if more follows. */
static int read_part(struct creel_client *client, const uint8_t *hash, char **text, size_t *size,
                     struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT, *reply;
    Creel__GetBlob get = CREEL__GET_BLOB__INIT;
    const Creel__BlobChunk *chunk;
    int r;

    get.hash.data = (uint8_t *)(uintptr_t)hash;
    get.hash.len = HASH_BYTES;
    get.offset = *size;
    request.body_case = CREEL__ENVELOPE__BODY_GET_BLOB;
    request.get_blob = &get;
    r = client_call(client, &request, CREEL__ENVELOPE__BODY_BLOB_CHUNK, client->timeout_ms, &reply, err);
    if (r < 0)
        return r;
    chunk = reply->blob_chunk;
    *text = mem_resize(*text, *size + chunk->data.len + 1, 1);
    memcpy(*text + *size, chunk->data.data, chunk->data.len);
    *size += chunk->data.len;
    (*text)[*size] = '\0';
    r = chunk->data.len > 0 && *size < chunk->size_bytes && *size <= SCRIPT_BYTES_MAX;
    wire_free(reply);
    return r;
}

CREEL_EXPORT
int creel_app_script(struct creel_client *client, const char *id, char **text, size_t *size,
                     struct creel_error *error)
{
    struct creel_apps *apps;
    struct err err = { 0 };
    const struct creel_launch *launch;
    int r = creel_app_get(client, id, &apps, error);

    if (r < 0)
        return r;
    *text = NULL;
    *size = 0;
    launch = apps->items[0].launch;
    r = launch && launch->script_hash
            ? 1
            : err_set(&err, ENOENT, "%s has no script of Slurm that this user may read", apps->items[0].id);
    while (r > 0)
        r = read_part(client, launch->script_hash, text, size, &err);
    creel_apps_free(apps);
    if (r < 0)
        free(*text);
    return client_set_error(error, &err, r);
}
