/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - is a job one that this cluster can take? */
#include <errno.h>

#include "rm/master/amounts.h"
#include "rm/master/copy.h"
#include "rm/master/job.h"
#include "rm/master/labels.h"
#include "rm/master/queues.h"

#define JOB_BYTES_MAX ((size_t)8 << 20) /* it must fit into an order to an agent */

static Creel__ErrorCode judge_launch(const Creel__JobSpec *job, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;
    int signal_number;

    if (launch == NULL || launch->n_command == 0 || rm_text_is_empty(launch->command[0])) {
        err_set(err, EINVAL, "there is no command to run");
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (protobuf_c_message_get_packed_size(&job->base) > JOB_BYTES_MAX) {
        err_set(err, EMSGSIZE, "the job's description has more than %zu MiB", JOB_BYTES_MAX >> 20);
        return CREEL__ERROR_CODE__ERROR_TOO_LARGE;
    }
    if (!rm_text_is_empty(launch->preempt_signal) &&
        !text_parse_signal(launch->preempt_signal, &signal_number)) {
        err_set(err, EINVAL, "signal %s: cannot be sent before a preemption (HUP, INT, QUIT, USR1, "
                "USR2, ALRM, TERM, CONT, URG and WINCH can)", launch->preempt_signal);
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}

static Creel__ErrorCode judge_tasks(const struct master *m, const Creel__JobSpec *job,
                                    struct err *err)
{
    if (job->kind == CREEL__APP_KIND__APP_TASKS && job->task_count == 0) {
        err_set(err, EINVAL, "a job of tasks needs at least one");
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (job->kind != CREEL__APP_KIND__APP_TASKS && job->task_count > 1) {
        err_set(err, EINVAL, "%u tasks are asked for, but the job is not one of tasks",
                job->task_count);
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (job->task_count > m->config.max_tasks) {
        err_set(err, EINVAL, "%u tasks are asked for, at most %u go into one job", job->task_count,
                m->config.max_tasks);
        return CREEL__ERROR_CODE__ERROR_TOO_LARGE;
    }
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}

Creel__ErrorCode rm_judge_job(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    struct resource each, master;
    Creel__ErrorCode code;

    if (job == NULL) {
        err_set(err, EINVAL, "there is no job in it");
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (job->kind != CREEL__APP_KIND__APP_COMMAND && job->kind != CREEL__APP_KIND__APP_TASKS &&
        job->kind != CREEL__APP_KIND__APP_MASTER) {
        err_set(err, EINVAL, "kind %d of jobs is not known here", (int)job->kind);
        return CREEL__ERROR_CODE__ERROR_UNSUPPORTED;
    }
    code = judge_launch(job, err);
    if (code == CREEL__ERROR_CODE__ERROR_UNKNOWN)
        code = judge_tasks(m, job, err);
    if (code != CREEL__ERROR_CODE__ERROR_UNKNOWN)
        return code;
    each = rm_resource_from(m, job->resource);
    master = rm_resource_from(m, job->am_resource);
    if (rm_resource_judge(m, job->resource, err) < 0 ||
        rm_resource_judge(m, job->am_resource, err) < 0)
        return CREEL__ERROR_CODE__ERROR_NEVER_RUNS;
    if (!rm_text_is_empty(job->label) && !rm_queues_have_labels(m)) {
        err_set(err, EINVAL, "label %s: the %s scheduler has no labels", job->label,
                m->config.scheduler);
        return CREEL__ERROR_CODE__ERROR_BAD_REQUEST;
    }
    if (!rm_text_is_empty(job->label) && !rm_label_is_known(m, job->label)) {
        err_set(err, ENOENT, "label %s: not defined; %s (creel label list shows them)", job->label,
                rm_labels_known(m));
        return CREEL__ERROR_CODE__ERROR_NOT_FOUND;
    }
    if (sched_size_check(m->sched, &each, err) < 0 || sched_size_check(m->sched, &master, err) < 0)
        return CREEL__ERROR_CODE__ERROR_NEVER_RUNS;
    return CREEL__ERROR_CODE__ERROR_UNKNOWN;
}
