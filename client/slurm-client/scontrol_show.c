/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol_show.c - scontrol show: jobs, nodes and partitions as KEY=VALUE */
#include <stdlib.h>
#include <string.h>

#include "client/slurm-client/duration.h"
#include "client/slurm-client/job_fields.h"
#include "client/slurm-client/node_fields.h"
#include "client/slurm-client/scontrol.h"
#include "common/base/text.h"
#include "yarn/queue.h"

/* --- jobs ---------------------------------------------------------------------------------- */

static void put_restart_flag(struct text_builder *text, const void *item)
{
    text_builder_add(text, ((const struct job_row *)item)->app->no_requeue ? "0" : "1");
}

static void put_user_with_id(struct text_builder *text, const void *item)
{
    scoped_text_builder struct text_builder id = TEXT_BUILDER_MALLOC;

    job_put_user(text, item);
    job_put_user_id(&id, item);
    text_builder_printf(text, "(%s)", text_builder_text(&id));
}

static void put_group_with_id(struct text_builder *text, const void *item)
{
    scoped_text_builder struct text_builder id = TEXT_BUILDER_MALLOC;

    job_put_group(text, item);
    job_put_group_id(&id, item);
    text_builder_printf(text, "(%s)", text_builder_text(&id));
}

/* Replaces the text of squeue for a time that is not known by that of scontrol. */
static void name_unknown(struct text_builder *text)
{
    if (strcmp(text_builder_text(text), "N/A") != 0)
        return;
    text_builder_clear(text);
    text_builder_add(text, "Unknown");
}

/* The start; of a job that waits for its --begin, that time. */
static void put_start(struct text_builder *text, const void *item)
{
    job_put_start(text, item);
    name_unknown(text);
}

static void put_end(struct text_builder *text, const void *item)
{
    job_put_end(text, item);
    name_unknown(text);
}

static void put_deadline(struct text_builder *text, const void *item)
{
    job_put_time(text, ((const struct job_row *)item)->app->deadline_ms, "N/A");
}

/* The session of the submission is not kept. */
static void put_submit_host(struct text_builder *text, const void *item)
{
    const struct creel_launch *launch = ((const struct job_row *)item)->app->launch;

    job_add_visible(text, launch && *launch->submit_host ? launch->submit_host : "(null)");
    text_builder_add(text, ":0");
}

struct pair {
    const char *key; /* NULL: a new line */
    field_put *put;  /* NULL: KEY is "NAME=VALUE", the same for all jobs */
};

static const struct pair job_pairs[] = {
    { "JobId", job_put_raw_id },
    { "JobName", job_put_name },
    { NULL, NULL },
    { "UserId", put_user_with_id },
    { "GroupId", put_group_with_id },
    { "MCS_label=N/A", NULL },
    { NULL, NULL },
    { "Priority", job_put_priority },
    { "Nice=0", NULL },
    { "Account", job_put_account },
    { "QOS", job_put_quality },
    { NULL, NULL },
    { "JobState", job_put_state },
    { "Reason", job_put_reason },
    { "Dependency", job_put_dependency },
    { NULL, NULL },
    { "Requeue", put_restart_flag },
    { "Restarts", job_put_restarts },
    { "BatchFlag=1", NULL },
    { "Reboot=0", NULL },
    { "ExitCode", job_put_exit },
    { NULL, NULL },
    { "RunTime", job_put_elapsed },
    { "TimeLimit", job_put_limit },
    { "TimeMin=N/A", NULL },
    { NULL, NULL },
    { "SubmitTime", job_put_submitted },
    { "EligibleTime", job_put_eligible },
    { NULL, NULL },
    { "AccrueTime", job_put_eligible },
    { NULL, NULL },
    { "StartTime", put_start },
    { "EndTime", put_end },
    { "Deadline", put_deadline },
    { NULL, NULL },
    { "SuspendTime=None", NULL },
    { "SecsPreSuspend=0", NULL },
    { "LastSchedEval=Unknown", NULL },
    { "Scheduler=Main", NULL },
    { NULL, NULL },
    { "Partition", job_put_partition },
    { "AllocNode:Sid", put_submit_host },
    { NULL, NULL },
    { "ReqNodeList=(null)", NULL },
    { "ExcNodeList=(null)", NULL },
    { NULL, NULL },
    { "NodeList", job_put_nodes },
    { NULL, NULL },
    { "BatchHost", job_put_nodes },
    { NULL, NULL },
    { "NumNodes", job_put_node_count },
    { "NumCPUs", job_put_cpus },
    { "NumTasks", job_put_script_tasks },
    { "CPUs/Task", job_put_script_cpus },
    { "ReqB:S:C:T=0:0:*:*", NULL },
    { NULL, NULL },
    { "TRES", job_put_resources },
    { NULL, NULL },
    { "Socks/Node=*", NULL },
    { "NtasksPerN:B:S:C=0:0:*:*", NULL },
    { "CoreSpec=*", NULL },
    { NULL, NULL },
    { "MinCPUsNode", job_put_script_cpus },
    { "MinMemoryNode", job_put_memory },
    { "MinTmpDiskNode=0", NULL },
    { NULL, NULL },
    { "Features", job_put_label },
    { "DelayBoot=00:00:00", NULL },
    { NULL, NULL },
    { "OverSubscribe=OK", NULL },
    { "Contiguous=0", NULL },
    { "Licenses=(null)", NULL },
    { "Network=(null)", NULL },
    { NULL, NULL },
    { "Command", job_put_script },
    { NULL, NULL },
    { "WorkDir", job_put_directory },
    { NULL, NULL },
    { "StdErr", job_put_err_file },
    { NULL, NULL },
    { "StdIn", job_put_in_file },
    { NULL, NULL },
    { "StdOut", job_put_out_file },
    { NULL, NULL },
    { "Power=", NULL },
    { NULL, NULL },
    { "TresPerNode", job_put_generic_resources },
};

/* Prints a separator between pairs, or a new line. */
static void separate(bool one_line, bool new_line)
{
    fputs(new_line && !one_line ? "\n   " : " ", stdout);
}

/* A job that has not begun has no BatchHost, and one without GPUs no TresPerNode. */
static bool is_left_out(const struct pair *pair, const struct text_builder *text)
{
    return (!strcmp(pair->key, "BatchHost") && text->length == 0) ||
           (!strcmp(pair->key, "TresPerNode") && !strcmp(text_builder_text(text), "N/A"));
}

static void print_job(const struct job_row *row, bool one_line)
{
    scoped_text_builder struct text_builder text = TEXT_BUILDER_MALLOC;
    bool new_line = false;

    for (size_t i = 0; i < sizeof(job_pairs) / sizeof(job_pairs[0]); i++) {
        if (!job_pairs[i].key) {
            new_line = true;
            continue;
        }
        text_builder_clear(&text);
        if (job_pairs[i].put)
            job_pairs[i].put(&text, row);
        if (is_left_out(&job_pairs[i], &text))
            continue;
        if (i > 0)
            separate(one_line, new_line);
        new_line = false;
        printf("%s%s%s", job_pairs[i].key, job_pairs[i].put ? "=" : "", text_builder_text(&text));
        if (i == 0 && (row->is_task || row->tasks))
            printf(" ArrayJobId=%u ArrayTaskId=", row->number);
        if (i == 0 && row->is_task)
            printf("%u", row->index);
        else if (i == 0 && row->tasks)
            fputs(row->tasks, stdout);
        if (i == 0 && row->tasks && row->app->array_at_once > 0)
            printf(" ArrayTaskThrottle=%u", row->app->array_at_once);
    }
    puts(one_line ? "" : "\n");
}

/* For a task, Slurm prints the error on standard output. */
static int fail_missing(const char *ids)
{
    if (!strchr(ids, '_'))
        return job_list_fail_missing();
    printf("Job %s not found\n", ids);
    return EXIT_FAILURE;
}

int scontrol_show_jobs(struct tool *tool, const char *ids, bool one_line)
{
    struct job_query query = { .all_states = true, .history = ids != NULL, .launch = true, .limits = true };
    struct job_list list = { 0 };
    struct err err = { 0 };
    int code = EXIT_FAILURE;

    if (!job_check_time_format(tool))
        return EXIT_FAILURE;
    tool->unreachable = JOB_LIST_UNREACHABLE;
    if (ids && job_ids_read(&query.ids, ids, tool->arena, &err) < 0)
        code = tool_fail(tool, "%s", err.text);
    else if (job_list_get(tool, &query, &list, NULL))
        code = ids && list.count == 0 ? fail_missing(ids) : EXIT_SUCCESS;
    for (size_t i = 0; code == EXIT_SUCCESS && i < list.count; i++)
        print_job(&list.rows[i], one_line);
    if (code == EXIT_SUCCESS && list.count == 0)
        puts("No jobs in the system");
    job_list_done(&list);
    job_ids_done(&query.ids);
    return code;
}

/* --- nodes ----------------------------------------------------------------------------------- */

static void print_node(struct tool *tool, const struct creel_node *node, bool one_line)
{
    const char *host = node_host(node, tool->arena), *state = node_state(node, true);
    char upper[16] = "";

    for (size_t i = 0; state[i] && i < sizeof(upper) - 1; i++)
        upper[i] = state[i] >= 'a' && state[i] <= 'z' ? (char)(state[i] - 'a' + 'A') : state[i];
    printf("NodeName=%s", host);
    separate(one_line, true);
    printf("CPUAlloc=%lld CPUTot=%lld CPULoad=%.2f", (long long)node->used.vcores,
           (long long)node->total.vcores, node->node_cpu_millicores / 1000.0);
    separate(one_line, true);
    printf("AvailableFeatures=%s ActiveFeatures=%s", *node->label ? node->label : "(null)",
           *node->label ? node->label : "(null)");
    separate(one_line, true);
    printf("NodeAddr=%s NodeHostName=%s Version=%s", host, host, node->version);
    separate(one_line, true);
    printf("RealMemory=%lld AllocMem=%lld FreeMem=%lld", (long long)node->total.memory_mb,
           (long long)node->used.memory_mb, (long long)(node->total.memory_mb - node->used.memory_mb));
    separate(one_line, true);
    printf("State=%s", upper);
    if (!node->in_service && node->admin_state.reason && *node->admin_state.reason) {
        separate(one_line, true);
        printf("Reason=%s [%s]", node->admin_state.reason, node->admin_state.by);
    }
    puts(one_line ? "" : "\n");
}

int scontrol_show_nodes(struct tool *tool, const char *name, bool one_line)
{
    struct creel_client *client = tool_client(tool);
    struct creel_nodes *nodes;
    struct creel_error error;

    if (!client)
        return EXIT_FAILURE;
    if (creel_node_list(client, name, &nodes, &error) < 0)
        return tool_refused(tool, &error);
    for (size_t i = 0; i < nodes->count; i++)
        print_node(tool, &nodes->items[i], one_line);
    creel_nodes_free(nodes);
    return EXIT_SUCCESS;
}

/* --- partitions -------------------------------------------------------------------------------- */

static void print_partition(const struct creel_queue *queue, const struct creel_nodes *nodes, bool one_line)
{
    scoped_text_builder struct text_builder limit = TEXT_BUILDER_MALLOC;
    bool usual = text_has_suffix(queue->path, ".default");
    size_t count = 0;
    int64_t vcores = 0;

    for (size_t i = 0; i < nodes->count; i++)
        if (node_serves(&nodes->items[i], queue)) {
            vcores += nodes->items[i].total.vcores;
            count++;
        }
    if (queue->maximum_lifetime_s > 0)
        duration_put(&limit, queue->maximum_lifetime_s, false);
    else
        text_builder_add(&limit, "UNLIMITED");
    printf("PartitionName=%s", job_partition(queue->path));
    separate(one_line, true);
    printf("Default=%s", usual ? "YES" : "NO");
    separate(one_line, true);
    printf("MaxTime=%s", text_builder_text(&limit));
    fputs(" MaxNodes=UNLIMITED", stdout);
    separate(one_line, true);
    printf("State=%s TotalCPUs=%lld TotalNodes=%zu",
           !strcmp(queue->state, YARN_QUEUE_RUNNING) ? "UP" : "DRAIN", (long long)vcores, count);
    puts(one_line ? "" : "\n");
}

int scontrol_show_partitions(struct tool *tool, const char *name, bool one_line)
{
    struct creel_queues *queues;
    struct creel_nodes *nodes;
    int code = tool_load_partitions(tool, name, &queues, &nodes);

    for (size_t i = 0; code == EXIT_SUCCESS && i < queues->count; i++)
        if (queues->items[i].leaf)
            print_partition(&queues->items[i], nodes, one_line);
    creel_queues_free(queues);
    creel_nodes_free(nodes);
    return code;
}
