/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - checks whether the node can run new containers: a table of checks */
#include "nm-agent/linux/health.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/directories.h"
#include "nm-agent/linux/runtime_state.h"

/* --- checks: return false if the node is unhealthy ---------------------------------- */

struct health_round { /* context of one run of all checks */
    struct health *health;
    const struct keeper *keeper;
    int64_t now_ms;
    bool probe; /* test writes to good disks, too */
    struct health_report report;
};

static bool check_keeper(struct health_round *round)
{
    struct err err = { .code = 0 };

    if (keeper_check(round->keeper, &err) >= 0)
        return true;
    health_report_add(&round->report, err.text);
    return false;
}

static bool check_state_dir(struct health_round *round)
{
    struct disk *state = &round->health->state;

    disk_check(state, NULL, round->probe);
    if (state->bad)
        health_report_add(&round->report, state->why);
    return !state->bad;
}

static bool check_local_dirs(struct health_round *round)
{
    return disks_check(&round->health->local, &round->health->rules, round->probe, &round->report);
}

static bool check_log_dirs(struct health_round *round)
{
    return disks_check(&round->health->logs, &round->health->rules, round->probe, &round->report);
}

static bool check_script(struct health_round *round)
{
    health_script_go_on(round->health, round->now_ms);
    health_report_add(&round->report, round->health->script_verdict);
    return round->health->script_verdict[0] == '\0';
}

static bool disks_are_watched(const struct runtime_health *rules)
{
    return !rules->disks_unwatched;
}

static bool has_script(const struct runtime_health *rules)
{
    return *rules->script != '\0';
}

/* The checks, in this order. */
static const struct health_check {
    bool (*check)(struct health_round *round);
    bool (*is_configured)(const struct runtime_health *rules); /* NULL: always */
    bool is_last_if_bad;                                       /* if it fails, no further check is made */
} checks[] = {
    { check_keeper, NULL, true },
    { check_state_dir, NULL, false },
    { check_local_dirs, disks_are_watched, false },
    { check_log_dirs, disks_are_watched, false },
    { check_script, has_script, false },
};

static void open_closed_disks(struct runtime *runtime, struct disks *disks)
{
    for (size_t i = 0; i < disks->count; i++)
        if (disks->items[i].closed)
            directory_open_disk(runtime, disks, &disks->items[i], NULL);
}

bool runtime_healthy(struct runtime *runtime, char *report, size_t size)
{
    struct health *health = &runtime->health;
    int64_t now_ms = monotonic_ms();
    struct health_round round = {
        .health = health,
        .keeper = &runtime->keeper,
        .now_ms = now_ms,
        .report = { report, size },
        .probe = health->probed_ms == 0 || now_ms - health->probed_ms >= health->rules.disk_interval_ms,
    };
    bool good = true;

    open_closed_disks(runtime, &health->local);
    open_closed_disks(runtime, &health->logs);
    report[0] = '\0';
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        const struct health_check *check = &checks[i];

        if ((check->is_configured != NULL && !check->is_configured(&health->rules)) || check->check(&round))
            continue;
        good = false;
        if (check->is_last_if_bad)
            return false;
    }
    health_report_add(&round.report, runtime->aggregation.problem); /* containers need no shared storage */
    if (round.probe)
        health->probed_ms = now_ms;
    return good;
}

bool health_is_good(const struct health *health, const char *path)
{
    const struct disks *both[] = { &health->local, &health->logs };

    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->count; k++)
            if (strcmp(both[i]->items[k].path, path) == 0)
                return !both[i]->items[k].bad;
    return true;
}

/* --- creation and destruction --------------------------------------------------- */

void health_init(struct health *health, const struct runtime_health *rules, const char *state_dir,
                 char *const *local_dirs, char *const *log_dirs)
{
    *health = (struct health){ .rules = *rules, .script_fd = -1 };
    health->rules.script = mem_strdup(rules->script ? rules->script : "");
    health->rules.script_options = mem_strdup(rules->script_options ? rules->script_options : "");
    /* If not set (in tests): the defaults of the configuration keys. */
    if (rules->used_percent_max <= 0)
        health->rules.used_percent_max = 100;
    if (rules->watermark_percent <= 0 || rules->watermark_percent > health->rules.used_percent_max)
        health->rules.watermark_percent = health->rules.used_percent_max;
    health->state.path = mem_strdup(state_dir);
    health->local = disks_new("local-dirs", local_dirs);
    health->logs = disks_new("log-dirs", log_dirs);
}

void health_clear(struct health *health)
{
    health_script_end(health);
    disks_clear(&health->local);
    disks_clear(&health->logs);
    free(health->state.path);
    free((void *)(uintptr_t)health->rules.script);
    free((void *)(uintptr_t)health->rules.script_options);
    *health = (struct health){ .script_fd = -1 };
}
