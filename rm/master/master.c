/* SPDX-License-Identifier: Apache-2.0 */
/* master.c - entry points: messages, stored rows and timers, each handled in a step */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "rm/master/machines/app.h"
#include "rm/master/services/app_numbers.h"
#include "rm/master/jobs/array_corr.h"
#include "rm/master/services/array_tasks.h"
#include "rm/master/machines/attempt.h"
#include "rm/master/machines/container.h"
#include "rm/master/state/changes.h"
#include "rm/master/state/copy.h"
#include "rm/master/services/decisions.h"
#include "rm/master/jobs/depend.h"
#include "rm/master/state/effects.h"
#include "rm/master/services/eligible.h"
#include "rm/master/state/event_log.h"
#include "rm/master/state/events.h"
#include "rm/master/services/evict.h"
#include "rm/master/nodes/hosts.h"
#include "rm/master/state/index.h"
#include "rm/master/jobs/job_wait.h"
#include "rm/master/services/liveness.h"
#include "rm/master/master.h"
#include "rm/master/state/measure.h"
#include "rm/master/orders/node_record.h"
#include "rm/master/services/queues.h"
#include "rm/master/services/register_list.h"
#include "rm/master/requests.h"
#include "rm/master/state/rows.h"
#include "rm/master/state.h"
#include "rm/master/requests/step.h"
#include "rm/master/orders/waiters.h"
#include "rm/master/parts/trend.h"

#define WALL_CHANGE_MS 2000

/* --- life ------------------------------------------------------------------ */

static int check_config(const struct master_config *config, struct err *err)
{
    const struct {
        const char *name;
        int64_t value;
    } positive[] = {
        { "heartbeat interval", config->heartbeat_interval_ms },
        { "node expiry", config->node_expiry_ms },
        { "application master expiry", config->am_expiry_ms },
        { "container expiry", config->container_expiry_ms },
        { "memory of the built-in application master", config->am_memory_mb },
        { "limit of attempts", config->max_attempts },
        { "limit of tasks", config->max_tasks },
    };

    for (size_t i = 0; i < sizeof(positive) / sizeof(positive[0]); i++)
        if (positive[i].value <= 0)
            return err_set(err, EINVAL, "%s: %lld must be above 0", positive[i].name,
                           (long long)positive[i].value);
    if (config->evict_notice_ms < 0)
        return err_set(err, EINVAL, "notice before a kill: %lld ms must not be below 0",
                       (long long)config->evict_notice_ms);
    if (config->node_expiry_ms <= config->heartbeat_interval_ms)
        return err_set(err, EINVAL,
                       "node expiry, %lld ms, must be above the heartbeat interval, "
                       "%lld ms",
                       (long long)config->node_expiry_ms, (long long)config->heartbeat_interval_ms);
    return 0;
}

int master_new(const struct master_config *config, int64_t cluster_ms, uint32_t epoch, int64_t started_ms,
               struct master **ret, struct err *err)
{
    struct master *m;
    int r = check_config(config, err);

    if (r < 0)
        return r;
    m = mem_new0(struct master);
    m->started_ms = m->now_ms = started_ms;
    r = rm_queues_new(m, config, err);
    if (r < 0) {
        free(m);
        return r;
    }
    m->config = *config;
    m->config.sched = NULL;
    m->config.version = mem_strdup(config->version ? config->version : "");
    m->config.scheduler = mem_strdup(config->scheduler);
    m->config.admin_users = mem_strdup(config->admin_users ? config->admin_users : "");
    m->config.proxy_users = mem_strdup(config->proxy_users ? config->proxy_users : "");
    m->cluster_ms = cluster_ms;
    m->epoch = epoch;
    RB_INIT(&m->apps);
    RB_INIT(&m->containers);
    RB_INIT(&m->nodes);
    RB_INIT(&m->deadlines);
    TAILQ_INIT(&m->savings);
    RB_INIT(&m->changes.tree);
    TAILQ_INIT(&m->changed);
    TAILQ_INIT(&m->ended);
    TAILQ_INIT(&m->changed_accounts);
    rm_contacts_init(m);
    rm_certificates_init(m);
    rm_web_services_init(m);
    rm_node_faults_init(m);
    TAILQ_INIT(&m->making_room);
    TAILQ_INIT(&m->pushes);
    TAILQ_INIT(&m->to_check);
    TAILQ_INIT(&m->watchers);
    TAILQ_INIT(&m->expired_watchers);
    rm_turns_init(m);
    rm_waiters_init(m);
    m->nodes_version = 1;
    m->hosts.timeout_ms = -1;
    rm_measure_start(m);
    rm_trend_start(m);
    rm_event_log_start(m);
    *ret = m;
    return 0;
}

static void set_text(const char **text, const char *value)
{
    free((char *)(uintptr_t)*text);
    *text = mem_strdup(value ? value : "");
}

void master_set_access(struct master *master, const char *admin_users, const char *proxy_users,
                       bool acl_enable)
{
    set_text(&master->config.admin_users, admin_users);
    set_text(&master->config.proxy_users, proxy_users);
    master->config.acl_enable = acl_enable;
}

void master_read_queue_access(struct master *master, const struct conf *conf)
{
    sched_queues_read_access(master->sched, conf);
}

void master_free(struct master *m)
{
    struct saving *saving;
    struct container *container;
    struct app *app;
    struct node *node;

    if (m == NULL)
        return;
    rm_changes_stop(m);
    /* The scheduler is freed as a whole: removing container after container would allocate new ones. */
    RB_FOREACH(container, rm_container_tree, &m->containers)
        container->sched = NULL;
    RB_FOREACH(app, rm_app_tree, &m->apps)
        app->sched = NULL;
    RB_FOREACH(node, rm_node_tree, &m->nodes)
        node->sched = NULL;
    while ((container = RB_MIN(rm_container_tree, &m->containers)) != NULL)
        rm_container_free(m, container);
    while ((app = RB_MIN(rm_app_tree, &m->apps)) != NULL)
        rm_app_free(m, app);
    while ((node = RB_MIN(rm_node_tree, &m->nodes)) != NULL)
        rm_node_free(m, node);
    while ((saving = TAILQ_FIRST(&m->savings)) != NULL) {
        TAILQ_REMOVE(&m->savings, saving, link);
        rm_saving_free(saving);
    }
    rm_event_queues_free(m);
    rm_event_log_free(m);
    rm_certificates_free(m);
    rm_web_services_free(m);
    rm_register_lists_free(m);
    rm_watchers_free(m);
    rm_app_numbers_free(m);
    rm_hosts_done(&m->hosts);
    m->decisions.count = m->decided = 0;
    rm_queues_free(m);
    rm_measure_free(m);
    rm_trend_free(m);
    free(m->decisions.items);
    free(m->wakeups);
    free(m->follow_ups);
    free(m->unwritten.apps);
    free(m->store_trouble);
    free(m->store_lost);
    free((char *)(uintptr_t)m->config.version);
    free((char *)(uintptr_t)m->config.scheduler);
    free((char *)(uintptr_t)m->config.admin_users);
    free((char *)(uintptr_t)m->config.proxy_users);
    free(m);
}

/* --- requests -------------------------------------------------------------- */

void master_on_message(struct master *m, int64_t now_ms, const struct master_peer *peer,
                       const Creel__Envelope *envelope, struct master_effects *effects)
{
    rm_step_begin(m, now_ms, effects);
    m->asking_job = peer->job;
    rm_dispatch(m, peer, envelope);
    m->asking_job = NULL;
    rm_step_end(m);
}

void master_on_join(struct master *m, int64_t now_ms, const struct master_peer *peer,
                    const Creel__Envelope *envelope, struct master_effects *effects)
{
    rm_step_begin(m, now_ms, effects);
    if (envelope->body_case == CREEL__ENVELOPE__BODY_JOIN_NODE)
        rm_on_join_node(m, peer, envelope);
    else
        rm_on_join_identity(m, peer, envelope);
    rm_step_end(m);
}

/* --- the store ------------------------------------------------------------- */

static void saved(struct master *m, const struct saving *saving)
{
    struct attempt *attempt;
    struct app *app;

    switch (saving->kind) {
    case SAVING_HELD:
        rm_effects_release_held(m, saving);
        break;
    case SAVING_APP:
        app = rm_app_find(m, saving->id.app.seq);
        if (app && app->saving_seq == saving->store_seq)
            rm_app_event(m, app, APP_EVENT_SAVED);
        break;
    case SAVING_ATTEMPT:
        attempt = rm_attempt_find(m, &saving->id);
        if (attempt && attempt->saving_seq == saving->store_seq)
            rm_attempt_event(m, attempt, ATTEMPT_EVENT_SAVED);
        break;
    }
    rm_events_run(m);
}

/* Continues what waited for rows that are on disk, in the order of the rows, until the work of the step is
 * done. */
static void run_savings(struct master *m)
{
    struct saving *saving;

    while ((saving = TAILQ_FIRST(&m->savings)) != NULL && saving->store_seq <= m->turns.disk_seq) {
        if (saving->store_seq > m->stored_seq && rm_work_is_done(m)) {
            rm_turn_later(m);
            return;
        }
        if (saving->store_seq > m->stored_seq)
            m->stored_seq = saving->store_seq;
        TAILQ_REMOVE(&m->savings, saving, link);
        rm_work_add(m, saving->kind != SAVING_HELD);
        saved(m, saving);
        rm_saving_free(saving);
    }
    m->stored_seq = m->turns.disk_seq;
}

void master_on_stored(struct master *m, int64_t now_ms, uint64_t store_seq, struct master_effects *effects)
{
    rm_step_begin(m, now_ms, effects);
    assert(store_seq <= m->store_seq);
    if (store_seq > m->turns.disk_seq)
        m->turns.disk_seq = store_seq;
    rm_text_set(&m->store_trouble, NULL);
    run_savings(m);
    rm_step_end(m);
}

void master_on_store_failed(struct master *m, int64_t now_ms, uint64_t store_seq, const char *why,
                            struct master_effects *effects)
{
    struct app *app, *next;

    rm_step_begin(m, now_ms, effects);
    rm_text_set(&m->store_trouble, rm_text_is_empty(why) ? "the disk refuses" : why);
    for (app = RB_MIN(rm_app_tree, &m->apps); app; app = next) {
        next = RB_NEXT(rm_app_tree, &m->apps, app);
        if (app->state != APP_STATE_NEW_SAVING || app->saving_seq > store_seq ||
            app->saving_seq <= m->turns.disk_seq)
            continue;
        rm_submitters_answer(m, app, m->store_trouble);
        rm_store_forget(m, app, false);
        rm_app_free(m, app);
    }
    rm_effects_answer_changed(m);
    rm_step_end(m);
}

void master_set_store_lost(struct master *m, const char *why)
{
    rm_text_set(&m->store_lost, why);
}

/* --- deadlines ------------------------------------------------------------- */

static void recheck(struct master *m, struct app *app)
{
    if (app->state == APP_STATE_TASKS)
        rm_array_step(m, app);
    else
        rm_eligible_on_timer(m, app);
}

void master_on_timer(struct master *m, int64_t now_ms, struct master_effects *effects)
{
    struct deadline *deadline;

    rm_step_begin(m, now_ms, effects);
    while (!rm_work_is_done(m) && (deadline = rm_deadline_first(m)) != NULL && deadline->at_ms <= m->now_ms) {
        rm_work_add(m, 1);
        rm_deadline_clear(m, deadline);
        switch (deadline->kind) {
        case DEADLINE_NODE:
            rm_liveness_on_timer(m, deadline->owner);
            break;
        case DEADLINE_SILENCE:
            rm_contacts_on_timer(m);
            break;
        case DEADLINE_CONTAINER:
            rm_container_on_expiry(m, deadline->owner);
            break;
        case DEADLINE_AM:
            rm_attempt_on_expiry(m, deadline->owner);
            break;
        case DEADLINE_WAITER:
            rm_waiter_answer(m, deadline->owner);
            break;
        case DEADLINE_LIFETIME:
            rm_app_on_time_limit(m, deadline->owner);
            break;
        case DEADLINE_ELIGIBLE:
            recheck(m, deadline->owner);
            break;
        case DEADLINE_APP:
            rm_app_on_deadline(m, deadline->owner);
            break;
        case DEADLINE_EVICT:
            rm_evict_check(m, deadline->owner);
            break;
        case DEADLINE_UNTRACKED:
            rm_hosts_forget(m, deadline->owner);
            break;
        case DEADLINE_WATCHER:
            rm_watcher_expire(m, deadline->owner);
            break;
        case DEADLINE_REGISTER_LIST:
            rm_register_list_free(m, deadline->owner);
            break;
        case DEADLINE_TICK:
        case DEADLINE_PREEMPTION:
        case DEADLINE_UPDATE:
        case DEADLINE_BATCH:
            rm_queues_on_timer(m, deadline->kind);
            break;
        case DEADLINE_TURN:
            rm_depend_run_turn(m);
            rm_corr_run_turn(m);
            run_savings(m);
            rm_waiters_answer(m, WORK_MAX);
            break;
        }
        rm_events_run(m);
        rm_decisions_apply(m);
    }
    rm_step_end(m);
}

size_t master_live_nodes(const struct master *m)
{
    struct sched_cluster cluster;

    sched_cluster(m->sched, &cluster);
    return cluster.nodes;
}

size_t master_live_apps(const struct master *m)
{
    size_t count = 0;

    for (int state = 0; state < APP_STATES_SHOWN; state++)
        if (state != CREEL__APP_STATE__APP_FINISHED && state != CREEL__APP_STATE__APP_FAILED &&
            state != CREEL__APP_STATE__APP_KILLED)
            count += m->apps_shown[state];
    return count;
}

int64_t master_next_deadline_ms(const struct master *m)
{
    const struct deadline *deadline = rm_deadline_first(m);

    return deadline ? deadline->at_ms : INT64_MAX;
}

void master_set_wall_ahead(struct master *m, int64_t wall_ahead_ms)
{
    int64_t change_ms = wall_ahead_ms - m->wall_ahead_ms;

    if (change_ms < WALL_CHANGE_MS && change_ms > -WALL_CHANGE_MS)
        return;
    m->wall_ahead_ms = wall_ahead_ms;
    rm_job_wall_set(m);
}

/* --- keys, attempts -------------------------------------------------------------- */

void master_keys_changed(struct master *m)
{
    struct node *node;
    struct app *app;

    RB_FOREACH(node, rm_node_tree, &m->nodes) {
        node->keys_due = true;
        node->keys_sent = false;
    }
    /* Only two keys are valid at a time, and a container may run longer than its key is valid. With each new
     * key the AM therefore gets a new token for the container, to stop it and to read its logs. */
    RB_FOREACH(app, rm_app_tree, &m->apps)
        if (app->attempt)
            app->attempt->tokens_old = true;
}

/* Returns whether the files of APP, which has ended, may be kept for another run. */
static bool may_keep_files(const struct app *app)
{
    const Creel__LaunchContext *launch = app->job->launch;
    uint64_t bytes = 0;

    if (app->final_status == CREEL__FINAL_STATUS__FINAL_SUCCEEDED || launch == NULL)
        return false;
    if (launch->n_files > MASTER_RERUN_FILES_MAX / MASTER_RERUN_BLOCK)
        return false;
    for (size_t i = 0; i < launch->n_files && bytes <= MASTER_RERUN_FILES_MAX; i++)
        bytes += launch->files[i]->size_bytes;
    return bytes <= MASTER_RERUN_FILES_MAX;
}

/* Calls EACH for the jobs of ACCOUNT that have ended and whose files are kept, the newest first. */
static void each_kept_job(const struct account *account,
                          void (*each)(void *context, const Creel__JobSpec *job), void *context)
{
    struct kept_files kept = { .by_hash = NULL };
    uint64_t blocks = 0;
    struct app *app;

    TAILQ_FOREACH_REVERSE(app, &account->ended, account_ended, share.in_ended) {
        if (!may_keep_files(app))
            continue;
        blocks += app->job->launch->n_files;
        if (kept.bytes + rm_kept_files_missing(&kept, app->job) > MASTER_RERUN_FILES_OF_USER_MAX ||
            blocks > MASTER_RERUN_FILES_OF_USER_MAX / MASTER_RERUN_BLOCK)
            break;
        rm_kept_files_add(&kept, app->job);
        each(context, app->job);
    }
    rm_kept_files_clear(&kept);
}

void master_each_live_job(const struct master *m, void (*each)(void *context, const Creel__JobSpec *job),
                          void *context)
{
    struct account *account, *next;
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->sched || !app->listed_ended)
            each(context, app->job);
    HASH_ITER(hh, m->accounts, account, next)
        each_kept_job(account, each, context);
}

/* Returns true if the first container of ATTEMPT may be running. */
static bool has_master(const struct attempt *attempt)
{
    return attempt->state != ATTEMPT_NEW && attempt->state != ATTEMPT_SCHEDULED &&
           !rm_attempt_is_over(attempt);
}

static const struct attempt *find_attempt(const struct master *m, const char *attempt_id)
{
    struct attempt_id id;

    return attempt_id_parse(attempt_id, &id) ? rm_attempt_find(m, &id) : NULL;
}

bool master_attempt_lives(const struct master *m, const char *attempt_id)
{
    const struct attempt *attempt = find_attempt(m, attempt_id);

    return attempt != NULL && has_master(attempt);
}

const char *master_attempt_user(const struct master *m, const char *attempt_id)
{
    const struct attempt *attempt = find_attempt(m, attempt_id);

    return attempt != NULL ? attempt->app->user : NULL;
}

#define ANSWER_SHORT 4096u /* bytes of a reply that is repeated at once */

bool master_answer_is_long(const struct master *m, const char *attempt_id, const Creel__Envelope *request)
{
    const struct attempt *attempt = find_attempt(m, attempt_id);

    if (attempt == NULL)
        return false;
    if (request->body_case == CREEL__ENVELOPE__BODY_REGISTER_AM)
        return true;
    return request->body_case == CREEL__ENVELOPE__BODY_ALLOCATE &&
           request->allocate->response_id + 1 == attempt->response_id &&
           attempt->last_reply_size > ANSWER_SHORT;
}

const char *master_live_user(const struct master *m, const char *app_id)
{
    const struct app *app;
    struct app_id id;

    app = app_id_parse(app_id, &id) && id.cluster_ms == m->cluster_ms ? rm_app_find(m, id.seq) : NULL;
    return app != NULL && (!rm_app_is_ended(app) || app->live > 0) ? app->user : NULL;
}

void master_each_live_attempt(const struct master *m, void (*each)(void *context, const char *attempt_id),
                              void *context)
{
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if (app->attempt != NULL && has_master(app->attempt))
            each(context, app->attempt->text);
}

/* Returns true if a container of APP may have been started. */
static bool has_begun(const struct app *app)
{
    const struct attempt *attempt = app->attempt;

    return attempt != NULL && (attempt->id.attempt > 1 ||
                               (attempt->state != ATTEMPT_NEW && attempt->state != ATTEMPT_SCHEDULED));
}

void master_each_begun_app(const struct master *m, void (*each)(void *context, const char *app_id),
                           void *context)
{
    struct app *app;

    RB_FOREACH(app, rm_app_tree, (struct rm_app_tree *)(uintptr_t)&m->apps)
        if ((!rm_app_is_ended(app) || app->live > 0) && has_begun(app))
            each(context, app->text);
}
