/* SPDX-License-Identifier: Apache-2.0 */
/* daemon_master.c - makes the master: what it calls in this process, and its recovery from the store */
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/net/conf/conf_page.h"
#include "rm/net/daemon.h"
#include "rm/net/health/health.h"

/* --- recovery -------------------------------------------------------------- */

static int recover_app(void *context, const Creel__StoredApp *row, struct err *err)
{
    return master_recover_app(((struct daemon *)context)->master, row, err);
}

static int recover_attempt(void *context, const Creel__StoredAttempt *row, struct err *err)
{
    return master_recover_attempt(((struct daemon *)context)->master, row, err);
}

static int recover_container(void *context, const Creel__StoredContainer *row, struct err *err)
{
    return master_recover_container(((struct daemon *)context)->master, row, err);
}

static int recover_setting(void *context, const Creel__StoredSetting *row, struct err *err)
{
    return master_recover_setting(((struct daemon *)context)->master, row, err);
}

static int recover_node(void *context, const Creel__StoredNode *row, struct err *err)
{
    return master_recover_node(((struct daemon *)context)->master, row, err);
}

static void on_quarantined(void *context, const char *kind, const char *id, const char *reason)
{
    (void)context;
    log_line(LOG_LEVEL_ERROR,
             "%s %s: its row in the state store is set aside (table quarantine): "
             "%s",
             kind, id, reason);
}

static void recover_versions(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->confs.scheduler.count; i++) {
        Creel__SchedulerConfVersion *version = conf_page_version(&daemon->confs.scheduler, i);

        master_recover_scheduler_conf(daemon->master, version);
        creel__scheduler_conf_version__free_unpacked(version, NULL);
    }
}

static int recover(struct daemon *daemon, struct err *err)
{
    struct store_sink sink = {
        .app = recover_app,
        .attempt = recover_attempt,
        .container = recover_container,
        .setting = recover_setting,
        .node = recover_node,
        .quarantined = on_quarantined,
        .context = daemon,
    };
    int r = store_load(daemon->state.store, &sink, err);

    if (r < 0)
        return r;
    recover_versions(daemon);
    master_recover_last_app(daemon->master, store_last_app_seq(daemon->state.store));
    master_recover_done(daemon->master, daemon_now_ms(daemon), daemon->commits.filling);
    return 0;
}

/* --- what the master calls -------------------------------------------------------- */

static ProtobufCBinaryData sign(void *context, struct arena *arena, Creel__TokenKind kind,
                                const char *node_id, const ProtobufCMessage *payload)
{
    struct daemon *daemon = context;

    if (kind == CREEL__TOKEN_KIND__TOKEN_AM)
        derived_keys_add(daemon->credentials.attempt_keys, ((const Creel__AmGrant *)payload)->attempt_id);
    if (kind == CREEL__TOKEN_KIND__TOKEN_JOB)
        derived_keys_add(daemon->credentials.job_keys, ((const Creel__JobGrant *)payload)->app_id);
    return signing_keys_sign(&daemon->credentials.signing_keys, arena, kind, node_id, payload);
}

static size_t token_keys(void *context, struct arena *arena, const char *node_id, Creel__TokenKey *keys,
                         size_t room)
{
    return signing_keys_token_keys(&((struct daemon *)context)->credentials.signing_keys, arena, node_id,
                                   keys, room);
}

static void history(void *context, Creel__History *ret)
{
    store_history(((struct daemon *)context)->state.store, ret);
}

static enum master_seen judge_history(void *context, const Creel__History *seen)
{
    static const enum master_seen verdicts[] = {
        [STORE_COMPARED_SEEN] = MASTER_SEEN_OURS,
        [STORE_COMPARED_ACCEPTED] = MASTER_SEEN_ACCEPTED,
        [STORE_COMPARED_NEWER] = MASTER_SEEN_NEWER,
        [STORE_COMPARED_OTHER] = MASTER_SEEN_OTHER,
    };

    return verdicts[store_compare(((struct daemon *)context)->state.store, seen)];
}

static uint64_t history_lag_ms(struct daemon *daemon)
{
    int64_t behind_ms = history_writer_state(daemon->history.writer).behind_ms;
    int64_t now_ms = daemon_now_ms(daemon);

    return behind_ms != 0 && now_ms > behind_ms ? (uint64_t)(now_ms - behind_ms) : 0;
}

static void add_metrics(void *context, struct arena *arena, Creel__Metrics *metrics)
{
    struct daemon *daemon = context;
    const struct request_queue *const queues[] = {
        user_requests_queue(daemon->requests.of_users), user_requests_queue(daemon->requests.of_masters),
        queries_queue(daemon->requests.queries),        history_server_queue(daemon->history.server),
        blob_server_queue(daemon->uploads.server),
    };
    struct metrics_now now = {
        .queues = queues,
        .queue_count = sizeof(queues) / sizeof(queues[0]),
        .waiting_events =
            queries_count(daemon->requests.queries) + user_requests_count(daemon->requests.of_users) +
            user_requests_count(daemon->requests.of_masters) + pending_count(daemon->commits.pending),
        .state_bytes = store_bytes(daemon->state.store),
        .refused_keys = gateway_pool_refused_keys(daemon->gateways),
        .state_backend = store_backend(daemon->state.store),
        .free_space = &daemon->free_space,
        .history_lag_ms = history_lag_ms(daemon),
        .backup_ms = backups_state(daemon->state.backups).newest_ms,
        .refused_agents = (uint32_t)gateway_pool_refused_agents(daemon->gateways, NULL, 0),
        .gateway_deaths = gateway_pool_deaths(daemon->gateways).count,
        .uploads = blobs_uploads(daemon->uploads.blobs),
        .munge = sign_in_state(daemon->users.sign_in),
    };

    gateway_pool_connections(daemon->gateways, &now.connections);
    now.unread = gateway_pool_unread(daemon->gateways);
    metrics_fill(&daemon->metrics, &now, arena, metrics);
}

static void add_health(void *context, struct arena *arena, const struct master_node_faults *faults,
                       const struct master_stopped_queues *stopped, Creel__ClusterInfo *info)
{
    struct daemon *daemon = context;
    scoped_free char *history_problem = history_writer_warning(daemon->history.writer);
    struct refused_agent refused[HEALTH_AGENTS_LISTED];
    struct health_facts facts = {
        .now_ms = daemon_now_ms(daemon),
        .store_error = daemon->commits.failing ? daemon->commits.error.text : NULL,
        .store_failing_ms = daemon->commits.failing ? daemon->commits.failing_ms : 0,
        .store_fault = daemon->state.fault.code != 0 ? daemon->state.fault.text : NULL,
        .guard_fault = daemon->state.guard_fault.code != 0 ? daemon->state.guard_fault.text : NULL,
        .key_directory = own_key_directory(daemon->own_key_files),
        .key_problem = own_key_problem(daemon->own_key_files),
        .key_problem_ms = own_key_since_ms(daemon->own_key_files),
        .wall_ms = loop_now_ms(),
        .clock_limit_ms = daemon->settings.master.clock_skew_ms,
        .backups = backups_state(daemon->state.backups),
        .joined_keys_problem = joined_keys_problem(daemon->credentials.joined_keys),
        .space = &daemon->free_space,
        .nodes = faults,
        .history_problem = history_problem,
        .stopped = stopped,
        .history_behind_ms = history_writer_state(daemon->history.writer).behind_ms,
        .refused = refused,
        .refused_count = gateway_pool_refused_agents(daemon->gateways, refused, HEALTH_AGENTS_LISTED),
        .refused_room = HEALTH_AGENTS_LISTED,
        .deaths = gateway_pool_deaths(daemon->gateways),
        .munge = sign_in_state(daemon->users.sign_in),
        .crashes = run_record_recent(&daemon->state.run_record, loop_now_ms()),
        .notify = notifier_state(daemon->notifier),
    };

    gateway_pool_connections(daemon->gateways, &facts.connections);
    info->history_problem = arena_strdup(arena, history_problem);
    health_fill(&facts, arena, info);
    blob_requests_report(&daemon->uploads, arena, info);
}

static bool attempt_lives(void *context, const char *attempt_id)
{
    return master_attempt_lives(((struct daemon *)context)->master, attempt_id);
}

static bool app_lives(void *context, const char *app_id)
{
    return master_live_user(((struct daemon *)context)->master, app_id) != NULL;
}

static void add_attempt(void *context, const char *attempt_id)
{
    derived_keys_add(((struct daemon *)context)->credentials.attempt_keys, attempt_id);
}

static void add_app(void *context, const char *app_id)
{
    derived_keys_add(((struct daemon *)context)->credentials.job_keys, app_id);
}

static const char *attempt_key(void *context, const char *attempt_id)
{
    return derived_keys_public(((struct daemon *)context)->credentials.attempt_keys, attempt_id);
}

static const char *find_master(void *context, const char *public_text)
{
    return derived_keys_find(((struct daemon *)context)->credentials.attempt_keys, public_text);
}

static const char *find_host(void *context, const char *public_text)
{
    return master_joined_host(((struct daemon *)context)->master, public_text);
}

static const char *find_token(void *context, const char *public_text)
{
    return master_join_token(((struct daemon *)context)->master, public_text);
}

static size_t find_groups(void *context, struct arena *arena, const char *user, const char *const **ret)
{
    struct daemon *daemon = context;

    return user_groups_find(daemon->credentials.user_groups, daemon_now_ms(daemon), arena, user, ret);
}

static bool has_credential(void *context, const char *user)
{
    const struct daemon *daemon = context;

    /* (with MUNGE, the account of the user is the credential, which this host may not know) */
    return daemon->users.sign_in != NULL || keys_has_name(daemon->keys, KEY_USER, user);
}

static bool time_is_up(void *context)
{
    const struct queries *queries = ((struct daemon *)context)->requests.queries;

    return queries != NULL && queries_time_is_up(queries);
}

static bool brief_time_is_up(void *context)
{
    const struct queries *queries = ((struct daemon *)context)->requests.queries;

    return queries != NULL && queries_brief_time_is_up(queries);
}

/* --- start ------------------------------------------------------------------------ */

static void set_reload_parts(struct daemon *daemon)
{
    daemon->confs.parts = (struct reload_parts){
        .master = daemon->master,
        .commits = &daemon->commits,
        .metrics = &daemon->metrics,
        .clock = &daemon->clock,
        .ports = daemon->ports,
        .report = daemon->report,
        .user_groups = &daemon->credentials.user_groups,
        .is_fair = text_equal(daemon->settings.master.scheduler, "fair"),
    };
}

int daemon_make_master(struct daemon *daemon, struct err *err)
{
    struct master_config *config = &daemon->settings.master;
    int r;

    r = user_groups_new(daemon->confs.started, &daemon->credentials.user_groups, err);
    if (r < 0)
        return r;
    config->sign = sign;
    config->token_keys = token_keys;
    config->groups = find_groups;
    config->metrics = add_metrics;
    config->health = add_health;
    config->address = find_address;
    config->attempt_key = attempt_key;
    config->has_credential = has_credential;
    config->history = history;
    config->judge_history = judge_history;
    config->time_is_up = time_is_up;
    config->brief_time_is_up = brief_time_is_up;
    config->context = daemon;
    run_record_begin(&daemon->state.run_record, daemon->state.directory, loop_now_ms());
    config->clock_set_ms = clock_record_read(daemon->state.directory, loop_now_ms());
    r = master_new(config, store_cluster_ms(daemon->state.store), store_epoch(daemon->state.store),
                   daemon_now_ms(daemon), &daemon->master, err);
    if (r < 0)
        return r;
    daemon->settings.sched_taken = true;
    tasks_note_log_level(daemon);
    daemon->credentials.attempt_keys = derived_keys_new(&daemon->credentials.signing_keys.am,
                                                        CREEL__TOKEN_KIND__TOKEN_AM, attempt_lives, daemon);
    daemon->credentials.job_keys = derived_keys_new(&daemon->credentials.signing_keys.am,
                                                    CREEL__TOKEN_KIND__TOKEN_JOB, app_lives, daemon);
    gateway_pool_find_masters(daemon->gateways, find_master, daemon);
    gateway_pool_find_joined(daemon->gateways, find_host, find_token, daemon);
    daemon->report = report_new();
    apply_start(daemon);
    set_reload_parts(daemon);
    r = start_hosts(daemon->confs.started, daemon->master, err);
    if (r < 0 || (r = recover(daemon, err)) < 0)
        return r;
    r = joined_keys_new(daemon->loop, conf_text(daemon->confs.started, CONF_KEY_DIR), daemon->state.store,
                        &daemon->credentials.joined_keys, err);
    if (r < 0)
        return r;
    (void)joined_keys_adopt(daemon->credentials.joined_keys, daemon->master, daemon_now_ms(daemon),
                            daemon->commits.filling);
    master_each_live_attempt(daemon->master, add_attempt, daemon);
    if (daemon->settings.master.job_tokens)
        master_each_begun_app(daemon->master, add_app, daemon);
    return 0;
}
