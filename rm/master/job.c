/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - checks whether the cluster can run a job */
#include <errno.h>

#include "common/base/job_field.h"
#include "rm/master/amounts.h"
#include "rm/master/copy.h"
#include "rm/master/index.h"
#include "rm/master/job.h"
#include "rm/master/job_wait.h"
#include "rm/master/labels.h"
#include "rm/master/queues.h"

#define JOB_BYTES_MAX ((size_t)768 << 10) /* a job must fit into a message to an agent */

static int judge_launch(const Creel__JobSpec *job, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;

    if (launch == NULL || launch->n_command == 0 || rm_text_is_empty(launch->command[0]))
        return err_set(err, EINVAL, "there is no command to run");
    if (protobuf_c_message_get_packed_size(&job->base) > JOB_BYTES_MAX)
        return err_set(err, EMSGSIZE,
                       "the job's command, environment and list of files have %zu KiB, at "
                       "most %zu are allowed: put large values in files",
                       protobuf_c_message_get_packed_size(&job->base) >> 10, JOB_BYTES_MAX >> 10);
    return 0;
}

/* Checks the plain fields again, although creel's client has checked them: other clients may not. */
static int judge_fields(const Creel__JobSpec *job, const char *user, struct err *err)
{
    const Creel__LaunchContext *launch = job->launch;
#define SPEC(member, kind, ...) [JOB_FIELD_##member] = JOB_VALUE(kind, job->member),
#define LAUNCH(member, kind, ...) [JOB_FIELD_##member] = JOB_VALUE(kind, launch->member),
    struct job_values values = { .of = { JOB_SPEC_FIELDS(SPEC) JOB_LAUNCH_FIELDS(LAUNCH) } };
#undef SPEC
#undef LAUNCH
    int r = job_values_check(&values, user, err);

    return r < 0 ? r : job_values_check_sizes(&values, err);
}

static int judge_tasks(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    if (job->kind == CREEL__APP_KIND__APP_TASKS && job->task_count == 0)
        return err_set(err, EINVAL, "a job of tasks needs at least one");
    if (job->kind != CREEL__APP_KIND__APP_TASKS && job->task_count > 1)
        return err_set(err, EINVAL, "%u tasks are asked for, but the job is not one of tasks",
                       job->task_count);
    if (job->task_count > m->config.max_tasks)
        return err_set(err, EMSGSIZE, "%u tasks are asked for, at most %u go into one job", job->task_count,
                       m->config.max_tasks);
    return 0;
}

static int judge_array(const Creel__JobSpec *job, struct err *err)
{
    struct array_spec spec;
    int r;

    if (rm_text_is_empty(job->array))
        return job->stop_after_failures == 0
                   ? 0
                   : err_set(err, EINVAL, "--stop-after-failures is for arrays: --array is missing");
    r = array_spec_parse(job->array, &spec, err);
    if (r == 0)
        array_spec_done(&spec);
    return r;
}

static int judge_retries(const Creel__JobSpec *job, struct err *err)
{
    bool has_rule = !rm_text_is_empty(job->retry_on);

    if (!has_rule && job->retries == 0)
        return 0;
    if (!has_rule)
        return err_set(err, EINVAL, "--retries needs --retry-on: after which ends, as node,oom,exit:75");
    if (job->retries == 0)
        return err_set(err, EINVAL, "--retry-on needs --retries: how often it may start again");
    if (job->kind != CREEL__APP_KIND__APP_COMMAND)
        return err_set(err, EINVAL,
                       "--retry-on is for jobs of one command: this one has tasks or a master of its own, "
                       "for which --max-attempts counts");
    return 0;
}

static int judge_times(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    if (job->deadline_ms > 0 && job->deadline_ms <= rm_job_wall_ms(m))
        return err_set(err, EINVAL, "its deadline has passed");
    if (job->deadline_ms > 0 && job->begin_ms >= job->deadline_ms)
        return err_set(err, EINVAL, "its deadline is not after its time to begin");
    return 0;
}

/* Returns a node of the cluster whose agent does not unpack archives; NULL if all agents do. */
static const struct node *node_without_unpack(const struct master *m)
{
    struct rm_node_tree *nodes = (struct rm_node_tree *)(uintptr_t)&m->nodes;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, nodes) {
        if (node->sched != NULL && !node->unpacks)
            return node;
    }
    return NULL;
}

static int judge_unmanaged(const Creel__JobSpec *job, struct err *err)
{
    if (!job->unmanaged)
        return 0;
    if (job->kind != CREEL__APP_KIND__APP_MASTER)
        return err_set(err, EINVAL, "an unmanaged application is one with an application master of its own");
    if (!rm_text_is_empty(job->array))
        return err_set(err, EINVAL, "an unmanaged application cannot be an array");
    if (job->launch->n_files > 0)
        return err_set(err, EINVAL,
                       "files cannot be sent with an unmanaged application: it has no first "
                       "container");
    return 0;
}

/* An agent of 0.2.0 ignores FileRef.unpack: the command would find the archive in place of the directory. */
static int judge_archives(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    const struct node *old = job->launch->n_files > 0 ? node_without_unpack(m) : NULL;

    for (size_t i = 0; old && i < job->launch->n_files; i++) {
        if (job->launch->files[i]->unpack)
            return err_set(err, EOPNOTSUPP,
                           "archive %s: the agent of node %s (version %s) does not unpack archives: upgrade "
                           "it, or send the archive as a file and unpack it in the command",
                           job->launch->files[i]->name, old->id, old->version ? old->version : "unknown");
    }
    return 0;
}

/* Refuses a job whose amounts can never be allocated. */
static int never_runs(struct err *err)
{
    err->code = ERANGE;
    return -ERANGE;
}

int rm_job_judge(const struct master *m, const Creel__JobSpec *job, const char *user, struct err *err)
{
    struct resource each, master;
    int r;

    if (job == NULL)
        return err_set(err, EINVAL, "there is no job in it");
    if (job->kind != CREEL__APP_KIND__APP_COMMAND && job->kind != CREEL__APP_KIND__APP_TASKS &&
        job->kind != CREEL__APP_KIND__APP_MASTER)
        return err_set(err, EOPNOTSUPP, "kind %d of jobs is not known here", (int)job->kind);
    if ((r = judge_launch(job, err)) < 0 || (r = judge_fields(job, user, err)) < 0 ||
        (r = judge_tasks(m, job, err)) < 0 || (r = judge_times(m, job, err)) < 0 ||
        (r = judge_array(job, err)) < 0 || (r = judge_retries(job, err)) < 0 ||
        (r = judge_archives(m, job, err)) < 0 || (r = judge_unmanaged(job, err)) < 0)
        return r;
    each = rm_resource_from(m, job->resource);
    master = rm_resource_from(m, job->am_resource);
    if (rm_resource_judge(m, job->resource, err) < 0 || rm_resource_judge(m, job->am_resource, err) < 0)
        return never_runs(err);
    if (!rm_text_is_empty(job->label) && !rm_queues_have_labels(m))
        return err_set(err, EINVAL, "label %s: the %s scheduler has no labels", job->label,
                       m->config.scheduler);
    if (!rm_text_is_empty(job->label) && !rm_label_is_known(m, job->label))
        return err_set(err, ENOENT, "label %s: not defined; %s (creel label list shows them)", job->label,
                       rm_labels_known(m));
    if (sched_size_check(m->sched, &each, err) < 0 || sched_size_check(m->sched, &master, err) < 0)
        return never_runs(err);
    return 0;
}

struct resource rm_job_largest(struct master *m, const Creel__JobSpec *job)
{
    struct resource each = rm_resource_from(m, job->resource);
    struct resource master = rm_resource_from(m, job->am_resource);

    if (job->kind == CREEL__APP_KIND__APP_TASKS)
        each = resource_max(each, master);
    each = resource_max(each, m->minimum);
    (void)sched_normalise(m->sched, &each, &each, NULL);
    return each;
}
