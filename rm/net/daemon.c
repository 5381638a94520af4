/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - starts and stops the parts of creel-rm */
#include "rm/net/daemon.h"

#include <errno.h>
#include <inttypes.h>

#include "common/base/mem.h"
#include "common/daemon/gateway_settings.h"
#include "rm/net/rescue/state_rescue.h"
#include "rm/net/server.h"
#include "rm/store/store_upgrade.h"

#define GATEWAYS_BY_CORES_MAX 4

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
    const char *directory = conf_text(daemon->confs.started, CONF_KEY_DIR);
    const struct gateway_limits limits = gateway_settings(daemon->confs.started);
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
    int r = store_upgrade_prepare(daemon->state.directory,
                                  (unsigned)conf_int(daemon->confs.started, CONF_UPGRADE_COPIES), now_ms,
                                  &upgrade, err);

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

static int open_uploads(struct daemon *daemon, struct err *err)
{
    const struct blob_requests_parts parts = {
        .conf = daemon->confs.started,
        .loop = daemon->loop,
        .directory = daemon->state.directory,
        .clock = &daemon->clock,
        .ports = daemon->ports,
        .pass_on = server_pass_on,
    };

    return blob_requests_open(&daemon->uploads, &parts, err);
}

static int open_state(struct daemon *daemon, struct err *err)
{
    int64_t now_ms = daemon_now_ms(daemon);
    struct backups_settings backups;
    int r;

    daemon->state.directory = conf_text(daemon->confs.started, CONF_RM_STATE_DIR);
    if ((r = state_dir_make(daemon->state.directory, err)) < 0 ||
        (r = state_rescue_check(daemon->state.directory, conf_text(daemon->confs.started, CONF_BACKUP_DIR),
                                err)) < 0 ||
        (r = prepare_upgrade(daemon, now_ms, err)) < 0 ||
        (r = store_open_sqlite(daemon->state.directory, now_ms, &daemon->state.store, err)) < 0 ||
        (r = open_uploads(daemon, err)) < 0 ||
        (r = history_writer_new(daemon->loop, daemon->state.directory,
                                conf_ms(daemon->confs.started, CONF_HISTORY_RETENTION),
                                conf_bytes(daemon->confs.started, CONF_HISTORY_USER_SIZE_MAX),
                                &daemon->history.writer, err)) < 0)
        return r;
    judge_place(daemon->state.directory);
    free_space_init(&daemon->free_space, daemon->state.directory,
                    conf_bytes(daemon->confs.started, CONF_FREE_SPACE_MIN));
    if ((r = free_space_start(&daemon->free_space, daemon->loop, err)) < 0)
        return r;
    free_space_measure(&daemon->free_space, loop_monotonic_ms());
    backups = backups_settings_of(daemon->confs.started);
    if ((r = backups_new(daemon->loop, &backups, &daemon->state.backups, err)) < 0)
        return r;
    /* Removes the file of ports that an earlier, killed process left. */
    state_dir_remove_ports(daemon->state.directory);
    return signing_keys_load(&daemon->credentials.signing_keys, daemon->state.store, now_ms, err);
}

static int start_identity(struct daemon *daemon, struct err *err)
{
    const struct identity_parts parts = {
        .conf = daemon->confs.started,
        .loop = daemon->loop,
        .gateways = daemon->gateways,
        .rm_key = daemon->own_key.public_text,
        .state_directory = daemon->state.directory,
        .keys = daemon->keys,
        .job_keys = daemon->credentials.job_keys,
        .master = daemon->master,
        .metrics = &daemon->metrics,
        .report = daemon->report,
        .ports = daemon->ports,
    };

    return identity_start(&daemon->users, &parts, err);
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
    if (!scheduler_conf_accepts_changes(daemon->confs.started)) {
        log_line(LOG_LEVEL_WARN,
                 "%zu properties of queues that were changed by scheduler-conf are not in force: "
                 "%s is %s",
                 row->n_overrides, conf_key_info(CONF_SCHEDULER_STORE)->name,
                 conf_text(daemon->confs.started, CONF_SCHEDULER_STORE));
        return 0;
    }
    r = scheduler_conf_read(conf_loaded_from(daemon->confs.started), row, &daemon->confs.overridden, err);
    if (r < 0)
        return r;
    daemon->confs.started = daemon->confs.overridden;
    settings_done(&daemon->settings);
    daemon->settings = (struct settings){ .sched_taken = false };
    r = settings_read(daemon->confs.started, &daemon->settings, err);
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

    daemon->confs.started = conf;
    daemon->verbose = verbose;
    clock_start(&daemon->clock, loop_now_ms(), loop_monotonic_ms());
    metrics_start(&daemon->metrics, loop_now_ms());
    /* The loop is created before any socket. The ports are bound last, so that no request arrives before the
     * state is recovered. */
    reload_note_file(&daemon->confs, conf);
    if ((r = settings_read(conf, &daemon->settings, err)) < 0 || (r = loop_new(&daemon->loop, err)) < 0 ||
        (r = notifier_new(daemon->loop, conf, &daemon->notifier, err)) < 0 ||
        (r = open_keys(daemon, err)) < 0 || (r = open_state(daemon, err)) < 0 ||
        (r = apply_stored_conf(daemon, err)) < 0 || (r = daemon_make_master(daemon, err)) < 0 ||
        (r = start_identity(daemon, err)) < 0 || (r = server_open(daemon, err)) < 0 ||
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
    settings_log_access(daemon->confs.started);
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
    ended = blob_requests_close(&daemon->uploads) && ended;
    ended = history_server_free(daemon->history.server) && ended;
    ended = history_writer_free(daemon->history.writer) && ended;
    user_requests_free(daemon->requests.of_users);
    user_requests_free(daemon->requests.of_masters);
    queries_free(daemon->requests.queries);
    ended = sign_in_free(daemon->users.sign_in) && ended;
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
    report_free(daemon->report);
    ended = free_space_done(&daemon->free_space) && ended;
    ended = own_key_free(daemon->own_key_files) && ended;
    if (!daemon->state.abandoned)
        store_close(daemon->state.store);
    loop_free(daemon->loop);
    settings_done(&daemon->settings);
    confs_done(&daemon->confs);
    free(daemon);
    return ended;
}
