/* SPDX-License-Identifier: Apache-2.0 */
/* notify_jobs.c - finds the events of jobs in the rows of the state store, and writes them as JSON */
#include "rm/net/notify_jobs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "common/base/exit_status.h"
#include "common/base/json_writer.h"
#include "common/base/mem.h"

struct live_job {
    char *id;
    bool begun;
    UT_hash_handle hh;
};

struct notify_jobs {
    struct live_job *live;
};

struct notify_jobs *notify_jobs_new(void)
{
    return mem_new0(struct notify_jobs);
}

static void remove_job(struct notify_jobs *jobs, struct live_job *job)
{
    HASH_DEL(jobs->live, job);
    free(job->id);
    free(job);
}

void notify_jobs_free(struct notify_jobs *jobs)
{
    struct live_job *job, *next;

    if (jobs == NULL)
        return;
    HASH_ITER(hh, jobs->live, job, next)
        remove_job(jobs, job);
    free(jobs);
}

/* --- events ------------------------------------------------------------------ */

static bool is_task(const Creel__StoredApp *row)
{
    return *row->array_id != '\0';
}

static bool is_over(const Creel__StoredApp *row)
{
    return row->state >= CREEL__APP_STATE__APP_FINISHED;
}

static struct live_job *find_job(const struct notify_jobs *jobs, const char *id)
{
    struct live_job *job;

    HASH_FIND_STR(jobs->live, id, job);
    return job;
}

static struct live_job *add_job(struct notify_jobs *jobs, const char *id)
{
    struct live_job *job = mem_new0(struct live_job);

    job->id = mem_strdup(id);
    HASH_ADD_KEYPTR(hh, jobs->live, job->id, strlen(job->id), job);
    return job;
}

void notify_jobs_recovered(struct notify_jobs *jobs, const Creel__StoredApp *row)
{
    if (!is_task(row) && !is_over(row))
        add_job(jobs, row->app_id)->begun = row->started_ms > 0;
}

static const char *end_event(const Creel__StoredApp *row)
{
    bool killed = row->state == CREEL__APP_STATE__APP_KILLED;
    bool failed =
        row->state == CREEL__APP_STATE__APP_FAILED || row->final_status == CREEL__FINAL_STATUS__FINAL_FAILED;

    return failed && !killed ? "fail" : "end";
}

const char *notify_jobs_written(struct notify_jobs *jobs, const Creel__StoredApp *row)
{
    struct live_job *job;

    if (is_task(row))
        return NULL;
    job = find_job(jobs, row->app_id);
    if (is_over(row)) {
        if (job == NULL)
            return NULL;
        remove_job(jobs, job);
        return end_event(row);
    }
    if (job == NULL)
        job = add_job(jobs, row->app_id);
    if (job->begun || row->started_ms == 0)
        return NULL;
    job->begun = true;
    return "begin";
}

/* --- JSON -------------------------------------------------------------------- */

/* Writes the name of VALUE without its prefix: "APP_KILLED" is "KILLED". */
static void json_enum(struct json_writer *json, const char *name, const ProtobufCEnumDescriptor *type,
                      int value)
{
    const ProtobufCEnumValue *found = protobuf_c_enum_descriptor_get_value(type, value);
    const char *behind = found != NULL ? strchr(found->name, '_') : NULL;

    if (behind != NULL)
        json_text(json, name, behind + 1);
}

static void json_tasks(struct json_writer *json, const Creel__TaskCounts *tasks)
{
    if (tasks == NULL || tasks->total == 0)
        return;
    json_begin_object(json, "tasks");
    json_uint(json, "total", tasks->total);
    json_uint(json, "running", tasks->running);
    json_uint(json, "succeeded", tasks->succeeded);
    json_uint(json, "failed", tasks->failed - tasks->killed);
    json_uint(json, "killed", tasks->killed);
    json_end_object(json);
}

static void json_job(struct json_writer *json, const Creel__StoredApp *row)
{
    json_text(json, "id", row->app_id);
    json_text(json, "name", row->job != NULL ? row->job->name : "");
    json_text(json, "user", row->user);
    json_text(json, "queue", row->queue);
    json_enum(json, "state", &creel__app_state__descriptor, (int)row->state);
    json_enum(json, "finalStatus", &creel__final_status__descriptor, (int)row->final_status);
    if (row->exit_status != CONTAINER_EXIT_NONE)
        json_int(json, "exitStatus", row->exit_status);
    json_text_if(json, "diagnostics", row->diagnostics);
    json_text_if(json, "array", row->job != NULL ? row->job->array : "");
    json_time(json, "submitted", row->submitted_ms);
    json_time(json, "eligible", row->eligible_ms);
    json_time(json, "started", row->started_ms);
    json_time(json, "finished", row->finished_ms);
    json_tasks(json, row->tasks);
    json_uint(json, "attempt", row->attempts);
}

char *notify_jobs_json(const char *event, const Creel__StoredApp *row, size_t *length)
{
    struct json_writer json;
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    if (out == NULL)
        abort(); /* no memory, as in mem_alloc */
    json_init(&json, out, true);
    json_begin_object(&json, NULL);
    json_text(&json, "apiVersion", "creel/v1");
    json_text(&json, "kind", "JobEvent");
    json_text(&json, "event", event);
    json_job(&json, row);
    json_end_object(&json);
    json_finish(&json);
    if (fclose(out) != 0)
        abort();
    return text;
}
