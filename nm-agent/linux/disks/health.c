/* SPDX-License-Identifier: Apache-2.0 */
/* health.c - checks whether the node can run new containers: a table of checks */
#include "nm-agent/linux/disks/health.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/mem.h"
#include "nm-agent/linux/disks/directories.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/retention.h"

#define SYNC_WAIT_MS 100 /* for which the loop waits for synced writes that are due */

/* --- checks: return false if the node is unhealthy ---------------------------------- */

struct health_round { /* context of one run of all checks */
    struct health *health;
    const struct keeper *keeper;
    int state_fd; /* the state directory that the agent uses */
    int64_t now_ms;
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

/* The next start of the agent would not find its containers in another directory, and would end them. */
static bool is_state_moved(const struct health_round *round)
{
    struct stat used, found;

    if (fstat(round->state_fd, &used) < 0)
        return false;
    if (stat(round->health->state.path, &found) < 0)
        return errno == ENOENT;
    return used.st_dev != found.st_dev || used.st_ino != found.st_ino;
}

static void report_state_moved(struct health_round *round)
{
    scoped_free char *text =
        mem_printf("%s: the state directory was removed, replaced or unmounted: put it back, or "
                   "mount it again, before creel-nm is restarted: the restart would end the "
                   "containers",
                   round->health->state.path);

    health_report_add(&round->report, text);
}

static bool check_state_dir(struct health_round *round)
{
    struct disk *state = &round->health->state;

    if (!disk_is_late(state) && is_state_moved(round)) {
        report_state_moved(round);
        return false;
    }
    disk_judge(state, NULL, round->now_ms);
    if (state->bad)
        health_report_add(&round->report, state->why);
    return !state->bad;
}

/* The node runs on: commands outside of these directories are not concerned. */
static void report_noexec(struct health_round *round)
{
    const struct disks *local = &round->health->local;

    for (size_t i = 0; i < local->count; i++) {
        scoped_free char *text = NULL;

        if (!disk_is_noexec(&local->items[i]))
            continue;
        text = mem_printf(
            "%s: is mounted noexec: scripts and programs of jobs cannot run there; mount it with exec",
            local->items[i].path);
        health_report_add(&round->report, text);
    }
}

static bool check_local_dirs(struct health_round *round)
{
    bool good = disks_judge(&round->health->local, &round->health->rules, round->now_ms, &round->report);

    report_noexec(round);
    return good;
}

static bool check_log_dirs(struct health_round *round)
{
    return disks_judge(&round->health->logs, &round->health->rules, round->now_ms, &round->report);
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

/* Checks all disks. Those that answer are waited for, so that a failure shows at once; but not the syncs of
 * good disks, which may be slow and are due at an interval. */
static void check_disks(struct health *health, int64_t now_ms)
{
    bool is_first = health->probed_ms == 0, probe;
    int64_t until_ms;

    probe = is_first || now_ms - health->probed_ms >= health->rules.disk_interval_ms;
    until_ms = now_ms + (probe && !is_first ? SYNC_WAIT_MS : DISK_WAIT_MS);
    if (probe)
        health->probed_ms = now_ms;
    disk_check_begin(&health->state, probe, now_ms);
    if (!health->rules.disks_unwatched) {
        disks_check_begin(&health->local, probe, now_ms);
        disks_check_begin(&health->logs, probe, now_ms);
    }
    disk_check_wait(&health->state, until_ms);
    disks_check_wait(&health->local, until_ms);
    disks_check_wait(&health->logs, until_ms);
}

bool runtime_healthy(struct runtime *runtime, char *report, size_t size)
{
    struct health *health = &runtime->health;
    int64_t now_ms = monotonic_ms();
    struct health_round round = {
        .health = health,
        .keeper = &runtime->keeper,
        .state_fd = runtime->locks[0],
        .now_ms = now_ms,
        .report = { report, size },
    };
    bool good = true;

    open_closed_disks(runtime, &health->local);
    open_closed_disks(runtime, &health->logs);
    check_disks(health, now_ms);
    report[0] = '\0';
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        const struct health_check *check = &checks[i];

        if ((check->is_configured != NULL && !check->is_configured(&health->rules)) || check->check(&round))
            continue;
        good = false;
        if (check->is_last_if_bad)
            return false;
    }
    if (health->records_problem != NULL)
        health_report_add(&round.report, health->records_problem);
    health_report_add(&round.report, runtime->aggregation.problem); /* containers need no shared storage */
    health_report_add(&round.report, runtime->aggregation.room);
    return good;
}

bool runtime_state_answers(struct runtime *runtime, struct err *err)
{
    if (disk_answers(&runtime->health.state)) {
        retention_write(runtime);
        return true;
    }
    disk_no_answer(runtime->health.state.path, err);
    return false;
}

void runtime_doubt_disks(struct runtime *runtime)
{
    runtime->health.probed_ms = 0;
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
    disk_io_start(&health->state);
}

bool health_clear(struct health *health)
{
    bool ended = disk_io_end(&health->state);

    health_script_end(health);
    ended = disks_clear(&health->local) && ended;
    ended = disks_clear(&health->logs) && ended;
    free(health->state.path);
    free(health->records_problem);
    free((void *)(uintptr_t)health->rules.script);
    free((void *)(uintptr_t)health->rules.script_options);
    *health = (struct health){ .script_fd = -1 };
    return ended;
}
