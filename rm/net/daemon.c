/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - starts and stops the parts of creel-rm */
#include "rm/net/daemon.h"
#include "rm/net/conf/conf_page.h"
#include "rm/net/health/health.h"
#include "rm/net/rescue/state_rescue.h"
#include "rm/store/store_upgrade.h"

#include <errno.h>
#include <inttypes.h>

#include "common/base/mem.h"
#include "common/daemon/gateway_settings.h"

#define GATEWAYS_BY_CORES_MAX 4

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

/* --- starting -------------------------------------------------------------- */

/* Returns the number of threads that encrypt, send and receive. With ten thousand agents this is most of the
 * work. */
static unsigned gateways(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores < GATEWAYS_BY_CORES_MAX ? (unsigned)cores : GATEWAYS_BY_CORES_MAX;
}

static int open_keys(struct daemon *daemon, struct err *err)
{
    const char *directory = conf_text(daemon->conf, CONF_KEY_DIR);
    const struct gateway_limits limits = gateway_settings(daemon->conf);
    const struct own_key_used used = {
        .daemon = "creel-rm", .owner = KEY_RM, .key = &daemon->own_key, .rm_key = &daemon->own_key
    };
    int r = key_load_for(directory, KEY_RM, NULL, true, &daemon->own_key, err);

    if (r < 0 || (r = keys_open(directory, &daemon->keys, err)) < 0)
        return keys_start_error(r);
    if ((r = own_key_new(daemon->loop, directory, &used, &daemon->own_key_files, err)) < 0)
        return r;
    return gateway_pool_new(daemon->loop, daemon->keys, &limits, gateways(), &daemon->gateways, err);
}

/* Copies the state if this version is about to change its tables. */
static int prepare_upgrade(const struct daemon *daemon, int64_t now_ms, struct err *err)
{
    struct store_upgrade upgrade;
    int r =
        store_upgrade_prepare(daemon->state.directory, (unsigned)conf_int(daemon->conf, CONF_UPGRADE_COPIES),
                              now_ms, &upgrade, err);

    if (r == 0 && upgrade.from != upgrade.to)
        log_line(LOG_LEVEL_INFO, "upgrades the state from schema %" PRId64 " to %" PRId64 "; %s%s",
                 upgrade.from, upgrade.to,
                 upgrade.copy != NULL ? "an earlier version can be restored from " : "no copy is kept",
                 upgrade.copy != NULL ? upgrade.copy : "");
    store_upgrade_done(&upgrade);
    return r;
}

static void judge_place(const char *directory)
{
    uint32_t type;

    if (!store_is_local(directory, &type))
        log_line(
            LOG_LEVEL_WARN,
            "%s: its file system (type 0x%x) is not known to be on a disk of this host: a write of another "
            "process to the state may not be noticed; move the state to a local file system, as ext4 or XFS",
            directory, (unsigned)type);
}

static int open_state(struct daemon *daemon, struct err *err)
{
    int64_t now_ms = daemon_now_ms(daemon);
    struct backups_settings backups;
    int r;

    daemon->uploads.pass_on = server_pass_on;
    daemon->state.directory = conf_text(daemon->conf, CONF_RM_STATE_DIR);
    if ((r = state_dir_make(daemon->state.directory, err)) < 0 ||
        (r = state_rescue_check(daemon->state.directory, conf_text(daemon->conf, CONF_BACKUP_DIR), err)) <
            0 ||
        (r = prepare_upgrade(daemon, now_ms, err)) < 0 ||
        (r = store_open_sqlite(daemon->state.directory, now_ms, &daemon->state.store, err)) < 0 ||
        (r = blob_requests_open(daemon, err)) < 0 ||
        (r = history_writer_new(
             daemon->loop, daemon->state.directory, conf_ms(daemon->conf, CONF_HISTORY_RETENTION),
             conf_bytes(daemon->conf, CONF_HISTORY_USER_SIZE_MAX), &daemon->history.writer, err)) < 0)
        return r;
    judge_place(daemon->state.directory);
    free_space_init(&daemon->free_space, daemon->state.directory,
                    conf_bytes(daemon->conf, CONF_FREE_SPACE_MIN));
    if ((r = free_space_start(&daemon->free_space, daemon->loop, err)) < 0)
        return r;
    free_space_measure(&daemon->free_space, loop_monotonic_ms());
    backups = backups_settings_of(daemon->conf);
    if ((r = backups_new(daemon->loop, &backups, &daemon->state.backups, err)) < 0)
        return r;
    /* Removes the file of ports that an earlier, killed process left. */
    state_dir_remove_ports(daemon->state.directory);
    return signing_keys_load(&daemon->credentials.signing_keys, daemon->state.store, now_ms, err);
}

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
        .munge = sign_in_state(daemon->credentials.sign_in),
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
        .munge = sign_in_state(daemon->credentials.sign_in),
        .crashes = run_record_recent(&daemon->state.run_record, loop_now_ms()),
        .notify = notifier_state(daemon->notifier),
    };

    gateway_pool_connections(daemon->gateways, &facts.connections);
    info->history_problem = arena_strdup(arena, history_problem);
    health_fill(&facts, arena, info);
    blob_requests_report(daemon, arena, info);
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

static int make_master(struct daemon *daemon, struct err *err)
{
    struct master_config *config = &daemon->settings.master;
    int r;

    r = user_groups_new(daemon->conf, &daemon->credentials.user_groups, err);
    if (r < 0)
        return r;
    config->sign = sign;
    config->token_keys = token_keys;
    config->groups = find_groups;
    config->metrics = add_metrics;
    config->health = add_health;
    config->address = find_address;
    config->attempt_key = attempt_key;
    config->has_credential = identity_has_credential;
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
    r = start_hosts(daemon, err);
    if (r < 0 || (r = recover(daemon, err)) < 0)
        return r;
    r = joined_keys_new(daemon->loop, conf_text(daemon->conf, CONF_KEY_DIR), daemon->state.store,
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

static int report_ports(struct daemon *daemon, struct err *err)
{
    int ports[RM_CHANNELS];

    for (size_t i = 0; i < RM_CHANNELS; i++)
        ports[i] = channel_server_port(daemon->ports[i].server);
    log_line(LOG_LEVEL_INFO,
             "listens on ports %d (clients), %d (application masters), %d (agents), "
             "%d (administrators)",
             ports[MASTER_CLIENT], ports[MASTER_AM], ports[MASTER_AGENT], ports[MASTER_ADMIN]);
    return state_dir_write_ports(daemon->state.directory, ports, err);
}

/* Loads the stored versions of the configuration of queues. If the newest has overrides and the configuration
 * allows them, reads the configuration and the settings again, with the overrides. */
static int apply_stored_conf(struct daemon *daemon, struct err *err)
{
    const Creel__StoredSchedulerConf *row;
    int r = scheduler_confs_load(&daemon->confs.scheduler, daemon->state.store, err);

    row = scheduler_confs_newest(&daemon->confs.scheduler);
    if (r < 0 || row == NULL || row->n_overrides == 0)
        return r;
    if (!scheduler_conf_accepts_changes(daemon->conf)) {
        log_line(LOG_LEVEL_WARN,
                 "%zu properties of queues that were changed by scheduler-conf are not in force: "
                 "%s is %s",
                 row->n_overrides, conf_key_info(CONF_SCHEDULER_STORE)->name,
                 conf_text(daemon->conf, CONF_SCHEDULER_STORE));
        return 0;
    }
    r = scheduler_conf_read(conf_loaded_from(daemon->conf), row, &daemon->confs.start, err);
    if (r < 0)
        return r;
    daemon->conf = daemon->confs.start;
    settings_done(&daemon->settings);
    daemon->settings = (struct settings){ .sched_taken = false };
    r = settings_read(daemon->conf, &daemon->settings, err);
    if (r < 0)
        err_prefix(err, "version %llu of scheduler-conf does not fit the files (without it: %s=file)",
                   (unsigned long long)row->version, conf_key_info(CONF_SCHEDULER_STORE)->name);
    else
        log_line(LOG_LEVEL_INFO, "version %llu of scheduler-conf is in force over the files",
                 (unsigned long long)row->version);
    return r;
}

int daemon_start(const struct conf *conf, bool verbose, struct daemon **ret, struct err *err)
{
    struct daemon *daemon = *ret = mem_new0(struct daemon);
    int r;

    daemon->conf = conf;
    daemon->verbose = verbose;
    clock_start(&daemon->clock, loop_now_ms(), loop_monotonic_ms());
    metrics_start(&daemon->metrics, loop_now_ms());
    /* The loop is created before any socket. The ports are bound last, so that no request arrives before the
     * state is recovered. */
    reload_note_file(daemon, conf);
    if ((r = settings_read(conf, &daemon->settings, err)) < 0 || (r = loop_new(&daemon->loop, err)) < 0 ||
        (r = notifier_new(daemon->loop, conf, &daemon->notifier, err)) < 0 ||
        (r = open_keys(daemon, err)) < 0 || (r = open_state(daemon, err)) < 0 ||
        (r = apply_stored_conf(daemon, err)) < 0 || (r = make_master(daemon, err)) < 0 ||
        (r = identity_start(daemon, err)) < 0 || (r = server_open(daemon, err)) < 0 ||
        (r = tasks_start(daemon, err)) < 0 || (r = report_ports(daemon, err)) < 0)
        return r;
    return 0;
}

/* Returns the name of a new file for the state in DIRECTORY. */
static char *name_rescued(const char *directory)
{
    return mem_printf("%s/" STATE_RESCUED "-%lld.db", directory, (long long)loop_now_ms());
}

static void log_rescued(const char *file)
{
    log_line(LOG_LEVEL_ERROR, "the state is saved as %s; before the next start: creel admin state restore %s",
             file, file);
}

/* Writes the state to the directory of the backups. Returns false if there is none, or it fails. */
static bool rescue_to_backups(struct daemon *daemon)
{
    scoped_free char *file = NULL;
    struct err err = { 0 };
    int r;

    if (daemon->state.backups == NULL)
        return false;
    file = name_rescued(backups_state(daemon->state.backups).directory);
    state_rescue_serve(daemon->state.store, daemon->state.directory); /* the thread may wait for it */
    r = backups_rescue(daemon->state.backups, daemon->state.store, file, &err);
    daemon->state.abandoned = r == -ETIMEDOUT;
    if (r < 0)
        log_line(LOG_LEVEL_ERROR, "%s", err.text);
    else
        log_rescued(file);
    return r == 0;
}

/* Writes the state to another file if its own file is not in its place any more: in the state directory, or
 * if that cannot be written, in that of the backups. */
static void rescue_state(struct daemon *daemon)
{
    scoped_free char *file = name_rescued(daemon->state.directory);
    struct err err = { 0 };

    if (store_watch(daemon->state.store, &err) != -ESTALE)
        return;
    log_line(LOG_LEVEL_ERROR, "%s", err.text);
    if (state_dir_make(daemon->state.directory, &err) == 0 &&
        store_rescue(daemon->state.store, file, &err) == 0)
        log_rescued(file);
    else if (!rescue_to_backups(daemon))
        log_line(LOG_LEVEL_ERROR, "the state is not saved: %s; the newest backup is what is left", err.text);
}

void daemon_run(struct daemon *daemon)
{
    settings_log_access(daemon->conf);
    log_line(LOG_LEVEL_INFO, "ready: cluster %lld, start %u, %zu applications from before",
             (long long)store_cluster_ms(daemon->state.store), store_epoch(daemon->state.store) + 1,
             master_live_apps(daemon->master));
    log_notify("READY=1");
    loop_run(daemon->loop);
    apply_last(daemon);
    if (pending_count(daemon->commits.pending) > 0)
        log_line(LOG_LEVEL_ERROR,
                 "%zu rows never reached the disk: the agents will have to report "
                 "their content",
                 pending_count(daemon->commits.pending));
    rescue_state(daemon);
    if (!daemon->state.abandoned)
        state_rescue_serve(daemon->state.store, daemon->state.directory); /* a backup may wait for it */
    state_dir_remove_ports(daemon->state.directory);
}

bool daemon_free(struct daemon *daemon)
{
    bool ended;

    if (daemon == NULL)
        return true;
    run_record_end(&daemon->state.run_record, daemon->state.directory);
    ended = backups_free(daemon->state.backups);
    ended = notifier_free(daemon->notifier) && ended;
    ended = blob_requests_close(daemon) && ended;
    ended = history_server_free(daemon->history.server) && ended;
    ended = history_writer_free(daemon->history.writer) && ended;
    user_requests_free(daemon->requests.of_users);
    user_requests_free(daemon->requests.of_masters);
    queries_free(daemon->requests.queries);
    ended = sign_in_free(daemon->credentials.sign_in) && ended;
    server_close(daemon);
    gateway_pool_free(daemon->gateways);
    asked_keys_free(daemon->credentials.asked_keys);
    ended = joined_keys_free(daemon->credentials.joined_keys, JOINED_KEYS_STOP_MS) && ended;
    derived_keys_free(daemon->credentials.attempt_keys);
    derived_keys_free(daemon->credentials.job_keys);
    keys_free(daemon->keys);
    apply_done(daemon);
    master_free(daemon->master);
    user_groups_free(daemon->credentials.user_groups);
    conf_free(daemon->confs.access[0]);
    conf_free(daemon->confs.access[1]);
    report_free(daemon->report);
    ended = free_space_done(&daemon->free_space) && ended;
    ended = own_key_free(daemon->own_key_files) && ended;
    if (!daemon->state.abandoned)
        store_close(daemon->state.store);
    loop_free(daemon->loop);
    settings_done(&daemon->settings);
    conf_free(daemon->confs.queues);
    conf_free(daemon->confs.start);
    scheduler_confs_done(&daemon->confs.scheduler);
    free(daemon);
    return ended;
}
