/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.c - creates and frees the runtime, and runs its event loop */
#include "nm-agent/linux/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/mem.h"
#include "nm-agent/linux/disks/delayed_delete.h"
#include "nm-agent/linux/disks/directories.h"
#include "nm-agent/linux/disks/orphan_dirs.h"
#include "nm-agent/linux/disks/removal.h"
#include "nm-agent/linux/disks/workdir_pool.h"
#include "nm-agent/linux/logs/aggregation.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/runtime_state.h"
#include "nm-agent/linux/state/disk_io.h"
#include "nm-agent/linux/state/retention.h"

#define TICK_MS 20 /* time limit for due containers in one turn */

/* --- opening --------------------------------------------------------------- */

static int open_state(struct runtime *runtime, struct err *err)
{
    static const char *const below[] = { "containers", "cache", "retain" };
    int result = directory_make_safe(runtime->state_dir, "creel.nodemanager.state-dir", err);

    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]) && result == 0; i++) {
        scoped_free char *path = mem_printf("%s/%s", runtime->state_dir, below[i]);

        result = tree_make(path, 0700, err);
        /* The directory has secrets: restore its mode, which may have been changed. */
        if (result == 0 && chmod(path, 0700) != 0)
            result = err_set_errno(err, errno, "cannot close %s to others", path);
        if (result == 0 && i == 0)
            tree_spread(path);
    }
    if (result == 0)
        result = directory_lock(runtime, runtime->state_dir, err);
    if (result != 0)
        return result;
    runtime->containers_fd = openat(runtime->locks[0], "containers", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    runtime->retain_fd = openat(runtime->locks[0], "retain", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    runtime->contact_fd = file_open(runtime->locks[0], "contact", O_RDWR | O_CREAT, 0600, err);
    if (runtime->contact_fd < 0) {
        err_prefix(err, "%s", runtime->state_dir);
        return runtime->contact_fd;
    }
    if (runtime->containers_fd < 0 || runtime->retain_fd < 0)
        return err_set_errno(err, errno, "cannot open directories in %s", runtime->state_dir);
    return 0;
}

static int open_directories(struct runtime *runtime, const struct runtime_config *config, struct err *err)
{
    int result = 0;

    runtime->local_dirs = paths_split(config->local_dirs);
    runtime->log_dirs = paths_split(config->log_dirs);
    if (runtime->local_dirs == NULL)
        return err_set(err, EINVAL,
                       "yarn.nodemanager.local-dirs \"%s\": must be absolute paths, "
                       "comma-separated, at least one",
                       config->local_dirs);
    if (runtime->log_dirs == NULL)
        return err_set(err, EINVAL,
                       "yarn.nodemanager.log-dirs \"%s\": must be absolute paths, "
                       "comma-separated, at least one",
                       config->log_dirs);
    health_init(&runtime->health, &config->health, runtime->state_dir, runtime->local_dirs,
                runtime->log_dirs);
    result = directory_open_disks(runtime, &runtime->health.local, err);
    return result == 0 ? directory_open_disks(runtime, &runtime->health.logs, err) : result;
}

/* Returns the agent's own name below the cgroup root, generated once for each state directory. */
static int find_instance(struct runtime *runtime, char **name, struct err *err)
{
    unsigned long long number;

    if (record_read(runtime->locks[0], "instance", name, NULL, NULL) == 0) {
        (*name)[strcspn(*name, "\n")] = '\0';
        if (paths_is_name(*name))
            return 0;
        free(*name);
    }
    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return err_set_errno(err, errno, "cannot get random bytes");
    *name = mem_printf(CGROUPS_INSTANCE_PREFIX "%016llx", number);
    return record_write(runtime->locks[0], "instance", *name, strlen(*name), err);
}

static int find_shim(struct runtime *runtime, const char *configured, struct err *err)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    if (configured != NULL) {
        runtime->shim_path = mem_strdup(configured);
    } else {
        self[length > 0 ? length : 0] = '\0';
        slash = strrchr(self, '/');
        if (slash != NULL)
            *slash = '\0';
        runtime->shim_path = mem_printf("%s/creel-shim", self);
        if (access(runtime->shim_path, X_OK) != 0) {
            free(runtime->shim_path);
            runtime->shim_path = mem_strdup(PKGLIBEXECDIR "/creel-shim");
        }
    }
    if (access(runtime->shim_path, X_OK) != 0)
        return err_set_errno(err, errno,
                             "cannot run %s, which starts containers; reinstall "
                             "creel, or run make if this is a build folder",
                             runtime->shim_path);
    return 0;
}

static int open_loop(struct runtime *runtime, struct err *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };

    runtime->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    runtime->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (runtime->epoll_fd < 0 || runtime->timer_fd < 0 ||
        epoll_ctl(runtime->epoll_fd, EPOLL_CTL_ADD, runtime->timer_fd, &event) != 0)
        return err_set_errno(err, errno, "cannot make an epoll descriptor");
    return 0;
}

static void copy_config(struct runtime *runtime, const struct runtime_config *config)
{
    runtime->state_dir = mem_strdup(config->state_dir);
    runtime->creel_dir = config->creel_dir ? mem_strdup(config->creel_dir) : NULL;
    runtime->env_whitelist = mem_strdup(config->env_whitelist ? config->env_whitelist : "");
    runtime->allowed_users = mem_strdup(config->allowed_users ? config->allowed_users : "");
    runtime->banned_users = mem_strdup(config->banned_users ? config->banned_users : "");
    runtime->users.min_user_id = config->min_user_id;
    runtime->users.allowed = runtime->allowed_users;
    runtime->users.banned = runtime->banned_users;
    runtime->kill_delay_ms = config->kill_delay_ms;
    runtime->open_files_max = config->open_files_max;
    runtime->results_max_bytes = config->results_max_mb << 20;
    runtime->debug_delay_ms = config->debug_delay_ms;
    runtime->quota.max_bytes = (uint64_t)config->disk_limit_mb << 20;
    runtime->quota.first = (uint32_t)config->quota_project_first;
    if (config->disk_limit_mb > 0 && config->quota_project_first > 0)
        runtime->quota.count = (uint32_t)config->quota_project_count;
    runtime->delayed_next_ms = 1; /* check at once: an earlier agent may have left some */
    runtime->limits.strict_cpu = config->strict_cpu;
    runtime->limits.memory_unlimited = config->memory_unlimited;
    runtime->limits.soft_percent = config->soft_limit_percent;
    runtime->limits.swappiness = config->swappiness;
    runtime->limits.memory_kills_container = config->memory_kills_container;
    runtime->limits.cpu_percent = config->cpu_percent > 0 ? config->cpu_percent : 100;
    runtime->limits.vcores = config->node_vcores;
    runtime->limits.cpus = config->cpus > 0 ? config->cpus : sysconf(_SC_NPROCESSORS_ONLN);
    runtime->limits.pids_max = config->pids_max > 0 ? config->pids_max : 32768;
}

static int limit_all(struct runtime *runtime, struct err *err)
{
    struct limits_quota quota = limits_of_tree(&runtime->limits);

    return cgroups_limit_cpu(runtime->cgroups, quota.quota_us, quota.period_us, err);
}

int runtime_new(const struct runtime_config *config, struct runtime **ret, struct err *err)
{
    struct runtime *runtime = mem_new0(struct runtime);
    scoped_free char *instance = NULL;
    int result;

    runtime->containers_fd = runtime->retain_fd = runtime->contact_fd = -1;
    runtime->epoll_fd = runtime->timer_fd = -1;
    runtime->health.script_fd = -1;
    shim_pool_init(&runtime->shim_pool, NULL, NULL);
    STAILQ_INIT(&runtime->events);
    RB_INIT(&runtime->retentions_due);
    RB_INIT(&runtime->retentions_pending);
    RB_INIT(&runtime->due);
    TAILQ_INIT(&runtime->removals);
    copy_config(runtime, config);
    result = open_state(runtime, err);
    if (result == 0)
        result = open_directories(runtime, config, err);
    if (result == 0)
        result = find_shim(runtime, config->shim_path, err);
    if (result == 0)
        result = find_instance(runtime, &instance, err);
    if (result == 0)
        result = open_loop(runtime, err);
    if (result == 0)
        result = cache_new(runtime->state_dir, config->cache_size_mb, &runtime->cache, err);
    if (result == 0 && config->keeper_file != NULL)
        result = keeper_read(config->keeper_file, &runtime->keeper, err);
    if (result == 0)
        result = cgroups_new(config->cgroup_root, instance,
                             config->keeper_file != NULL ? &runtime->keeper : NULL, &runtime->cgroups, err);
    if (result == 0)
        shim_pool_init(&runtime->shim_pool, runtime->shim_path, runtime->keeper.homes);
    if (result == 0)
        result = limit_all(runtime, err);
    if (result == 0)
        result = retention_load(runtime, err);
    if (result != 0) {
        runtime_free(runtime);
        return result;
    }
    aggregation_init(runtime, &config->aggregation);
    *ret = runtime;
    return 0;
}

/* --- closing --------------------------------------------------------------- */

static void free_queues(struct runtime *runtime)
{
    struct event_item *item;

    while ((item = STAILQ_FIRST(&runtime->events)) != NULL) {
        STAILQ_REMOVE_HEAD(&runtime->events, link);
        free(item);
    }
}

bool runtime_free(struct runtime *runtime)
{
    struct container *container, *next;
    bool ended;

    if (runtime == NULL)
        return true;
    HASH_ITER(hh, runtime->containers, container, next)
        container_forget(runtime, container);
    disks_stop_measuring(runtime, NULL);
    shim_pool_close(&runtime->shim_pool);
    free_queues(runtime);
    aggregation_end(runtime);
    retention_free(runtime);
    ended = health_clear(&runtime->health);
    removal_forget_all(runtime);
    orphan_dirs_forget(runtime);
    cache_free(runtime->cache);
    cgroups_free(runtime->cgroups);
    keeper_clear(&runtime->keeper);
    users_forget(&runtime->users_known);
    workdir_pool_free(runtime);
    mem_close_fd(&runtime->containers_fd);
    mem_close_fd(&runtime->retain_fd);
    mem_close_fd(&runtime->contact_fd);
    mem_close_fd(&runtime->epoll_fd);
    mem_close_fd(&runtime->timer_fd);
    for (size_t i = 0; i < runtime->lock_count; i++)
        close(runtime->locks[i]);
    free(runtime->locks);
    paths_free_list(runtime->local_dirs);
    paths_free_list(runtime->log_dirs);
    free(runtime->state_dir);
    free(runtime->shim_path);
    free(runtime->creel_dir);
    free(runtime->env_whitelist);
    free(runtime->allowed_users);
    free(runtime->banned_users);
    free(runtime);
    return ended;
}

/* --- the loop -------------------------------------------------------------- */

bool runtime_counts_swap(const struct runtime *runtime)
{
    return cgroups_counts_swap(runtime->cgroups);
}

void runtime_contact(struct runtime *runtime, int64_t monotonic_ms)
{
    /* If the disk is full, the file has its eight bytes already; on an error, or if the directory does not
     * answer, the containers end a little early. */
    if (!disk_answers(&runtime->health.state) ||
        pwrite(runtime->contact_fd, &monotonic_ms, sizeof(monotonic_ms), 0) < 0)
        return;
}

const char *runtime_cgroup_mode(const struct runtime *runtime)
{
    return cgroups_mode(runtime->cgroups);
}

int runtime_fd(const struct runtime *runtime)
{
    return runtime->epoll_fd;
}

static void tick(struct runtime *runtime)
{
    int64_t now_ms = monotonic_ms(), until_ms = now_ms + TICK_MS;
    struct container *container;

    while ((container = container_first_due(runtime)) != NULL && container->due_ms <= now_ms &&
           monotonic_ms() < until_ms)
        container_tick(runtime, container, now_ms);
    retention_expire(runtime, process_now_ms());
    delayed_delete_expire(runtime, process_now_ms());
    orphan_dirs_go_on(runtime, now_ms);
    removal_go_on(runtime, now_ms);
    aggregation_go_on(runtime, now_ms);
}

/* Handles one event of epoll. Only one is read at a time, because handling an event may delete the container
 * of the next one. */
static bool handle_epoll(struct runtime *runtime)
{
    struct epoll_event event;
    struct container *container;
    uint64_t count;

    if (epoll_wait(runtime->epoll_fd, &event, 1, 0) != 1)
        return false;
    container = event.data.ptr;
    if (container == NULL) {
        if (read(runtime->timer_fd, &count, sizeof(count)) > 0) {
            runtime->armed_ms = 0;
            tick(runtime);
        }
        return true;
    }
    /* The shim writes its reports to the pipe before it ends, and closes the pipe then. */
    if (container->report_fd >= 0)
        container_reported(runtime, container);
    else
        container_shim_gone(runtime, container);
    return true;
}

bool runtime_poll(struct runtime *runtime, struct runtime_event *event)
{
    struct event_item *item = STAILQ_FIRST(&runtime->events);

    if (item == NULL) {
        while (STAILQ_EMPTY(&runtime->events) && handle_epoll(runtime))
            ;
        item = STAILQ_FIRST(&runtime->events);
    }
    if (item != NULL) {
        *event = item->event;
        STAILQ_REMOVE_HEAD(&runtime->events, link);
        free(item);
    }
    runtime_arm(runtime);
    return item != NULL;
}

bool runtime_cache_has(const struct runtime *runtime, const char *hash_hex)
{
    return cache_has(runtime->cache, hash_hex);
}

int runtime_cache_write(struct runtime *runtime, const char *hash_hex, uint64_t total, uint64_t offset,
                        const void *data, size_t size, struct err *err)
{
    return cache_write(runtime->cache, hash_hex, total, offset, data, size, err);
}

void runtime_find_ended_commands(struct runtime *runtime)
{
    struct container *container, *next;

    HASH_ITER(hh, runtime->containers, container, next)
        container_find_command_end(runtime, container);
    runtime_arm(runtime); /* there may be a new event */
}
