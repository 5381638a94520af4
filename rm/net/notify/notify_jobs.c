/* SPDX-License-Identifier: Apache-2.0 */
/* notify_jobs.c - writes the events of jobs as JSON */
#include "rm/net/notify/notify_jobs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/job/exit_status.h"
#include "common/base/job/kill_reason.h"
#include "common/base/job/mail.h"
#include "common/base/json_writer.h"
#include "common/base/mem.h"
#include "common/proto/task_counts.h"

const char *notify_jobs_name(const Creel__Event *event, const Creel__StoredApp *row)
{
    switch (event->kind) {
    case CREEL__EVENT_KIND__EVENT_APP_STARTED:
        return "begin";
    case CREEL__EVENT_KIND__EVENT_APP_FAILED:
        return "fail";
    case CREEL__EVENT_KIND__EVENT_APP_KILLED:
        return kill_reason_cause(row->diagnostics) == KILL_CAUSE_OTHER ? "end" : "fail";
    default:
        return row->final_status == CREEL__FINAL_STATUS__FINAL_FAILED ? "fail" : "end";
    }
}

/* --- variables ---------------------------------------------------------------- */

char **notify_jobs_variables(const char *event, const Creel__StoredApp *row)
{
    char **variables = mem_array0(5, sizeof(*variables));
    const char *types = row->job != NULL ? row->job->mail_type : "", *user;
    size_t count = 0;

    variables[count++] = mem_printf("CREEL_EVENT=%s", event);
    if (*types == '\0')
        return variables;
    user = *row->job->mail_user != '\0' ? row->job->mail_user : row->user;
    variables[count++] = mem_printf("CREEL_MAIL_TYPE=%s", types);
    variables[count++] = mem_printf("CREEL_MAIL_USER=%s", user);
    if (mail_is_wanted(types, event))
        variables[count++] = mem_printf("CREEL_MAIL_TO=%s", user);
    return variables;
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
    json_uint(json, "running", task_counts_running(tasks));
    json_uint(json, "waiting", task_counts_waiting(tasks));
    json_uint(json, "succeeded", tasks->succeeded);
    json_uint(json, "failed", task_counts_failed(tasks));
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
