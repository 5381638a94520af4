/* SPDX-License-Identifier: Apache-2.0 */
/* history_answer.c - reads what a request asks of the history, in a thread */
#include "rm/net/history/history_answer.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/io/wire/wire.h"
#include "common/record/history_sum.h"

#define PAGE_ROWS_MAX 250
#define PAGE_SUMS_MAX 1000
#define PAGE_BYTES_MAX ((size_t)256 << 10)

void history_answer_free(struct history_answer *answer)
{
    for (size_t i = 0; i < answer->app_count; i++)
        protobuf_c_message_free_unpacked(&answer->apps[i]->base, NULL);
    for (size_t i = 0; i < answer->container_count; i++)
        protobuf_c_message_free_unpacked(&answer->containers[i]->base, NULL);
    for (size_t i = 0; i < answer->sum_count; i++) {
        free(answer->sums[i]->group);
        free(answer->sums[i]);
    }
    free(answer->apps);
    free(answer->containers);
    free(answer->sums);
    free(answer->parents);
    free(answer->ended);
    wire_free(answer->request);
    queued_request_free(answer->query);
    free(answer->user);
    free(answer);
}

static size_t page_rows(uint32_t limit)
{
    return limit == 0 || limit > PAGE_ROWS_MAX ? PAGE_ROWS_MAX : limit;
}

/* Leaves out the command and the dependencies of REPORT, which was unpacked, if one of them is long and the
 * request allows that. */
static void leave_out_command(const struct history_answer *answer, Creel__AppReport *report)
{
    if (!answer->request->no_long_commands ||
        master_lists_are_short(report->command, report->n_command, report->n_dependencies))
        return;
    while (report->n_command > 0)
        free(report->command[--report->n_command]);
    while (report->n_dependencies > 0)
        creel__dependency__free_unpacked(report->dependencies[--report->n_dependencies], NULL);
    report->command_left_out = true;
}

static bool add_app(void *context, Creel__AppReport *report)
{
    struct history_answer *answer = context;

    mem_grow(answer->apps, answer->app_count, answer->app_capacity);
    answer->apps[answer->app_count++] = report;
    answer->bytes += protobuf_c_message_get_packed_size(&report->base);
    return answer->bytes < PAGE_BYTES_MAX;
}

static bool add_listed_app(void *context, Creel__AppReport *report)
{
    leave_out_command(context, report);
    return add_app(context, report);
}

static void add_container(void *context, Creel__ContainerReport *report)
{
    struct history_answer *answer = context;

    mem_grow(answer->containers, answer->container_count, answer->container_capacity);
    answer->containers[answer->container_count++] = report;
}

static struct job_history_filter filter_of(const Creel__ListJobHistory *body)
{
    return (struct job_history_filter){
        .users = body->users,
        .user_count = body->n_users,
        .queues = body->queues,
        .queue_count = body->n_queues,
        .states = body->states,
        .state_count = body->n_states,
        .name = body->name,
        .since_ms = body->since_ms,
        .until_ms = body->until_ms,
        .tasks = body->tasks,
        .nodes = body->nodes,
        .after = body->after,
        .limit = page_rows(body->limit),
    };
}

static int read_list(struct history_answer *answer, const char *directory)
{
    const struct job_history_filter filter = filter_of(answer->request->list_job_history);

    return job_history_list(directory, &filter, add_listed_app, answer, answer->next, &answer->damaged,
                            &answer->err);
}

static void add_sum(void *context, const struct job_history_sum *sum)
{
    struct history_answer *answer = context;
    Creel__JobHistorySum *row = mem_new0(Creel__JobHistorySum);

    creel__job_history_sum__init(row);
    row->group = mem_strdup(sum->group);
    HISTORY_SUM_SET(row, sum);
    mem_grow(answer->sums, answer->sum_count, answer->sum_capacity);
    answer->sums[answer->sum_count++] = row;
}

static int read_sums(struct history_answer *answer, const char *directory)
{
    static const enum job_history_group groups[] = {
        [CREEL__HISTORY_GROUP__HISTORY_BY_USER] = JOB_HISTORY_BY_USER,
        [CREEL__HISTORY_GROUP__HISTORY_BY_QUEUE] = JOB_HISTORY_BY_QUEUE,
        [CREEL__HISTORY_GROUP__HISTORY_BY_HOUR] = JOB_HISTORY_BY_HOUR,
    };
    const Creel__SumJobHistory *body = answer->request->sum_job_history;
    struct job_history_filter filter = filter_of(body->filter);
    size_t by = (size_t)body->by;

    if (by >= sizeof(groups) / sizeof(groups[0]))
        return err_set(&answer->err, EINVAL, "%zu is no group of sums of the history", by);
    if (body->filter->limit == 0 || body->filter->limit > PAGE_SUMS_MAX)
        filter.limit = PAGE_SUMS_MAX;
    else
        filter.limit = body->filter->limit;
    return job_history_sum(directory, &filter, groups[by], (int64_t)body->offset_s * 1000, add_sum, answer,
                           &answer->more, &answer->damaged, &answer->err);
}

static int read_containers(struct history_answer *answer, const char *directory)
{
    const Creel__ListContainers *body = answer->request->list_containers;
    struct container_id after;
    bool from_start = *body->after == '\0' || !container_id_parse(body->after, &after);

    return job_history_containers(directory, answer->apps[0], from_start ? NULL : &after,
                                  page_rows(body->limit), add_container, answer, &answer->more, &answer->err);
}

/* Finds the results of PARENTS. Applications that the history does not have are left out: the master refuses
 * a submission that depends on them. */
static int read_parents(struct history_answer *answer, const char *directory)
{
    answer->ended = mem_array0(answer->parent_count + 1, sizeof(*answer->ended));
    for (size_t i = 0; i < answer->parent_count; i++) {
        Creel__AppReport *app;
        int r = job_history_find(directory, &answer->parents[i], &app, &answer->err);

        if (r < 0 && r != -ENOENT)
            return r;
        if (r < 0)
            continue;
        answer->ended[answer->ended_count++] =
            (struct master_ended){ answer->parents[i], app->final_status, app->exit_status };
        protobuf_c_message_free_unpacked(&app->base, NULL);
    }
    return 0;
}

void history_answer_run(struct worker_job *job)
{
    struct history_answer *answer = (struct history_answer *)job;
    const char *directory = answer->state_directory;
    Creel__AppReport *app;

    if (answer->request->body_case == CREEL__ENVELOPE__BODY_LIST_JOB_HISTORY) {
        answer->result = read_list(answer, directory);
        return;
    }
    if (answer->request->body_case == CREEL__ENVELOPE__BODY_SUM_JOB_HISTORY) {
        answer->result = read_sums(answer, directory);
        return;
    }
    if (answer->request->body_case == CREEL__ENVELOPE__BODY_SUBMIT_APP) {
        answer->result = read_parents(answer, directory);
        return;
    }
    answer->result = answer->is_task
                         ? job_history_find_task(directory, &answer->id, answer->index, &app, &answer->err)
                         : job_history_find(directory, &answer->id, &app, &answer->err);
    if (answer->result < 0)
        return;
    add_app(answer, app);
    if (answer->request->body_case == CREEL__ENVELOPE__BODY_LIST_CONTAINERS)
        answer->result = read_containers(answer, directory);
    else if (answer->request->body_case == CREEL__ENVELOPE__BODY_EXPLAIN_APP)
        answer->result = job_history_containers(directory, app, NULL, page_rows(0), add_container, answer,
                                                &answer->more, &answer->err);
}
