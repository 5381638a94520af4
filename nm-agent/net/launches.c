/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - containers that the core launches, and what comes of it */
#include <stdio.h>

#include "common/base/mem.h"
#include "nm-agent/net/daemon.h"

static void to_hex(const uint8_t hash[32], char hex[65])
{
    for (size_t i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
}

struct runtime_plan launch_make_plan(struct arena *arena, const struct agent_plan *plan)
{
    struct runtime_file *files = arena_array0(arena, plan->file_count + 1, sizeof(*files));
    struct runtime_secret *secrets = arena_array0(arena, plan->secret_count + 1,
                                                  sizeof(*secrets));

    for (size_t i = 0; i < plan->file_count; i++) {
        char *hex = arena_alloc0(arena, 65);

        to_hex(plan->files[i].hash, hex);
        files[i] = (struct runtime_file){ plan->files[i].name, hex, plan->files[i].mode };
    }
    for (size_t i = 0; i < plan->secret_count; i++)
        secrets[i] = (struct runtime_secret){
            .name = plan->secrets[i].name, .data = plan->secrets[i].data,
            .size = plan->secrets[i].size, .variable = plan->secrets[i].variable,
        };
    return (struct runtime_plan){
        .container_id = plan->container_id, .app_id = plan->app_id, .user = plan->user,
        .resource = plan->resource, .argv = plan->argv, .environment = plan->environment,
        .files = files, .file_count = plan->file_count, .directory = plan->directory,
        .secrets = secrets, .secret_count = plan->secret_count,
        .stop_after_ms = plan->stop_after_ms,
    };
}

static void journal_start(const struct daemon *daemon, const struct runtime_plan *plan)
{
    char size[RESOURCE_TEXT_MAX];
    scoped_free char *text = mem_printf("starts as %s with %s", plan->user,
                                        resource_format(&plan->resource, size));

    journal_container(daemon, plan->container_id, plan->app_id, text);
}

void launch_report_results(struct daemon *daemon)
{
    struct launched *launched;
    STAILQ_HEAD(, launched) results = STAILQ_HEAD_INITIALIZER(results);

    STAILQ_CONCAT(&results, &daemon->launched);
    /* The host may be at fault: the RM hears of that before the same is tried here again. */
    STAILQ_FOREACH(launched, &results, link)
        if (launched->code < 0) {
            node_health_check(daemon);
            break;
        }
    while ((launched = STAILQ_FIRST(&results)) != NULL) {
        STAILQ_REMOVE_HEAD(&results, link);
        agent_on_launched(daemon->agent, daemon_now(), launched->container_id, launched->code,
                          launched->why, &daemon->effects);
        free(launched->why);
        free(launched);
    }
}

static void results_due(void *context)
{
    launch_report_results(context);
}

void launch_start(struct daemon *daemon, const struct agent_effect *effect)
{
    struct runtime_plan plan = launch_make_plan(daemon->effects.arena, effect->plan);
    struct launched *launched = mem_new0(struct launched);
    struct err err = { 0 };

    snprintf(launched->container_id, sizeof(launched->container_id), "%s", effect->container_id);
    journal_start(daemon, &plan);
    launched->code = runtime_launch(daemon->runtime, &plan, &err);
    launched->why = launched->code < 0 ? mem_strdup(err.text) : NULL;
    if (STAILQ_EMPTY(&daemon->launched))
        loop_add_timer(daemon->loop, 0, results_due, daemon);
    STAILQ_INSERT_TAIL(&daemon->launched, launched, link);
}

void launch_forget_results(struct daemon *daemon)
{
    struct launched *launched;

    while ((launched = STAILQ_FIRST(&daemon->launched)) != NULL) {
        STAILQ_REMOVE_HEAD(&daemon->launched, link);
        free(launched->why);
        free(launched);
    }
}
