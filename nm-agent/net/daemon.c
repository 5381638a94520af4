/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.c - creates, connects and frees the parts of creel-nm */
#include "nm-agent/net/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/shares.h"
#include "common/base/text.h"
#include "common/daemon/gateway_settings.h"
#include "common/io/wire/endpoint.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/net/lock.h"

#include "config.h"
#include "common/io/loop/loop_socket.h"

#define SOCKETS_MAX 256 /* ZeroMQ sockets: those of the channel to the resource manager */

/* --- the parts ----------------------------------------------------------------- */

static int open_keys(struct daemon *daemon, struct err *err)
{
    const char *directory = conf_text(daemon->conf, CONF_KEY_DIR);
    const struct gateway_limits limits = gateway_settings(daemon->conf);
    bool secure = daemon->settings.web_secure;
    const struct own_key_file files[OWN_KEY_FILES] = {
        { conf_key_info(CONF_WEB_TLS_CERTIFICATE)->name,
          secure ? conf_text(daemon->conf, CONF_WEB_TLS_CERTIFICATE) : NULL },
        { conf_key_info(CONF_WEB_TLS_KEY)->name, secure ? conf_text(daemon->conf, CONF_WEB_TLS_KEY) : NULL },
    };
    const struct own_key_used used = {
        .daemon = "creel-nm",
        .owner = KEY_AGENT,
        .name = daemon->settings.host,
        .key = &daemon->own_key,
        .rm_key = &daemon->rm_key,
        .files = files,
    };
    int r;

    if ((r = key_load_for(directory, KEY_RM, NULL, false, &daemon->rm_key, err)) < 0 ||
        (r = key_load_for(directory, KEY_AGENT, daemon->settings.host, true, &daemon->own_key, err)) < 0 ||
        (r = keys_open(directory, &daemon->keys, err)) < 0)
        return keys_start_error(r);
    if ((r = own_key_new(daemon->loop, directory, &used, &daemon->own_key_files, err)) < 0)
        return r;
    return gateway_pool_new(daemon->loop, daemon->keys, &limits, 1, &daemon->gateways, err);
}

static int open_runtime(struct daemon *daemon, struct err *err)
{
    const struct conf *conf = daemon->conf;
    struct runtime_config config = {
        .state_dir = conf_text(conf, CONF_NM_STATE_DIR),
        .local_dirs = conf_text(conf, CONF_NM_LOCAL_DIRS),
        .log_dirs = conf_text(conf, CONF_NM_LOG_DIRS),
        .cgroup_root = conf_text(conf, CONF_NM_CGROUP_ROOT),
        .keeper_file = getenv("CREEL_KEEPER"),
        .creel_dir = daemon->settings.creel_dir,
        .strict_cpu = conf_bool(conf, CONF_NM_STRICT_CPU),
        .memory_unlimited = !settings_kernel_enforces(conf),
        .soft_limit_percent = conf_float(conf, CONF_NM_SOFT_LIMIT),
        .swappiness = conf_int(conf, CONF_NM_SWAPPINESS),
        .memory_kills_container = text_equal(conf_text(conf, CONF_NM_MEMORY_KILL), "container"),
        .cpus = daemon->settings.cores,
        .cpu_percent = conf_int(conf, CONF_NM_CPU_PERCENT),
        .node_vcores = daemon->settings.total.value[RESOURCE_VCORES],
        .pids_max = conf_int(conf, CONF_NM_PIDS_MAX),
        .open_files_max = conf_int(conf, CONF_NM_OPEN_FILES),
        .results_max_mb = conf_int(conf, CONF_NM_FETCH_MAX),
        .kill_delay_ms = conf_ms(conf, CONF_NM_KILL_DELAY),
        .debug_delay_ms = conf_ms(conf, CONF_NM_DEBUG_DELAY),
        .min_user_id = conf_int(conf, CONF_NM_MIN_USER_ID),
        .allowed_users = conf_text(conf, CONF_NM_ALLOWED_USERS),
        .banned_users = conf_text(conf, CONF_NM_BANNED_USERS),
        .env_whitelist = conf_text(conf, CONF_NM_ENV_WHITELIST),
        .cache_size_mb = conf_int(conf, CONF_NM_CACHE_SIZE_MB),
        .disk_limit_mb = conf_int(conf, CONF_NM_DISK_LIMIT),
        .quota_project_first = conf_int(conf, CONF_NM_QUOTA_FIRST),
        .quota_project_count = conf_int(conf, CONF_NM_QUOTA_COUNT),
        .health = settings_health(conf),
        .aggregation = settings_aggregation(conf, &daemon->settings),
    };

    daemon->lock_fd = lock_acquire(config.state_dir, err);
    if (daemon->lock_fd < 0)
        return daemon->lock_fd;
    return runtime_new(&config, &daemon->runtime, err);
}

static bool send_request(void *context, Creel__Envelope *request)
{
    return rm_link_send(context, request);
}

static void on_fetched(void *context, const uint8_t hash[32], int code, const char *why)
{
    struct daemon *daemon = context;

    node_health_note_failure(daemon, code);
    agent_on_fetched(daemon->agent, daemon_now(), hash, code, why, &daemon->effects);
}

/* Reads the history stored by an earlier agent. Without one, the RM's history is not compared, and the state
 * directory counts as new. */
static void read_history(const struct daemon *daemon, char **data, struct agent_config *config)
{
    scoped_fd int fd = open(conf_text(daemon->conf, CONF_NM_STATE_DIR), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0 && record_read(fd, "history", data, &config->history_size, NULL) == 0)
        config->history = *data;
    config->new_state = config->history == NULL;
}

static void make_agent(struct daemon *daemon)
{
    const char *directory = conf_loaded_from(daemon->conf);
    const char *state_directory = conf_text(daemon->conf, CONF_NM_STATE_DIR);
    char text[ENDPOINT_TEXT_MAX];
    scoped_free char *history = NULL;
    struct agent_config config = {
        .rack = conf_text(daemon->conf, CONF_NM_RACK),
        .label = conf_text(daemon->conf, CONF_NM_LABEL),
        .agent_key = daemon->own_key.public_text,
        .version = PACKAGE_VERSION,
        .protocol = WIRE_PROTOCOL_RANGE,
        .cgroup_mode = runtime_cgroup_mode(daemon->runtime),
        .kill_delay_ms = conf_ms(daemon->conf, CONF_NM_KILL_DELAY),
        .total = daemon->settings.total,
        .others = daemon->settings.others,
        .conf_dir = directory,
        .cluster = conf_text(daemon->conf, CONF_CLUSTER_ID),
        .rm_client_address = daemon->settings.rm_client_address,
        .rm_am_address = daemon->settings.rm_am_address,
        .rm_key = daemon->rm_key.public_text,
        .moves_logs = daemon->settings.log_storage.dir != NULL,
    };

    daemon->node_id =
        mem_strdup(endpoint_format(daemon->settings.host, channel_server_port(daemon->server), text));
    config.node_id = config.address = daemon->node_id;
    config.http_address = web_service_address(daemon->web);
    config.warning = daemon->settings.oversized;
    config.incarnation = lock_next_incarnation(state_directory, loop_now_ms());
    read_history(daemon, &history, &config);
    randombytes_buf(&config.seed, sizeof(config.seed));
    daemon->agent = agent_new(&config);
    run_record_begin(&daemon->run_record, state_directory, loop_now_ms());
    agent_crashes_are(daemon->agent, (uint32_t)run_record_recent(&daemon->run_record, loop_now_ms()));
    tasks_note_log_level(daemon);
    daemon->fetcher =
        fetcher_new(daemon->loop, daemon->runtime, FETCH_REQUESTS, send_request, on_fetched, daemon);
    daemon->log_waits = log_waits_new();
    daemon->exec_places = shares_new(EXEC_SESSIONS_MAX, EXEC_SESSIONS_OF_USER_MAX);
    daemon->exec = exec_service_new(daemon);
}

/* --- containers of an earlier agent ----------------------------------------------- */

static void on_finished_app(void *context, const char *app_id)
{
    agent_recall(((struct daemon *)context)->agent, app_id);
}

static void on_found(void *context, const struct runtime_found *found)
{
    static const enum agent_found_state states[] = {
        [FOUND_SAVED] = AGENT_FOUND_SAVED,
        [FOUND_RUNNING] = AGENT_FOUND_RUNNING,
        [FOUND_ENDED] = AGENT_FOUND_ENDED,
        [FOUND_ACKED] = AGENT_FOUND_ACKED,
    };
    struct daemon *daemon = context;

    agent_found(daemon->agent, daemon_now(), found->container_id, states[found->state], found->record,
                found->record_size, found->started_ms, &daemon->effects);
}

static int recover(struct daemon *daemon, struct err *err)
{
    int r = finished_apps_open(conf_text(daemon->conf, CONF_NM_STATE_DIR), on_finished_app, daemon,
                               &daemon->finished, err);

    return r < 0 ? r : runtime_recover(daemon->runtime, on_found, daemon, err);
}

/* --- start and end ------------------------------------------------------------------ */

static void before_sleep(void *context)
{
    apply_effects(context);
}

int daemon_start(const struct conf *conf, bool verbose, struct daemon **ret, struct err *err)
{
    struct daemon *daemon = mem_new0(struct daemon);
    int r;

    *ret = daemon;
    daemon->conf = conf;
    daemon->verbose = verbose;
    daemon->started_ms = loop_now_ms();
    daemon->lock_fd = -1;
    daemon->deadline_ms = INT64_MAX;
    daemon->contact_ms = INT64_MIN;
    daemon->heartbeat_rtt_us = -1;
    agent_effects_init(&daemon->effects);
    STAILQ_INIT(&daemon->launched);
    STAILQ_INIT(&daemon->deferred);
    /* The loop is created before any socket. The state directory is locked before the port is opened, so that
     * a second agent fails because of the lock and not because of the port. */
    loop_socket_limit(SOCKETS_MAX);
    if ((r = settings_read(conf, &daemon->settings, err)) < 0 || (r = loop_new(&daemon->loop, err)) < 0 ||
        (r = open_keys(daemon, err)) < 0 || (r = open_runtime(daemon, err)) < 0 ||
        (r = am_service_open(daemon, err)) < 0 || (r = rm_link_open(daemon, err)) < 0)
        return r;
    daemon->web = web_service_new(daemon);
    make_agent(daemon);
    if ((r = recover(daemon, err)) < 0 || (r = tasks_start(daemon, err)) < 0)
        return r;
    loop_before_sleep(daemon->loop, before_sleep, daemon);
    return 0;
}

int daemon_run(struct daemon *daemon)
{
    struct agent_summary summary = agent_summarise(daemon->agent);
    char total[RESOURCE_TEXT_MAX];

    log_line(LOG_LEVEL_INFO, "node %s: offers %s, cgroup %s, %zu containers from before", daemon->node_id,
             resource_format(&daemon->settings.total, total), runtime_cgroup_mode(daemon->runtime),
             summary.live + summary.ended);
    if (daemon->settings.oversized[0] != '\0')
        log_line(LOG_LEVEL_WARN, "node %s: %s", daemon->node_id, daemon->settings.oversized);
    if (daemon->settings.log_warning[0] != '\0')
        log_line(LOG_LEVEL_WARN, "node %s: %s", daemon->node_id, daemon->settings.log_warning);
    for (size_t i = 0; i < daemon->settings.others.count; i++) {
        const struct resource_offer *other = &daemon->settings.others.offer[i];

        log_line(LOG_LEVEL_INFO, "node %s: offers %lld%s of %s", daemon->node_id, (long long)other->amount,
                 other->unit, other->name);
    }
    agent_start(daemon->agent, daemon_now(), &daemon->effects);
    daemon->started = true;
    apply_effects(daemon);
    tasks_send_status(daemon);
    log_notify("READY=1");
    loop_run(daemon->loop);
    return daemon->refused ? -EPERM : 0;
}

bool daemon_free(struct daemon *daemon)
{
    bool ended;

    if (daemon == NULL)
        return true;
    fetcher_free(daemon->fetcher);
    log_waits_free(daemon->log_waits);
    exec_service_free(daemon->exec);
    shares_free(daemon->exec_places);
    web_service_free(daemon->web);
    channel_server_free(daemon->server);
    channel_client_free(daemon->rm);
    gateway_pool_free(daemon->gateways);
    peer_keys_free(daemon->peer_keys);
    keys_free(daemon->keys);
    agent_free(daemon->agent);
    agent_effects_done(&daemon->effects);
    launch_forget_results(daemon);
    deferred_clear(&daemon->deferred);
    finished_apps_close(daemon->finished);
    if (daemon->watching_runtime)
        loop_remove_fd(daemon->loop, runtime_fd(daemon->runtime));
    ended = runtime_free(daemon->runtime);
    ended = own_key_free(daemon->own_key_files) && ended;
    if (ended) /* else a thread waits for a file system: the state directory may not answer, either */
        run_record_end(&daemon->run_record, conf_text(daemon->conf, CONF_NM_STATE_DIR));
    loop_free(daemon->loop);
    mem_close_fd(&daemon->lock_fd);
    settings_done(&daemon->settings);
    sodium_memzero(&daemon->own_key, sizeof(daemon->own_key));
    sodium_memzero(&daemon->ring, sizeof(daemon->ring));
    free(daemon->status_sent);
    free(daemon->node_id);
    free(daemon);
    return ended;
}
