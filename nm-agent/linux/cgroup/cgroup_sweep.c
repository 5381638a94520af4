/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_sweep.c - lists and removes control groups, including those of other instances */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/cgroup/cgroup_internal.h"
#include "nm-agent/linux/parts/lock.h"

/* --- removing -------------------------------------------------------------- */

static int remove_group(const char *path, int depth)
{
    DIR *stream = NULL;
    struct dirent *entry;

    if (rmdir(path) == 0 || errno == ENOENT)
        return 0;
    stream = depth < 32 ? opendir(path) : NULL;
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

struct names {
    char **name;
    size_t count, capacity;
};

static void add_names(struct names *names, const char *directory, const char *prefix)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
            strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        mem_grow(names->name, names->count, names->capacity);
        names->name[names->count++] = mem_strdup(entry->d_name);
    }
    if (stream != NULL)
        closedir(stream);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Calls FN with each name once, in order, and frees NAMES. */
static void each_name(struct names *names, void (*fn)(void *context, const char *name), void *context)
{
    if (names->count > 0)
        qsort(names->name, names->count, sizeof(*names->name), compare_names);
    for (size_t i = 0; i < names->count; i++)
        if (i == 0 || strcmp(names->name[i], names->name[i - 1]) != 0)
            fn(context, names->name[i]);
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
}

/* Returns the path of INSTANCE's group in one controller. */
static char *instance_path(const struct cgroups *cgroups, int i, const char *instance)
{
    const char *base = cgroups->base[i];

    return mem_printf("%.*s/%s", (int)(strrchr(base, '/') - base), base, instance);
}

struct leaf cgroups_leaf_of(const struct cgroups *cgroups, const char *instance, const char *id)
{
    struct leaf leaf = { .version = { 0 } };

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        scoped_free char *path = NULL;

        if (cgroups->base[i] == NULL)
            continue;
        path = instance_path(cgroups, i, instance);
        leaf.version[i] = cgroups->detect.controller[i].version;
        leaf.directory[i] = mem_printf("%s/%s", path, id);
    }
    return leaf;
}

void cgroups_each(const struct cgroups *cgroups, const char *instance,
                  void (*fn)(void *context, const char *id), void *context)
{
    struct names names = { .count = 0 };

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        scoped_free char *path = NULL;

        if (cgroups->base[i] == NULL)
            continue;
        path = instance_path(cgroups, i, instance);
        add_names(&names, path, "");
    }
    each_name(&names, fn, context);
}

void cgroups_each_instance(const struct cgroups *cgroups, void (*fn)(void *context, const char *instance),
                           void *context)
{
    struct names names = { .count = 0 };

    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        scoped_free char *root = NULL;

        if (cgroups->base[i] == NULL)
            continue;
        root = instance_path(cgroups, i, "");
        add_names(&names, root, CGROUPS_INSTANCE_PREFIX);
    }
    each_name(&names, fn, context);
}

bool cgroups_is_own(const struct cgroups *cgroups, const char *instance)
{
    return strcmp(instance, cgroups->instance) == 0;
}

bool cgroups_in_use(const struct cgroups *cgroups, const char *instance)
{
    bool used = false;

    for (int i = 0; i < LEAF_CONTROLLERS && !used && !cgroups_is_own(cgroups, instance); i++) {
        scoped_free char *path = cgroups->base[i] ? instance_path(cgroups, i, instance) : NULL;
        scoped_fd int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

        used = fd >= 0 && lock_patiently(fd) == -EBUSY;
    }
    return used;
}

void cgroups_remove_instance(const struct cgroups *cgroups, const char *instance)
{
    for (int i = 0; i < LEAF_CONTROLLERS; i++) {
        scoped_free char *path = cgroups->base[i] ? instance_path(cgroups, i, instance) : NULL;

        if (path != NULL)
            rmdir(path);
    }
}
