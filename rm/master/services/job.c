/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - checks whether the cluster can run a job */
#include <errno.h>

#include "common/base/job/job_check.h"
#include "common/base/job/job_field.h"
#include "common/proto/launch_texts.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/nodes/labels.h"
#include "rm/master/services/job.h"
#include "rm/master/services/queues.h"
#include "rm/master/state/amounts.h"
#include "rm/master/state/copy.h"
#include "rm/master/state/index.h"

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

static int judge_files(const Creel__JobSpec *job, struct err *err)
{
    bool first =
        job->kind != CREEL__APP_KIND__APP_TASKS; /* the files of tasks are not in the first container */

    for (size_t i = 0; i < job->launch->n_files; i++) {
        const char *name = job->launch->files[i]->name;

        if (job_check_is_own_name(name, first))
            return err_set(
                err, EINVAL,
                "file %s: the agent makes %s in the working directory itself; give the file another "
                "name (SRC#NAME)",
                name, name);
    }
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
    return job_check(&values, user, err);
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

/* --retry-on applies to jobs of one command. For other jobs --max-attempts limits the attempts. */
static int judge_retries(const Creel__JobSpec *job, struct err *err)
{
    if (!rm_text_is_empty(job->retry_on) && job->no_requeue)
        return err_set(err, EINVAL,
                       "--retry-on starts it again, and --no-requeue forbids that: use one of them");
    if (rm_text_is_empty(job->retry_on) || job->kind == CREEL__APP_KIND__APP_COMMAND)
        return 0;
    return err_set(err, EINVAL,
                   "--retry-on is for jobs of one command: this one has tasks or a master of its own, "
                   "for which --max-attempts counts");
}

static int judge_times(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    if (job->deadline_ms > 0 && job->deadline_ms <= rm_job_wall_ms(m))
        return err_set(err, EINVAL, "its deadline has passed");
    return 0;
}

static bool unpacks(const struct node *node)
{
    return node->unpacks;
}

static bool restores(const struct node *node)
{
    return node->restores;
}

/* Returns a node of the cluster whose agent is not CAPABLE; NULL if all agents are. */
static const struct node *node_without(const struct master *m, bool (*capable)(const struct node *node))
{
    struct rm_node_tree *nodes = (struct rm_node_tree *)(uintptr_t)&m->nodes;
    struct node *node;

    RB_FOREACH(node, rm_node_tree, nodes) {
        if (node->sched != NULL && !capable(node))
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

static int judge_rerun(const Creel__JobSpec *job, struct err *err)
{
    if (rm_text_is_empty(job->whole_array) ||
        (!rm_text_is_empty(job->rerun_of) && !rm_text_is_empty(job->array)))
        return 0;
    return err_set(err, EINVAL, "whole_array is for an array that repeats tasks of another one (rerun_of)");
}

/* An agent of 0.2.0 ignores FileRef.unpack: the command would find the archive in place of the directory. */
static int judge_archives(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    const struct node *old = job->launch->n_files > 0 ? node_without(m, unpacks) : NULL;

    for (size_t i = 0; old && i < job->launch->n_files; i++) {
        if (job->launch->files[i]->unpack)
            return err_set(err, EOPNOTSUPP,
                           "archive %s: the agent of node %s (version %s) does not unpack archives: upgrade "
                           "it, or send the archive as a file and unpack it in the command",
                           job->launch->files[i]->name, old->id, old->version ? old->version : "unknown");
    }
    return 0;
}

/* An agent of 0.2.0 ignores LaunchContext.escaped: the command would get other bytes. */
static int judge_texts(const struct master *m, const Creel__JobSpec *job, struct err *err)
{
    const char *what = launch_texts_are_new(job->launch);
    const struct node *old;

    if (!launch_texts_are_valid(job->launch))
        return err_set(err, EINVAL,
                       "its command, variables or paths have escapes of characters that are UTF-8");
    old = what ? node_without(m, restores) : NULL;
    if (old == NULL)
        return 0;
    return err_set(err, EOPNOTSUPP,
                   "its command, variables or paths have %s, and the agent of node %s (version %s) does not "
                   "accept that: upgrade it, or put them into a script",
                   what, old->id, old->version ? old->version : "unknown");
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
    if ((r = judge_launch(job, err)) < 0 || (r = judge_files(job, err)) < 0 ||
        (r = judge_fields(job, user, err)) < 0 || (r = judge_tasks(m, job, err)) < 0 ||
        (r = judge_times(m, job, err)) < 0 || (r = judge_retries(job, err)) < 0 ||
        (r = judge_archives(m, job, err)) < 0 || (r = judge_texts(m, job, err)) < 0 ||
        (r = judge_unmanaged(job, err)) < 0 || (r = judge_rerun(job, err)) < 0)
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
