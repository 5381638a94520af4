/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.c - creates and removes the cgroups of containers */
#include "nm-agent/linux/cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text_builder.h"
#include "nm-agent/linux/cgroup/cgroup_internal.h"
#include "nm-agent/linux/parts/lock.h"

/* --- creating the instance's groups ---------------------------------------- */

static int refuse(const struct detect_controller *where, const char *path, int code, struct err *err)
{
    const char *advice = "run creel-nm as root, or have an administrator delegate this group";

    if (code == EROFS || where->read_only)
        return err_set_errno(err, code,
                             "cannot make cgroup %s: %s is mounted read-only; "
                             "mount -o remount,rw,bind %s",
                             path, where->mount, where->mount);
    if (code == EBUSY)
        advice = "a cgroup v2 group with processes cannot pass controllers on; choose another "
                 "yarn.nodemanager.linux-container-executor.cgroups.hierarchy";
    else if (code == ENOENT || code == EINVAL)
        advice = "the controller is not handed down to here; enable it in the groups above";
    return err_set_errno(err, code, "cannot make cgroup %s (%s)", path, advice);
}

/* v2: enables the controller for the child groups of DIRECTORY. Reads before it writes, since in a group
 * above a delegation the write would be refused. */
static int enable_below(const char *directory, const char *controller)
{
    scoped_free char *path = mem_printf("%s/cgroup.subtree_control", directory);
    scoped_free char *wish = mem_printf("+%s", controller);
    FILE *stream = fopen(path, "re");
    bool enabled = false;
    char word[64];

    if (stream == NULL)
        return -errno;
    while (!enabled && fscanf(stream, "%63s", word) == 1)
        enabled = strcmp(word, controller) == 0;
    fclose(stream);
    return enabled ? 0 : leaf_write(directory, "cgroup.subtree_control", wish);
}

/* Creates each group on the path from the mount to the instance's group. v2 only, without the
 * backend: libcgroup would write above a delegation, where writes are refused. */
static int make_unified(const struct detect_controller *where, const char *controller, const char *relative,
                        struct err *err)
{
    scoped_text_builder struct text_builder path = TEXT_BUILDER_MALLOC;
    scoped_free char *rest = mem_strdup(relative);
    char *save = NULL;
    int result;

    text_builder_add(&path, where->mount);
    result = enable_below(path.text, controller);
    for (char *name = strtok_r(rest, "/", &save); result == 0 && name; name = strtok_r(NULL, "/", &save)) {
        text_builder_printf(&path, "/%s", name);
        if (mkdir(path.text, 0755) != 0 && errno != EEXIST)
            result = -errno;
        else
            result = enable_below(path.text, controller);
    }
    return result == 0 ? 0 : refuse(where, path.text, -result, err);
}

/* Locks the group, which shows other agents that it is in use (orphans.c). Only root may open the directory,
 * because otherwise any user could take the lock and prevent the agent from starting; containers access their
 * own groups by path. */
static int claim(const struct cgroups *cgroups, enum leaf_controller i, struct err *err)
{
    const char *base = cgroups->base[i];

    if (fchmod(cgroups->fd[i], 0711) != 0)
        return err_set_errno(err, errno, "cannot close %s to others", base);
    if (lock_patiently(cgroups->fd[i]) != 0)
        return err_set(err, EBUSY,
                       "control group %s is in use by another agent: end that one, or give "
                       "this one a state directory of its own",
                       base);
    return 0;
}

/* Creates the instance's group on v1. */
static int make_legacy(const struct cgroups *cgroups, enum leaf_controller i, struct err *err)
{
    const struct detect_controller *where = &cgroups->detect.controller[i];
    int result = cgroups->backend->make(where->mount, leaf_controller_name(i), cgroups->relative[i]);

    return result == 0 ? 0 : refuse(where, cgroups->base[i], -result, err);
}

static int make_base(struct cgroups *cgroups, enum leaf_controller i, struct err *err)
{
    const struct detect_controller *where = &cgroups->detect.controller[i];
    const char *name = leaf_controller_name(i);
    int result = where->version == 2 ? make_unified(where, name, cgroups->relative[i], err)
                                     : make_legacy(cgroups, i, err);

    if (result != 0)
        return result;
    mem_close_fd(&cgroups->fd[i]);
    cgroups->fd[i] = open(cgroups->base[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cgroups->fd[i] < 0)
        return refuse(where, cgroups->base[i], errno, err);
    return cgroups->shared[i] ? 0 : claim(cgroups, i, err);
}

static int check_writable(const struct detect_controller *where, const char *base, struct err *err)
{
    scoped_free char *path = mem_printf("%s/cgroup.procs", base);

    return access(path, W_OK) == 0 ? 0 : refuse(where, path, errno, err);
}

static bool is_clean_path(const char *path)
{
    return path[0] == '/' && strstr(path, "/../") == NULL && strstr(path, "//") == NULL &&
           (strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0);
}

static int open_controller(struct cgroups *cgroups, enum leaf_controller i, const char *root,
                           const char *instance, struct err *err)
{
    const struct detect_controller *where = &cgroups->detect.controller[i];
    const char *own = where->own[0] == '/' ? where->own + 1 : where->own;
    int result;

    if (where->version == 0)
        return 0;
    cgroups->relative[i] =
        mem_printf("%s%s%s%s%s", own, own[0] ? "/" : "", root + 1, root[1] ? "/" : "", instance);
    cgroups->base[i] = mem_printf("%s/%s", where->mount, cgroups->relative[i]);
    for (int j = 0; j < (int)i; j++)
        if (cgroups->base[j] && strcmp(cgroups->base[j], cgroups->base[i]) == 0)
            cgroups->shared[i] = true;
    result = make_base(cgroups, i, err);
    return result != 0 ? result : check_writable(where, cgroups->base[i], err);
}

/* If there is a keeper (keeper.h), places the tree of containers below the control group of the keeper's
 * unit. Without one, the tree stays below the group that detection found: on v1 that of the agent, on v2
 * the mount. */
static void place_below_keeper(struct cgroups *cgroups, const struct keeper *keeper)
{
    cgroups->keeper = keeper;
    for (int i = 0; i < LEAF_CONTROLLERS && keeper != NULL; i++)
        if (keeper->own[i] != NULL)
            snprintf(cgroups->detect.controller[i].own, PATH_MAX, "%s", keeper->own[i]);
}

/* Returns when the keeper that runs wrote its file; 0: none runs (keeper_check). */
static struct timespec keeper_started(const struct cgroups *cgroups)
{
    struct stat entry;

    if (cgroups->keeper == NULL || stat(cgroups->keeper->file, &entry) != 0)
        return (struct timespec){ 0 };
    return entry.st_mtim;
}

int cgroups_new(const char *root, const char *instance, const struct keeper *keeper, struct cgroups **ret,
                struct err *err)
{
    struct cgroups *cgroups;
    int result;

    if (!is_clean_path(root))
        return err_set(err, EINVAL, "cgroup hierarchy \"%s\": must be a path like /creel", root);
    cgroups = mem_new0(struct cgroups);
    cgroups->instance = mem_strdup(instance);
    cgroups->backend = cgroup_backend_usual();
    for (int i = 0; i < LEAF_CONTROLLERS; i++)
        cgroups->fd[i] = -1;
    result = detect_here(&cgroups->detect, err);
    place_below_keeper(cgroups, keeper);
    cgroups->keeper_started = keeper_started(cgroups);
    if (result == 0)
        result = cgroups->backend->open(err);
    for (int i = 0; i < LEAF_CONTROLLERS && result == 0; i++)
        result = open_controller(cgroups, (enum leaf_controller)i, root, instance, err);
    if (result != 0) {
        cgroups_free(cgroups);
        return result;
    }
    *ret = cgroups;
    return 0;
}

void cgroups_free(struct cgroups *cgroups)
{
    if (cgroups == NULL)
        return;
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        if (cgroups->base[i] != NULL && rmdir(cgroups->base[i]) == 0) {
            char *slash = strrchr(cgroups->base[i], '/');

            *slash = '\0';
            if (strlen(cgroups->base[i]) >
                strlen(cgroups->detect.controller[i].mount) + strlen(cgroups->detect.controller[i].own))
                rmdir(cgroups->base[i]);
        }
        mem_close_fd(&cgroups->fd[i]);
        free(cgroups->base[i]);
        free(cgroups->relative[i]);
    }
    free(cgroups->instance);
    free(cgroups);
}

const char *cgroups_mode(const struct cgroups *cgroups)
{
    return detect_mode(&cgroups->detect);
}

/* --- a container's groups -------------------------------------------------- */

struct leaf cgroups_leaf(const struct cgroups *cgroups, const char *id)
{
    return cgroups_leaf_of(cgroups, cgroups->instance, id);
}

struct leaf cgroups_own(const struct cgroups *cgroups)
{
    struct leaf own = { .directory = { NULL } };

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        own.directory[i] = cgroups->base[i];
        own.version[i] = cgroups->detect.controller[i].version;
    }
    return own;
}

void leaf_clear(struct leaf *leaf)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        union {
            const char *text;
            void *memory;
        } owned = { .text = leaf->directory[i] };

        free(owned.memory);
        leaf->directory[i] = NULL;
    }
}

/* Writes a setting below the directory FD. While a signal is pending, even one that will be ignored, the
 * kernel refuses to change a memory limit (EINTR): the write is repeated. */
static int write_at(int fd, const char *id, const struct leaf_setting *setting)
{
    char path[256];
    int file, result = -EINTR;

    if (snprintf(path, sizeof(path), "%s/%s", id, setting->file) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    file = openat(fd, path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    for (int tries = 0; result == -EINTR && tries < LEAF_INTERRUPTS_MAX; tries++)
        result = write(file, setting->value, strlen(setting->value)) < 0 ? -errno : 0;
    close(file);
    return result;
}

static int write_settings(const struct cgroups *cgroups, enum leaf_controller i, const char *id,
                          const struct leaf_limits *limits, struct err *err)
{
    const struct leaf_backend *backend = leaf_backend_of(cgroups->detect.controller[i].version);
    struct leaf_setting settings[LEAF_SETTINGS_MAX];
    size_t count = leaf_settings(backend, i, limits, settings);

    for (size_t s = 0; s < count; s++) {
        int result = write_at(cgroups->fd[i], id, &settings[s]);

        if (result == 0 || (settings[s].optional && (result == -ENOENT || result == -EOPNOTSUPP)))
            continue;
        return err_set_errno(err, -result, "cannot write \"%s\" to %s/%s/%s", settings[s].value,
                             cgroups->base[i], id, settings[s].file);
    }
    return 0;
}

/* Sets the memory limits. v1 has a limit of memory plus swap, which must never be below that of memory: the
 * first setting is that of memory, which has to be lowered first, but raised last. */
static int resize_memory(const struct cgroups *cgroups, const char *id, const struct leaf_limits *limits,
                         struct err *err)
{
    const struct leaf_backend *backend = leaf_backend_of(cgroups->detect.controller[LEAF_MEMORY].version);
    struct leaf_setting settings[LEAF_SETTINGS_MAX];
    size_t count = leaf_settings(backend, LEAF_MEMORY, limits, settings);

    for (size_t s = count; s-- > 1;) /* errors: the memory is to be lowered first */
        (void)write_at(cgroups->fd[LEAF_MEMORY], id, &settings[s]);
    return write_settings(cgroups, LEAF_MEMORY, id, limits, err);
}

static int resize_cpu(const struct cgroups *cgroups, const char *id, const struct leaf_limits *limits,
                      struct err *err)
{
    const struct leaf_backend *backend = leaf_backend_of(cgroups->detect.controller[LEAF_CPU].version);

    /* First remove the quota: the old one may not fit the new period, and there may be no new one. */
    (void)write_at(cgroups->fd[LEAF_CPU], id, &backend->cpu_unlimited);
    return write_settings(cgroups, LEAF_CPU, id, limits, err);
}

int cgroups_resize(struct cgroups *cgroups, const char *id, const struct leaf_limits *limits, struct err *err)
{
    int result = 0;

    if (cgroups->base[LEAF_MEMORY] != NULL)
        result = resize_memory(cgroups, id, limits, err);
    if (result == 0 && cgroups->base[LEAF_CPU] != NULL)
        result = resize_cpu(cgroups, id, limits, err);
    return result;
}

/* Sets one value of the CPU controller of the instance's group. */
static int modify(const struct cgroups *cgroups, const char *file, const char *value)
{
    return cgroups->backend->set(cgroups->base[LEAF_CPU], leaf_controller_name(LEAF_CPU),
                                 cgroups->relative[LEAF_CPU], file, value);
}

int cgroups_limit_cpu(struct cgroups *cgroups, int64_t quota_us, int64_t period_us, struct err *err)
{
    const char *directory = cgroups->base[LEAF_CPU];
    char value[64] = "max", period[32];
    bool v2 = cgroups->detect.controller[LEAF_CPU].version == 2;
    int result;

    if (v2) {
        if (quota_us >= 0)
            snprintf(value, sizeof(value), "%" PRId64 " %" PRId64, quota_us, period_us);
        result = modify(cgroups, "cpu.max", value);
    } else {
        /* First remove the quota: the old one may not fit the new period. */
        snprintf(period, sizeof(period), "%" PRId64, period_us);
        snprintf(value, sizeof(value), "%" PRId64, quota_us);
        result = modify(cgroups, "cpu.cfs_quota_us", "-1");
        if (result == 0 && quota_us >= 0) {
            result = modify(cgroups, "cpu.cfs_period_us", period);
            if (result == 0)
                result = modify(cgroups, "cpu.cfs_quota_us", value);
        }
    }
    /* A kernel without bandwidth control has no quota to remove. */
    if (result == 0 || (result == -ENOENT && quota_us < 0)) {
        cgroups->cpu_quota_us = quota_us;
        cgroups->cpu_period_us = period_us;
        return 0;
    }
    return err_set_errno(err, -result,
                         "cannot limit the CPUs of all containers in %s (quota %s; "
                         "yarn.nodemanager.resource.percentage-physical-cpu-limit)",
                         directory, value);
}

/* If the keeper was restarted, creates groups, enables controllers and limits the CPUs again: its predecessor
 * has disabled the controllers, also in groups that remained because a process could not be killed. */
static int make_again(struct cgroups *cgroups, struct err *err)
{
    struct timespec started = keeper_started(cgroups), known = cgroups->keeper_started;
    int result = cgroups->keeper != NULL ? keeper_check(cgroups->keeper, err) : 0;
    bool gone = started.tv_sec != known.tv_sec || started.tv_nsec != known.tv_nsec;

    if (cgroups->keeper == NULL || result != 0)
        return result;
    for (int i = 0; i < LEAF_CONTROLLERS; i++)
        gone = gone || (cgroups->base[i] != NULL && access(cgroups->base[i], F_OK) != 0);
    /* All controllers: on v2 they share one directory, in which each must be enabled. */
    for (int i = 0; i < LEAF_CONTROLLERS && result == 0 && gone; i++)
        if (cgroups->base[i] != NULL)
            result = make_base(cgroups, (enum leaf_controller)i, err);
    if (result == 0 && gone && cgroups->cpu_period_us > 0)
        result = cgroups_limit_cpu(cgroups, cgroups->cpu_quota_us, cgroups->cpu_period_us, err);
    if (result == 0)
        cgroups->keeper_started = started;
    return result;
}

bool cgroups_counts_swap(const struct cgroups *cgroups)
{
    bool v2 = cgroups->detect.controller[LEAF_MEMORY].version == 2;
    scoped_free char *path = NULL;

    if (v2) /* the instance's own group has the file if its child groups do */
        path = mem_printf("%s/memory.swap.max", cgroups->base[LEAF_MEMORY]);
    else
        path = mem_printf("%s/memory.memsw.limit_in_bytes", cgroups->base[LEAF_MEMORY]);
    return access(path, F_OK) == 0;
}

int cgroups_create(struct cgroups *cgroups, const char *id, const struct leaf_limits *limits, struct err *err)
{
    int result = make_again(cgroups, err);

    for (int i = 0; i < LEAF_CONTROLLERS && result == 0; i++) {
        if (cgroups->base[i] == NULL)
            continue;
        if (!cgroups->shared[i] && mkdirat(cgroups->fd[i], id, 0755) != 0 && errno != EEXIST)
            result = err_set_errno(err, errno, "cannot make cgroup %s/%s", cgroups->base[i], id);
        if (result == 0)
            result = write_settings(cgroups, (enum leaf_controller)i, id, limits, err);
    }
    if (result != 0) {
        struct leaf leaf = cgroups_leaf(cgroups, id);

        leaf_remove(&leaf);
        leaf_clear(&leaf);
    }
    return result;
}
