/* SPDX-License-Identifier: Apache-2.0 */
/* print_app.c - applications, attempts and containers as YARN's commands print them */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "client/yarn/format.h"
#include "client/yarn/print.h"
#include "common/base/id.h"
#include "common/base/mem.h"
#include "yarn/app.h"
#include "yarn/container.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- applications ---------------------------------------------------------- */

static double progress_of(const struct creel_app *app)
{
    return yarn_app_progress((Creel__AppState)app->state, app->progress);
}

void print_app_list(FILE *out, const struct print_app_list *list)
{
    static const int widths[] = { 30, 20, 20, 10, 10, 18, 18, 15, 35 };
    static const char *const titles[COUNT(widths)] = {
        "Application-Id", "Application-Name", "Application-Type", "User",         "Queue",
        "State",          "Final-State",      "Progress",         "Tracking-URL",
    };

    fprintf(out, "Total number of applications (application-types: [%s], states: [%s] and tags: [%s]):%zu\n",
            list->types, list->states, list->tags, list->count);
    format_row(out, widths, COUNT(widths), titles);
    for (size_t i = 0; i < list->count; i++) {
        const struct creel_app *app = list->apps[i];
        char progress[FORMAT_MAX];
        const char *cells[COUNT(widths)] = {
            app->id,
            app->name,
            app->type,
            app->user,
            app->queue,
            creel_app_state_name(app->state),
            creel_final_status_name(app->final_status),
            format_progress(progress_of(app), progress),
            yarn_or_not_available(app->tracking_url),
        };

        format_row(out, widths, COUNT(widths), cells);
    }
}

/* Returns the host that the AM registered, or else that of its container, or else "N/A". */
static const char *master_host(const struct creel_app *app, char text[FORMAT_MAX])
{
    int length = (int)strcspn(app->master_node_id, ":");

    if (*app->am_host != '\0' || length == 0)
        return yarn_or_not_available(app->am_host);
    snprintf(text, FORMAT_MAX, "%.*s", length, app->master_node_id);
    return text;
}

static void print_timeout(FILE *out, const struct creel_app *app, int64_t now_ms)
{
    char text[FORMAT_MAX];

    if (app->expires_ms == 0)
        fputs("\tTimeoutType : LIFETIME\tExpiryTime : UNLIMITED\tRemainingTime : -1seconds\n", out);
    else
        fprintf(out, "\tTimeoutType : LIFETIME\tExpiryTime : %s\tRemainingTime : %" PRId64 "seconds\n",
                format_iso(app->expires_ms, text),
                creel_app_is_over(app) ? 0 : yarn_app_remaining_s(app->expires_ms, now_ms));
}

static void print_usage(FILE *out, const struct creel_app *app)
{
    fprintf(out, "\tAggregate Resource Allocation : %" PRIu64 " MB-seconds, %" PRIu64 " vcore-seconds\n",
            app->memory_mb_seconds, app->vcore_seconds);
    fprintf(out, "\tAggregate Resource Preempted : %" PRIu64 " MB-seconds, %" PRIu64 " vcore-seconds\n",
            app->preempted_memory_mb_seconds, app->preempted_vcore_seconds);
}

void print_app(FILE *out, const struct creel_app *app, int64_t now_ms)
{
    char progress[FORMAT_MAX], host[FORMAT_MAX];

    fputs("Application Report : \n", out);
    fprintf(out, "\tApplication-Id : %s\n", app->id);
    fprintf(out, "\tApplication-Name : %s\n", app->name);
    fprintf(out, "\tApplication-Type : %s\n", app->type);
    fprintf(out, "\tUser : %s\n", app->user);
    fprintf(out, "\tQueue : %s\n", app->queue);
    fprintf(out, "\tApplication Priority : %d\n", app->priority);
    fprintf(out, "\tStart-Time : %" PRId64 "\n", app->submitted_ms);
    fprintf(out, "\tFinish-Time : %" PRId64 "\n", app->finished_ms);
    fprintf(out, "\tProgress : %s\n", format_progress(progress_of(app), progress));
    fprintf(out, "\tState : %s\n", creel_app_state_name(app->state));
    fprintf(out, "\tFinal-State : %s\n", creel_final_status_name(app->final_status));
    fprintf(out, "\tTracking-URL : %s\n", yarn_or_not_available(app->tracking_url));
    fputs("\tRPC Port : -1\n", out);
    fprintf(out, "\tAM Host : %s\n", master_host(app, host));
    print_usage(out, app);
    fprintf(out, "\tLog Aggregation Status : %s\n", app->log_aggregation ? app->log_aggregation : "DISABLED");
    fprintf(out, "\tDiagnostics : %s\n", app->diagnostics);
    fprintf(out, "\tUnmanaged Application : %s\n", app->unmanaged ? "true" : "false");
    fprintf(out, "\tApplication Node Label Expression : %s\n", *app->label ? app->label : "<Not set>");
    fprintf(out, "\tAM container Node Label Expression : %s\n",
            *app->label ? app->label : "<DEFAULT_PARTITION>");
    print_timeout(out, app, now_ms);
    fputc('\n', out);
}

/* --- attempts ---------------------------------------------------------------- */

/* Returns the first container of attempt NUMBER, or NULL. */
static const struct creel_container *master_of(const struct creel_containers *containers, uint32_t number)
{
    for (size_t i = 0; i < containers->count; i++) {
        struct container_id id;

        if (containers->items[i].master && container_id_parse(containers->items[i].id, &id) &&
            id.attempt.attempt == number)
            return &containers->items[i];
    }
    return NULL;
}

static const char *attempt_state(const struct creel_app *app, uint32_t number,
                                 const struct creel_container *master)
{
    return yarn_attempt_state((Creel__AppState)app->state, number >= app->attempt,
                              master != NULL ? (Creel__ContainerState)master->state
                                             : CREEL__CONTAINER_STATE__CONTAINER_UNKNOWN);
}

static const char *attempt_name(const struct creel_app *app, uint32_t number, char text[ID_TEXT_MAX])
{
    struct attempt_id id = { .attempt = number };

    text[0] = '\0';
    return app_id_parse(app->id, &id.app) ? attempt_id_format(&id, text) : text;
}

void print_attempt_list(FILE *out, const struct creel_app *app, const struct creel_containers *containers)
{
    static const int widths[] = { 30, 20, 35, 35 };
    static const char *const titles[COUNT(widths)] = { "ApplicationAttempt-Id", "State", "AM-Container-Id",
                                                       "Tracking-URL" };

    fprintf(out, "Total number of application attempts :%u\n", app->attempt);
    format_row(out, widths, COUNT(widths), titles);
    for (uint32_t number = 1; number <= app->attempt; number++) {
        const struct creel_container *master = master_of(containers, number);
        char name[ID_TEXT_MAX];
        const char *cells[COUNT(widths)] = {
            attempt_name(app, number, name),
            attempt_state(app, number, master),
            master != NULL ? master->id : "N/A",
            number == app->attempt ? yarn_or_not_available(app->tracking_url) : "N/A",
        };

        format_row(out, widths, COUNT(widths), cells);
    }
}

void print_attempt(FILE *out, const struct creel_app *app, uint32_t number,
                   const struct creel_containers *containers)
{
    const struct creel_container *master = master_of(containers, number);
    bool is_last = number == app->attempt;
    char name[ID_TEXT_MAX], host[FORMAT_MAX];

    fputs("Application Attempt Report : \n", out);
    fprintf(out, "\tApplicationAttempt-Id : %s\n", attempt_name(app, number, name));
    fprintf(out, "\tState : %s\n", attempt_state(app, number, master));
    fprintf(out, "\tAMContainer : %s\n", master != NULL ? master->id : "N/A");
    fprintf(out, "\tTracking-URL : %s\n", is_last ? yarn_or_not_available(app->tracking_url) : "N/A");
    fputs("\tRPC Port : -1\n", out);
    fprintf(out, "\tAM Host : %s\n", is_last ? master_host(app, host) : "N/A");
    fprintf(out, "\tDiagnostics : %s\n\n",
            is_last          ? app->diagnostics
            : master != NULL ? master->diagnostics
                             : "");
}

/* --- containers ---------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
    const struct creel_node *const *x = a, *const *y = b;

    return strcmp((*x)->id, (*y)->id);
}

/* Returns NODES sorted by id. The caller frees the array. */
static const struct creel_node **sort_nodes(const struct creel_nodes *nodes)
{
    const struct creel_node **sorted = mem_array0(nodes->count + 1, sizeof(*sorted));

    for (size_t i = 0; i < nodes->count; i++)
        sorted[i] = &nodes->items[i];
    qsort(sorted, nodes->count, sizeof(*sorted), compare_nodes);
    return sorted;
}

/* Returns host:port of the REST interface of node ID, or "". */
static const char *address_of(const struct creel_node *const *sorted, size_t count, const char *id)
{
    const struct creel_node key = { .id = id }, *wanted = &key;
    const struct creel_node *const *found = bsearch(&wanted, sorted, count, sizeof(*sorted), compare_nodes);

    return found != NULL ? (*found)->http_address : "";
}

static const char *container_state(const struct creel_container *container)
{
    return yarn_container_state((Creel__ContainerState)container->state);
}

struct container_links {
    char *address, *log;
};

static struct container_links links_of(const struct creel_container *container, const char *address,
                                       bool secure)
{
    const char *scheme = secure ? "https" : "http";

    if (*address == '\0')
        return (struct container_links){ mem_strdup("N/A"), mem_strdup("N/A") };
    return (struct container_links){
        .address = mem_printf("%s://%s", scheme, address),
        .log =
            mem_printf("%s://%s/node/containerlogs/%s/%s", scheme, address, container->id, container->user),
    };
}

static void links_done(struct container_links *links)
{
    free(links->address);
    free(links->log);
}

static const int container_widths[] = { 30, 20, 20, 20, 20, 20, 35 };
#define CONTAINER_COLUMNS COUNT(container_widths)

static void print_container_row(FILE *out, const struct creel_container *container, const char *address,
                                bool secure)
{
    struct container_links links = links_of(container, address, secure);
    char started[FORMAT_MAX], finished[FORMAT_MAX];
    const char *cells[CONTAINER_COLUMNS] = {
        container->id,
        format_date(container->allocated_ms, started),
        format_date(container->finished_ms, finished),
        container_state(container),
        container->node_id,
        links.address,
        links.log,
    };

    format_row(out, container_widths, CONTAINER_COLUMNS, cells);
    links_done(&links);
}

static bool is_of(const struct creel_container *container, uint32_t number)
{
    struct container_id id;

    return container_id_parse(container->id, &id) && id.attempt.attempt == number;
}

void print_container_list(FILE *out, const struct creel_containers *containers, uint32_t number,
                          const struct creel_nodes *nodes, bool secure)
{
    static const char *const titles[CONTAINER_COLUMNS] = {
        "Container-Id", "Start Time", "Finish Time", "State", "Host", "Node Http Address", "LOG-URL",
    };
    scoped_free const struct creel_node **sorted = sort_nodes(nodes);
    size_t count = 0;

    for (size_t i = 0; i < containers->count; i++)
        count += is_of(&containers->items[i], number) ? 1 : 0;
    fprintf(out, "Total number of containers :%zu\n", count);
    format_row(out, container_widths, CONTAINER_COLUMNS, titles);
    for (size_t i = 0; i < containers->count; i++) {
        const struct creel_container *container = &containers->items[i];

        if (is_of(container, number))
            print_container_row(out, container, address_of(sorted, nodes->count, container->node_id), secure);
    }
}

void print_container(FILE *out, const struct creel_container *container, const struct creel_nodes *nodes,
                     bool secure)
{
    scoped_free const struct creel_node **sorted = sort_nodes(nodes);
    struct container_links links =
        links_of(container, address_of(sorted, nodes->count, container->node_id), secure);

    fputs("Container Report : \n", out);
    fprintf(out, "\tContainer-Id : %s\n", container->id);
    fprintf(out, "\tStart-Time : %" PRId64 "\n", container->allocated_ms);
    fprintf(out, "\tFinish-Time : %" PRId64 "\n", container->finished_ms);
    fprintf(out, "\tState : %s\n", container_state(container));
    fputs("\tExecution-Type : " YARN_EXECUTION_TYPE "\n", out);
    fprintf(out, "\tLOG-URL : %s\n", links.log);
    fprintf(out, "\tHost : %s\n", container->node_id);
    fprintf(out, "\tNodeHttpAddress : %s\n", links.address);
    fputs("\tExposedPorts : \n", out);
    fprintf(out, "\tDiagnostics : %s\n\n", container->diagnostics);
    links_done(&links);
}
