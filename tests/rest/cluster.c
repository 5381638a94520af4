/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.c - REST of a resource manager's core, for tests/rest/replay.py: cluster
 * capacity|capacity-acl|fair|fifo
 *
 * The core is the real one, with one agent (localhost:18041, 4096 MB, 4 vcores). The program first prints its
 * URL. Then it reads commands from standard input, one per line: "submit USER QUEUE MEMORY-MB" (prints the
 * id), "beat" (advances the clock by one second and sends two heartbeats of the agent). The queues are those
 * of YARN's recordings; capacity-acl enables access lists. The user of an HTTP request is the parameter
 * user.name, and is authenticated if the request has this parameter. The model is loaded from the core before
 * each request and after each query.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/conf/conf.h"
#include "rm/sched/capacity/placement/access.h"
#include "rm/sched/fair/config.h"
#include "tests/unit/master/master_harness.h"
#include "web/http/server.h"
#include "web/model/feed.h"
#include "web/model/view.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"

#define CAPACITY "yarn.scheduler.capacity."
#define PEOPLE 1000
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

struct cluster {
    struct harness h;
    struct fake_agent agent;
    struct conf *conf;
    struct sched_config sched;
    struct web_view view;
    struct site site;
    struct web_model *model;
    struct metrics_copy *metrics;
    struct loop *loop;
    struct arena *arena; /* memory of the queries of one load of the model */
};

/* --- the core ------------------------------------------------------------------ */

static const char *const settings[][2] = {
    { "yarn.resourcemanager.scheduler.class", "CapacityScheduler" },
    { "yarn.node-labels.enabled", "true" },
    { "yarn.scheduler.maximum-allocation-vcores", "4" },
    { CAPACITY "root.queues", "a,b,default" },
    { CAPACITY "root.a.queues", "a1,a2" },
    { CAPACITY "root.a.capacity", "50" },
    { CAPACITY "root.a.a1.capacity", "30" },
    { CAPACITY "root.a.a2.capacity", "70" },
    { CAPACITY "root.b.capacity", "30" },
    { CAPACITY "root.b.maximum-capacity", "60" },
    { CAPACITY "root.default.capacity", "20" },
    { CAPACITY "maximum-am-resource-percent", "0.5" },
};

static const char *const access_lists[][2] = {
    { "yarn.acl.enable", "true" },
    { CAPACITY "root.acl_submit_applications", " " },
    { CAPACITY "root.acl_administer_queue", " " },
    { CAPACITY "root.a.acl_submit_applications", "ann,bob" },
    { CAPACITY "root.a.acl_administer_queue", "qa" },
};

static const char allocations[] =
    "<allocations><queue name='dev'><weight>2</weight><minResources>1024 mb,1 vcores</minResources></queue>"
    "<queue name='prod'><maxRunningApps>5</maxRunningApps></queue></allocations>";

static void build_fair(struct cluster *cluster)
{
    struct fair_config *fair = NULL;
    struct err err = { .text = "" };

    cluster->conf = conf_new_defaults();
    if (fair_config_load(cluster->conf, "allocations", allocations, strlen(allocations), NULL, NULL, &fair,
                         &err) < 0)
        fail_msg("%s", err.text);
    cluster->sched = (struct sched_config){
        .policy = "fair",
        .calculator = SCHED_EVERY_TYPE,
        .types = (int)fair->types.count,
        .minimum = fair->minimum,
        .step = fair->increment,
        .maximum = fair->maximum,
        .fair = fair,
    };
}

/* Builds the configuration. WITH_ACL: only members of the access lists may submit or administer. */
static void build_capacity(struct cluster *cluster, bool with_acl)
{
    const size_t plain = COUNT(settings), lists = COUNT(access_lists);
    const char *all[COUNT(settings) + COUNT(access_lists)][2];

    memcpy(all, settings, sizeof(settings));
    memcpy(all + plain, access_lists, sizeof(access_lists));
    cluster->conf = conf_of(all, with_acl ? plain + lists : plain);
    cluster->sched = capacity_of(cluster->conf);
    if (with_acl)
        cluster->sched.access = capacity_access_new(cluster->conf);
    cluster->h.config.acl_enable = with_acl;
}

static void add_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                       const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    Creel__HealthCheck *check = arena_new0(arena, Creel__HealthCheck);

    (void)context;
    (void)faults, (void)stopped;
    creel__health_check__init(check);
    check->name = arena_strdup(arena, "state-store");
    info->checks = arena_array0(arena, 1, sizeof(*info->checks));
    info->checks[info->n_checks++] = check;
}

static void add_metrics(void *context, struct arena *arena, Creel__Metrics *metrics)
{
    Creel__PoolUse **pools;
    Creel__PoolUse *pool = arena_new0(arena, Creel__PoolUse);
    Creel__DirectorySpace *directory = arena_new0(arena, Creel__DirectorySpace);

    (void)context;
    creel__pool_use__init(pool);
    pool->name = arena_strdup(arena, "connections");
    pools = arena_array0(arena, metrics->n_pools + 1, sizeof(*pools));
    memcpy(pools, metrics->pools, metrics->n_pools * sizeof(*pools)); /* those of the master */
    metrics->pools = pools;
    metrics->pools[metrics->n_pools++] = pool;
    creel__directory_space__init(directory);
    directory->name = arena_strdup(arena, "state");
    directory->inodes = 1000;
    directory->free_inodes = 900;
    metrics->directories = arena_array0(arena, 1, sizeof(*metrics->directories));
    metrics->directories[metrics->n_directories++] = directory;
}

static void start_core(struct cluster *cluster, const char *scheduler)
{
    bool with_acl = strcmp(scheduler, "capacity-acl") == 0;

    harness_init(&cluster->h);
    cluster->h.config.scheduler = with_acl ? "capacity" : scheduler;
    if (with_acl || strcmp(scheduler, "capacity") == 0) {
        build_capacity(cluster, with_acl);
    } else if (strcmp(scheduler, "fair") == 0) {
        build_fair(cluster);
    }
    cluster->h.config.sched = cluster->conf != NULL ? &cluster->sched : NULL;
    cluster->h.config.health = add_health;
    cluster->h.config.metrics = add_metrics;
    cluster->h.config.admin_users = with_acl ? "adm" : "root";
    harness_start(&cluster->h);
    agent_init(&cluster->agent, "localhost:18041", 4096, 4);
    agent_register(&cluster->h, &cluster->agent);
    agent_heartbeat(&cluster->h, &cluster->agent);
}

static void beat(struct cluster *cluster)
{
    harness_tick(&cluster->h, 1000);
    agent_listen(&cluster->h, &cluster->agent);
    agent_heartbeat(&cluster->h, &cluster->agent);
    agent_listen(&cluster->h, &cluster->agent);
    agent_heartbeat(&cluster->h, &cluster->agent);
}

/* --- the model ----------------------------------------------------------------- */

static const Creel__Envelope *query(struct cluster *cluster, Creel__Envelope *in)
{
    const Creel__Envelope *reply = NULL;

    if (master_query(cluster->h.master, cluster->h.now, "root", in, cluster->arena, &reply) < 0)
        abort();
    return reply;
}

static void load_model(struct cluster *cluster)
{
    Creel__ListApps apps = CREEL__LIST_APPS__INIT;
    Creel__ListNodes nodes = CREEL__LIST_NODES__INIT;
    Creel__ListQueues queues = CREEL__LIST_QUEUES__INIT;
    Creel__GetClusterInfo info = CREEL__GET_CLUSTER_INFO__INIT;
    Creel__Envelope in = CREEL__ENVELOPE__INIT;

    web_model_begin(cluster->model);
    in.body_case = CREEL__ENVELOPE__BODY_LIST_APPS;
    in.list_apps = &apps;
    web_model_put_apps(cluster->model, query(cluster, &in)->app_list);
    in.body_case = CREEL__ENVELOPE__BODY_LIST_NODES;
    in.list_nodes = &nodes;
    web_model_put_nodes(cluster->model, query(cluster, &in)->node_list);
    in.body_case = CREEL__ENVELOPE__BODY_LIST_QUEUES;
    in.list_queues = &queues;
    web_model_put_queues(cluster->model, query(cluster, &in)->queue_list, true);
    in.body_case = CREEL__ENVELOPE__BODY_GET_CLUSTER_INFO;
    in.get_cluster_info = &info;
    web_model_put_cluster(cluster->model, query(cluster, &in)->cluster_info);
    web_model_end(cluster->model);
    arena_reset(cluster->arena);
}

/* --- the site ------------------------------------------------------------------ */

/* Finds the user of a request, and loads the model, since this is the first callback of each request. */
static int identify(void *context, struct exchange *exchange, const char **user, bool *authenticated,
                    const char **reason)
{
    const char *claimed = exchange_parameter(exchange, "user.name", 0);

    (void)reason; /* no request is refused */
    load_model(context);
    *authenticated = claimed != NULL;
    *user = claimed != NULL ? claimed : "dr.who";
    return 0;
}

static void upstream(void *context, const Creel__Envelope *in, bool authenticated, site_reply_fn *reply,
                     void *reply_context)
{
    struct cluster *cluster = context;
    Creel__Envelope *envelope = harness_envelope(&cluster->h, in->body_case);
    uint64_t request_id = envelope->request_id;
    const Creel__Envelope *answer;

    (void)authenticated; /* web/rest has checked this */
    *envelope = *in;
    envelope->request_id = request_id;
    envelope->as_user = (char *)(uintptr_t)protobuf_c_empty_string;
    answer = harness_ask(&cluster->h, MASTER_CLIENT, PEOPLE,
                         in->body_case == CREEL__ENVELOPE__BODY_GET_METRICS ? "root" : in->as_user, envelope);
    if (answer->body_case == CREEL__ENVELOPE__BODY_METRICS)
        metrics_copy_put(cluster->metrics, answer->metrics);
    load_model(cluster);
    reply(reply_context, answer);
}

static const struct route_table tables[] = {
    { rest_routes, "/", rest_refuse },
    { servlet_routes, "/servlets", rest_refuse },
};

static void make_site(struct cluster *cluster)
{
    struct traffic *traffic = traffic_new(tables, 2);

    cluster->arena = arena_new();
    cluster->metrics = metrics_copy_new();
    cluster->view = (struct web_view){
        .version = "0.1.0",
        .model = cluster->model = web_model_new(),
        .metrics = cluster->metrics,
        .traffic = traffic,
        .certificate_expires_ms = INT64_C(1790000000000),
    };
    cluster->site = (struct site){
        .tables = tables,
        .table_count = 2,
        .application = &cluster->view,
        .traffic = traffic,
        .upstream = upstream,
        .upstream_context = cluster,
        .identify = identify,
        .identify_context = cluster,
        .static_user = "dr.who",
    };
}

/* --- commands ------------------------------------------------------------------ */

static void submit(struct cluster *cluster, const char *user, const char *queue, int memory_mb)
{
    Creel__JobSpec *job = job_of(CREEL__APP_KIND__APP_COMMAND, memory_mb, 1);
    char app[80], queue_copy[80];

    snprintf(queue_copy, sizeof(queue_copy), "%s", queue);
    job->queue = queue_copy;
    people_submit_as(&cluster->h, user, job, "", app);
    printf("%s\n", app);
}

static void on_line(void *context, int fd)
{
    struct cluster *cluster = context;
    char line[200], user[64], queue[64];
    ssize_t got = read(fd, line, sizeof(line) - 1);
    int memory_mb;

    if (got <= 0) {
        loop_stop(cluster->loop);
        return;
    }
    line[got] = '\0';
    if (sscanf(line, "submit %63s %63s %d", user, queue, &memory_mb) == 3) {
        submit(cluster, user, queue, memory_mb);
    } else {
        beat(cluster);
        printf("ok\n");
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct cluster cluster = { .conf = NULL };
    struct http_server *server = NULL;
    struct err err = { .code = 0 };

    start_core(&cluster, argc > 1 ? argv[1] : "capacity");
    make_site(&cluster);
    if (loop_new(&cluster.loop, &err) < 0 ||
        http_server_new(&server, cluster.loop, "127.0.0.1:0", &cluster.site, &HTTP_LIMITS_DEFAULT, &err) <
            0 ||
        loop_add_fd(cluster.loop, STDIN_FILENO, false, on_line, &cluster, &err) < 0) {
        fprintf(stderr, "cluster: %s\n", err.text);
        return 1;
    }
    printf("http://127.0.0.1:%d\n", http_server_port(server));
    fflush(stdout);
    loop_run(cluster.loop);
    http_server_free(server);
    loop_free(cluster.loop);
    web_model_free(cluster.model);
    metrics_copy_free(cluster.metrics);
    traffic_free(cluster.site.traffic);
    arena_free(cluster.arena);
    agent_done(&cluster.agent);
    harness_done(&cluster.h);
    conf_free(cluster.conf);
    return 0;
}
