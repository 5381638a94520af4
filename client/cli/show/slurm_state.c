/* SPDX-License-Identifier: Apache-2.0 */
/* slurm_state.c - the states and reasons of Slurm's jobs, and those of applications in their words */
#include "client/cli/show/slurm_state.h"

#include <string.h>
#include <strings.h>

#include "common/base/job/exit_status.h"
#include "common/base/job/kill_reason.h"

/* Rows up to PREEMPTED are in the order of enum slurm_state_number. */
static const struct slurm_state states[] = {
    { "PD", "PENDING", "PENDING", NULL },
    { "R", "RUNNING", "RUNNING", NULL },
    { "CD", "COMPLETED", "FINISHED", NULL },
    { "F", "FAILED", "FAILED", NULL },
    { "CA", "CANCELLED", "KILLED", NULL },
    { "TO", "TIMEOUT", NULL, "KILLED: REASON names the time limit" },
    { "DL", "DEADLINE", NULL, "KILLED: REASON names the deadline" },
    { "OOM", "OUT_OF_MEMORY", NULL, "FAILED: REASON names the memory limit, and the exit status is 137" },
    { "NF", "NODE_FAIL", NULL, "FAILED: REASON names the node that was lost" },
    { "PR", "PREEMPTED", NULL, "PENDING or RUNNING: what is preempted is tried again" },
    { "BF", "BOOT_FAIL", NULL, "FAILED: REASON names the node where the start failed" },
    { "CF", "CONFIGURING", NULL, "ACCEPTED: it waits for its first container, or that one starts" },
    { "CG", "COMPLETING", NULL, "RUNNING: an application ends when its containers have ended" },
    { "RQ", "REQUEUED", NULL, "PENDING: it waits again" },
    { "RH", "REQUEUE_HOLD", NULL, "PENDING: REASON is Held" },
    { "RD", "RESV_DEL_HOLD", NULL, "PENDING: REASON is why it waits" },
    { "SE", "SPECIAL_EXIT", NULL, "FAILED or PENDING: --retry-on tries exit statuses again" },
    { "S", "SUSPENDED", NULL, "RUNNING: no application is suspended" },
    { "ST", "STOPPED", NULL, "RUNNING: no application is stopped and kept" },
};
#define STATES (sizeof(states) / sizeof(states[0]))
_Static_assert(STATES < SLURM_STATES, "a number for each state");

/* Why applications wait: creel's words (creel why) and Slurm's. */
static const struct {
    const char *code, *reason;
} reasons[] = {
    { "AboveFairShare", "Priority" },
    { "AmLimit", "QOSGrpCpuLimit" },
    { "AtOnce", "JobArrayTaskLimit" },
    { "BeginTime", "BeginTime" },
    { "BehindInQueue", "Priority" },
    { "BehindQueue", "Priority" },
    { "ClusterFull", "Resources" },
    { "Dependency", "Dependency" },
    { "LabelNoMatch", "BadConstraints" },
    { "LocalityDelay", "Resources" },
    { "NextStart", "Priority" },
    { "NoNodes", "ReqNodeNotAvail" },
    { "NodeBlacklisted", "ReqNodeNotAvail" },
    { "NodeFull", "Resources" },
    { "NodeTooSmall", "BadConstraints" },
    { "ParentLimit", "QOSGrpCpuLimit" },
    { "Placement", "ReqNodeNotAvail" },
    { "Preempting", "Priority" },
    { "QueueLimit", "QOSGrpCpuLimit" },
    { "QueueMaxApps", "QOSGrpJobsLimit" },
    { "QueueStopped", "PartitionDown" },
    { "ReservedFor", "Priority" },
    { "RetryPause", "BeginTime" },
    { "RmRecovering", "ReqNodeNotAvail" },
    { "SilentNode", "ReqNodeNotAvail" },
    { "UserAmLimit", "QOSMaxCpuPerUserLimit" },
    { "UserLimit", "QOSMaxCpuPerUserLimit" },
    { "UserMaxApps", "QOSMaxJobsPerUserLimit" },
    { "UserMaxJobs", "QOSMaxJobsPerUserLimit" },
};

const struct slurm_state *slurm_state_find(const char *word)
{
    for (size_t i = 0; i < STATES; i++)
        if (!strcasecmp(word, states[i].letters) || !strcasecmp(word, states[i].name))
            return &states[i];
    return NULL;
}

unsigned slurm_state_number(const struct slurm_state *state)
{
    return (unsigned)(state - states);
}

const struct slurm_state *slurm_state_at(enum slurm_state_number number)
{
    return &states[number];
}

/* --- of an application ----------------------------------------------------------------- */

/* The resource manager writes why it killed an application as text alone. */
static enum slurm_state_number state_of_killed(const struct creel_app *app)
{
    switch (kill_reason_cause(app->diagnostics)) {
    case KILL_CAUSE_TIMEOUT:
        return SLURM_STATE_TIMEOUT;
    case KILL_CAUSE_DEADLINE:
        return SLURM_STATE_DEADLINE;
    case KILL_CAUSE_OTHER:
    default:
        return SLURM_STATE_CANCELLED;
    }
}

static enum slurm_state_number state_of_failed(const struct creel_app *app)
{
    switch (app->exit_status) {
    case CONTAINER_EXIT_PHYSICAL:
    case CONTAINER_EXIT_VIRTUAL:
        return SLURM_STATE_OUT_OF_MEMORY;
    case CONTAINER_EXIT_ABORTED:
    case CONTAINER_EXIT_LOST:
    case CONTAINER_EXIT_DISKS:
        return SLURM_STATE_NODE_FAIL;
    case CONTAINER_EXIT_PREEMPTED:
        return SLURM_STATE_PREEMPTED;
    default:
        return SLURM_STATE_FAILED;
    }
}

static enum slurm_state_number number_of(const struct creel_app *app)
{
    switch (app->state) {
    case CREEL_APP_RUNNING:
        return SLURM_STATE_RUNNING;
    case CREEL_APP_KILLED:
        return state_of_killed(app);
    case CREEL_APP_FINISHED:
    case CREEL_APP_FAILED:
        return app->final_status == CREEL_FINAL_SUCCEEDED ? SLURM_STATE_COMPLETED : state_of_failed(app);
    case CREEL_APP_NEW:
    case CREEL_APP_NEW_SAVING:
    case CREEL_APP_SUBMITTED:
    case CREEL_APP_ACCEPTED:
    default:
        return SLURM_STATE_PENDING;
    }
}

const struct slurm_state *slurm_state_of(const struct creel_app *app)
{
    return &states[number_of(app)];
}

/* Returns the reason of a job that is held; NULL: it is not. */
static const char *reason_of_hold(const struct creel_app *app)
{
    for (size_t i = 0; i < app->hold_count; i++)
        if (app->holds[i].administrator)
            return "JobHeldAdmin";
    return app->hold_count > 0 ? "JobHeldUser" : NULL;
}

static const char *reason_to_wait(const struct creel_app *app)
{
    const char *held = reason_of_hold(app);

    if (held)
        return held;
    if (!strcmp(app->reason_code, "Held"))
        return "JobHeldUser";
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (!strcmp(app->reason_code, reasons[i].code))
            return reasons[i].reason;
    return *app->reason_code ? "Resources" : "None";
}

const char *slurm_reason_of(const struct creel_app *app, const struct slurm_state *state)
{
    switch (slurm_state_number(state)) {
    case SLURM_STATE_PENDING:
        return reason_to_wait(app);
    case SLURM_STATE_RUNNING: /* it is held before its next attempt */
        return app->hold_count > 0 ? reason_of_hold(app) : "None";
    case SLURM_STATE_FAILED:
        return app->exit_status == CONTAINER_EXIT_NOT_STARTED ? "JobLaunchFailure" : "NonZeroExitCode";
    case SLURM_STATE_TIMEOUT:
        return "TimeLimit";
    case SLURM_STATE_DEADLINE:
        return "DeadLine";
    case SLURM_STATE_OUT_OF_MEMORY:
        return "OutOfMemory";
    case SLURM_STATE_NODE_FAIL:
        return "NodeDown";
    default:
        return "None";
    }
}
