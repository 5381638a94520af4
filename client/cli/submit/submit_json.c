/* SPDX-License-Identifier: Apache-2.0 */
/* submit_json.c - prints a job as JSON, for --dry-run */
#include "client/cli/submit/submit_trial.h"
#include "client/cli/submit/submit_written.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/cli/frame/amounts.h"
#include "common/base/json_writer.h"
#include "client/cli/frame/listing.h"
#include "client/libcreel/files.h"
#include "client/libcreel/job_values.h"
#include "client/libcreel/submit.h"
#include "common/base/mem.h"

struct measured {
    uint64_t size_bytes;
    uint32_t mode;
    char hash[FILES_HASH_BYTES * 2 + 1];
};

static int measure(const struct creel_file *file, struct measured *measured, struct err *err)
{
    uint8_t hash[FILES_HASH_BYTES];
    scoped_fd int fd = -1;
    int r = files_open(file->source, &fd, &measured->mode, err);

    if (r == 0)
        r = files_hash(fd, file->source, hash, &measured->size_bytes, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < sizeof(hash); i++)
        snprintf(measured->hash + i * 2, 3, "%02x", hash[i]);
    if (file->executable)
        measured->mode = 0500;
    return 0;
}

static void print_texts(struct json_writer *json, const char *name, const char *const *texts)
{
    json_begin_array(json, name);
    for (; texts && *texts; texts++)
        json_text(json, NULL, *texts);
    json_end_array(json);
}

static void print_files(struct json_writer *json, size_t count, const struct creel_file *given,
                        const struct measured *measured)
{
    json_begin_array(json, "files");
    for (size_t i = 0; i < count; i++) {
        char mode[16];

        snprintf(mode, sizeof(mode), "%04o", measured[i].mode);
        json_begin_object(json, NULL);
        json_text(json, "name", given[i].name);
        json_text(json, "source", given[i].source);
        json_bool(json, "unpack", given[i].unpack);
        json_uint(json, "sizeBytes", measured[i].size_bytes);
        json_text(json, "mode", mode);
        json_text(json, "blake2b256", measured[i].hash);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Prints the plain fields that were set, and always the priority. */
static void print_fields(struct json_writer *json, const struct creel_job *job)
{
    struct job_values values = job_values_of(job);

    for (int i = 0; i < JOB_FIELD_COUNT; i++) {
        if (!job_field_is_given(&job_fields[i], &values.of[i]) && i != JOB_FIELD_priority)
            continue;
        if (job_field_is_text(&job_fields[i]))
            json_text(json, job_fields[i].json, values.of[i].text);
        else if (job_fields[i].kind == JOB_FLAG)
            json_bool(json, job_fields[i].json, true);
        else
            json_int(json, job_fields[i].json, values.of[i].number);
    }
}

static void print_job(struct json_writer *json, const struct creel_job *job, const struct creel_file *given,
                      const struct measured *measured)
{
    print_fields(json, job);
    json_text(json, "jobKind",
              job->kind == CREEL_JOB_TASKS    ? "TASKS"
              : job->kind == CREEL_JOB_MASTER ? "MASTER"
                                              : "COMMAND");
    if (job->unmanaged)
        json_bool(json, "unmanaged", true);
    if (job->kind == CREEL_JOB_TASKS)
        json_uint(json, "taskCount", job->task_count);
    if (job->memory_mb)
        json_int(json, "memoryMb", job->memory_mb);
    if (job->vcores)
        json_int(json, "vcores", job->vcores);
    json_others(json, job->resources, job->resource_count);
    print_texts(json, "tags", job->tags);
    print_texts(json, "command", job->command);
    print_texts(json, "environment", job->environment);
    json_text_if(json, "submitDirectory", job->submit_directory ? job->submit_directory : "");
    print_files(json, job->file_count, given, measured);
}

/* Asks the resource manager whether it would accept JOB. One that cannot be reached is named, and judges
 * nothing. An address or keys that are not valid are errors, as of a submission. */
static int judge(struct cli *cli, const struct creel_job *job)
{
    struct creel_error error;
    int code;

    if (!cli_client(cli, &code))
        return code;
    if (submit_judge(cli->client, job, &error) == 0)
        return EXIT_DONE;
    if (error.code != EHOSTUNREACH && error.code != ETIMEDOUT) {
        submit_written_name(&cli->options, &error);
        return cli_fail(&error);
    }
    cli_print(cli, "creel: --dry-run: the resource manager did not judge the job: %s", error.text);
    return EXIT_DONE;
}

int submit_json_print(struct cli *cli, const struct creel_job *job, const struct creel_file *given)
{
    scoped_free struct measured *measured = mem_array0(job->file_count + 1, sizeof(*measured));
    struct items_writer items;
    struct creel_error error;
    struct err err = { 0 };

    if (creel_submit_check(job, &error) < 0) {
        submit_written_name(&cli->options, &error);
        return cli_fail(&error);
    }
    for (size_t i = 0; i < job->file_count; i++) {
        if (measure(&job->files[i], &measured[i], &err) < 0) {
            cli_fail_err(&err);
            return EXIT_FAILED;
        }
    }
    items_begin(&items, cli, "JobList");
    print_job(items_open(&items), job, given, measured);
    items_close(&items);
    items_end(&items);
    fflush(stdout);
    return judge(cli, job);
}
