/* SPDX-License-Identifier: Apache-2.0 */
/* attempts.c - checks the attempts of all applications of a world, by the rows that the RM has stored */
#include "sim/world/attempts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/id.h"
#include "common/base/job/job_field.h"
#include "common/base/mem.h"

#include <uthash.h>

#define RESTART(name) CREEL__ATTEMPT_RESTART__RESTART_##name

struct seen { /* an attempt */
    bool over;
    Creel__AttemptRestart restart;
    int32_t exit_status;
};

struct job {
    uint32_t seq; /* key: number of the application */
    Creel__AppKind kind;
    struct retry_rule rule;
    uint32_t retries, retried;
    bool ended_by_itself; /* its result is stored, and it was not killed */
    struct seen *seen;    /* owned; by number of the attempt, from 1 */
    size_t count, capacity;
    UT_hash_handle hh;
};

struct attempts {
    struct job *jobs; /* owned */
};

struct attempts *attempts_new(void)
{
    return mem_new0(struct attempts);
}

void attempts_free(struct attempts *attempts)
{
    struct job *job, *next;

    if (attempts == NULL)
        return;
    HASH_ITER(hh, attempts->jobs, job, next) {
        HASH_DEL(attempts->jobs, job);
        free(job->seen);
        free(job);
    }
    free(attempts);
}

static struct job *find(const struct attempts *attempts, uint32_t seq)
{
    struct job *job;

    HASH_FIND(hh, attempts->jobs, &seq, sizeof(seq), job);
    return job;
}

int attempts_app_stored(struct attempts *attempts, const Creel__StoredApp *row, struct err *err)
{
    bool ended = row->state == CREEL__APP_STATE__APP_FINISHED || row->state == CREEL__APP_STATE__APP_FAILED;
    struct app_id id;
    struct job *job;

    if (!app_id_parse(row->app_id, &id))
        return err_set(err, EINVAL, "%s is no application id", row->app_id);
    job = find(attempts, id.seq);
    if (job == NULL) {
        job = mem_new0(struct job);
        job->seq = id.seq;
        job->kind = row->job->kind;
        job->retries = row->job->retries;
        if (*row->job->retry_on && !job_field_parse_retry(row->job->retry_on, &job->rule))
            abort();
        HASH_ADD(hh, attempts->jobs, seq, sizeof(job->seq), job);
    }
    if (job->ended_by_itself && !ended)
        return err_set(err, EINVAL, "%s had ended, and runs again", row->app_id);
    job->ended_by_itself = ended;
    return 0;
}

/* Returns true if the command of a container ended with STATUS by itself. */
static bool is_result(int32_t status)
{
    return status >= 0 && status < 128;
}

/* Checks that an attempt may follow EARLIER. */
static int check_next(const struct job *job, const struct seen *earlier, const char *attempt_id,
                      struct err *err)
{
    if (!earlier->over)
        return err_set(err, EINVAL, "%s begins, and the attempt before is not over", attempt_id);
    if (earlier->restart == RESTART(NONE))
        return err_set(err, EINVAL, "%s begins, though the retries were used up", attempt_id);
    if (job->kind == CREEL__APP_KIND__APP_COMMAND && earlier->restart == RESTART(BY_LIMIT) &&
        is_result(earlier->exit_status))
        return err_set(err, EINVAL, "%s begins, though the command had ended with %d", attempt_id,
                       earlier->exit_status);
    return 0;
}

/* Checks what follows the attempt of ROW, which is over. */
static int check_over(const struct job *job, const Creel__StoredAttempt *row, struct err *err)
{
    bool is_named = is_result(row->exit_status) && job_field_retry_has(&job->rule, row->exit_status);

    if (row->restart == RESTART(RETRY) && job->retried == job->retries)
        return err_set(err, EINVAL, "%s is retried, and %u retries were all", row->attempt_id, job->retries);
    if (job->kind == CREEL__APP_KIND__APP_COMMAND && is_named && row->restart == RESTART(BY_LIMIT) &&
        job->retried < job->retries)
        return err_set(err, EINVAL,
                       "%s ended with %d, which retry_on names, and is not retried (%u of %u retries)",
                       row->attempt_id, row->exit_status, job->retried, job->retries);
    return 0;
}

static int note_over(struct job *job, struct seen *seen, const Creel__StoredAttempt *row, struct err *err)
{
    int r = check_over(job, row, err);

    if (r < 0)
        return r;
    *seen = (struct seen){ .over = true, .restart = row->restart, .exit_status = row->exit_status };
    job->retried += row->restart == RESTART(RETRY);
    return 0;
}

int attempts_stored(struct attempts *attempts, const Creel__StoredAttempt *row, struct err *err)
{
    struct attempt_id id;
    struct seen *seen;
    struct job *job;
    int r = 0;

    if (!attempt_id_parse(row->attempt_id, &id) || (job = find(attempts, id.app.seq)) == NULL)
        return err_set(err, EINVAL, "%s is stored, and its application is not", row->attempt_id);
    while (r == 0 && job->count < id.attempt) {
        if (job->count > 0)
            r = check_next(job, &job->seen[job->count - 1], row->attempt_id, err);
        mem_grow(job->seen, job->count, job->capacity);
        job->seen[job->count++] = (struct seen){ .over = false };
    }
    seen = &job->seen[id.attempt - 1];
    if (r < 0 || !row->over)
        return r;
    if (!seen->over)
        return note_over(job, seen, row, err);
    if (seen->restart != row->restart)
        return err_set(err, EINVAL, "%s was followed by %d, and now is by %d", row->attempt_id,
                       (int)seen->restart, (int)row->restart);
    return 0;
}

int attempts_started(struct attempts *attempts, const char *container_id, int task, struct err *err)
{
    struct container_id id;
    const struct job *job;

    if (task >= 0 || !container_id_parse(container_id, &id))
        return 0;
    job = find(attempts, id.attempt.app.seq);
    if (job != NULL && job->kind == CREEL__APP_KIND__APP_COMMAND && job->ended_by_itself)
        return err_set(err, EINVAL, "%s starts, though its application has ended", container_id);
    return 0;
}
