/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/page/page_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "tests/unit/page/page_replies.h"
#include "web/page/frame.h"
#include "web/page/pages.h"

static const char *const users[] = { "ann", "bob", "carla", "dmitri", "etl", "fatima", "grid", "hana" };
static const char *const names[] = {
    "nightly-report",   "train resnet50",  "ingest clicks",     "word count",
    "backfill 2026-10", "score customers", "compact warehouse", "simulate flow",
};
static const char *const leaves[] = {
    "root.prod.etl", "root.prod.reports", "root.dev.ml", "root.dev.web", "root.batch",
};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

static Creel__Resource *resource(struct page_world *world, int64_t memory_mb, int64_t vcores)
{
    Creel__Resource *made = arena_new0(world->arena, Creel__Resource);

    creel__resource__init(made);
    made->memory_mb = memory_mb;
    made->vcores = vcores;
    return made;
}

/* --- applications ------------------------------------------------------------ */

static void end_app(Creel__AppReport *app, size_t i)
{
    app->state = i % 23 == 5   ? CREEL__APP_STATE__APP_FAILED
                 : i % 23 == 9 ? CREEL__APP_STATE__APP_KILLED
                               : CREEL__APP_STATE__APP_FINISHED;
    app->final_status = i % 23 == 5   ? CREEL__FINAL_STATUS__FINAL_FAILED
                        : i % 23 == 9 ? CREEL__FINAL_STATUS__FINAL_KILLED
                                      : CREEL__FINAL_STATUS__FINAL_SUCCEEDED;
    app->exit_status = i % 23 == 5 ? 137 : 0;
    app->finished_ms = app->submitted_ms + 1500000 + (int64_t)(i % 40) * 60000;
    app->started_ms = app->submitted_ms + 4000;
    app->diagnostics = text(i % 23 == 5 ? "task 7 used more memory than its limit of 4 GiB" : "");
}

static void run_app(struct page_world *world, Creel__AppReport *app, size_t i)
{
    Creel__TaskCounts *tasks = arena_new0(world->arena, Creel__TaskCounts);

    creel__task_counts__init(tasks);
    tasks->total = 100 + (uint32_t)(i % 7) * 60;
    tasks->succeeded = (uint32_t)(i % 60);
    tasks->running = 4 + (uint32_t)(i % 30);
    tasks->failed = i % 9 == 0;
    app->tasks = tasks;
    app->state = CREEL__APP_STATE__APP_RUNNING;
    app->running_containers = tasks->running + 1;
    app->pending_containers = (uint32_t)(i % 3) * 8;
    app->allocated = resource(world, (int64_t)app->running_containers * 4096, app->running_containers * 2);
    app->pending = resource(world, (int64_t)app->pending_containers * 4096, app->pending_containers * 2);
    app->started_ms = app->submitted_ms + 9000;
    app->progress = 0.4f;
}

static void set_waiting(struct page_world *world, Creel__AppReport *app, size_t i)
{
    static const char *const codes[] = { "QueueLimit", "UserLimit", "Resources", "QueueAmLimit" };
    static const char *const shorts[] = {
        "dev.ml 100 % of maximum 40 %",
        "ann 64 GiB of 64 GiB",
        "no node has 32 GiB free",
        "masters 10 GiB of 10 GiB",
    };

    app->state = CREEL__APP_STATE__APP_ACCEPTED;
    app->reason_code = text(codes[i * i % COUNT(codes)]);
    app->reason_short = text(shorts[i * i % COUNT(codes)]);
    app->pending_containers = 1;
    app->pending = resource(world, 32768, 8);
}

static Creel__AppReport *make_app(struct page_world *world, size_t i, size_t count)
{
    Creel__AppReport *app = arena_new0(world->arena, Creel__AppReport);

    creel__app_report__init(app);
    app->app_id = arena_printf(world->arena, "application_%" PRId64 "_%04zu", WORLD_CLUSTER_MS, i + 1);
    app->name = arena_printf(world->arena, "%s %zu", names[i * 7 % COUNT(names)], i % 100);
    app->user = text(users[i * 5 % COUNT(users)]);
    app->queue = text(leaves[i * 3 % COUNT(leaves)]);
    app->type = text("CREEL");
    app->submitted_ms = WORLD_NOW_MS - (int64_t)(count - i) * 47000;
    app->exit_status = -1000;
    app->attempt = 1;
    app->max_attempts = 2;
    app->allocated = resource(world, 0, 0);
    if (i + 60 < count && i != 3)
        end_app(app, i);
    else if (i % 3 != 1)
        run_app(world, app, i);
    else
        set_waiting(world, app, i);
    if (i == count / 2) {
        app->name = text(HOSTILE_NAME);
        app->user = text("<b>eve</b>");
        app->diagnostics = text(HOSTILE_NAME);
    }
    app->memory_mb_seconds = 1000000 + 777 * i;
    app->vcore_seconds = 3000 + i;
    return app;
}

/* --- nodes and queues --------------------------------------------------------- */

static Creel__NodeReport *make_node(struct page_world *world, size_t i)
{
    static const Creel__NodeState states[] = {
        CREEL__NODE_STATE__NODE_LOST,
        CREEL__NODE_STATE__NODE_UNHEALTHY,
        CREEL__NODE_STATE__NODE_DRAINING,
        CREEL__NODE_STATE__NODE_DECOMMISSIONED,
    };
    Creel__NodeReport *node = arena_new0(world->arena, Creel__NodeReport);
    int64_t use = (int64_t)(i * 2654435761u >> 7 & 127);

    creel__node_report__init(node);
    node->node_id = arena_printf(world->arena, "node-%05zu.example.org:8041", i + 1);
    node->rack = arena_printf(world->arena, "/row-%zu/rack-%02zu", i / 400 + 1, i / 40 % 10 + 1);
    node->state = i % 53 == 17 ? states[i / 53 % COUNT(states)] : CREEL__NODE_STATE__NODE_RUNNING;
    node->total = resource(world, 262144, 64);
    node->used = node->state == CREEL__NODE_STATE__NODE_RUNNING ? resource(world, use * 2064, use / 2)
                                                                : resource(world, 0, 0);
    node->containers = (uint32_t)(node->used->memory_mb / 4096);
    node->used_memory_bytes = (uint64_t)node->used->memory_mb * 1048576 * 6 / 10;
    node->node_memory_bytes = node->used_memory_bytes + ((uint64_t)1 << 30);
    node->cpu_millicores = (uint32_t)node->used->vcores * 500;
    node->node_cpu_millicores = node->cpu_millicores + 250;
    node->last_heartbeat_ms = WORLD_NOW_MS - (node->state == CREEL__NODE_STATE__NODE_LOST ? 900000 : 400);
    node->registered_ms = WORLD_CLUSTER_MS;
    node->label = text(i % 16 == 0 ? "gpu" : "");
    node->address = node->node_id;
    node->version = text("0.1.0");
    node->cgroup_mode = text("v2");
    node->health_report =
        text(node->state == CREEL__NODE_STATE__NODE_UNHEALTHY ? "disk /data/3: 98 % full, limit 90 %" : "");
    return node;
}

static Creel__QueueReport *add_queue(struct page_world *world, const char *path, float capacity,
                                     float maximum, float used, bool leaf)
{
    Creel__QueueReport *queue = arena_new0(world->arena, Creel__QueueReport);
    const Creel__Resource *total = world->cluster.total;

    creel__queue_report__init(queue);
    queue->path = arena_strdup(world->arena, path);
    queue->state = text("RUNNING");
    queue->capacity = queue->absolute_capacity = capacity;
    queue->max_capacity = queue->absolute_max_capacity = maximum;
    queue->absolute_used = used;
    queue->used_capacity = capacity > 0 ? used / capacity : 0;
    queue->used =
        resource(world, (int64_t)(used * (float)total->memory_mb), (int64_t)(used * (float)total->vcores));
    queue->pending = resource(world, total->memory_mb / 20, total->vcores / 20);
    queue->leaf = leaf;
    queue->apps_running = (uint32_t)(used * 60);
    queue->apps_pending = leaf && used > capacity ? 7 : 0;
    queue->am_limit = queue->am_used = queue->user_limit = resource(world, 10240, 10);
    queue->preemption = true;
    world->queues[world->queue_count++] = queue;
    return queue;
}

static void add_queues(struct page_world *world, size_t below_each)
{
    world->queues = arena_array0(world->arena, 10 + 2 * below_each, sizeof(*world->queues));
    add_queue(world, "root", 1, 1, 0.74f, false);
    add_queue(world, "root.prod", 0.5f, 0.8f, 0.41f, false);
    add_queue(world, "root.prod.etl", 0.35f, 0.8f, 0.30f, true);
    add_queue(world, "root.prod.reports", 0.15f, 0.4f, 0.11f, true);
    for (size_t i = 0; i < below_each; i++)
        add_queue(world, arena_printf(world->arena, "root.prod.team%03zu", i), 0, 0.1f, 0, true);
    add_queue(world, "root.dev", 0.3f, 0.6f, 0.33f, false);
    add_queue(world, "root.dev.ml", 0.18f, 0.4f, 0.27f, true);
    add_queue(world, "root.dev.web", 0.12f, 0.3f, 0.06f, true);
    for (size_t i = 0; i < below_each; i++)
        add_queue(world, arena_printf(world->arena, "root.dev.team%03zu", i), 0, 0.1f, 0, true);
    add_queue(world, "root.batch", 0.2f, 1, 0, true)->state = text("STOPPED");
}

static void fill_cluster(struct page_world *world)
{
    Creel__ClusterInfo *cluster = &world->cluster;
    int64_t used_mb = 0, used_vcores = 0;

    for (size_t i = 0; i < world->node_count; i++) {
        const Creel__NodeReport *node = world->nodes[i];

        used_mb += node->used->memory_mb;
        used_vcores += node->used->vcores;
        cluster->nodes_running += node->state == CREEL__NODE_STATE__NODE_RUNNING;
        cluster->nodes_lost += node->state == CREEL__NODE_STATE__NODE_LOST;
        cluster->nodes_unhealthy += node->state == CREEL__NODE_STATE__NODE_UNHEALTHY;
        cluster->nodes_draining += node->state == CREEL__NODE_STATE__NODE_DRAINING;
        cluster->containers += node->containers;
    }
    for (size_t i = 0; i < world->app_count; i++) {
        cluster->apps_running += world->apps[i]->state == CREEL__APP_STATE__APP_RUNNING;
        cluster->apps_pending += world->apps[i]->state == CREEL__APP_STATE__APP_ACCEPTED;
        cluster->apps_finished += world->apps[i]->state == CREEL__APP_STATE__APP_FINISHED;
        cluster->apps_failed += world->apps[i]->state == CREEL__APP_STATE__APP_FAILED;
    }
    cluster->used = resource(world, used_mb, used_vcores);
    cluster->pending = resource(world, used_mb / 5, used_vcores / 5);
}

/* --- the resource manager ------------------------------------------------------ */

static void explain(struct page_world *world, Creel__Envelope *reply)
{
    Creel__AppExplanation *why = arena_new0(world->arena, Creel__AppExplanation);
    Creel__WhyItem *items = arena_array0(world->arena, 2, sizeof(*items));
    static char *advice[] = {
        (char *)(uintptr_t) "Ask the administrator of root.dev.ml for a higher maximum, or move the "
                            "application: creel app move ID root.batch",
    };

    creel__app_explanation__init(why);
    why->summary = text("The queue root.dev.ml uses all that it may: 40 % of the cluster.");
    why->waiting_since_ms = WORLD_NOW_MS - 754000;
    why->count = 4;
    why->asked = resource(world, 32768, 8);
    why->items = arena_array0(world->arena, 2, sizeof(*why->items));
    for (size_t i = 0; i < 2; i++) {
        creel__why_item__init(&items[i]);
        why->items[why->n_items++] = &items[i];
    }
    items[0].reason_code = text("QueueLimit");
    items[0].blocking = true;
    items[0].queue = text("root.dev.ml");
    items[0].text = text("Queue root.dev.ml uses 400 GiB of its maximum of 410 GiB, the application asks "
                         "for 32 GiB.");
    items[0].used = resource(world, 409600, 0);
    items[0].asked = resource(world, 32768, 0);
    items[0].allowed = resource(world, 419840, 0);
    items[0].since_ms = WORLD_NOW_MS - 754000;
    items[1].reason_code = text("Nodes");
    items[1].text = text("12 nodes have room for it.");
    why->n_advice = 1;
    why->advice = advice;
    reply->body_case = CREEL__ENVELOPE__BODY_APP_EXPLANATION;
    reply->app_explanation = why;
}

static void agent(void *context, const char *address, const char *key, const Creel__Envelope *query,
                  site_reply_fn *reply, void *reply_context)
{
    static const char log[] = "cut off\n\x1b[1;31mred\x1b[0m " HOSTILE_NAME "\r\n\xff\xc3\xa9\0\x1b[";
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;

    (void)context;
    (void)address;
    (void)key;
    if (query->body_case != CREEL__ENVELOPE__BODY_READ_LOG)
        abort();
    chunk.data = (ProtobufCBinaryData){ sizeof(log) - 1, (uint8_t *)(uintptr_t)log };
    chunk.offset = 1000;
    chunk.size_bytes = 1000 + sizeof(log) - 1;
    envelope.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    envelope.log_chunk = &chunk;
    reply(reply_context, &envelope);
}

static void list_queue(struct page_world *world, const char *path, Creel__Envelope *reply)
{
    Creel__QueueList *list = arena_new0(world->arena, Creel__QueueList);
    Creel__QueueReport *queue = arena_new0(world->arena, Creel__QueueReport);
    static char *explanation[] = {
        (char *)(uintptr_t) "It may use 80 % of the cluster since its maximum is 80.",
    };

    creel__queue_list__init(list);
    creel__queue_report__init(queue);
    if (web_model_queue(world->model, path) != NULL)
        *queue = *web_model_queue(world->model, path);
    else
        queue->path = text(path);
    queue->am_limit = resource(world, WORLD_NEW_AM_LIMIT_MB, 7);
    queue->explanation = explanation;
    queue->n_explanation = 1;
    list->queues = arena_array0(world->arena, 1, sizeof(*list->queues));
    list->queues[list->n_queues++] = queue;
    reply->body_case = CREEL__ENVELOPE__BODY_QUEUE_LIST;
    reply->queue_list = list;
}

/* One container on any node, if the query is for requests and the report has none. */
static void add_request(struct page_world *world, const Creel__ListApps *query, Creel__AppReport *app)
{
    Creel__Ask *ask = arena_new0(world->arena, Creel__Ask);

    if (!query->requests || app->n_requests > 0)
        return;
    creel__ask__init(ask);
    ask->priority = 20;
    ask->resource_name = text("*");
    ask->capability = resource(world, 2048, 1);
    ask->count = 3;
    app->requests = arena_array0(world->arena, 1, sizeof(*app->requests));
    app->requests[app->n_requests++] = ask;
}

/* Returns whether the user of QUERY may change APP. */
static bool may_change(const Creel__Envelope *query, const Creel__AppReport *app)
{
    return strcmp(query->as_user, app->user) == 0 || strcmp(query->as_user, "root") == 0;
}

/* One application; its owner sees its command, too. */
static void list_app(struct page_world *world, const Creel__Envelope *query, Creel__Envelope *reply)
{
    static char *command[] = { (char *)(uintptr_t) "make", (char *)(uintptr_t) "<all>" };
    Creel__AppList *list = arena_new0(world->arena, Creel__AppList);
    Creel__AppReport *app = arena_new0(world->arena, Creel__AppReport);

    *app = *web_model_app(world->model, query->list_apps->app_id);
    if (strcmp(query->as_user, app->user) == 0) {
        app->command = command;
        app->n_command = 2;
        app->diagnostics = text("only the owner sees this");
    }
    app->may_change = may_change(query, app);
    add_request(world, query->list_apps, app);
    creel__app_list__init(list);
    list->apps = arena_array0(world->arena, 1, sizeof(*list->apps));
    list->apps[list->n_apps++] = app;
    reply->body_case = CREEL__ENVELOPE__BODY_APP_LIST;
    reply->app_list = list;
}

static void list_nodes(struct page_world *world, const Creel__Envelope *query, Creel__Envelope *reply)
{
    Creel__NodeList *list = arena_new0(world->arena, Creel__NodeList);

    creel__node_list__init(list);
    list->may_change = strcmp(query->as_user, "root") == 0;
    reply->body_case = CREEL__ENVELOPE__BODY_NODE_LIST;
    reply->node_list = list;
}

static void note(struct page_world *world, const char *what, const char *id, const char *user,
                 const char *how)
{
    snprintf(world->done, sizeof(world->done), "%s %s as %s: %s", what, id, user, how);
}

/* Records the change; a kill of another user's application is refused. */
static void change(struct page_world *world, const Creel__Envelope *query, Creel__Envelope *reply)
{
    static Creel__Ok ok = CREEL__OK__INIT;
    static Creel__Error refused = CREEL__ERROR__INIT;
    const Creel__AppReport *app = query->body_case == CREEL__ENVELOPE__BODY_KILL_APP
                                      ? web_model_app(world->model, query->kill_app->app_id)
                                      : NULL;

    reply->body_case = CREEL__ENVELOPE__BODY_OK;
    reply->ok = &ok;
    if (app != NULL && !may_change(query, app)) {
        refused.code = CREEL__ERROR_CODE__ERROR_NOT_PERMITTED;
        refused.message = text("this application is of another user");
        reply->body_case = CREEL__ENVELOPE__BODY_ERROR;
        reply->error = &refused;
    } else if (app != NULL) {
        note(world, "kill", app->app_id, query->as_user, query->kill_app->reason);
    } else if (query->body_case == CREEL__ENVELOPE__BODY_MOVE_APP) {
        note(world, "move", query->move_app->app_id, query->as_user, query->move_app->queue);
    } else if (query->body_case == CREEL__ENVELOPE__BODY_CHANGE_NODES) {
        note(world, query->change_nodes->change == CREEL__NODE_CHANGE__NODE_DRAIN ? "drain" : "undrain",
             query->change_nodes->nodes[0], query->as_user,
             arena_printf(world->arena, "%s %" PRId64, query->change_nodes->reason,
                          query->change_nodes->timeout_ms));
    } else {
        abort();
    }
}

static void upstream(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    struct page_world *world = context;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;

    (void)authenticated;
    world->asked++;
    if (query->body_case == CREEL__ENVELOPE__BODY_EXPLAIN_APP)
        explain(world, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_APPS)
        list_app(world, query, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_NODES)
        list_nodes(world, query, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_CONTAINERS)
        page_reply_containers(world, query->list_containers, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_QUEUES)
        list_queue(world, query->list_queues->queue, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_QUEUE_USERS)
        page_reply_users(world, query->list_queue_users, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_GET_LOG_ACCESS)
        page_reply_log_access(&envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_GET_CONFIGURATION)
        page_reply_configuration(world, query->get_configuration->first, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY)
        page_reply_history(world, query->list_job_history, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY)
        page_reply_sums(world, query->sum_job_history, &envelope);
    else if (query->body_case == CREEL__ENVELOPE__BODY_LIST_EVENTS)
        page_reply_events(world, query->list_events, &envelope);
    else
        change(world, query, &envelope);
    reply(reply_context, &envelope);
}

static int identify(void *context, struct exchange *exchange, const char **user, bool *authenticated,
                    const char **reason)
{
    const struct page_world *world = context;
    const char *claimed = exchange_parameter(exchange, "user.name", 0);

    (void)reason; /* no request is refused */
    *authenticated = world->user != NULL;
    *user = *authenticated ? world->user : claimed != NULL ? claimed : "dr.who";
    return 0;
}

/* --- set-up -------------------------------------------------------------------- */

static const struct route_table tables[] = { { page_routes, "/", page_refuse } };

struct page_world *page_world_new(size_t apps, size_t nodes, size_t queues_below_each)
{
    struct page_world *world = mem_new0(struct page_world);
    Creel__ClusterInfo *cluster = &world->cluster;

    world->arena = arena_new();
    world->container_count = 12;
    world->attempt_count = 1;
    world->user_count = 3;
    creel__cluster_info__init(cluster);
    cluster->now_ms = WORLD_NOW_MS;
    cluster->cluster_ms = WORLD_CLUSTER_MS;
    cluster->started_ms = WORLD_CLUSTER_MS;
    cluster->version = text("0.1.0");
    cluster->scheduler = text("capacity");
    cluster->total = resource(world, 262144 * (int64_t)nodes, 64 * (int64_t)nodes);
    world->apps = arena_array0(world->arena, apps + 1, sizeof(*world->apps));
    for (size_t i = 0; i < apps; i++)
        world->apps[world->app_count++] = make_app(world, i, apps);
    world->nodes = arena_array0(world->arena, nodes + 1, sizeof(*world->nodes));
    for (size_t i = 0; i < nodes; i++)
        world->nodes[world->node_count++] = make_node(world, i);
    add_queues(world, queues_below_each);
    fill_cluster(world);
    world->view = (struct web_view){ .version = "0.1.0", .form_key = { 7 } };
    world->site = (struct site){
        .tables = tables,
        .table_count = 1,
        .application = &world->view,
        .upstream = upstream,
        .upstream_context = world,
        .agent = agent,
        .identify = identify,
        .identify_context = world,
        .static_user = "dr.who",
    };
    page_world_unload(world);
    page_world_load(world);
    return world;
}

void page_world_load(struct page_world *world)
{
    Creel__AppList apps = CREEL__APP_LIST__INIT;
    Creel__NodeList nodes = CREEL__NODE_LIST__INIT;
    Creel__QueueList queues = CREEL__QUEUE_LIST__INIT;

    apps.apps = world->apps;
    apps.n_apps = world->app_count;
    nodes.nodes = world->nodes;
    nodes.n_nodes = world->node_count;
    queues.queues = world->queues;
    queues.n_queues = world->queue_count;
    web_model_begin(world->model);
    web_model_put_apps(world->model, &apps);
    web_model_put_nodes(world->model, &nodes);
    web_model_put_queues(world->model, &queues, true);
    web_model_put_cluster(world->model, &world->cluster);
    web_model_end(world->model);
}

void page_world_unload(struct page_world *world)
{
    web_model_free(world->model);
    world->view.model = world->model = web_model_new();
}

void page_world_free(struct page_world *world)
{
    web_model_free(world->model);
    arena_free(world->arena);
    free(world);
}
