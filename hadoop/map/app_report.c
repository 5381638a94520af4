/* SPDX-License-Identifier: Apache-2.0 */
/* app_report.c - applications, attempts and containers as Hadoop's reports */
#include "hadoop/map/reports.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/base/text.h"
#include "common/proto/value_name.h"
#include "yarn/app.h"
#include "yarn/container.h"
#include "yarn/resource.h"

/* The numbers of these states are the same on both sides. */
_Static_assert((int)CREEL__APP_STATE__APP_NEW == (int)HADOOP__APP_STATE__APP_NEW &&
                   (int)CREEL__APP_STATE__APP_KILLED == (int)HADOOP__APP_STATE__APP_KILLED,
               "states of applications");
_Static_assert((int)CREEL__FINAL_STATUS__FINAL_UNDEFINED == (int)HADOOP__FINAL_STATUS__FINAL_UNDEFINED &&
                   (int)CREEL__FINAL_STATUS__FINAL_KILLED == (int)HADOOP__FINAL_STATUS__FINAL_KILLED,
               "final statuses");

/* --- applications ----------------------------------------------------------------- */

static Hadoop__NamedNumber *named(struct arena *arena, const char *key, uint64_t value)
{
    Hadoop__NamedNumber *number = arena_new0(arena, Hadoop__NamedNumber);

    hadoop__named_number__init(number);
    number->key = hadoop_text(key);
    number->value = (int64_t)value;
    return number;
}

/* Makes the sums over time by type of resource, and returns how many. */
static size_t add_seconds(struct arena *arena, Hadoop__NamedNumber ***to, uint64_t memory, uint64_t vcores)
{
    *to = arena_array0(arena, 2, sizeof(**to));
    (*to)[0] = named(arena, "memory-mb", memory);
    (*to)[1] = named(arena, "vcores", vcores);
    return 2;
}

static Hadoop__Usage *usage_of(struct arena *arena, const Creel__ClusterInfo *cluster,
                               const Creel__AppReport *app)
{
    Hadoop__Usage *usage = arena_new0(arena, Hadoop__Usage);
    struct yarn_app_held held = yarn_app_held(app);
    bool is_over = yarn_app_is_over(app->state);

    hadoop__usage__init(usage);
    HADOOP_SET(usage, used_containers, hadoop_count(held.containers));
    HADOOP_SET(usage, reserved_containers, is_over ? -1 : hadoop_count(app->reserved_containers));
    usage->used = is_over ? hadoop_amount_of(arena, -1, -1) : hadoop_amount(arena, cluster, app->allocated);
    usage->reserved =
        is_over ? hadoop_amount_of(arena, -1, -1) : hadoop_amount(arena, cluster, app->reserved);
    usage->needed = is_over ? hadoop_amount_of(arena, -1, -1)
                            : hadoop_amount(arena, cluster, yarn_sum(arena, app->allocated, app->pending));
    HADOOP_SET(usage, memory_seconds, (int64_t)app->memory_mb_seconds);
    HADOOP_SET(usage, vcore_seconds, (int64_t)app->vcore_seconds);
    HADOOP_SET(usage, preempted_memory_seconds, (int64_t)app->preempted_memory_mb_seconds);
    HADOOP_SET(usage, preempted_vcore_seconds, (int64_t)app->preempted_vcore_seconds);
    usage->n_seconds = add_seconds(arena, &usage->seconds, app->memory_mb_seconds, app->vcore_seconds);
    usage->n_preempted_seconds = add_seconds(arena, &usage->preempted_seconds,
                                             app->preempted_memory_mb_seconds, app->preempted_vcore_seconds);
    return usage;
}

/* Returns the host that the application master registered, or else that of its container, or else "N/A". */
static const char *master_host(struct arena *arena, const Creel__AppReport *app)
{
    int length = (int)strcspn(app->master_node_id, ":");

    if (*app->am_host != '\0' || length == 0)
        return yarn_or_not_available(app->am_host);
    return arena_printf(arena, "%.*s", length, app->master_node_id);
}

static const char *expiry_text(struct arena *arena, int64_t expires_ms)
{
    time_t seconds = (time_t)(expires_ms / 1000);
    char text[40];
    struct tm utc;

    if (expires_ms <= 0 || gmtime_r(&seconds, &utc) == NULL)
        return "UNLIMITED";
    (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
    return arena_printf(arena, "%s.%03d+0000", text, (int)(expires_ms % 1000));
}

static void add_timeout(struct arena *arena, Hadoop__AppReport *report, const Creel__ClusterInfo *cluster,
                        const Creel__AppReport *app)
{
    Hadoop__TimeoutEntry *entry = arena_new0(arena, Hadoop__TimeoutEntry);
    Hadoop__Timeout *timeout = arena_new0(arena, Hadoop__Timeout);

    hadoop__timeout_entry__init(entry);
    hadoop__timeout__init(timeout);
    HADOOP_SET(entry, kind, HADOOP__TIMEOUT_KIND__TIMEOUT_LIFETIME);
    timeout->kind = HADOOP__TIMEOUT_KIND__TIMEOUT_LIFETIME;
    timeout->expires = hadoop_text(expiry_text(arena, app->expires_ms));
    HADOOP_SET(timeout, remaining_s,
               app->expires_ms > 0 && yarn_app_is_over(app->state)
                   ? 0
                   : yarn_app_remaining_s(app->expires_ms, cluster->now_ms));
    entry->timeout = timeout;
    report->timeouts = arena_array0(arena, 1, sizeof(*report->timeouts));
    report->timeouts[report->n_timeouts++] = entry;
}

static void set_texts(struct arena *arena, Hadoop__AppReport *report, const Creel__AppReport *app)
{
    report->user = app->user;
    report->queue = app->queue;
    report->name = app->name;
    report->host = hadoop_text(master_host(arena, app));
    report->tracking_url = hadoop_text(yarn_or_not_available(app->tracking_url));
    report->original_tracking_url = report->tracking_url;
    report->diagnostics = app->diagnostics;
    report->type = app->type;
    report->tags = app->tags;
    report->n_tags = app->n_tags;
    report->app_label = hadoop_text(*app->label != '\0' ? app->label : "<Not set>"); /* YARN's words */
    report->am_label = hadoop_text(*app->label != '\0' ? app->label : "<DEFAULT_PARTITION>");
}

static void set_times(Hadoop__AppReport *report, const Creel__AppReport *app)
{
    HADOOP_SET(report, started_ms, app->submitted_ms);
    HADOOP_SET(report, submitted_ms, app->submitted_ms);
    HADOOP_SET(report, launched_ms, app->unmanaged ? 0 : app->started_ms);
    HADOOP_SET(report, finished_ms, app->finished_ms);
}

Hadoop__AppReport *hadoop_app_report(struct arena *arena, const Creel__ClusterInfo *cluster,
                                     const Creel__AppReport *app)
{
    Hadoop__AppReport *report = arena_new0(arena, Hadoop__AppReport);
    struct attempt_id attempt = { .attempt = app->attempt };

    hadoop__app_report__init(report);
    (void)app_id_parse(app->app_id, &attempt.app);
    report->app = hadoop_app_id(arena, app->app_id);
    report->attempt = hadoop_attempt_id(arena, &attempt);
    set_texts(arena, report, app);
    set_times(report, app);
    HADOOP_SET(report, rpc_port, -1);
    HADOOP_SET(report, state, (Hadoop__AppState)app->state);
    HADOOP_SET(report, final_status, (Hadoop__FinalStatus)app->final_status);
    HADOOP_SET(report, progress, (float)yarn_app_progress(app->state, app->progress));
    HADOOP_SET(report, log_state, (Hadoop__LogState)(app->log_aggregation + 1));
    HADOOP_SET(report, unmanaged, app->unmanaged);
    report->priority = hadoop_priority(arena, app->priority);
    report->usage = usage_of(arena, cluster, app);
    add_timeout(arena, report, cluster, app);
    return report;
}

/* --- filters -------------------------------------------------------------------- */

static bool has_word(char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(words[i], word) == 0)
            return true;
    return count == 0;
}

static bool has_tag(const Hadoop__GetApps *query, const Creel__AppReport *app)
{
    for (size_t i = 0; i < app->n_tags; i++)
        if (has_word(query->tags, query->n_tags, app->tags[i]))
            return true;
    return query->n_tags == 0;
}

bool hadoop_app_passes(const Hadoop__GetApps *query, const char *user, const Creel__AppReport *app)
{
    if (!has_word(query->types, query->n_types, app->type) || !has_tag(query, app))
        return false;
    if (query->name != NULL && strcmp(query->name, app->name) != 0)
        return false;
    if (query->scope == HADOOP__APP_SCOPE__SCOPE_OWN && strcmp(user, app->user) != 0)
        return false;
    if (query->has_start_begin && app->submitted_ms < query->start_begin)
        return false;
    if (query->has_start_end && app->submitted_ms > query->start_end)
        return false;
    if (query->has_finish_begin && app->finished_ms < query->finish_begin)
        return false;
    return !query->has_finish_end || app->finished_ms <= query->finish_end;
}

/* --- attempts ------------------------------------------------------------------- */

/* As in YARN, the first attempt starts when the application is submitted, a later one when its container is
 * allocated. */
static int64_t attempt_started_ms(const Creel__AppReport *app, uint32_t number,
                                  const struct hadoop_master *master)
{
    return number == 1 ? app->submitted_ms : master->allocated_ms;
}

static Hadoop__AttemptState attempt_state(const Creel__AppReport *app, uint32_t number,
                                          const struct hadoop_master *master)
{
    const char *name = yarn_attempt_state(app->state, number >= app->attempt, master->state);

    return (Hadoop__AttemptState)value_find(&hadoop__attempt_state__descriptor, name);
}

Hadoop__AttemptReport *hadoop_attempt_report(struct arena *arena, const Creel__AppReport *app,
                                             uint32_t number, const struct hadoop_master *master)
{
    Hadoop__AttemptReport *report = arena_new0(arena, Hadoop__AttemptReport);
    struct attempt_id id = { .attempt = number };
    bool is_last = number >= app->attempt;

    hadoop__attempt_report__init(report);
    (void)app_id_parse(app->app_id, &id.app);
    report->attempt = hadoop_attempt_id(arena, &id);
    report->host = hadoop_text(is_last ? master_host(arena, app) : "N/A");
    HADOOP_SET(report, rpc_port, -1);
    report->tracking_url = hadoop_text(is_last ? yarn_or_not_available(app->tracking_url) : "N/A");
    report->original_tracking_url = report->tracking_url;
    report->diagnostics = hadoop_text(is_last ? app->diagnostics : master->diagnostics);
    HADOOP_SET(report, state, attempt_state(app, number, master));
    if (master->container_id != NULL)
        report->container = hadoop_container_id(arena, master->container_id);
    HADOOP_SET(report, started_ms, attempt_started_ms(app, number, master));
    HADOOP_SET(report, finished_ms, is_last ? app->finished_ms : master->finished_ms);
    return report;
}

/* --- containers ----------------------------------------------------------------- */

/* Returns the URL of the container's logs at the agent, as YARN's client expects it; "N/A": there is none. */
static const char *log_url(struct arena *arena, const Creel__ContainerReport *container,
                           const char *http_address)
{
    if (*http_address == '\0')
        return "N/A";
    return arena_printf(arena, "http://%s/node/containerlogs/%s/%s", http_address, container->container_id,
                        container->user);
}

Hadoop__ContainerReport *hadoop_container_report(struct arena *arena, const Creel__ClusterInfo *cluster,
                                                 const Creel__ContainerReport *container,
                                                 const char *http_address)
{
    Hadoop__ContainerReport *report = arena_new0(arena, Hadoop__ContainerReport);
    int state = value_find(&hadoop__container_state__descriptor, yarn_container_state(container->state));

    hadoop__container_report__init(report);
    report->container = hadoop_container_id(arena, container->container_id);
    report->resource = hadoop_amount(arena, cluster, container->resource);
    report->node = hadoop_node_id(arena, container->node_id);
    report->priority = hadoop_priority(arena, hadoop_count(container->priority));
    HADOOP_SET(report, created_ms, container->allocated_ms);
    HADOOP_SET(report, finished_ms, container->finished_ms);
    report->diagnostics = container->diagnostics;
    report->log_url = hadoop_text(log_url(arena, container, http_address));
    HADOOP_SET(report, exit_status, yarn_container_exit_status(container));
    HADOOP_SET(report, state, (Hadoop__ContainerState)state);
    report->node_http_address = *http_address != '\0' ? arena_printf(arena, "http://%s", http_address) : NULL;
    HADOOP_SET(report, execution, HADOOP__EXECUTION_KIND__GUARANTEED);
    return report;
}
