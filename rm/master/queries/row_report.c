/* SPDX-License-Identifier: Apache-2.0 */
/* row_report.c - makes the report of an application from its row */
#include <string.h>

#include "common/base/escaped_text.h"
#include "common/base/job/depends.h"
#include "common/base/text.h"
#include "common/base/utf8.h"
#include "rm/master/master.h"
#include "rm/master/queries/report.h"
#include "rm/master/state/copy.h"

#define CUT_MARK "[...]"

/* Returns the first bytes of WORD, at most SIZE, without a part of a character, and CUT_MARK. */
static char *cut_word(struct arena *arena, const char *word, size_t size)
{
    return arena_printf(arena, "%.*s" CUT_MARK, (int)utf8_cut(word, size), word);
}

/* Sets the command of REPORT to that of LAUNCH, up to ROOM bytes. */
static void report_command(struct arena *arena, const Creel__LaunchContext *launch, size_t room,
                           Creel__AppReport *report)
{
    report->command = arena_array0(arena, launch->n_command + 1, sizeof(char *));
    for (bool is_cut = false; report->n_command < launch->n_command && !is_cut;) {
        const char *word = launch->command[report->n_command];
        size_t size = strlen(word);
        char *copy;

        is_cut = size >= room;
        copy = is_cut ? cut_word(arena, word, room > 0 ? room - 1 : 0) : arena_strdup(arena, word);
        if (launch->escaped)
            escaped_text_show(copy);
        report->command[report->n_command++] = copy;
        room -= is_cut ? 0 : size + 1;
    }
}

static void report_job(struct arena *arena, const Creel__JobSpec *job, size_t command_max,
                       Creel__AppReport *report)
{
    report->name = rm_message_text(arena, job->name);
    if (!rm_text_is_empty(job->type))
        report->type = rm_message_text(arena, job->type);
    report->label = rm_message_text(arena, job->label);
    report->time_limit_s = job->time_limit_s;
    report->rerun_of = rm_message_text(arena, job->rerun_of);
    report->begin_ms = job->begin_ms;
    report->deadline_ms = job->deadline_ms;
    report->kind = job->kind;
    report->unmanaged = job->unmanaged;
    report->submitted_in = rm_message_text(arena, job->submitted_in);
    report->retries = job->retries;
    report->max_attempts = job->max_attempts;
    report->no_requeue = job->no_requeue;
    report->one_dependency_is_enough = depends_one_is_enough(job->depends_on);
    report->array = rm_message_text(arena, job->array);
    report->tags = arena_array0(arena, job->n_tags + 1, sizeof(char *));
    for (size_t i = 0; i < job->n_tags; i++)
        report->tags[report->n_tags++] = arena_strdup(arena, job->tags[i]);
    report->resource = job->resource;
    if (job->launch && command_max > 0)
        report_command(arena, job->launch, command_max, report);
}

static void report_attempt(struct arena *arena, const Creel__StoredAttempt *attempt, Creel__AppReport *report)
{
    report->registered = attempt->registered;
    report->master_container_id = rm_message_text(arena, attempt->master_container_id);
    report->master_node_id = rm_message_text(arena, attempt->master_node_id);
    report->am_host = rm_message_text(arena, attempt->am_host);
    /* (what was stored before addresses were checked is not shown) */
    if (!rm_text_is_empty(attempt->tracking_url) && text_is_web_address(attempt->tracking_url))
        report->tracking_url = rm_message_text(arena, attempt->tracking_url);
}

static void report_preempted(const Creel__StoredApp *row, Creel__AppReport *report)
{
    report->preempted_containers = row->preempted_containers;
    report->preempted_ams = row->preempted_ams;
    report->preempted = row->preempted;
    report->preempted_memory_mb_seconds = row->preempted_memory_mb_seconds;
    report->preempted_vcore_seconds = row->preempted_vcore_seconds;
}

static int64_t earlier_of(int64_t a_ms, int64_t b_ms) /* 0: none */
{
    return a_ms == 0 || b_ms == 0 ? a_ms + b_ms : a_ms < b_ms ? a_ms : b_ms;
}

Creel__AppReport *master_row_report(struct arena *arena, const Creel__StoredApp *row, size_t command_max,
                                    size_t dependencies_max)
{
    Creel__AppReport *report = arena_new0(arena, Creel__AppReport);

    creel__app_report__init(report);
    report->type = rm_message_text(arena, "CREEL");
    if (row->job)
        report_job(arena, row->job, command_max, report);
    if (row->last_attempt)
        report_attempt(arena, row->last_attempt, report);
    report->app_id = rm_message_text(arena, row->app_id);
    report->user = rm_message_text(arena, row->user);
    report->queue = rm_message_text(arena, row->queue);
    report->state = row->state;
    report->final_status = row->final_status;
    report->exit_status = row->exit_status;
    report->progress = row->progress;
    if (row->state == CREEL__APP_STATE__APP_FINISHED &&
        row->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED)
        report->progress = 1; /* rows of earlier versions have none */
    report->diagnostics = rm_message_text(arena, row->diagnostics);
    report->submitted_ms = row->submitted_ms;
    report->eligible_ms = row->eligible_ms;
    report->started_ms = row->started_ms;
    report->attempt_started_ms = row->attempt_started_ms;
    report->finished_ms = row->finished_ms;
    report->expires_ms = earlier_of(row->expires_ms, row->limit_ms);
    report->memory_mb_seconds = row->memory_mb_seconds + row->array_memory_mb_seconds;
    report->vcore_seconds = row->vcore_seconds + row->array_vcore_seconds;
    report->attempt = row->attempts;
    report->retries_used = row->retries_used;
    report->restart_reason = rm_message_text(arena, row->restart_reason);
    report->priority = row->priority;
    report->kill_requested = row->kill_requested;
    report->tasks = row->tasks;
    report->failed_tasks = rm_message_text(arena, row->failed_tasks);
    report->array_at_once = row->array_at_once;
    report->array_id = rm_message_text(arena, row->array_id);
    report->array_index = row->array_index;
    report->log_aggregation = row->logs;
    report->dependencies = row->dependencies;
    report->n_dependencies = row->n_dependencies < dependencies_max ? row->n_dependencies : dependencies_max;
    if (row->container_size) /* after rounding */
        report->resource = row->container_size;
    if (row->max_attempts > 0) /* in effect */
        report->max_attempts = row->max_attempts;
    report_preempted(row, report);
    return report;
}

/* --- what others may not see ----------------------------------------------------- */

static void hide_text(char *text)
{
    if (*text != '\0') /* an empty text is a constant */
        *text = '\0';
}

static void hide_texts(char **texts, size_t *count, void (*release)(void *memory))
{
    for (; *count > 0; --*count)
        if (release)
            release(texts[*count - 1]);
}

void rm_report_hide(Creel__AppReport *report, void (*release)(void *memory))
{
    hide_text(report->diagnostics);
    hide_text(report->restart_reason);
    hide_text(report->tracking_url);
    hide_text(report->am_host);
    hide_text(report->master_container_id);
    hide_text(report->master_node_id);
    hide_texts(report->command, &report->n_command, release);
    hide_texts(report->nodes, &report->n_nodes, release);
    hide_texts(report->avoided_nodes, &report->n_avoided_nodes, release);
    hide_texts(report->blacklisted, &report->n_blacklisted, release);
    for (; report->n_dependencies > 0; report->n_dependencies--)
        if (release)
            creel__dependency__free_unpacked(report->dependencies[report->n_dependencies - 1], NULL);
}
