/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dev_remove.c - removes the containers and the directory of a local cluster
 *
 * Cgroups are identified by their name, which contains the hash of the cluster's directory; shims by an open
 * descriptor below that directory.
 */
#include "client/cli/dev/dev.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"

#define DEPTH_MAX 8
#define ROUNDS 200 /* of 25 ms: killed processes need a moment to end */

static void pause_briefly(void)
{
    struct timespec pause = { .tv_nsec = 25000000 };

    nanosleep(&pause, NULL);
}

/* --- shims ----------------------------------------------------------------- */

static bool is_below(const struct dev *dev, const char *path)
{
    size_t length = strlen(dev->dir);

    return !strncmp(path, dev->dir, length) && path[length] == '/';
}

static bool link_is_below(const struct dev *dev, const char *link)
{
    char target[512];
    ssize_t length = readlink(link, target, sizeof(target) - 1);

    if (length <= 0)
        return false;
    target[length] = '\0';
    return is_below(dev, target);
}

static bool is_shim(pid_t pid)
{
    char path[64], name[32] = "";
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(name, sizeof(name), file))
        *name = '\0';
    fclose(file);
    return text_has_prefix(name, "creel-shim");
}

static bool is_ours(const struct dev *dev, pid_t pid)
{
    scoped_free char *folder = mem_printf("/proc/%d/fd", (int)pid);
    bool found = false;
    struct dirent *entry;
    DIR *list;

    if (!is_shim(pid))
        return false;
    list = opendir(folder);
    while (list && !found && (entry = readdir(list)) != NULL) {
        scoped_free char *link = mem_printf("%s/%s", folder, entry->d_name);

        found = link_is_below(dev, link);
    }
    if (list)
        closedir(list);
    return found;
}

/* Returns the number of shims of this cluster; with KILL_THEM kills them. */
static size_t count_shims(const struct dev *dev, bool kill_them)
{
    DIR *list = opendir("/proc");
    struct dirent *entry;
    size_t count = 0;

    while (list && (entry = readdir(list)) != NULL) {
        int64_t pid;

        if (!text_parse_int64(entry->d_name, &pid) || pid <= 1 || !is_ours(dev, (pid_t)pid))
            continue;
        count++;
        if (kill_them)
            kill((pid_t)pid, SIGKILL);
    }
    if (list)
        closedir(list);
    return count;
}

/* --- control groups -------------------------------------------------------- */

/* Kills the processes in the group at PATH and below, and removes the groups, deepest first. */
static void empty_group(const char *path, int depth)
{
    scoped_free char *members = mem_printf("%s/cgroup.procs", path);
    DIR *list = depth < DEPTH_MAX ? opendir(path) : NULL;
    struct dirent *entry;
    FILE *file;
    int pid;

    while (list && (entry = readdir(list)) != NULL) {
        scoped_free char *below = mem_printf("%s/%s", path, entry->d_name);
        struct stat info;

        if (entry->d_name[0] == '.' || lstat(below, &info) < 0 || !S_ISDIR(info.st_mode))
            continue;
        empty_group(below, depth + 1);
    }
    if (list)
        closedir(list);
    file = fopen(members, "re");
    while (file && fscanf(file, "%d", &pid) == 1) {
        if (pid > 1)
            kill(pid, SIGKILL);
    }
    if (file)
        fclose(file);
    rmdir(path);
}

/* Calls empty_group for each group of this cluster below PATH. Returns the number of groups left. */
static size_t empty_groups(const struct dev *dev, const char *path, int depth)
{
    DIR *list = opendir(path);
    size_t length = strlen(dev->cgroup), left = 0;
    struct dirent *entry;

    while (list && (entry = readdir(list)) != NULL) {
        scoped_free char *below = mem_printf("%s/%s", path, entry->d_name);
        struct stat info;

        if (entry->d_name[0] == '.' || lstat(below, &info) < 0 || !S_ISDIR(info.st_mode))
            continue;
        if (!strncmp(entry->d_name, dev->cgroup, length) && entry->d_name[length] == '-') {
            empty_group(below, 0);
            left += access(below, F_OK) == 0;
        } else if (depth < DEPTH_MAX) {
            left += empty_groups(dev, below, depth + 1);
        }
    }
    if (list)
        closedir(list);
    return left;
}

/* Finds the cgroup mounts, in lines as "cgroup2 /sys/fs/cgroup/unified cgroup2 rw...". */
static size_t empty_all_groups(const struct dev *dev)
{
    FILE *mounts = fopen("/proc/self/mounts", "re");
    char line[4096], point[2048], type[64];
    size_t left = 0;

    while (mounts && fgets(line, sizeof(line), mounts)) {
        if (sscanf(line, "%*s %2047s %63s", point, type) == 2 &&
            (!strcmp(type, "cgroup") || !strcmp(type, "cgroup2")))
            left += empty_groups(dev, point, 0);
    }
    if (mounts)
        fclose(mounts);
    return left;
}

int dev_remove_containers(const struct dev *dev, struct err *err)
{
    size_t groups = 0, shims = 0;

    for (int round = 0; round < ROUNDS; round++) {
        groups = empty_all_groups(dev);
        /* A shim ends by itself after its command; it is killed only if it does not. */
        shims = count_shims(dev, round > ROUNDS / 4);
        if (!groups && !shims)
            return 0;
        pause_briefly();
    }
    return err_set(err, EBUSY, "%zu control groups %s-* and %zu shims could not be removed", groups,
                   dev->cgroup, shims);
}

/* --- the directory --------------------------------------------------------- */

/* Removes one file, except for the directory and its marker: if something cannot be removed, the user can
 * retry. */
static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    if (place->level == 0 || (place->level == 1 && !strcmp(path + place->base, "creel-dev")))
        return 0;
    return remove(path);
}

int dev_remove_directory(const struct dev *dev, struct err *err)
{
    scoped_free char *marker = dev_path(dev, "creel-dev");

    if (access(marker, F_OK) < 0)
        return err_set(err, EINVAL, "%s: is not a cluster's directory; it stays", dev->dir);
    /* Several rounds, since a container may have written files until it was killed. */
    for (int round = 0; round < 5; round++) {
        if (nftw(dev->dir, remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0) {
            if (unlink(marker) == 0 && rmdir(dev->dir) == 0)
                return 0;
            break;
        }
        if (errno != ENOTEMPTY && errno != EEXIST)
            break;
        pause_briefly();
    }
    return err_set_errno(err, errno, "%s: cannot be removed whole", dev->dir);
}
