/* SPDX-License-Identifier: Apache-2.0 */
/* app_fields.c - the fields of an application in a table as CSV */
#include "web/page/app_fields.h"

#include "web/page/page_text.h"
#include "yarn/app.h"
#include "yarn/resource.h"

/* Each defines the function of one field. VALUE is an expression of the report "app". */
#define TEXT(name, value) \
    static void name(struct csv *csv, const void *row) \
    { \
        const Creel__AppReport *app = row; \
        csv_text(csv, value); \
    }
#define COUNT(name, value) \
    static void name(struct csv *csv, const void *row) \
    { \
        const Creel__AppReport *app = row; \
        csv_count(csv, (int64_t)(value)); \
    }
#define TIME(name, value) \
    static void name(struct csv *csv, const void *row) \
    { \
        const Creel__AppReport *app = row; \
        csv_time(csv, value); \
    }

TEXT(application, app->app_id)
TEXT(app_name, app->name)
TEXT(user, app->user)
TEXT(queue, app->queue)
TEXT(type, app->type)
TEXT(state, yarn_app_state(app->state))
TEXT(final_status, yarn_final_status(app->final_status))
COUNT(priority, app->priority)
TEXT(label, app->label)
TIME(submitted, app->submitted_ms)
TIME(started, app->started_ms)
TIME(finished, app->finished_ms)
COUNT(running_containers, app->running_containers)
COUNT(pending_containers, app->pending_containers)
COUNT(memory_mb, yarn_memory_mb(app->allocated))
COUNT(vcores, yarn_vcores(app->allocated))
COUNT(memory_mb_seconds, app->memory_mb_seconds)
COUNT(vcore_seconds, app->vcore_seconds)
COUNT(preempted_containers, app->preempted_containers)
TEXT(reason_code, app->reason_code)
TEXT(reason, app->reason_short)
TEXT(diagnostics, app->diagnostics)
TEXT(tracking_url, app->tracking_url)
COUNT(containers, app->ended_containers)
COUNT(failed_containers, app->failed_containers)
COUNT(cpu_ms, app->cpu_time_us / 1000)
COUNT(memory_peak_bytes, app->memory_peak_bytes)
COUNT(memory_used_mb_seconds, app->memory_used_mb_seconds)

static void tags(struct csv *csv, const void *row)
{
    const Creel__AppReport *app = row;

    csv_texts(csv, (const char *const *)app->tags, app->n_tags);
}

#define SHARED_FIELDS \
    { "application", application }, { "name", app_name }, { "user", user }, { "queue", queue }, \
        { "type", type }, { "tags", tags }, { "state", state }, { "final_status", final_status }, \
        { "priority", priority }, { "label", label }, { "submitted", submitted }, { "started", started }, \
        { "finished", finished }, { "memory_mb_seconds", memory_mb_seconds }, \
    { \
        "vcore_seconds", vcore_seconds \
    }

static const struct list_field fields[] = {
    SHARED_FIELDS,
    { "running_containers", running_containers },
    { "pending_containers", pending_containers },
    { "memory_mb", memory_mb },
    { "vcores", vcores },
    { "preempted_containers", preempted_containers },
    { "reason_code", reason_code },
    { "reason", reason },
    { "tracking_url", tracking_url },
    { "diagnostics", diagnostics },
};

static const struct list_field ended_fields[] = {
    SHARED_FIELDS,
    { "containers", containers },
    { "failed_containers", failed_containers },
    { "cpu_ms", cpu_ms },
    { "memory_peak_bytes", memory_peak_bytes },
    { "memory_used_mb_seconds", memory_used_mb_seconds },
    { "diagnostics", diagnostics },
};

const struct list_fields app_fields = { "applications", fields, sizeof(fields) / sizeof(*fields) };
const struct list_fields history_fields = { "history", ended_fields,
                                            sizeof(ended_fields) / sizeof(*ended_fields) };
