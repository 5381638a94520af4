/* SPDX-License-Identifier: Apache-2.0 */
/* node_rest_world.c - fixture: the site of creel-nm-web over a fixed state of an agent */
#include "tests/unit/node/node_rest_world.h"

#include <assert.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/web/handlers.h"
#include "web/rest/parts/format.h"

#define TEXT(literal) ((char *)(uintptr_t)(literal))

static const struct route_table tables[] = {
    { node_routes, "/", rest_refuse },
};

static void refuse(Creel__ErrorCode code, const char *message, site_reply_fn *reply, void *reply_context)
{
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__Error error = CREEL__ERROR__INIT;

    error.code = code;
    error.message = TEXT(message);
    envelope.body_case = CREEL__ENVELOPE__BODY_ERROR;
    envelope.error = &error;
    reply(reply_context, &envelope);
}

/* Answers a ReadLog as the agent does. */
static void answer_log(void *context, const Creel__Envelope *query, bool authenticated, site_reply_fn *reply,
                       void *reply_context)
{
    const struct node_rest_world *world = context;
    const Creel__ReadLog *body = query->read_log;
    Creel__Envelope envelope = CREEL__ENVELOPE__INIT;
    Creel__LogChunk chunk = CREEL__LOG_CHUNK__INIT;
    size_t size = strlen(NODE_REST_LOG), offset = body->offset < size ? body->offset : size;

    (void)authenticated;
    if (world->refuses_logs) {
        refuse(CREEL__ERROR_CODE__ERROR_NOT_PERMITTED, "not permitted", reply, reply_context);
        return;
    }
    if (world->has_no_logs) {
        refuse(CREEL__ERROR_CODE__ERROR_NOT_FOUND, "the logs of it are in /shared", reply, reply_context);
        return;
    }
    if (strcmp(body->file, "stdout") != 0) {
        refuse(CREEL__ERROR_CODE__ERROR_NOT_FOUND, "not written", reply, reply_context);
        return;
    }
    if (body->from_end)
        offset = size - offset;
    chunk.offset = offset;
    chunk.size_bytes = size;
    chunk.modified_ms = 1795530283000;
    chunk.data.data = (uint8_t *)TEXT(NODE_REST_LOG) + offset;
    chunk.data.len = size - offset < body->max_bytes ? size - offset : body->max_bytes;
    envelope.body_case = CREEL__ENVELOPE__BODY_LOG_CHUNK;
    envelope.log_chunk = &chunk;
    reply(reply_context, &envelope);
}

static void fill_containers(struct node_rest_world *world)
{
    static const struct {
        const char *id, *app, *user, *diagnostics;
        Creel__AgentPhase phase;
        int exit_status;
        bool app_over;
    } rows[NODE_REST_CONTAINERS] = {
        { "container_1_0001_01_000001", "application_1_0001", "ann", "",
          CREEL__AGENT_PHASE__AGENT_PHASE_RUNNING, -1000, false },
        { "container_1_0001_01_000002", "application_1_0001", "ann", "<killed> & \"over\"",
          CREEL__AGENT_PHASE__AGENT_PHASE_STOPPING, -1000, false },
        { "container_1_0002_01_000001", "application_1_0002", "bob", "",
          CREEL__AGENT_PHASE__AGENT_PHASE_ENDED, 3, true },
        { "container_1_0003_01_000001", "application_1_0003", "bob", "",
          CREEL__AGENT_PHASE__AGENT_PHASE_FETCHING, -1000, false },
    };

    for (size_t i = 0; i < NODE_REST_CONTAINERS; i++) {
        Creel__AgentContainer *container = world->list[i] = &world->containers[i];

        creel__agent_container__init(container);
        container->container_id = TEXT(rows[i].id);
        container->app_id = TEXT(rows[i].app);
        container->user = TEXT(rows[i].user);
        container->diagnostics = TEXT(rows[i].diagnostics);
        container->phase = rows[i].phase;
        container->exit_status = rows[i].exit_status;
        container->app_over = rows[i].app_over;
        container->resource = &world->small;
        container->memory_bytes = 1000;
    }
}

static void fill_pressures(struct node_rest_world *world)
{
    static const char *const resources[] = { "cpu", "memory" };

    for (size_t i = 0; i < 2; i++) {
        Creel__AgentPressure *pressure = world->pressures[i] = &world->pressure[i];

        creel__agent_pressure__init(pressure);
        pressure->resource = TEXT(resources[i]);
        pressure->some = 0.25;
    }
    world->pressure[1].has_full = true;
    world->pressure[1].full = 0.125;
    world->metrics.pressures = world->pressures;
    world->metrics.n_pressures = 2;
}

static void fill_disks(struct node_rest_world *world)
{
    static const char *const dirs[] = { "/var/local", "/gone" };

    for (size_t i = 0; i < 2; i++) {
        Creel__AgentDisk *disk = world->disks[i] = &world->disk[i];

        creel__agent_disk__init(disk);
        disk->dir = TEXT(dirs[i]);
    }
    world->disk[0].good = world->disk[0].is_measured = true;
    world->disk[0].free_bytes = 12345;
    world->disk[0].inodes = 1000;
    world->disk[0].free_inodes = 900;
    world->metrics.disks = world->disks;
    world->metrics.n_disks = 2;
}

static void fill_starts(struct node_rest_world *world)
{
    static Creel__HistogramBucket first = CREEL__HISTOGRAM_BUCKET__INIT;
    static Creel__HistogramBucket second = CREEL__HISTOGRAM_BUCKET__INIT;
    static Creel__HistogramBucket *buckets[] = { &first, &second };

    first.bound_us = 500000;
    first.count = 3;
    second.bound_us = 2000000;
    second.count = 1;
    creel__histogram__init(&world->starts);
    world->starts.buckets = buckets;
    world->starts.n_buckets = 2;
    world->starts.sum_us = 12500000;
    world->starts.total = 5;
}

static void fill_metrics(struct node_rest_world *world)
{
    Creel__AgentMetrics *metrics = &world->metrics;

    creel__agent_metrics__init(metrics);
    fill_starts(world);
    metrics->start = &world->starts;
    metrics->localize_bytes = 777;
    metrics->oom_kills_container = 2;
    metrics->oom_kills_slice = 1;
    metrics->log_bytes = 88;
    metrics->orphans_killed = 4;
    metrics->gateway_deaths = 3;
    metrics->web_deaths = 1;
    metrics->has_rtt = metrics->has_memory = metrics->has_cpu = true;
    metrics->rtt_us = 1500;
    metrics->limit_bytes = 10000;
    metrics->anon_bytes = 20;
    metrics->file_bytes = 30;
    metrics->shmem_bytes = 10;
    metrics->kernel_bytes = 5;
    metrics->cpu_us = 2500000;
    metrics->process_open_fds = 12;
    metrics->process_max_fds = 1024;
    metrics->process_virtual_bytes = 9000;
    fill_pressures(world);
    fill_disks(world);
    world->snapshot.metrics = metrics;
}

void node_rest_world_fill(struct node_rest_world *world)
{
    *world = (struct node_rest_world){ .view.snapshot = &world->snapshot };
    creel__resource__init(&world->total);
    creel__resource__init(&world->small);
    creel__agent_snapshot__init(&world->snapshot);
    world->total.memory_mb = 4096;
    world->total.vcores = 4;
    world->small.memory_mb = 1024;
    world->small.vcores = 1;
    world->snapshot.node_id = TEXT("n1:8041");
    world->snapshot.host = TEXT("n1");
    world->snapshot.version = TEXT("0.1");
    world->snapshot.cpu_millicores = 1500;
    world->snapshot.node_cpu_millicores = 2250;
    world->snapshot.node_memory_bytes = 3000;
    world->snapshot.process_cpu_us = 250000;
    world->snapshot.process_memory_bytes = 5000;
    world->snapshot.started_ms = 1000;
    world->snapshot.registered = true;
    world->snapshot.taken_ms = 2000;
    world->snapshot.total = &world->total;
    world->snapshot.resource_types = TEXT("memory-mb (unit=Mi), vcores");
    world->snapshot.virtual_ratio = 2.1;
    world->snapshot.checks_physical = true;
    world->snapshot.containers = world->list;
    world->snapshot.n_containers = NODE_REST_CONTAINERS;
    fill_containers(world);
    fill_metrics(world);
    world->site = (struct site){
        .tables = tables,
        .table_count = 1,
        .application = &world->view,
        .upstream = answer_log,
        .upstream_context = world,
        .static_user = "dr.who",
    };
}

/* --- requests ------------------------------------------------------------------ */

static void ignore(void *context)
{
    (void)context;
}

static const char *header_of(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (strcmp(answer->headers[i].name, name) == 0)
            return answer->headers[i].value;
    return "";
}

static struct exchange *serve(const struct node_rest_world *world, const char *method, const char *target,
                              const char *accept)
{
    const struct name_value headers[] = { { "Host", "n1:8042" }, { "Accept", accept } };
    const struct request_text request = {
        .method = method,
        .target = target,
        .headers = headers,
        .header_count = accept != NULL ? 2 : 1,
        .body = "",
    };
    struct exchange *exchange = site_serve(&world->site, &request, ignore, NULL);

    assert(site_answer(exchange) != NULL);
    return exchange;
}

char *node_rest_ask(const struct node_rest_world *world, const char *method, const char *target,
                    const char *accept)
{
    struct exchange *exchange = serve(world, method, target, accept);
    const struct answer *answer = site_answer(exchange);
    char *text = mem_printf("%d %s %.*s", answer->status, header_of(answer, "Content-Type"),
                            (int)answer->size, answer->size > 0 ? (const char *)answer->bytes : "");

    site_end(exchange);
    return text;
}

char *node_rest_ask_location(const struct node_rest_world *world, const char *target)
{
    struct exchange *exchange = serve(world, "GET", target, NULL);
    const struct answer *answer = site_answer(exchange);
    char *text = mem_printf("%d %s", answer->status, header_of(answer, "Location"));

    site_end(exchange);
    return text;
}

char *node_rest_ask_range(const struct node_rest_world *world, const char *target, const char *range)
{
    struct name_value header = { "Range", range };
    struct request_text text = {
        .method = "GET", .target = target, .headers = &header, .header_count = 1, .body = ""
    };
    struct exchange *exchange = site_serve(&world->site, &text, ignore, NULL);
    const struct answer *answer = site_answer(exchange);
    char *result = mem_printf("%d %s %.*s", answer->status, header_of(answer, "Content-Range"),
                              (int)answer->size, answer->size > 0 ? (const char *)answer->bytes : "");

    site_end(exchange);
    return result;
}
