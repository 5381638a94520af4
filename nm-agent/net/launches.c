/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - launches containers for the core, and reports the results */
#include <stdio.h>

#include "common/base/mem.h"
#include "nm-agent/net/daemon.h"

static void journal_start(const struct daemon *daemon, const struct launch *launch)
{
    char size[RESOURCE_TEXT_MAX];
    scoped_free char *text =
        mem_printf("starts as %s with %s", launch->user, resource_format(&launch->resource, size));

    journal_container(daemon, launch->container_id, launch->app_id, text);
}

void launch_report_results(struct daemon *daemon)
{
    struct launched *launched;
    STAILQ_HEAD(, launched) results = STAILQ_HEAD_INITIALIZER(results);
    bool has_failed = false;

    STAILQ_CONCAT(&results, &daemon->launched);
    /* The host may be the cause of the failure: check its health before the core launches other
     * containers. */
    STAILQ_FOREACH(launched, &results, link) {
        has_failed = has_failed || launched->code < 0;
        if (agent_is_disk_error(launched->code))
            runtime_doubt_disks(daemon->runtime);
    }
    if (has_failed)
        node_health_check(daemon);
    while ((launched = STAILQ_FIRST(&results)) != NULL) {
        STAILQ_REMOVE_HEAD(&results, link);
        agent_on_launched(daemon->agent, daemon_now(), launched->container_id, launched->code, launched->why,
                          &daemon->effects);
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
    struct launched *launched = mem_new0(struct launched);
    struct err err = { 0 };

    snprintf(launched->container_id, sizeof(launched->container_id), "%s", effect->container_id);
    journal_start(daemon, effect->launch);
    launched->code = runtime_launch(daemon->runtime, effect->launch, &err);
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
