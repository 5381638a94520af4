/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.c - making and removing the cgroups of containers */
#include "nm-agent/linux/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libcgroup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/trim.h"

struct cgroups {
    struct detect detect;
    const struct keeper *keeper;        /* NULL: none, or not used here */
    char *relative[LEAF_CONTROLLERS];   /* of the instance's group, below the mount, no slash first */
    char *base[LEAF_CONTROLLERS];       /* the same, absolute; NULL: not there, or as another's */
    bool shared[LEAF_CONTROLLERS];      /* same directory as an earlier controller */
};

/* --- making the instance's groups ------------------------------------------ */

static int refuse(const struct detect_controller *where, const char *path, int code,
                  struct err *err)
{
    const char *advice = "run creel-nm as root, or have an administrator delegate this group";

    if (code == EROFS || where->read_only)
        return err_set_errno(err, code, "cannot make cgroup %s: %s is mounted read-only; "
                             "mount -o remount,rw,bind %s", path, where->mount, where->mount);
    if (code == EBUSY)
        advice = "a cgroup v2 group with processes cannot pass controllers on; choose another "
                 "yarn.nodemanager.linux-container-executor.cgroups.hierarchy";
    else if (code == ENOENT || code == EINVAL)
        advice = "the controller is not handed down to here; enable it in the groups above";
    return err_set_errno(err, code, "cannot make cgroup %s (%s)", path, advice);
}

/* v2: let the groups below DIRECTORY have the controller; test before writing, since above a
 * delegation the write would be refused. */
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

/* Make each group on the way from the mount to the instance's. */
static int make_base(const struct detect_controller *where, const char *controller,
                     const char *relative, struct err *err)
{
    scoped_free char *path = mem_printf("%s/", where->mount);
    scoped_free char *rest = mem_strdup(relative);
    char *save = NULL;
    int result;

    for (char *name = strtok_r(rest, "/", &save); name; name = strtok_r(NULL, "/", &save)) {
        char *below = mem_printf("%s%s/", path, name);

        path[strlen(path) - 1] = '\0';
        result = where->version == 2 ? enable_below(path, controller) : 0;
        if (result == 0 && mkdir(below, 0755) != 0 && errno != EEXIST)
            result = -errno;
        if (result != 0) {
            refuse(where, where->version == 2 ? path : below, -result, err);
            free(below);
            return result;
        }
        free(path);
        path = below;
    }
    path[strlen(path) - 1] = '\0';
    result = where->version == 2 ? enable_below(path, controller) : 0;
    return result == 0 ? 0 : refuse(where, path, -result, err);
}

static int check_writable(const struct detect_controller *where, const char *base,
                          struct err *err)
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
    cgroups->relative[i] = mem_printf("%s%s%s%s%s", own, own[0] ? "/" : "", root + 1,
                                      root[1] ? "/" : "", instance);
    cgroups->base[i] = mem_printf("%s/%s", where->mount, cgroups->relative[i]);
    for (int j = 0; j < (int)i; j++)
        if (cgroups->base[j] && strcmp(cgroups->base[j], cgroups->base[i]) == 0)
            cgroups->shared[i] = true;
    result = make_base(where, leaf_controller_name(i), cgroups->relative[i], err);
    return result != 0 ? result : check_writable(where, cgroups->base[i], err);
}

static void drop_log(void *context, int level, const char *format, va_list args)
{
    (void)context;
    (void)level;
    (void)format;
    (void)args;
}

/* The tree begins where the keeper's unit stands, instead of where the agent does. */
static void stand_below(struct cgroups *cgroups, const struct keeper *keeper)
{
    cgroups->keeper = keeper;
    for (int i = 0; i < LEAF_CONTROLLERS && keeper != NULL; i++)
        if (keeper->own[i] != NULL)
            snprintf(cgroups->detect.controller[i].own, PATH_MAX, "%s", keeper->own[i]);
}

/* A keeper that was started again has a new tree: what is missing in it is made. */
static int make_again(const struct cgroups *cgroups, struct err *err)
{
    int result = cgroups->keeper != NULL ? keeper_check(cgroups->keeper, err) : 0;

    for (int i = 0; i < LEAF_CONTROLLERS && result == 0 && cgroups->keeper != NULL; i++)
        if (cgroups->base[i] != NULL && access(cgroups->base[i], F_OK) != 0)
            result = make_base(&cgroups->detect.controller[i],
                               leaf_controller_name((enum leaf_controller)i),
                               cgroups->relative[i], err);
    return result;
}

int cgroups_new(const char *root, const char *instance, const struct keeper *keeper,
                struct cgroups **ret, struct err *err)
{
    struct cgroups *cgroups;
    int result;

    if (!is_clean_path(root))
        return err_set(err, EINVAL, "cgroup hierarchy \"%s\": must be a path like /creel", root);
    cgroups = mem_new0(struct cgroups);
    result = detect_here(&cgroups->detect, err);
    stand_below(cgroups, keeper);
    for (int i = 0; i < LEAF_CONTROLLERS && result == 0; i++)
        result = open_controller(cgroups, (enum leaf_controller)i, root, instance, err);
    if (result == 0) {
        /* What goes wrong comes back as an error; libcgroup would also print it. */
        cgroup_set_logger(drop_log, CGROUP_LOG_ERROR, NULL);
        int code = cgroup_init();

        if (code != 0)
            result = err_set(err, EIO, "libcgroup cannot be used: %s", cgroup_strerror(code));
        trim_zeros("libcgroup.so");     /* a table of 100 paths, cleared: 800 KiB */
    }
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
                strlen(cgroups->detect.controller[i].mount) +
                    strlen(cgroups->detect.controller[i].own))
                rmdir(cgroups->base[i]);
        }
        free(cgroups->base[i]);
        free(cgroups->relative[i]);
    }
    free(cgroups);
}

const char *cgroups_mode(const struct cgroups *cgroups)
{
    return detect_mode(&cgroups->detect);
}

/* --- a container's groups -------------------------------------------------- */

struct leaf cgroups_leaf(const struct cgroups *cgroups, const char *id)
{
    struct leaf leaf = { .version = { 0 } };

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        if (cgroups->base[i] == NULL)
            continue;
        leaf.version[i] = cgroups->detect.controller[i].version;
        leaf.directory[i] = mem_printf("%s/%s", cgroups->base[i], id);
    }
    return leaf;
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

static int add_settings(struct cgroup *group, const struct leaf *leaf, enum leaf_controller i,
                        const struct leaf_limits *limits)
{
    struct cgroup_controller *controller = cgroup_add_controller(group, leaf_controller_name(i));
    struct leaf_setting settings[LEAF_SETTINGS_MAX];
    size_t count = leaf_backend_of(leaf->version[i])->settings(i, limits, settings);
    int code = controller == NULL ? ECGFAIL : 0;

    for (size_t s = 0; s < count && code == 0; s++)
        if (!settings[s].optional)
            code = cgroup_add_value_string(controller, settings[s].file, settings[s].value);
    return code;
}

/* libcgroup fails as a whole for a file that this kernel lacks, so those that need not
 * exist are written here. */
static int write_optional(const struct leaf *leaf, enum leaf_controller i,
                          const struct leaf_limits *limits, struct err *err)
{
    struct leaf_setting settings[LEAF_SETTINGS_MAX];
    size_t count = leaf_backend_of(leaf->version[i])->settings(i, limits, settings);

    for (size_t s = 0; s < count; s++) {
        int result;

        if (!settings[s].optional)
            continue;
        result = leaf_write(leaf->directory[i], settings[s].file, settings[s].value);
        if (result != 0 && result != -ENOENT && result != -EOPNOTSUPP)
            return err_set_errno(err, -result, "cannot write \"%s\" to %s/%s", settings[s].value,
                                 leaf->directory[i], settings[s].file);
    }
    return 0;
}

/* The kernel refuses to change a limit of memory while any signal is pending, even one that will be
 * ignored: which says nothing about the limit. What was made by then is no obstacle. */
static int create_uninterrupted(struct cgroup *group)
{
    int code = ECGFAIL;

    for (int tries = 0; tries < LEAF_INTERRUPTS_MAX; tries++) {
        code = cgroup_create_cgroup(group, 1);
        if (code != ECGOTHER || cgroup_get_last_errno() != EINTR)
            break;
    }
    return code;
}

/* Controllers that share a relative path go into one libcgroup group. */
static int create_group(struct cgroups *cgroups, const char *id, const struct leaf *leaf,
                        enum leaf_controller first, bool done[LEAF_CONTROLLERS],
                        const struct leaf_limits *limits, struct err *err)
{
    scoped_free char *name = mem_printf("%s/%s", cgroups->relative[first], id);
    struct cgroup *group = cgroup_new_cgroup(name);
    int code = group == NULL ? ECGFAIL : 0;

    for (int i = (int)first; i < LEAF_CONTROLLERS && code == 0; i++) {
        if (done[i] || cgroups->base[i] == NULL ||
            leaf->version[i] != leaf->version[first] ||
            strcmp(cgroups->relative[i], cgroups->relative[first]) != 0)
            continue;
        done[i] = true;
        if (i == LEAF_CPUACCT && cgroups->shared[i])
            continue;
        code = add_settings(group, leaf, (enum leaf_controller)i, limits);
    }
    if (code == 0)
        code = create_uninterrupted(group);
    if (group != NULL)
        cgroup_free(&group);
    if (code == 0)
        return 0;
    if (code != ECGOTHER)
        return err_set(err, EIO, "cannot make cgroup %s: %s", leaf->directory[first],
                       cgroup_strerror(code));
    code = cgroup_get_last_errno();
    return err_set_errno(err, code > 0 ? code : EIO, "cannot make cgroup %s",
                         leaf->directory[first]);
}

int cgroups_limit_cpu(struct cgroups *cgroups, int64_t quota_us, int64_t period_us,
                      struct err *err)
{
    const char *directory = cgroups->base[LEAF_CPU];
    char value[64] = "max", period[32];
    bool v2 = cgroups->detect.controller[LEAF_CPU].version == 2;
    int result;

    if (v2) {
        if (quota_us >= 0)
            snprintf(value, sizeof(value), "%" PRId64 " %" PRId64, quota_us, period_us);
        result = leaf_write(directory, "cpu.max", value);
    } else {
        /* First without a quota: the old one need not suit the new period. */
        snprintf(period, sizeof(period), "%" PRId64, period_us);
        snprintf(value, sizeof(value), "%" PRId64, quota_us);
        result = leaf_write(directory, "cpu.cfs_quota_us", "-1");
        if (result == 0 && quota_us >= 0) {
            result = leaf_write(directory, "cpu.cfs_period_us", period);
            if (result == 0)
                result = leaf_write(directory, "cpu.cfs_quota_us", value);
        }
    }
    /* A kernel without bandwidth control has nothing to clear either. */
    if (result == 0 || (result == -ENOENT && quota_us < 0))
        return 0;
    return err_set_errno(err, -result, "cannot limit the CPUs of all containers in %s (quota %s; "
                         "yarn.nodemanager.resource.percentage-physical-cpu-limit)", directory,
                         value);
}

bool cgroups_counts_swap(const struct cgroups *cgroups)
{
    bool v2 = cgroups->detect.controller[LEAF_MEMORY].version == 2;
    scoped_free char *path = NULL;

    if (v2)         /* the instance's own group has the file if groups below do */
        path = mem_printf("%s/memory.swap.max", cgroups->base[LEAF_MEMORY]);
    else
        path = mem_printf("%s/memory.memsw.limit_in_bytes", cgroups->base[LEAF_MEMORY]);
    return access(path, F_OK) == 0;
}

int cgroups_create(struct cgroups *cgroups, const char *id, const struct leaf_limits *limits,
                   struct err *err)
{
    struct leaf leaf = cgroups_leaf(cgroups, id);
    bool done[LEAF_CONTROLLERS] = { false };
    int result = make_again(cgroups, err);

    for (int i = 0; i < LEAF_CONTROLLERS && result == 0; i++)
        if (!done[i] && cgroups->base[i] != NULL)
            result = create_group(cgroups, id, &leaf, (enum leaf_controller)i, done, limits, err);
    for (int i = 0; i < LEAF_CONTROLLERS && result == 0; i++)
        if (cgroups->base[i] != NULL)
            result = write_optional(&leaf, (enum leaf_controller)i, limits, err);
    if (result != 0)
        leaf_remove(&leaf);
    leaf_clear(&leaf);
    return result;
}

/* --- removing -------------------------------------------------------------- */

static int remove_group(const char *path, int depth)
{
    DIR *stream = depth < 32 ? opendir(path) : NULL;
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
            scoped_free char *below = mem_printf("%s/%s", path, entry->d_name);

            remove_group(below, depth + 1);
        }
    }
    if (stream != NULL)
        closedir(stream);
    return rmdir(path) == 0 || errno == ENOENT ? 0 : -errno;
}

int leaf_remove(const struct leaf *leaf)
{
    int result = 0;

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        int one = leaf->directory[i] == NULL ? 0 : remove_group(leaf->directory[i], 0);

        result = one != 0 ? one : result;
    }
    return result;
}

void cgroups_leave(const struct cgroups *cgroups, const struct leaf *leaf)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        scoped_free char *path = NULL;

        if (leaf->directory[i] == NULL)
            continue;
        path = mem_strdup(leaf->directory[i]);
        *strrchr(path, '/') = '\0';
        if (cgroups->base[i] != NULL && strcmp(path, cgroups->base[i]) == 0)
            continue;
        if (rmdir(path) != 0)
            continue;
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

/* --- listing --------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void cgroups_each(const struct cgroups *cgroups, void (*fn)(void *context, const char *id),
                  void *context)
{
    size_t count = 0, capacity = 0;
    char **names = NULL;

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        DIR *stream = cgroups->base[i] ? opendir(cgroups->base[i]) : NULL;
        struct dirent *entry;

        while (stream != NULL && (entry = readdir(stream)) != NULL) {
            if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
                continue;
            mem_grow(names, count, capacity);
            names[count++] = mem_strdup(entry->d_name);
        }
        if (stream != NULL)
            closedir(stream);
    }
    if (count > 0)
        qsort(names, count, sizeof(*names), compare_names);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            fn(context, names[i]);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}
