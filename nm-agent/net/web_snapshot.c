/* SPDX-License-Identifier: Apache-2.0 */
/* web_snapshot.c - the agent's state as a message for creel-nm-web */
#include "nm-agent/net/web_snapshot.h"

#include "config.h"

#include <string.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "common/base/own_process.h"
#include "nm-agent/net/daemon.h"
#include "nm-agent/net/web_metrics.h"

struct collecting {
    struct arena *arena;
    bool hides_texts;
    Creel__AgentSnapshot *snapshot;
    size_t capacity;
};

static Creel__Resource *resource_message(struct arena *arena, const struct resource *resource)
{
    Creel__Resource *message = arena_new0(arena, Creel__Resource);

    creel__resource__init(message);
    message->memory_mb = resource->value[RESOURCE_MEMORY_MB];
    message->vcores = resource->value[RESOURCE_VCORES];
    return message;
}

static void add_container(void *context, const struct agent_view *view)
{
    struct collecting *to = context;
    struct arena *arena = to->arena;
    Creel__AgentContainer *container;

    if (to->snapshot->n_containers == to->capacity)
        return;
    container = arena_new0(arena, Creel__AgentContainer);
    creel__agent_container__init(container);
    container->container_id = arena_strdup(arena, view->container_id);
    container->app_id = arena_strdup(arena, view->app_id);
    container->user = arena_strdup(arena, view->user);
    container->phase = view->phase;
    container->exit_status = view->exit_status;
    if (!to->hides_texts)
        container->diagnostics = arena_printf(arena, "%.*s", WEB_SNAPSHOT_TEXT_MAX, view->diagnostics);
    container->resource = resource_message(arena, &view->resource);
    container->app_over = view->app_over;
    container->memory_bytes = view->figures.memory_bytes;
    container->cpu_time_us = view->figures.totals.cpu_time_us;
    to->snapshot->containers[to->snapshot->n_containers++] = container;
}

/* Returns "memory-mb (unit=Mi), vcores", followed by the other types that the node offers. */
static char *resource_types_text(struct arena *arena, const struct resource_offers *others)
{
    char *text = arena_strdup(arena, "memory-mb (unit=Mi), vcores");

    for (size_t i = 0; i < others->count; i++) {
        const struct resource_offer *other = &others->offer[i];

        text = *other->unit != '\0' ? arena_printf(arena, "%s, %s (unit=%s)", text, other->name, other->unit)
                                    : arena_printf(arena, "%s, %s", text, other->name);
    }
    return text;
}

/* Sets the use of containers, of the node, and of the agent itself. */
static void fill_use(const struct daemon *daemon, const struct own_process *own,
                     Creel__AgentSnapshot *snapshot)
{
    snapshot->cpu_millicores = daemon->use.cpu_millicores;
    snapshot->node_memory_bytes = daemon->use.node_memory_bytes;
    snapshot->node_cpu_millicores = daemon->use.node_cpu_millicores;
    snapshot->process_cpu_us = own->cpu_us;
    snapshot->process_memory_bytes = own->resident_bytes;
}

/* Sets the registration, and the versions of both sides. */
static void fill_release(const struct daemon *daemon, struct arena *arena, Creel__AgentSnapshot *snapshot)
{
    struct agent_summary summary = agent_summarise(daemon->agent);

    snapshot->registered = summary.registered;
    snapshot->protocol_oldest = WIRE_VERSION_OLDEST;
    snapshot->protocol_newest = WIRE_VERSION;
    snapshot->rm_version = arena_strdup(arena, summary.rm_version);
    snapshot->rm_protocol_oldest = summary.rm_protocol.oldest;
    snapshot->rm_protocol_newest = summary.rm_protocol.newest;
    snapshot->mismatch = arena_strdup(arena, summary.mismatch ? summary.mismatch : "");
}

static char *log_server(const struct daemon *daemon, enum conf_key key)
{
    const char *url;

    (void)log_server_read(daemon->conf, key, &url, NULL);
    return (char *)(uintptr_t)url;
}

static void fill(const struct daemon *daemon, struct arena *arena, Creel__AgentSnapshot *snapshot)
{
    char report[512] = "";

    snapshot->node_id = daemon->node_id;
    snapshot->host = daemon->settings.host;
    snapshot->version = (char *)(uintptr_t)PACKAGE_VERSION;
    snapshot->started_ms = daemon->started_ms;
    snapshot->taken_ms = loop_now_ms();
    fill_release(daemon, arena, snapshot);
    snapshot->unhealthy = !node_health_report(daemon, report, sizeof(report));
    snapshot->health_report = arena_strdup(arena, report);
    snapshot->total = resource_message(arena, &daemon->settings.total);
    snapshot->resource_types = resource_types_text(arena, &daemon->settings.others);
    snapshot->log_server_url = log_server(daemon, CONF_LOG_SERVER_URL);
    snapshot->log_server_rest_url = log_server(daemon, CONF_LOG_SERVER_REST_URL);
    snapshot->virtual_ratio = daemon->settings.monitor.ratio;
    snapshot->checks_physical = daemon->settings.monitor.physical || settings_kernel_enforces(daemon->conf);
    snapshot->checks_virtual = daemon->settings.monitor.virtual;
}

uint8_t *web_snapshot_pack(const struct daemon *daemon, size_t *size)
{
    struct agent_summary summary = agent_summarise(daemon->agent);
    const struct own_process own = own_process_read();
    struct arena *arena = arena_new();
    Creel__AgentSnapshot snapshot = CREEL__AGENT_SNAPSHOT__INIT;
    struct collecting to = {
        .arena = arena,
        .hides_texts = conf_bool(daemon->conf, CONF_ACL_ENABLE),
        .snapshot = &snapshot,
        .capacity = summary.live + summary.ended + summary.tombstones,
    };
    uint8_t *bytes;

    if (to.capacity > WEB_SNAPSHOT_CONTAINERS_MAX)
        to.capacity = WEB_SNAPSHOT_CONTAINERS_MAX;
    snapshot.containers = arena_array0(arena, to.capacity + 1, sizeof(*snapshot.containers));
    fill(daemon, arena, &snapshot);
    fill_use(daemon, &own, &snapshot);
    snapshot.metrics = web_metrics_make(daemon, &own, arena);
    agent_each_container(daemon->agent, add_container, &to);
    *size = creel__agent_snapshot__get_packed_size(&snapshot);
    bytes = mem_alloc(*size + 1);
    creel__agent_snapshot__pack(&snapshot, bytes);
    arena_free(arena);
    return bytes;
}
