/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/rest/rest_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "web/page/frame.h"
#include "web/page/pages.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/reply.h"

const struct route_table rest_world_tables[] = {
    { page_routes, "/", page_refuse },
    { rest_routes, "/ws/v1", rest_refuse },
    { servlet_routes, "/servlets", rest_refuse },
};
const size_t rest_world_table_count = sizeof(rest_world_tables) / sizeof(rest_world_tables[0]);

static const struct web_property properties[] = {
    { "creel.web.secret", "<redacted>", "creel-site.xml", false },
    { "yarn.acl.enable", "true", "yarn-site.xml", true },
    { "yarn.resourcemanager.hostname", "0.0.0.0", "default", false },
};

/* --- reports ----------------------------------------------------------------- */

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

static Creel__ResourceType *type(struct page_world *world, const char *name, const char *unit)
{
    Creel__ResourceType *made = arena_new0(world->arena, Creel__ResourceType);

    creel__resource_type__init(made);
    made->name = text(name);
    made->unit = text(unit);
    return made;
}

static void complete_cluster(struct page_world *world)
{
    Creel__ClusterInfo *cluster = &world->cluster;

    cluster->queue_model = text("capacity");
    cluster->types = arena_array0(world->arena, 2, sizeof(*cluster->types));
    cluster->types[0] = type(world, "memory-mb", "Mi");
    cluster->types[1] = type(world, "vcores", "");
    cluster->n_types = 2;
    cluster->minimum_allocation = resource(world, 1024, 1);
    cluster->maximum_allocation = resource(world, 8192, 4);
    cluster->reserved = resource(world, 4096, 2);
    cluster->pending = resource(world, 65536, 16);
    cluster->counters = arena_new0(world->arena, Creel__ClusterCounters);
    creel__cluster_counters__init(cluster->counters);
    cluster->counters->apps_submitted = world->app_count;
    cluster->counters->containers_allocated = 12345;
    cluster->counters->heartbeats = 54321;
    cluster->counters->node_silences = 7;
}

static Creel__CapacityEntry *entry(struct page_world *world, const char *name, double value, const char *unit)
{
    Creel__CapacityEntry *one = arena_new0(world->arena, Creel__CapacityEntry);

    creel__capacity_entry__init(one);
    one->resource = text(name);
    one->value = value;
    one->unit = text(unit);
    return one;
}

static Creel__CapacityEntry **entries(struct page_world *world, double value, const char *unit, size_t *count)
{
    Creel__CapacityEntry **both = arena_array0(world->arena, 2, sizeof(*both));

    both[0] = entry(world, "memory-mb", value, unit);
    both[1] = entry(world, "vcores", value, unit);
    *count = 2;
    return both;
}

/* The partition of the label gpu, of which the queue has a quarter. */
static void add_partition(struct page_world *world, Creel__QueueReport *queue)
{
    Creel__QueuePartition *part = arena_new0(world->arena, Creel__QueuePartition);

    creel__queue_partition__init(part);
    part->label = text("gpu");
    part->capacity = part->absolute_capacity = 0.25f;
    part->max_capacity = part->absolute_max_capacity = 1;
    part->used_capacity = 0.5f;
    part->absolute_used = 0.125f;
    part->weight = -1;
    part->used = resource(world, 3072, 3);
    part->configured = entries(world, 25, "%", &part->n_configured);
    part->minimum = part->maximum = part->am_limit = resource(world, 6144, 6);
    queue->partitions = arena_array0(world->arena, 1, sizeof(*queue->partitions));
    queue->partitions[queue->n_partitions++] = part;
}

static void complete_queue(struct page_world *world, Creel__QueueReport *queue)
{
    Creel__QueueSettings *settings = arena_new0(world->arena, Creel__QueueSettings);

    creel__queue_settings__init(settings);
    settings->mode = text("percentage");
    settings->configured = entries(world, 12.5, "%", &settings->n_configured);
    settings->ordering = text(queue->leaf ? "fifo" : "utilization");
    settings->submit_acl = settings->administer_acl = text(strcmp(queue->path, "root") == 0 ? "*" : " ");
    settings->auto_creation = text("off");
    settings->am_fraction = 0.5f;
    settings->maximum_allocation = resource(world, 8192, 4);
    settings->labels = arena_array0(world->arena, 1, sizeof(char *));
    settings->labels[settings->n_labels++] = text("*");
    queue->settings = settings;
    add_partition(world, queue);
    queue->weight = -1;
    queue->user_am_limit = queue->reserved = queue->minimum = queue->maximum = resource(world, 4096, 2);
    queue->user_limit_percent = 100;
    queue->user_limit_factor = 1;
    queue->maximum_lifetime_s = queue->default_lifetime_s = -1;
}

void rest_world_complete(struct page_world *world)
{
    complete_cluster(world);
    for (size_t i = 0; i < world->queue_count; i++)
        complete_queue(world, world->queues[i]);
    for (size_t i = 0; i < world->node_count; i++)
        world->nodes[i]->reserved = resource(world, 0, 0);
    world->view.properties = properties;
    world->view.property_count = sizeof(properties) / sizeof(*properties);
    world->site.tables = rest_world_tables;
    world->site.table_count = rest_world_table_count;
    page_world_load(world);
}

/* --- requests ---------------------------------------------------------------- */

struct rest_world *rest_world_new(size_t apps, size_t nodes)
{
    struct rest_world *world = mem_new0(struct rest_world);

    world->page = page_world_new(apps, nodes, 0);
    rest_world_complete(world->page);
    return world;
}

void rest_world_free(struct rest_world *world)
{
    site_end(world->exchange);
    page_world_free(world->page);
    free(world->text);
    free(world);
}

static void ignore(void *context)
{
    (void)context;
}

/* Reads all parts of an answer in parts, and adds them to TEXT unless that is NULL; the fake resource manager
 * answers at once. */
static void add_parts(struct exchange *exchange, struct text_builder *text)
{
    enum exchange_part part;
    const char *bytes;
    size_t size;

    while ((part = site_part(exchange, &bytes, &size)) == EXCHANGE_PART)
        if (text != NULL)
            text_builder_add_bytes(text, bytes, size);
    if (part != EXCHANGE_PART_END && text != NULL)
        text_builder_add(text, "(cut)");
}

static const char *serve(struct rest_world *world, const struct request_text *request)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;
    const struct answer *answer;
    const char *type;

    site_end(world->exchange);
    free(world->text);
    world->text = NULL;
    world->exchange = site_serve(&world->page->site, request, ignore, NULL);
    answer = site_answer(world->exchange);
    if (answer == NULL)
        return "no answer";
    type = rest_world_header(world, "Content-Type");
    text_builder_printf(&text, "%d %s\n", answer->status, type != NULL ? type : "-");
    if (answer->is_parts)
        add_parts(world->exchange, world->drops ? NULL : &text);
    else if (!world->drops)
        text_builder_add_bytes(&text, answer->bytes, answer->size);
    world->text = text_builder_finish(&text);
    return world->text;
}

void rest_world_drop_text(struct rest_world *world)
{
    world->drops = true;
}

const char *rest_world_get(struct rest_world *world, const char *target, const char *accept)
{
    struct name_value header = { "Accept", accept };

    return serve(world, &(struct request_text){
                            .method = "GET",
                            .target = target,
                            .headers = &header,
                            .header_count = accept ? 1 : 0,
                            .body = "",
                        });
}

const char *rest_world_send(struct rest_world *world, const char *method, const char *target,
                            const char *content_type, const char *body)
{
    struct name_value header = { "Content-Type", content_type };

    return serve(world, &(struct request_text){
                            .method = method,
                            .target = target,
                            .headers = &header,
                            .header_count = content_type ? 1 : 0,
                            .body = body,
                            .body_size = strlen(body),
                        });
}

const char *rest_world_header(const struct rest_world *world, const char *name)
{
    const struct answer *answer = site_answer(world->exchange);

    for (size_t i = 0; answer != NULL && i < answer->header_count; i++)
        if (strcasecmp(answer->headers[i].name, name) == 0)
            return answer->headers[i].value;
    return NULL;
}
