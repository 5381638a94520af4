/* SPDX-License-Identifier: Apache-2.0 */
/* page_text.c - formats amounts, times and states for readers */
#include "web/page/page_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/job/exit_status.h"
#include "common/base/text_builder.h"
#include "yarn/resource.h"

/* --- amounts ---------------------------------------------------------------- */

const char *page_text_count(struct arena *arena, uint64_t count)
{
    char plain[24], *text = arena_alloc0(arena, 32), *out = text;
    size_t length = (size_t)snprintf(plain, sizeof(plain), "%llu", (unsigned long long)count);

    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = plain[i];
    }
    return text;
}

/* Formats VALUE, an amount in UNITS[0]. Each unit is 1,024 times the previous one. */
static const char *scaled(struct arena *arena, double value, const char *const *units, size_t count)
{
    size_t unit = 0;

    while (unit + 1 < count && (value >= 1024 || value <= -1024)) {
        value /= 1024;
        unit++;
    }
    if (unit == 0 || value >= 100 || value <= -100 || value == (double)(int64_t)value)
        return arena_printf(arena, "%.0f %s", value, units[unit]);
    return arena_printf(arena, "%.1f %s", value, units[unit]);
}

static const char *const byte_units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };

const char *page_text_memory(struct arena *arena, int64_t mb)
{
    return mb == 0 ? "0" : scaled(arena, (double)mb, byte_units + 2, 5);
}

const char *page_text_bytes(struct arena *arena, uint64_t bytes)
{
    return bytes == 0 ? "0" : scaled(arena, (double)bytes, byte_units, 7);
}

const char *page_text_percent(struct arena *arena, double fraction)
{
    double percent = 100 * fraction;

    return arena_printf(arena, percent == 0 || percent >= 99.95 ? "%.0f %%" : "%.1f %%", percent);
}

const char *page_text_resource(struct arena *arena, const Creel__Resource *resource)
{
    struct text_builder text = TEXT_BUILDER_IN(arena);

    if (yarn_memory_mb(resource) != 0)
        text_builder_add(&text, page_text_memory(arena, resource->memory_mb));
    if (yarn_vcores(resource) != 0)
        text_builder_printf(&text, "%s%s vcore%s", text.length > 0 ? ", " : "",
                            page_text_count(arena, (uint64_t)resource->vcores),
                            resource->vcores == 1 ? "" : "s");
    for (size_t i = 0; resource != NULL && i < resource->n_others; i++)
        if (resource->others[i]->amount != 0)
            text_builder_printf(&text, "%s%lld%s %s", text.length > 0 ? ", " : "",
                                (long long)resource->others[i]->amount, resource->others[i]->unit,
                                resource->others[i]->name);
    return text.length > 0 ? text_builder_finish(&text) : "nothing";
}

const char *page_text_memory_of(struct arena *arena, const Creel__Resource *part,
                                const Creel__Resource *whole)
{
    return arena_printf(arena, "%s of %s", page_text_memory(arena, yarn_memory_mb(part)),
                        page_text_memory(arena, yarn_memory_mb(whole)));
}

const char *page_text_vcores_of(struct arena *arena, const Creel__Resource *part,
                                const Creel__Resource *whole)
{
    return arena_printf(arena, "%s of %s", page_text_count(arena, (uint64_t)yarn_vcores(part)),
                        page_text_count(arena, (uint64_t)yarn_vcores(whole)));
}

/* --- times ------------------------------------------------------------------ */

const char *page_text_duration(struct arena *arena, int64_t ms)
{
    long long s = ms > 0 ? ms / 1000 : 0;

    if (s < 60)
        return arena_printf(arena, "%lld s", s);
    if (s < 3600)
        return arena_printf(arena, "%lld min", s / 60);
    if (s < 86400)
        return s / 60 % 60 == 0 ? arena_printf(arena, "%lld h", s / 3600)
                                : arena_printf(arena, "%lld h %lld min", s / 3600, s / 60 % 60);
    return arena_printf(arena, "%lld d %lld h", s / 86400, s / 3600 % 24);
}

const char *page_text_silence(struct arena *arena, const Creel__NodeReport *node, int64_t now_ms)
{
    return arena_printf(arena, "silent for %s; counts as lost in %s",
                        page_text_duration(arena, now_ms - node->last_heartbeat_ms),
                        page_text_duration(arena, node->lost_at_ms - now_ms));
}

const char *page_text_time(struct arena *arena, int64_t ms)
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[64];

    if (ms == 0 || gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        return "";
    return arena_strdup(arena, text);
}

/* --- states ----------------------------------------------------------------- */

const char *page_text_app_class(const Creel__AppReport *app)
{
    switch (app->state) {
    case CREEL__APP_STATE__APP_RUNNING:
        return "good";
    case CREEL__APP_STATE__APP_FAILED:
        return "bad";
    case CREEL__APP_STATE__APP_KILLED:
        return "off";
    case CREEL__APP_STATE__APP_FINISHED:
        return app->final_status == CREEL__FINAL_STATUS__FINAL_FAILED ? "bad" : "off";
    default:
        return "busy";
    }
}

const char *page_text_node_class(Creel__NodeState state)
{
    switch (state) {
    case CREEL__NODE_STATE__NODE_RUNNING:
        return "good";
    case CREEL__NODE_STATE__NODE_UNHEALTHY:
    case CREEL__NODE_STATE__NODE_LOST:
        return "bad";
    case CREEL__NODE_STATE__NODE_DECOMMISSIONED:
    case CREEL__NODE_STATE__NODE_DRAINED:
    case CREEL__NODE_STATE__NODE_SHUT_DOWN:
        return "off";
    default:
        return "busy";
    }
}

const char *page_text_exit(struct arena *arena, int32_t exit_status)
{
    switch (exit_status) {
    case 0:
        return "exit 0";
    case CONTAINER_EXIT_NONE:
        return "";
    case CONTAINER_EXIT_DIRECTORY:
        return "working directory too large";
    case CONTAINER_EXIT_LOGS:
        return "logs too large";
    case CONTAINER_EXIT_APP_OVER:
        return "application ended";
    case CONTAINER_EXIT_BY_RM:
        return "stopped by the resource manager";
    case CONTAINER_EXIT_BY_AM:
        return "released by its application master";
    case CONTAINER_EXIT_PHYSICAL:
        return "more memory than its limit";
    case CONTAINER_EXIT_VIRTUAL:
        return "more virtual memory than its limit";
    case CONTAINER_EXIT_PREEMPTED:
        return "preempted";
    case CONTAINER_EXIT_DISKS:
        return "disks of the node failed";
    case CONTAINER_EXIT_ABORTED:
        return "node lost or never started";
    case CONTAINER_EXIT_NOT_STARTED:
        return "could not be started";
    default:
        break;
    }
    if (exit_status > 128 && exit_status < 193)
        return arena_printf(arena, "exit %d (signal %d)", (int)exit_status, (int)exit_status - 128);
    return arena_printf(arena, "exit %d", (int)exit_status);
}

const char *page_text_app_end(struct arena *arena, const Creel__AppReport *app)
{
    return *app->diagnostics != '\0' || app->exit_status == 0 ? app->diagnostics
                                                              : page_text_exit(arena, app->exit_status);
}
