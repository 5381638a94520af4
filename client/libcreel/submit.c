/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - sends a job and its files to the RM
 *
 * First the files that the RM lacks, then the job, with a random key that makes repetition harmless. The RM
 * checks the hash of each file, so a file that changes between hashing and sending is refused.
 */
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/libcreel/client.h"
#include "client/libcreel/field_words.h"
#include "client/libcreel/files.h"
#include "client/libcreel/job_values.h"
#include "client/libcreel/request.h"
#include "client/libcreel/result.h"
#include "client/libcreel/submit.h"
#include "client/libcreel/submit_texts.h"
#include "client/libcreel/texts.h"
#include "common/base/arena.h"
#include "common/base/escaped_text.h"
#include "common/base/job/job_check.h"
#include "common/base/job/mail.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/io/wire/wire.h"
#include "common/io/wire/wire_text.h"
#include "common/proto/launch_texts.h"

#define CHUNK_BYTES ((size_t)256 << 10)
#define KEY_BYTES 16

struct upload {
    const char *source;
    Creel__FileRef ref;
    uint8_t hash[FILES_HASH_BYTES];
    int fd;
};

struct submission {
    struct arena *arena;
    Creel__JobSpec job;
    Creel__LaunchContext launch;
    Creel__Resource resource, master_resource;
    struct upload *uploads;
    size_t upload_count;
};

/* --- the request ----------------------------------------------------------- */

static int check_job(const struct creel_job *job, struct err *err)
{
    struct job_values values = job_values_of(job);

    if (!job->command || !job->command[0] || !*job->command[0])
        return err_set(err, EINVAL, "a job needs a command");
    if (job->memory_mb < 0 || job->vcores < 0 || job->master_memory_mb < 0 || job->master_vcores < 0)
        return err_set(err, EINVAL, "memory and vcores must not be negative");
    if (job->kind == CREEL_JOB_TASKS && !job->task_count)
        return err_set(err, EINVAL, "a job of tasks needs at least one");
    if (job->file_count > WIRE_FILES_MAX)
        return err_set(err, EFBIG, "%zu files; at most %d may travel with a job", job->file_count,
                       WIRE_FILES_MAX);
    return job_check(&values, NULL, err);
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* FIRST: the file is for the first container. */
static int set_file(struct upload *upload, const struct creel_file *file, bool first, struct err *err)
{
    const char *name = file->name ? file->name : last_component(file->source);
    uint32_t mode;
    int r;

    if (!*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..") ||
        strlen(name) > WIRE_NAME_MAX)
        return err_set(err, EINVAL,
                       "file %s: \"%s\" cannot be its name in the working directory; "
                       "expected a plain file name",
                       file->source, name);
    if (job_check_is_own_name(name, first))
        return err_set(err, EINVAL,
                       "file %s: the agent makes %s in the working directory itself; give the file another "
                       "name (SRC#NAME)",
                       file->source, name);
    if ((r = files_open(file->source, &upload->fd, &mode, err)) < 0)
        return r;
    creel__file_ref__init(&upload->ref);
    /* The path of a descriptor is no use in a message. */
    upload->source = text_has_prefix(file->source, "/proc/self/fd/") ? name : file->source;
    upload->ref.name = texts_borrow(name);
    upload->ref.mode = file->executable ? 0500 : mode;
    upload->ref.unpack = file->unpack;
    r = files_hash(upload->fd, file->source, upload->hash, &upload->ref.size_bytes, err);
    upload->ref.hash.data = upload->hash;
    upload->ref.hash.len = sizeof(upload->hash);
    return r;
}

static int set_files(struct submission *submission, const struct creel_job *job, struct err *err)
{
    Creel__LaunchContext *launch = &submission->launch;
    int r;

    submission->uploads = arena_array0(submission->arena, job->file_count + 1, sizeof(*submission->uploads));
    launch->files = arena_array0(submission->arena, job->file_count + 1, sizeof(void *));
    for (size_t i = 0; i < job->file_count; i++) {
        struct upload *upload = &submission->uploads[i];

        upload->fd = -1;
        submission->upload_count = i + 1;
        if ((r = set_file(upload, &job->files[i], job->kind != CREEL_JOB_TASKS, err)) < 0)
            return r;
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(submission->uploads[k].ref.name, upload->ref.name))
                return err_set(err, EINVAL,
                               "files %s and %s: both would be named %s; give one "
                               "another name (SRC#NAME)",
                               submission->uploads[k].source, upload->source, upload->ref.name);
        }
        launch->files[launch->n_files++] = &upload->ref;
    }
    return 0;
}

static int set_others(struct submission *submission, const struct creel_job *job, struct err *err)
{
    Creel__Resource *resource = &submission->resource;

    if (job->resource_count > CREEL_OTHERS_MAX)
        return err_set(err, EINVAL, "%zu further resources; there are at most %d", job->resource_count,
                       CREEL_OTHERS_MAX);
    resource->others = arena_array0(submission->arena, job->resource_count + 1, sizeof(void *));
    for (size_t i = 0; i < job->resource_count; i++) {
        Creel__NamedAmount *named = arena_new0(submission->arena, Creel__NamedAmount);

        if (job->resources[i].amount < 0)
            return err_set(err, EINVAL, "%s must not be negative", job->resources[i].name);
        creel__named_amount__init(named);
        named->name = texts_borrow(job->resources[i].name);
        named->amount = job->resources[i].amount;
        named->unit = texts_borrow(job->resources[i].unit);
        resource->others[resource->n_others++] = named;
    }
    return 0;
}

/* Sets the name of the job, which is text for people: bytes that are not UTF-8 become '?'. */
static void set_name(struct submission *submission, const struct creel_job *job)
{
    Creel__JobSpec *spec = &submission->job;

    if (!job->name)
        spec->name = texts_borrow(last_component(job->command[0]));
    if (escaped_text_is_needed(spec->name)) {
        spec->name = arena_strdup(submission->arena, spec->name);
        wire_text_mend(spec->name, WIRE_NAME_MAX);
    }
    submission->launch.title = spec->name;
}

/* Escapes the texts of the launch that need it. An escaped byte has four bytes in a message. */
static int escape_texts(struct submission *submission, struct err *err)
{
    Creel__LaunchContext *launch = &submission->launch;

    launch_texts_escape(launch, submission->arena);
    for (size_t i = 0; launch->escaped && i < launch->n_files; i++)
        if (strlen(launch->files[i]->name) > WIRE_NAME_MAX)
            return err_set(err, EINVAL,
                           "file %s: its name has %zu bytes, with four for each one that is not UTF-8; at "
                           "most %d are allowed: give it another name (SRC#NAME)",
                           submission->uploads[i].source, strlen(launch->files[i]->name), WIRE_NAME_MAX);
    return submit_texts_judge(launch, err);
}

static int set_job(struct submission *submission, const struct creel_job *job, struct err *err)
{
    Creel__LaunchContext *launch = &submission->launch;
    Creel__JobSpec *spec = &submission->job;
    struct job_values values;
    int r;

    creel__job_spec__init(spec);
    creel__launch_context__init(launch);
    creel__resource__init(&submission->resource);
    creel__resource__init(&submission->master_resource);
    if ((r = check_job(job, err)) < 0 || (r = set_others(submission, job, err)) < 0 ||
        (r = submit_texts_set_command(launch, job->command, submission->arena, err)) < 0 ||
        (r = submit_texts_set_tags(spec, job->tags, err)) < 0 ||
        (r = submit_texts_set_environment(launch, job->environment, submission->arena, err)) < 0 ||
        (r = set_files(submission, job, err)) < 0)
        return r;
    spec->launch = launch;
    values = job_values_of(job);
    job_values_put(&values, spec);
    launch->submit_directory = texts_borrow(job->submit_directory);
    launch->script = texts_borrow(job->script);
    launch->input = job->input;
    launch->input_task = job->input_task;
    launch->input_all = job->input_all;
    launch->name_leftovers = job->name_leftovers;
    set_name(submission, job);
    submission->resource.memory_mb = job->memory_mb;
    submission->resource.vcores = job->vcores;
    submission->master_resource.memory_mb = job->master_memory_mb;
    submission->master_resource.vcores = job->master_vcores;
    spec->type = texts_borrow(job->type);
    spec->kind = (Creel__AppKind)job->kind;
    spec->unmanaged = job->unmanaged;
    spec->resource = &submission->resource;
    if (job->kind == CREEL_JOB_TASKS) {
        spec->am_resource = &submission->master_resource;
        spec->task_count = job->task_count;
    }
    return escape_texts(submission, err);
}

/* --- the files ------------------------------------------------------------- */

static int send_chunk(struct creel_client *client, const struct upload *upload, uint64_t offset,
                      uint8_t *block, uint64_t *sent, struct err *err)
{
    uint64_t left = upload->ref.size_bytes - offset;
    size_t want = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
    Creel__Envelope *reply;
    Creel__PutBlob put = CREEL__PUT_BLOB__INIT;
    ssize_t got = 0;
    int r;

    if (want && (got = pread(upload->fd, block, want, (off_t)offset)) < 0)
        return err_set_errno(err, errno, "file %s: cannot be read", upload->source);
    if ((size_t)got != want)
        return err_set(err, EINVAL, "file %s: became shorter while it was sent", upload->source);
    put.hash = upload->ref.hash;
    put.size_bytes = upload->ref.size_bytes;
    put.offset = offset;
    put.data.data = block;
    put.data.len = want;
    r = request_reply(client, REQUEST(PUT_BLOB, &put), ANSWER(OK), &reply, err);
    if (r < 0)
        return r;
    wire_free(reply);
    *sent = want;
    return 0;
}

static int send_file(struct creel_client *client, const struct upload *upload, struct err *err)
{
    scoped_free uint8_t *block = mem_alloc(CHUNK_BYTES);
    uint64_t offset = 0;

    /* An empty file is sent as one empty chunk. */
    do {
        uint64_t sent = 0;
        int r = send_chunk(client, upload, offset, block, &sent, err);

        if (r < 0) {
            err_prefix(err, "file %s: cannot be sent", upload->source);
            return r;
        }
        offset += sent;
    } while (offset < upload->ref.size_bytes);
    return 0;
}

static struct upload *upload_of_hash(struct submission *submission, const ProtobufCBinaryData *hash)
{
    for (size_t i = 0; i < submission->upload_count; i++) {
        if (hash->len == FILES_HASH_BYTES &&
            !memcmp(hash->data, submission->uploads[i].hash, FILES_HASH_BYTES))
            return &submission->uploads[i];
    }
    return NULL;
}

static int missing_files(struct creel_client *client, struct submission *submission, Creel__Envelope **reply,
                         struct err *err)
{
    Creel__HaveBlobs have = CREEL__HAVE_BLOBS__INIT;

    have.hashes = arena_array0(submission->arena, submission->upload_count, sizeof(*have.hashes));
    for (size_t i = 0; i < submission->upload_count; i++)
        have.hashes[have.n_hashes++] = submission->uploads[i].ref.hash;
    return request_reply(client, REQUEST(HAVE_BLOBS, &have), ANSWER(HAVE_BLOBS_REPLY), reply, err);
}

static int send_files(struct creel_client *client, struct submission *submission, struct err *err)
{
    Creel__Envelope *reply;
    int r;

    if (!submission->upload_count)
        return 0;
    if ((r = missing_files(client, submission, &reply, err)) < 0)
        return r;
    for (size_t i = 0; r == 0 && i < reply->have_blobs_reply->n_missing; i++) {
        const struct upload *upload = upload_of_hash(submission, &reply->have_blobs_reply->missing[i]);

        if (upload)
            r = send_file(client, upload, err);
    }
    wire_free(reply);
    return r;
}

/* --- the job --------------------------------------------------------------- */

static int check_size(const struct submission *submission, struct err *err)
{
    size_t size = creel__job_spec__get_packed_size(&submission->job);

    if (size > WIRE_CHUNK_MAX)
        return err_set(err, EINVAL,
                       "the job's command, environment and list of files have %zu KiB, more "
                       "than a message may have: put large values in files",
                       size >> 10);
    return 0;
}

int submit_send(struct creel_client *client, Creel__JobSpec *job, Creel__AmState *state,
                char app_id[CREEL_ID_MAX], struct err *err)
{
    Creel__Envelope *reply;
    Creel__SubmitApp submit = CREEL__SUBMIT_APP__INIT;
    unsigned char random[KEY_BYTES];
    char key[KEY_BYTES * 2 + 1];
    int r;

    if (sodium_init() < 0)
        return err_set(err, EIO, "libsodium cannot start: no source of randomness");
    randombytes_buf(random, sizeof(random));
    sodium_bin2hex(key, sizeof(key), random, sizeof(random));
    submit.job = job;
    submit.am_state = state;
    submit.submission_key = key;
    r = request_reply(client, REQUEST(SUBMIT_APP, &submit), ANSWER(SUBMIT_APP_REPLY), &reply, err);
    if (r < 0)
        return r;
    snprintf(app_id, CREEL_ID_MAX, "%s", reply->submit_app_reply->app_id);
    client->no_mail = mail_is_wanted_at_all(job->mail_type) && !reply->submit_app_reply->mail;
    wire_free(reply);
    return 0;
}

static int prepare(struct submission *submission, const struct creel_job *job, struct err *err)
{
    int r = set_job(submission, job, err);

    return r < 0 ? r : check_size(submission, err);
}

/* Refuses SUBMISSION if the RM would ignore LaunchContext.escaped: the command would get other bytes; or if
 * it would refuse the message. */
static int check_rm(struct creel_client *client, const struct submission *submission, struct err *err)
{
    Creel__Envelope *reply;
    Creel__GetClusterInfo get = CREEL__GET_CLUSTER_INFO__INIT;
    const char *what = launch_texts_are_new(&submission->launch);
    int r;

    if (!what)
        return 0;
    r = request_reply(client, REQUEST(GET_CLUSTER_INFO, &get), ANSWER(CLUSTER_INFO), &reply, err);
    if (r < 0)
        return r;
    if (!reply->cluster_info->accepts_escaped)
        r = err_set(
            err, EOPNOTSUPP,
            "the command, variables or paths have %s, and the resource manager is older (version %s) and "
            "does not accept that: upgrade it, or put them into a script",
            what, reply->cluster_info->version);
    wire_free(reply);
    return r;
}

/* prepare, for the RM of CLIENT. */
static int prepare_for(struct creel_client *client, struct submission *submission,
                       const struct creel_job *job, struct err *err)
{
    int r = prepare(submission, job, err);

    return r < 0 ? r : check_rm(client, submission, err);
}

static void submission_done(struct submission *submission)
{
    for (size_t i = 0; i < submission->upload_count; i++) {
        if (submission->uploads[i].fd >= 0)
            close(submission->uploads[i].fd);
    }
    arena_free(submission->arena);
}

/* Checks the request by the rules of messages, as it is checked when it is sent. */
static int check_message(struct submission *submission, struct err *err)
{
    Creel__Envelope request = CREEL__ENVELOPE__INIT;
    Creel__SubmitApp submit = CREEL__SUBMIT_APP__INIT;
    uint8_t *bytes = NULL;
    size_t size;
    int r;

    submit.job = &submission->job;
    request.body_case = CREEL__ENVELOPE__BODY_SUBMIT_APP;
    request.submit_app = &submit;
    r = wire_pack(&request, &bytes, &size, err);
    free(bytes);
    return field_words_end(r, err);
}

CREEL_EXPORT
int creel_submit_check(const struct creel_job *job, struct creel_error *error)
{
    struct submission submission = { .arena = arena_new() };
    struct err err = { 0 };
    int r = prepare(&submission, job, &err);

    if (r == 0)
        r = check_message(&submission, &err);
    submission_done(&submission);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
int creel_submit(struct creel_client *client, const struct creel_job *job, char app_id[CREEL_ID_MAX],
                 struct creel_error *error)
{
    struct submission submission = { .arena = arena_new() };
    struct err err = { 0 };
    int r = prepare_for(client, &submission, job, &err);

    if (r == 0)
        r = send_files(client, &submission, &err);
    if (r == 0)
        r = submit_send(client, &submission.job, NULL, app_id, &err);
    submission_done(&submission);
    return client_set_error(error, &err, r);
}

/* --- trial submission ------------------------------------------------------ */

static int send_test(struct creel_client *client, struct submission *submission, bool submission_only,
                     struct pages *pages, struct err *err)
{
    Creel__TestApp test = CREEL__TEST_APP__INIT;

    test.job = &submission->job;
    test.submission_only = submission_only;
    return request_pages(client, REQUEST(TEST_APP, &test), ANSWER(TEST_APP_REPLY), NULL, pages, err);
}

int submit_judge(struct creel_client *client, const struct creel_job *job, struct creel_error *error)
{
    struct submission submission = { .arena = arena_new() };
    struct pages pages = { 0 };
    struct err err = { 0 };
    int r = prepare_for(client, &submission, job, &err);

    if (r == 0)
        r = send_test(client, &submission, true, &pages, &err);
    pages_done(&pages);
    submission_done(&submission);
    return client_set_error(error, &err, r);
}

static int ask_trial(struct creel_client *client, struct submission *submission, struct creel_trial **ret,
                     struct err *err)
{
    const Creel__TestAppReply *answer;
    struct creel_trial *shown;
    struct pages pages = { 0 };
    int r = send_test(client, submission, false, &pages, err);

    if (r < 0)
        return r;
    answer = pages.items[0]->test_app_reply;
    shown = RESULT_NEW(struct creel_trial, &pages);
    *shown = (struct creel_trial){
        .queue = answer->queue,
        .nodes_fitting = answer->nodes_fitting,
        .nodes_with_room = answer->nodes_with_room,
        .reason_code = answer->reason_code,
        .reason = answer->reason,
    };
    *ret = shown;
    return 0;
}

CREEL_EXPORT
int creel_submit_test(struct creel_client *client, const struct creel_job *job, struct creel_trial **ret,
                      struct creel_error *error)
{
    struct submission submission = { .arena = arena_new() };
    struct err err = { 0 };
    int r = prepare_for(client, &submission, job, &err);

    if (r == 0)
        r = ask_trial(client, &submission, ret, &err);
    submission_done(&submission);
    return client_set_error(error, &err, r);
}

CREEL_EXPORT
void creel_trial_free(struct creel_trial *trial)
{
    result_free(trial);
}
