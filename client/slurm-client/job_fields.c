/* SPDX-License-Identifier: Apache-2.0 */
/* job_fields.c - the fields of a job in the formats of squeue and sacct */
#include "client/slurm-client/job_fields.h"

#include <signal.h>
#include <string.h>

#include "client/include/creel-history.h"
#include "common/base/job/exit_status.h"
#include "common/base/job/job_field.h"
#include "common/base/text.h"

#define SIGNAL_MAX 64

static const char none[] = "(null)";

static const struct creel_app *app_of(const void *item)
{
    return ((const struct job_row *)item)->app;
}

/* --- names ------------------------------------------------------------------------------ */

static void job_put_id(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    text_builder_printf(text, "%u", row->number);
    if (row->is_task)
        text_builder_printf(text, "_%u", row->index);
    else if (row->tasks)
        text_builder_printf(text, "_[%s]", row->tasks);
    if (row->is_step)
        text_builder_add(text, ".batch");
}

/* The own number of a task that has begun. */
void job_put_raw_id(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    text_builder_printf(text, "%u%s", tool_job_number(row->app->id), row->is_step ? ".batch" : "");
}

static void put_account_number(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    text_builder_printf(text, "%u%s", row->account_number, row->is_step ? ".batch" : "");
}

static void put_base_number(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%u", ((const struct job_row *)item)->number);
}

static void put_index(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    if (row->is_task)
        text_builder_printf(text, "%u", row->index);
    else
        text_builder_add(text, row->tasks ? row->tasks : "N/A");
}

void job_put_name(struct text_builder *text, const void *item)
{
    text_builder_add(text, ((const struct job_row *)item)->is_step ? "batch" : app_of(item)->name);
}

void job_put_user(struct text_builder *text, const void *item)
{
    if (!((const struct job_row *)item)->is_step)
        text_builder_add(text, app_of(item)->user);
}

static const struct job_user *user_of(const void *item)
{
    const struct job_row *row = item;

    return job_users_find(row->users, row->app->user);
}

void job_put_user_id(struct text_builder *text, const void *item)
{
    const struct job_user *user = user_of(item);

    if (user->is_known)
        text_builder_printf(text, "%u", (unsigned)user->id);
    else
        text_builder_add(text, JOB_SLURM_NO_VAL);
}

/* The first group of the user on this host. */
void job_put_group(struct text_builder *text, const void *item)
{
    const char *group = user_of(item)->group;

    text_builder_add(text, group ? group : none);
}

void job_put_group_id(struct text_builder *text, const void *item)
{
    const struct job_user *user = user_of(item);

    if (user->is_known)
        text_builder_printf(text, "%u", (unsigned)user->group_id);
    else
        text_builder_add(text, JOB_SLURM_NO_VAL);
}

void job_put_partition(struct text_builder *text, const void *item)
{
    if (!((const struct job_row *)item)->is_step)
        text_builder_add(text, job_partition(app_of(item)->queue));
}

void job_put_quality(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "normal");
}

static void put_none(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, none);
}

/* Jobs share their nodes. */
static void put_shared(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "OK");
}

static void put_zero(struct text_builder *text, const void *item)
{
    (void)item;
    text_builder_add(text, "0");
}

static void put_nothing(struct text_builder *text, const void *item)
{
    (void)text;
    (void)item;
}

void job_add_visible(struct text_builder *text, const char *word)
{
    while (*word) {
        const char *at = word;

        while ((unsigned char)*at >= ' ' && *at != 0x7f)
            at++;
        text_builder_add_bytes(text, word, (size_t)(at - word));
        if (*at)
            text_builder_add(text, "?");
        word = *at ? at + 1 : at;
    }
}

void job_put_command(struct text_builder *text, const void *item)
{
    const char *const *word = app_of(item)->command;

    if (!*word)
        text_builder_add(text, none);
    for (; *word; word++) {
        text_builder_separate(text, " ");
        job_add_visible(text, *word);
    }
}

void job_put_label(struct text_builder *text, const void *item)
{
    text_builder_add(text, *app_of(item)->label ? app_of(item)->label : none);
}

/* --- state --------------------------------------------------------------------------------- */

void job_put_state(struct text_builder *text, const void *item)
{
    text_builder_add(text, ((const struct job_row *)item)->state->name);
}

static void job_put_state_letters(struct text_builder *text, const void *item)
{
    text_builder_add(text, ((const struct job_row *)item)->state->letters);
}

void job_put_reason(struct text_builder *text, const void *item)
{
    text_builder_add(text, slurm_reason_of(app_of(item), ((const struct job_row *)item)->state));
}

static bool is_pending(const struct job_row *row)
{
    return row->state == slurm_state_at(SLURM_STATE_PENDING);
}

/* The nodes of a job that runs; else its reason. */
static void put_nodes_or_reason(struct text_builder *text, const void *item)
{
    const struct job_row *row = item;

    if (slurm_state_number(row->state) == SLURM_STATE_RUNNING) {
        job_put_nodes(text, item);
    } else if (is_pending(row) || row->state != slurm_state_at(SLURM_STATE_COMPLETED)) {
        text_builder_printf(text, "(%s)", slurm_reason_of(row->app, row->state));
    } else {
        job_put_nodes(text, item);
    }
}

int job_exit_signal(int status)
{
    return status > 128 && status <= 128 + SIGNAL_MAX ? status - 128 : 0;
}

/* STATUS:SIGNAL; a status above 128 is that of a signal, one below 0 is creel's. */
void job_put_exit(struct text_builder *text, const void *item)
{
    const struct creel_app *app = app_of(item);
    bool has_begun = !((const struct job_row *)item)->tasks;
    int status = has_begun ? app->exit_status : CREEL_EXIT_NONE;

    if (job_exit_signal(status) > 0)
        text_builder_printf(text, "0:%d", job_exit_signal(status));
    else if (status == CONTAINER_EXIT_NOT_STARTED)
        text_builder_add(text, "0:53"); /* as in Slurm for a file or a directory that cannot be opened */
    else if (status == CREEL_EXIT_NONE || (creel_app_attempt_start_ms(app) == 0 && status < 0))
        text_builder_add(text, "0:0");
    else if (status == CONTAINER_EXIT_PHYSICAL || status == CONTAINER_EXIT_VIRTUAL)
        text_builder_add(text, "0:125"); /* as in Slurm for OUT_OF_MEMORY */
    else if (status < 0)
        text_builder_printf(text, "0:%d", SIGTERM); /* ended by creel */
    else
        text_builder_printf(text, "%d:0", status);
}

static void put_status(struct text_builder *text, const void *item)
{
    int status = app_of(item)->exit_status;

    text_builder_printf(text, "%d", status == CREEL_EXIT_NONE ? 0 : status);
}

void job_put_priority(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%d", app_of(item)->priority);
}

static void put_priority_float(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%.14f", app_of(item)->priority / 4294967295.0);
}

void job_put_restarts(struct text_builder *text, const void *item)
{
    const struct creel_app *app = app_of(item);
    /* A job that is held since it was requeued, or is cancelled then, has no further attempt yet. */
    bool waits = app->state == CREEL_APP_SUBMITTED || (creel_app_is_over(app) && app->eligible_ms == 0);
    uint32_t runs = app->attempt + (waits && app->attempt > 0);

    text_builder_printf(text, "%u", runs > 1 ? runs - 1 : 0);
}

void job_put_dependency(struct text_builder *text, const void *item)
{
    static const struct {
        const char *condition, *name;
    } names[] = {
        { "ok", "afterok" },  { "any", "afterany" },   { "notok", "afternotok" },
        { "after", "after" }, { "corr", "aftercorr" }, { "singleton", "singleton" },
    };
    const struct creel_app *app = app_of(item);

    for (size_t i = 0; i < app->dependency_count; i++) {
        const struct creel_dependency *dependency = &app->dependencies[i];
        const char *name = dependency->condition;

        if (dependency->met || !is_pending(item))
            continue;
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
            if (!strcmp(name, names[k].condition))
                name = names[k].name;
        text_builder_separate(text, app->one_dependency_is_enough ? "?" : ",");
        text_builder_add(text, name);
        if (*dependency->app_id)
            text_builder_printf(text, ":%u", tool_job_number(dependency->app_id));
        if (dependency->is_of_task)
            text_builder_printf(text, "_%u", dependency->task_index);
        text_builder_add(text, dependency->failed ? "(failed)" : "(unfulfilled)");
    }
    if (text->length == 0)
        text_builder_add(text, none);
}

/* --- size ------------------------------------------------------------------------------------ */

uint32_t job_tasks(const struct creel_app *app)
{
    return app->kind == CREEL_JOB_TASKS && app->tasks_total > 0 ? app->tasks_total : 1;
}

void job_put_cpus(struct text_builder *text, const void *item)
{
    int64_t vcores = app_of(item)->requested.vcores;

    text_builder_printf(text, "%lld", (long long)((vcores > 0 ? vcores : 1) * job_tasks(app_of(item))));
}

static void job_put_tasks(struct text_builder *text, const void *item)
{
    text_builder_printf(text, "%u", job_tasks(app_of(item)));
}

void job_put_cpus_of_task(struct text_builder *text, const void *item)
{
    int64_t vcores = app_of(item)->requested.vcores;

    text_builder_printf(text, "%lld", (long long)(vcores > 0 ? vcores : 1));
}

void job_put_node_count(struct text_builder *text, const void *item)
{
    const struct creel_used *used = app_of(item)->used;

    text_builder_printf(text, "%u", used && used->node_count > 0 ? used->node_count : 1);
}

/* Adds the host of the id of a node, "HOST:PORT". */
static void add_host(struct text_builder *text, const char *node)
{
    const char *port = strrchr(node, ':');

    text_builder_separate(text, ",");
    text_builder_add_bytes(text, node, port ? (size_t)(port - node) : strlen(node));
}

/* The nodes of an ended job are those of the history. A job that runs has the node of its first container. */
void job_put_nodes(struct text_builder *text, const void *item)
{
    const struct creel_app *app = app_of(item);

    if (((const struct job_row *)item)->tasks)
        return;
    for (size_t i = 0; app->used && app->used->nodes[i]; i++)
        add_host(text, app->used->nodes[i]);
    if (text->length == 0 && creel_app_attempt_start_ms(app) > 0 && *app->master_node_id)
        add_host(text, app->master_node_id);
}

static void put_host(struct text_builder *text, const void *item)
{
    job_put_nodes(text, item);
    if (text->length == 0)
        text_builder_add(text, "n/a");
}

static void put_nodes_or_none(struct text_builder *text, const void *item)
{
    job_put_nodes(text, item);
    if (text->length == 0)
        text_builder_add(text, "None assigned");
}

/* 512M, 2G: as Slurm shortens sizes. */
static void add_megabytes(struct text_builder *text, int64_t mb)
{
    bool whole = mb > 0 && mb % 1024 == 0;

    text_builder_printf(text, "%lld%c", (long long)(whole ? mb / 1024 : mb), whole ? 'G' : 'M');
}

void job_put_memory(struct text_builder *text, const void *item)
{
    add_megabytes(text, app_of(item)->requested.memory_mb);
}

static const char *resource_name(const struct creel_amount *amount)
{
    return !strcmp(amount->name, "yarn.io/gpu") ? "gpu" : amount->name;
}

/* gres:gpu:2 */
void job_put_generic_resources(struct text_builder *text, const void *item)
{
    const struct creel_resource *each = &app_of(item)->requested;

    for (size_t i = 0; i < each->other_count; i++) {
        if (each->others[i].amount == 0)
            continue;
        text_builder_separate(text, ",");
        text_builder_printf(text, "gres:%s:%lld", resource_name(&each->others[i]),
                            (long long)each->others[i].amount);
    }
    if (text->length == 0)
        text_builder_add(text, "N/A");
}

void job_put_resources(struct text_builder *text, const void *item)
{
    const struct creel_resource *each = &app_of(item)->requested;

    text_builder_add(text, "cpu=");
    job_put_cpus(text, item);
    text_builder_add(text, ",mem=");
    add_megabytes(text, each->memory_mb * job_tasks(app_of(item)));
    text_builder_add(text, ",node=");
    job_put_node_count(text, item);
    for (size_t i = 0; i < each->other_count; i++)
        text_builder_printf(text, ",%s=%lld%s",
                            !strcmp(each->others[i].name, "yarn.io/gpu") ? "gres/gpu" : each->others[i].name,
                            (long long)each->others[i].amount, each->others[i].unit);
}

/* --- tables -------------------------------------------------------------------------------------- */

const struct field squeue_fields[] = {
    { 'A', "JobID", "JOBID", 0, job_put_raw_id },
    { 'i', "JobArrayID", "JOBID", 0, job_put_id },
    { 'F', "ArrayJobID", "ARRAY_JOB_ID", 0, put_base_number },
    { 'K', "ArrayTaskID", "ARRAY_TASK_ID", 0, put_index },
    { 'j', "Name", "NAME", 0, job_put_name },
    { 'u', "UserName", "USER", 0, job_put_user },
    { 'U', "UserID", "UID", 0, job_put_user_id },
    { 'a', "Account", "ACCOUNT", 0, job_put_account },
    { 'P', "Partition", "PARTITION", 0, job_put_partition },
    { 'q', "QOS", "QOS", 0, job_put_quality },
    { 't', "StateCompact", "ST", 0, job_put_state_letters },
    { 'T', "State", "STATE", 0, job_put_state },
    { 'r', "Reason", "REASON", 0, job_put_reason },
    { 'R', "ReasonList", "NODELIST(REASON)", 0, put_nodes_or_reason },
    { 'M', "TimeUsed", "TIME", 0, job_put_elapsed_short },
    { 'l', "TimeLimit", "TIME_LIMIT", 0, job_put_limit_short },
    { 'L', "TimeLeft", "TIME_LEFT", 0, job_put_left },
    { 'V', "SubmitTime", "SUBMIT_TIME", 0, job_put_submitted },
    { 'S', "StartTime", "START_TIME", 0, job_put_start },
    { 'e', "EndTime", "END_TIME", 0, job_put_end },
    { 0, "EligibleTime", "ELIGIBLE_TIME", 0, job_put_eligible },
    { 'D', "NumNodes", "NODES", 0, job_put_node_count },
    { 'C', "NumCPUs", "CPUS", 0, job_put_cpus },
    { 0, "NumTasks", "TASKS", 0, job_put_tasks },
    { 'c', "MinCpus", "MIN_CPUS", 0, job_put_cpus_of_task },
    { 'm', "MinMemory", "MIN_MEMORY", 0, job_put_memory },
    { 'N', "NodeList", "NODELIST", 0, job_put_nodes },
    { 'B', "BatchHost", "EXEC_HOST", 0, put_host },
    { 'Q', "PriorityLong", "PRIORITY", 0, job_put_priority },
    { 'p', "Priority", "PRIORITY", 0, put_priority_float },
    { 'E', "Dependency", "DEPENDENCY", 0, job_put_dependency },
    { 'f', "Feature", "FEATURES", 0, job_put_label },
    { 'o', "Command", "COMMAND", 0, job_put_command },
    { 0, "exit_code", "EXIT_CODE", 0, put_status },
    { 0, "RestartCnt", "RESTART_COUNT", 0, job_put_restarts },
    { 0, "tres-alloc", "TRES_ALLOC", 0, job_put_resources },
    { 'b', "tres-per-node", "TRES_PER_NODE", 0, job_put_generic_resources },
    { 'k', "Comment", "COMMENT", 0, put_none },
    { 'Z', "WorkDir", "WORK_DIR", 0, job_put_directory },
    { 'g', "GroupName", "GROUP", 0, job_put_group },
    { 'G', "GroupID", "GROUP", 0, job_put_group_id },
    { 0, "STDERR", "STDERR", 0, job_put_err_file },
    { 0, "STDIN", "STDIN", 0, job_put_in_file },
    { 0, "STDOUT", "STDOUT", 0, job_put_out_file },
    { 'h', "OverSubscribe", "OVER_SUBSCRIBE", 0, put_shared },
    { 'n', "ReqNodes", "REQ_NODES", 0, put_none },
    { 'x', "ExcNodes", "EXC_NODES", 0, put_none },
    { 'v', "Reservation", "RESERVATION", 0, put_none },
    { 'w', "WCKey", "WCKEY", 0, put_none },
    { 'W', "Licenses", "LICENSES", 0, put_none },
    { 'y', "Nice", "NICE", 0, put_zero },
    { 0 },
};

const struct field sacct_fields[] = {
    { 0, "JobID", NULL, -12, job_put_id },
    { 0, "JobIDRaw", NULL, -12, put_account_number },
    { 0, "JobName", NULL, 10, job_put_name },
    { 0, "User", NULL, 9, job_put_user },
    { 0, "UID", NULL, 6, job_put_user_id },
    { 0, "Account", NULL, 10, job_put_given_account },
    { 0, "Partition", NULL, 10, job_put_partition },
    { 0, "State", NULL, 10, job_put_state },
    { 0, "ExitCode", NULL, 8, job_put_exit },
    { 0, "DerivedExitCode", NULL, 15, job_put_exit },
    { 0, "Submit", NULL, 19, job_put_submitted },
    { 0, "Eligible", NULL, 19, job_put_eligible },
    { 0, "Start", NULL, 19, job_put_started },
    { 0, "End", NULL, 19, job_put_ended },
    { 0, "Elapsed", NULL, 10, job_put_elapsed },
    { 0, "ElapsedRaw", NULL, 10, job_put_raw_elapsed },
    { 0, "Reserved", NULL, 10, job_put_planned },
    { 0, "Planned", NULL, 10, job_put_planned },
    { 0, "Timelimit", NULL, 10, job_put_limit },
    { 0, "TimelimitRaw", NULL, 12, job_put_raw_limit },
    { 0, "NCPUS", NULL, 10, job_put_cpus },
    { 0, "AllocCPUS", NULL, 10, job_put_cpus },
    { 0, "ReqCPUS", NULL, 8, job_put_cpus },
    { 0, "ReqMem", NULL, 10, job_put_memory },
    { 0, "ReqTRES", NULL, 10, job_put_resources },
    { 0, "AllocTRES", NULL, 10, job_put_resources },
    { 0, "MaxRSS", NULL, 10, job_put_peak },
    { 0, "AveRSS", NULL, 10, job_put_peak },
    { 0, "AveCPU", NULL, 10, job_put_average },
    { 0, "TotalCPU", NULL, 10, job_put_cpu_time },
    { 0, "CPUTime", NULL, 10, job_put_allocated_cpu },
    { 0, "CPUTimeRAW", NULL, 10, job_put_raw_allocated_cpu },
    { 0, "NTasks", NULL, 8, job_put_tasks },
    { 0, "NNodes", NULL, 8, job_put_node_count },
    { 0, "AllocNodes", NULL, 10, job_put_node_count },
    { 0, "NodeList", NULL, 15, put_nodes_or_none },
    { 0, "Priority", NULL, 10, job_put_priority },
    { 0, "Reason", NULL, 22, job_put_reason },
    { 0, "Restarts", NULL, 8, job_put_restarts },
    { 0, "QOS", NULL, 10, job_put_quality },
    { 0, "SubmitLine", NULL, 20, job_put_command },
    { 0, "Cluster", NULL, 10, put_nothing },
    { 0, "Comment", NULL, 14, put_nothing },
    { 0, "Constraints", NULL, 18, put_nothing },
    { 0, "Group", NULL, 9, put_nothing },
    { 0, "MaxDiskRead", NULL, 12, put_nothing },
    { 0, "MaxDiskWrite", NULL, 12, put_nothing },
    { 0, "MaxVMSize", NULL, 10, put_nothing },
    { 0, "WorkDir", NULL, 20, put_nothing },
    { 0, "Suspended", NULL, 10, put_nothing },
    { 0, "Reservation", NULL, 20, put_nothing },
    { 0, "Flags", NULL, 20, put_nothing },
    { 0, "AdminComment", NULL, 12, put_nothing },
    { 0, "AssocID", NULL, 10, put_nothing },
    { 0, "AveCPUFreq", NULL, 10, put_nothing },
    { 0, "AveDiskRead", NULL, 11, put_nothing },
    { 0, "AveDiskWrite", NULL, 12, put_nothing },
    { 0, "AvePages", NULL, 10, put_nothing },
    { 0, "AveVMSize", NULL, 10, put_nothing },
    { 0, "BlockID", NULL, 10, put_nothing },
    { 0, "ConsumedEnergy", NULL, 14, put_nothing },
    { 0, "ConsumedEnergyRaw", NULL, 17, put_nothing },
    { 0, "Container", NULL, 10, put_nothing },
    { 0, "DBIndex", NULL, 10, put_nothing },
    { 0, "GID", NULL, 10, put_nothing },
    { 0, "Layout", NULL, 10, put_nothing },
    { 0, "MaxDiskReadNode", NULL, 15, put_nothing },
    { 0, "MaxDiskReadTask", NULL, 15, put_nothing },
    { 0, "MaxDiskWriteNode", NULL, 16, put_nothing },
    { 0, "MaxDiskWriteTask", NULL, 16, put_nothing },
    { 0, "MaxPages", NULL, 10, put_nothing },
    { 0, "MaxPagesNode", NULL, 12, put_nothing },
    { 0, "MaxPagesTask", NULL, 12, put_nothing },
    { 0, "MaxRSSNode", NULL, 10, put_nothing },
    { 0, "MaxRSSTask", NULL, 10, put_nothing },
    { 0, "MaxVMSizeNode", NULL, 13, put_nothing },
    { 0, "MaxVMSizeTask", NULL, 13, put_nothing },
    { 0, "McsLabel", NULL, 10, put_nothing },
    { 0, "MinCPU", NULL, 10, put_nothing },
    { 0, "MinCPUNode", NULL, 10, put_nothing },
    { 0, "MinCPUTask", NULL, 10, put_nothing },
    { 0, "QOSRAW", NULL, 10, put_nothing },
    { 0, "ReqCPUFreq", NULL, 10, put_nothing },
    { 0, "ReqCPUFreqGov", NULL, 13, put_nothing },
    { 0, "ReqCPUFreqMax", NULL, 13, put_nothing },
    { 0, "ReqCPUFreqMin", NULL, 13, put_nothing },
    { 0, "ReqNodes", NULL, 10, put_nothing },
    { 0, "ReservationId", NULL, 13, put_nothing },
    { 0, "ResvCPU", NULL, 10, put_nothing },
    { 0, "ResvCPURAW", NULL, 10, put_nothing },
    { 0, "SystemComment", NULL, 13, put_nothing },
    { 0, "SystemCPU", NULL, 10, put_nothing },
    { 0, "TRESUsageInAve", NULL, 14, put_nothing },
    { 0, "TRESUsageInMax", NULL, 14, put_nothing },
    { 0, "TRESUsageInMaxNode", NULL, 18, put_nothing },
    { 0, "TRESUsageInMaxTask", NULL, 18, put_nothing },
    { 0, "TRESUsageInMin", NULL, 14, put_nothing },
    { 0, "TRESUsageInMinNode", NULL, 18, put_nothing },
    { 0, "TRESUsageInMinTask", NULL, 18, put_nothing },
    { 0, "TRESUsageInTot", NULL, 14, put_nothing },
    { 0, "TRESUsageOutAve", NULL, 15, put_nothing },
    { 0, "TRESUsageOutMax", NULL, 15, put_nothing },
    { 0, "TRESUsageOutMaxNode", NULL, 19, put_nothing },
    { 0, "TRESUsageOutMaxTask", NULL, 19, put_nothing },
    { 0, "TRESUsageOutMin", NULL, 15, put_nothing },
    { 0, "TRESUsageOutMinNode", NULL, 19, put_nothing },
    { 0, "TRESUsageOutMinTask", NULL, 19, put_nothing },
    { 0, "TRESUsageOutTot", NULL, 15, put_nothing },
    { 0, "UserCPU", NULL, 10, put_nothing },
    { 0, "WCKey", NULL, 10, put_nothing },
    { 0, "WCKeyID", NULL, 10, put_nothing },
    { 0 },
};
