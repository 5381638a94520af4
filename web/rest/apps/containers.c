/* SPDX-License-Identifier: Apache-2.0 */
/*
 * containers.c - containers of an attempt, and one container
 *
 * The model has no containers: they are requested from the resource manager, a page at a time, for the user
 * of the request. A list is written in pieces: further pages are requested when the client has received what
 * came before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "web/rest/apps/app_document.h"
#include "web/rest/apps/app_find.h"
#include "web/rest/handlers.h"
#include "web/rest/parts/pieces.h"
#include "web/rest/parts/reply.h"
#include "yarn/app.h"
#include "yarn/container.h"
#include "yarn/resource.h"

/* --- one container ---------------------------------------------------------------- */

static void container_members(const struct rest_app_writer *to, const Creel__ContainerReport *container)
{
    struct document *document = to->document;
    bool is_over = container->state == CREEL__CONTAINER_STATE__CONTAINER_COMPLETE;
    const Creel__Resource *resource = container->resource;

    document_text(document, "containerId", container->container_id);
    document_int(document, "allocatedMB", yarn_memory_mb(resource));
    document_int(document, "allocatedVCores", yarn_vcores(resource));
    document_text(document, "assignedNodeId", container->node_id);
    document_uint(document, "priority", container->priority);
    document_int(document, "startedTime", container->allocated_ms);
    document_int(document, "finishedTime", container->finished_ms);
    document_int(document, "elapsedTime",
                 yarn_elapsed_ms(container->allocated_ms, container->finished_ms, to->cluster->now_ms));
    if (*container->diagnostics != '\0')
        document_text(document, "diagnosticsInfo", container->diagnostics);
    document_text(document, "logUrl",
                  rest_log_url(to, container->container_id, container->node_id, container->user, is_over));
    document_int(document, "containerExitStatus", yarn_container_exit_status(container));
    document_text(document, "containerState", yarn_container_state(container->state));
    document_text(document, "nodeHttpAddress", rest_node_url(to, container->node_id));
    document_text(document, "nodeId", container->node_id);
    document_begin_map(document, "allocatedResources", 2);
    document_entry(document, "memory-mb", arena_printf(to->arena, "%" PRId64, yarn_memory_mb(resource)));
    document_entry(document, "vcores", arena_printf(to->arena, "%" PRId64, yarn_vcores(resource)));
    document_end_map(document);
    document_text(document, "exposedPorts", "");
    if (container->swap_peak_bytes > 0)
        document_uint(document, "creelSwapPeakBytes", container->swap_peak_bytes);
}

static void send_container(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    const char *container_id = context;
    struct rest_app_writer to;

    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR &&
        reply->error->code != CREEL__ERROR_CODE__ERROR_NOT_FOUND) {
        rest_upstream_error(exchange, reply->error);
        return;
    }
    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST ||
        reply->container_list->n_containers == 0) {
        rest_not_found(exchange,
                       arena_printf(exchange_arena(exchange),
                                    "org.apache.hadoop.yarn.exceptions."
                                    "ContainerNotFoundException: Container with id '%s' doesn't exist in RM.",
                                    container_id));
        return;
    }
    to = rest_app_writer_of(exchange);
    to.document = rest_begin(exchange, "container", REST_MAPPED);
    if (to.document == NULL)
        return;
    container_members(&to, reply->container_list->containers[0]);
    rest_send(exchange, 200, to.document);
}

void rest_container(struct exchange *exchange)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;
    const Creel__AppReport *app = rest_find_app(exchange);
    struct attempt_id id;
    const char *container_id;

    if (app == NULL || !rest_find_attempt(exchange, app, &id))
        return;
    container_id = rest_find_container(exchange, 2);
    if (container_id == NULL)
        return;
    body.container_id = (char *)(uintptr_t)container_id;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    exchange_ask(exchange, &query, send_container, (void *)(uintptr_t)container_id);
}

/* --- the list --------------------------------------------------------------------- */

struct container_list { /* in the arena of the exchange */
    struct attempt_id attempt;
    const char *app_id;
    struct rest_app_writer to;
    Creel__ContainerReport **rows; /* copies of the rows that are not written yet */
    size_t next, count, capacity;  /* of ROWS: next one that is to be written */
    char after[ID_TEXT_MAX];       /* next of the last reply; "": there are no more rows */
    bool begun, asked, waits, failed;
};

static void free_rows(void *context)
{
    struct container_list *list = context;

    for (size_t i = list->next; i < list->count; i++)
        creel__container_report__free_unpacked(list->rows[i], NULL);
    free(list->rows);
}

static Creel__ContainerReport *copy_of(const Creel__ContainerReport *container)
{
    size_t size = creel__container_report__get_packed_size(container);
    scoped_free uint8_t *bytes = mem_alloc(size + 1);

    creel__container_report__pack(container, bytes);
    return creel__container_report__unpack(NULL, size, bytes);
}

/* Adds the containers of the attempt to the rows. Returns false if REPLY is no list, or cannot be copied. */
static bool add_rows(struct container_list *list, const Creel__Envelope *reply)
{
    const Creel__ContainerList *page = reply->container_list;
    struct container_id id = { .number = 0 };

    if (reply->body_case != CREEL__ENVELOPE__BODY_CONTAINER_LIST || strlen(page->next) >= sizeof(list->after))
        return false;
    for (size_t i = 0; i < page->n_containers; i++) {
        Creel__ContainerReport *copy;

        if (!container_id_parse(page->containers[i]->container_id, &id) ||
            id.attempt.attempt != list->attempt.attempt)
            continue;
        copy = copy_of(page->containers[i]);
        if (copy == NULL)
            return false;
        mem_grow(list->rows, list->count, list->capacity);
        list->rows[list->count++] = copy;
    }
    snprintf(list->after, sizeof(list->after), "%s",
             id.attempt.attempt > list->attempt.attempt ? "" : page->next);
    return true;
}

static void handle_page(struct exchange *exchange, void *context, const Creel__Envelope *reply);

static void ask_page(struct exchange *exchange, struct container_list *list)
{
    Creel__Envelope query = CREEL__ENVELOPE__INIT;
    Creel__ListContainers body = CREEL__LIST_CONTAINERS__INIT;

    body.app_id = (char *)(uintptr_t)list->app_id;
    body.after = list->after;
    body.live_only = true;
    query.body_case = CREEL__ENVELOPE__BODY_LIST_CONTAINERS;
    query.list_containers = &body;
    list->asked = true;
    exchange_ask(exchange, &query, handle_page, list);
}

static enum rest_more next_container(struct exchange *exchange, void *context, struct arena *arena,
                                     struct document *document)
{
    struct container_list *list = context;

    if (list->next < list->count) {
        Creel__ContainerReport *row = list->rows[list->next++];

        list->to.document = document;
        list->to.arena = arena;
        list->to.cluster = web_model_cluster(rest_model(exchange));
        document_begin(document, NULL);
        container_members(&list->to, row);
        document_end(document);
        creel__container_report__free_unpacked(row, NULL);
        return REST_MORE;
    }
    list->next = list->count = 0;
    if (list->failed)
        return REST_BROKEN;
    if (*list->after == '\0' && !list->asked) {
        document_end_list(document);
        return REST_END;
    }
    if (!list->asked)
        ask_page(exchange, list);
    list->waits = list->asked;
    return list->waits ? REST_LATER : REST_MORE;
}

static void begin_list(struct exchange *exchange, struct container_list *list)
{
    struct document *document;

    list->begun = true;
    list->to = rest_app_writer_of(exchange);
    document = rest_begin(exchange, "containers", REST_MAPPED);
    if (document == NULL)
        return;
    document_begin_list(document, "container", list->count);
    rest_send_items(exchange, document, next_container, list);
}

static void refuse(struct exchange *exchange, const Creel__Envelope *reply)
{
    if (reply->body_case == CREEL__ENVELOPE__BODY_ERROR)
        rest_upstream_error(exchange, reply->error);
    else
        exchange_refuse(exchange, 503, "The resource manager sent an unexpected reply.");
}

/* A list of one element has another form, so that the answer begins when two are there, or all. */
static void handle_page(struct exchange *exchange, void *context, const Creel__Envelope *reply)
{
    struct container_list *list = context;
    bool waits = list->waits;

    list->asked = list->waits = false;
    list->failed = !add_rows(list, reply);
    if (waits)
        exchange_part_is_ready(exchange);
    else if (!list->begun && list->failed)
        refuse(exchange, reply);
    else if (!list->begun && list->count < 2 && *list->after != '\0')
        ask_page(exchange, list);
    else if (!list->begun)
        begin_list(exchange, list);
}

void rest_containers(struct exchange *exchange)
{
    struct container_list *list = arena_new0(exchange_arena(exchange), struct container_list);
    const Creel__AppReport *app = rest_find_app(exchange);
    struct container_id first = { .number = 0 };

    if (app == NULL || !rest_find_attempt(exchange, app, &list->attempt))
        return;
    list->app_id = arena_strdup(exchange_arena(exchange), app->app_id);
    first.attempt = list->attempt;
    container_id_format(&first, list->after);
    exchange_at_end(exchange, free_rows, list);
    ask_page(exchange, list);
}
