/* SPDX-License-Identifier: Apache-2.0 */
/* page_replies.c - replies of the fake resource manager of page_world.h: configuration, its versions,
 * history */
#include "tests/unit/page_replies.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CONFIGURATION_ROWS 3 /* of one reply */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

/* Replies with at most CONFIGURATION_ROWS keys from FIRST on. */
void page_reply_configuration(struct page_world *world, uint32_t first, Creel__Envelope *envelope)
{
    static const struct {
        const char *key, *value, *origin;
        bool refreshed, hidden;
    } rows[] = {
        { "creel.log.level", "info", "default", false, false },
        { "site.store.password", "", "/etc/creel/creel-site.xml:4", false, true },
        { "yarn.acl.enable", "true", "/etc/creel/yarn-site.xml:7", false, false },
        { "yarn.scheduler.capacity.root.dev.maximum-capacity", "60",
          "scheduler-conf of ann, 2026-11-24T14:22:47Z", true, false },
        { "yarn.scheduler.capacity.root.queues", "<b>prod</b>,dev", "/etc/creel/capacity-scheduler.xml:3",
          true, false },
    };
    size_t count = sizeof(rows) / sizeof(rows[0]);
    Creel__Configuration *body = arena_new0(world->arena, Creel__Configuration);

    creel__configuration__init(body);
    body->entries = arena_array0(world->arena, count, sizeof(*body->entries));
    for (size_t i = first; i < count && body->n_entries < CONFIGURATION_ROWS; i++) {
        Creel__ConfigurationEntry *entry = arena_new0(world->arena, Creel__ConfigurationEntry);

        creel__configuration_entry__init(entry);
        entry->key = arena_strdup(world->arena, rows[i].key);
        entry->value = arena_strdup(world->arena, rows[i].value);
        entry->origin = arena_strdup(world->arena, rows[i].origin);
        entry->refreshed = rows[i].refreshed;
        entry->hidden = rows[i].hidden;
        body->entries[body->n_entries++] = entry;
        body->next = i + 1 < count ? (uint32_t)i + 1 : 0;
    }
    envelope->body_case = CREEL__ENVELOPE__BODY_CONFIGURATION;
    envelope->configuration = body;
}

/* The ended applications of the model that the filter lets pass. */
void page_reply_history(struct page_world *world, const Creel__ListJobHistory *list,
                        Creel__Envelope *envelope)
{
    Creel__JobHistory *body = arena_new0(world->arena, Creel__JobHistory);

    creel__job_history__init(body);
    body->apps = arena_array0(world->arena, world->app_count + 1, sizeof(*body->apps));
    for (size_t i = world->app_count; i-- > 0 && body->n_apps < list->limit;) {
        Creel__AppReport *app = world->apps[i];

        if (app->finished_ms > 0 && (list->n_users == 0 || strcmp(list->users[0], app->user) == 0) &&
            (list->n_states == 0 || list->states[0] == app->state))
            body->apps[body->n_apps++] = app;
    }
    envelope->body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY;
    envelope->job_history = body;
}

/* Two versions: the files alone, and a change of two queues by ann. */
void page_reply_versions(struct page_world *world, Creel__Envelope *envelope)
{
    static const char *const keys[][2] = {
        { "yarn.scheduler.capacity.root.dev.ml.maximum-capacity", "45" },
        { "yarn.scheduler.capacity.root.dev.ml.state", "STOPPED" },
        { "yarn.scheduler.capacity.root.gone.capacity", HOSTILE_NAME },
    };
    Creel__SchedulerConf *conf = arena_new0(world->arena, Creel__SchedulerConf);
    Creel__SchedulerConfVersion *versions = arena_array0(world->arena, 2, sizeof(*versions));
    Creel__ConfOverride *changes = arena_array0(world->arena, COUNT(keys), sizeof(*changes));

    creel__scheduler_conf__init(conf);
    conf->versions = arena_array0(world->arena, 2, sizeof(*conf->versions));
    for (size_t i = 0; i < 2; i++) {
        creel__scheduler_conf_version__init(&versions[i]);
        conf->versions[conf->n_versions++] = &versions[i];
        versions[i].version = i + 1;
    }
    versions[1].by = text("ann");
    versions[1].at_ms = WORLD_NOW_MS - 30 * 60000;
    versions[1].changed = arena_array0(world->arena, COUNT(keys), sizeof(*versions[1].changed));
    for (size_t i = 0; i < COUNT(keys); i++) {
        creel__conf_override__init(&changes[i]);
        changes[i].key = text(keys[i][0]);
        changes[i].value = text(keys[i][1]);
        versions[1].changed[versions[1].n_changed++] = &changes[i];
    }
    envelope->body_case = CREEL__ENVELOPE__BODY_SCHEDULER_CONF;
    envelope->scheduler_conf = conf;
}

static Creel__JobHistorySum *make_sum(struct page_world *world, char *group, size_t i)
{
    Creel__JobHistorySum *sum = arena_new0(world->arena, Creel__JobHistorySum);

    creel__job_history_sum__init(sum);
    sum->group = group;
    sum->jobs = 10 + i % 7;
    sum->succeeded = 7 + i % 7;
    sum->failed = 2;
    sum->killed = 1;
    sum->waited_ms = sum->jobs * 1000 * (i % 50);
    sum->vcore_seconds = 3600 * (20 + i * 37 % 90);
    sum->memory_mb_seconds = 4096 * sum->vcore_seconds;
    sum->cpu_time_us = sum->vcore_seconds * 1000000 * (3 + i % 5) / 10;
    sum->memory_used_mb_seconds = sum->memory_mb_seconds * (2 + i % 4) / 10;
    return sum;
}

void page_reply_sums(struct page_world *world, const Creel__SumJobHistory *query, Creel__Envelope *envelope)
{
    static const char *const queues[] = { "root.dev.ml", "root.prod.etl", "root.prod.reports" };
    static const char *const users[] = { "<b>eve</b>", "ann", "bob" };
    bool by_hour = query->by == CREEL__HISTORY_GROUP__HISTORY_BY_HOUR;
    size_t count = by_hour ? 100 : 3, last = 0;
    Creel__JobHistorySums *body = arena_new0(world->arena, Creel__JobHistorySums);

    creel__job_history_sums__init(body);
    body->sums = arena_array0(world->arena, count, sizeof(*body->sums));
    for (size_t i = 0; i < count && body->n_sums < 60; i++) {
        int64_t hour_ms = (WORLD_NOW_MS / 3600000 - (int64_t)(count - 1 - i)) * 3600000;
        const char *group = query->by == CREEL__HISTORY_GROUP__HISTORY_BY_USER ? users[i % 3] : queues[i % 3];

        if (by_hour)
            group = arena_printf(world->arena, "%" PRId64, hour_ms);
        if (by_hour && (hour_ms < query->filter->since_ms - 3600000 ||
                        (*query->filter->after != '\0' && hour_ms <= atoll(query->filter->after))))
            continue;
        body->sums[body->n_sums++] = make_sum(world, text(group), i);
        last = i;
    }
    if (last + 1 < count && body->n_sums == 60)
        body->next = body->sums[body->n_sums - 1]->group;
    envelope->body_case = CREEL__ENVELOPE__BODY_JOB_HISTORY_SUMS;
    envelope->job_history_sums = body;
}

void page_reply_log_access(Creel__Envelope *reply)
{
    static Creel__LogAccess access = CREEL__LOG_ACCESS__INIT;
    static ProtobufCBinaryData token = { 5, (uint8_t *)(uintptr_t) "token" };

    access.tokens = &token;
    access.n_tokens = 1;
    reply->body_case = CREEL__ENVELOPE__BODY_LOG_ACCESS;
    reply->log_access = &access;
}
