/* SPDX-License-Identifier: Apache-2.0 */
/* user_limits.c - limits on what the resource manager keeps for a user */
#include <errno.h>

#include "rm/master/services/authz.h"
#include "rm/master/services/user_limits.h"
#include "rm/master/state/job_rows.h"
#include "rm/master/state/page.h"

static bool is_exempt(struct master *m, const char *user)
{
    return rm_authz_cluster(m, user, AUTHZ_EXCEED_LIMITS);
}

/* Checks whether USER may have one more job, JOB of BYTES. */
static int judge(struct master *m, const char *user, uint64_t bytes, const Creel__JobSpec *job,
                 struct err *err)
{
    static const struct account none = { .apps = 0 };
    const struct account *account = rm_account_find(m, user);
    uint32_t jobs_max = m->config.user_limits.jobs;
    uint64_t bytes_max = m->config.user_limits.job_bytes, files_max = m->config.user_limits.file_bytes;
    uint64_t missing;

    if (account == NULL)
        account = &none;
    if (jobs_max > 0 && account->live_apps >= jobs_max && !is_exempt(m, user))
        return err_set(err, EDQUOT,
                       "user %s has %u jobs that have not ended, tasks of arrays included, and "
                       "creel.submit.user-jobs-max is %u: wait until some have ended, or kill some",
                       user, account->live_apps, jobs_max);
    if (bytes_max > 0 && account->live_bytes + bytes > bytes_max && !is_exempt(m, user))
        return err_set(
            err, EDQUOT,
            "user %s has jobs of %llu bytes that have not ended, this one has %llu, and "
            "creel.submit.user-jobs-size-max is %llu: wait until some have ended, or put "
            "what is long into files; each dependency of a job counts %u bytes, each argument, variable "
            "and file %u more",
            user, (unsigned long long)account->live_bytes, (unsigned long long)bytes,
            (unsigned long long)bytes_max, JOB_DEPENDENCY_BYTES, JOB_VALUE_BYTES);
    missing = rm_kept_files_missing(&account->files, job);
    if (files_max > 0 && missing > 0 && account->files.bytes + missing > files_max && !is_exempt(m, user))
        return err_set(
            err, EDQUOT,
            "the jobs of user %s that have not ended have files of %llu bytes, this one has %llu more, "
            "and creel.submit.user-jobs-files-size-max is %llu: wait until some have ended, or use "
            "files on the nodes",
            user, (unsigned long long)account->files.bytes, (unsigned long long)missing,
            (unsigned long long)files_max);
    return 0;
}

int rm_user_limits_judge_job(struct master *m, const char *user, const Creel__JobSpec *job, struct err *err)
{
    return judge(m, user, rm_job_bytes(job), job, err);
}

int rm_user_limits_judge_task(struct master *m, const struct app *array, struct err *err)
{
    bool has_task = array->tasks[1] > 0;

    return has_task ? judge(m, array->user, array->job_bytes, array->job, err) : 0;
}

int rm_user_limits_judge_asks(struct master *m, const struct app *app, size_t count, struct err *err)
{
    uint64_t rows = app->share.account->ask_rows;
    uint32_t most = m->config.user_limits.asks;

    if (count == 0 || most == 0 || rows + count <= most || is_exempt(m, app->user))
        return 0;
    return err_set(
        err, E2BIG,
        "the application masters of user %s request or blacklist %llu different things, this one %zu "
        "more, and creel.submit.user-asks-max is %u",
        app->user, (unsigned long long)rows, count, most);
}

bool rm_user_limits_remembers_too_much(struct master *m, const struct account *account)
{
    uint64_t most = m->config.user_limits.job_bytes;

    return most > 0 && account->ended_bytes > most && !is_exempt(m, account->user);
}

void master_set_user_limits(struct master *m, const struct master_user_limits *limits)
{
    m->config.user_limits = *limits;
}

/* --- users near a limit ---------------------------------------------------------- */

#define NEAR_PERCENT 80
#define NEAR_MAX 20

void master_report_limit(struct arena *arena, Creel__ClusterInfo *info, const char *user, const char *key,
                         uint64_t used, uint64_t limit)
{
    Creel__UserLimit *near;

    if (limit == 0 || (double)used * 100 < (double)limit * NEAR_PERCENT || info->n_near_limits == NEAR_MAX)
        return;
    near = arena_new0(arena, Creel__UserLimit);
    creel__user_limit__init(near);
    near->user = arena_strdup(arena, user);
    near->key = arena_strdup(arena, key);
    near->used = used;
    near->limit = limit;
    page_append(arena, (void ***)&info->near_limits, &info->n_near_limits, near);
}

void rm_user_limits_report(struct master *m, Creel__ClusterInfo *info)
{
    struct arena *arena = m->out->arena;
    const struct account *account;

    for (account = m->accounts; account; account = account->hh.next) {
        if (rm_authz_any_user(m, account->user, AUTHZ_EXCEED_LIMITS))
            continue;
        master_report_limit(arena, info, account->user, "creel.submit.user-jobs-max", account->live_apps,
                            m->config.user_limits.jobs);
        master_report_limit(arena, info, account->user, "creel.submit.user-jobs-size-max",
                            account->live_bytes, m->config.user_limits.job_bytes);
        master_report_limit(arena, info, account->user, "creel.submit.user-jobs-files-size-max",
                            account->files.bytes, m->config.user_limits.file_bytes);
        master_report_limit(arena, info, account->user, "creel.submit.user-asks-max", account->ask_rows,
                            m->config.user_limits.asks);
    }
}
