/* SPDX-License-Identifier: Apache-2.0 */
/* cleanup.c - what goes when a container and when an application is over */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "nm-agent/linux/container.h"
#include "nm-agent/linux/paths.h"
#include "nm-agent/linux/process.h"
#include "nm-agent/linux/record.h"
#include "nm-agent/linux/tree.h"

#define REMOVE_MS 20                    /* at a time: others wait for the agent meanwhile */

/* --- trees of any size ----------------------------------------------------- */

/* Most containers leave their directory as it was made, with nothing but an empty "tmp". */
static bool remove_bare(const char *path)
{
    scoped_free char *tmp = NULL;

    if (rmdir(path) == 0 || errno == ENOENT)
        return true;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return false;
    tmp = mem_printf("%s/tmp", path);
    return rmdir(tmp) == 0 && rmdir(path) == 0;
}

void cleanup_tree(struct runtime *runtime, const char *path)
{
    struct leftover *leftover;

    if (remove_bare(path) || tree_remove_until(path, monotonic_ms() + REMOVE_MS) != -EAGAIN)
        return;
    TAILQ_FOREACH(leftover, &runtime->leftovers, link)
        if (strcmp(leftover->path, path) == 0)
            return;
    leftover = mem_new0(struct leftover);
    leftover->path = mem_strdup(path);
    TAILQ_INSERT_TAIL(&runtime->leftovers, leftover, link);
    runtime->leftover_due_ms = monotonic_ms();
}

static void drop_leftover(struct runtime *runtime, struct leftover *leftover)
{
    TAILQ_REMOVE(&runtime->leftovers, leftover, link);
    free(leftover->path);
    free(leftover);
}

void cleanup_spare(struct runtime *runtime, const char *path)
{
    struct leftover *leftover;

    TAILQ_FOREACH(leftover, &runtime->leftovers, link) {
        if (strcmp(leftover->path, path) != 0)
            continue;
        drop_leftover(runtime, leftover);       /* each stands there once */
        return;
    }
}

/* .../usercache/<user>/appcache/<app>/<container>: those above PATH, only if they are empty. */
static void remove_above(char *path)
{
    for (int i = 0; i < 3 && strstr(path, "/usercache/") != NULL; i++) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

void cleanup_go_on(struct runtime *runtime, int64_t now_ms)
{
    struct leftover *leftover = TAILQ_FIRST(&runtime->leftovers);

    if (leftover == NULL || now_ms < runtime->leftover_due_ms)
        return;
    if (tree_remove_until(leftover->path, now_ms + REMOVE_MS) == -EAGAIN) {
        TAILQ_REMOVE(&runtime->leftovers, leftover, link);
        TAILQ_INSERT_TAIL(&runtime->leftovers, leftover, link);
    } else {
        remove_above(leftover->path);
        drop_leftover(runtime, leftover);
    }
    runtime->leftover_due_ms = monotonic_ms() + REMOVE_MS;
}

void cleanup_forget_leftovers(struct runtime *runtime)
{
    while (!TAILQ_EMPTY(&runtime->leftovers))
        drop_leftover(runtime, TAILQ_FIRST(&runtime->leftovers));
}

/* --- one container --------------------------------------------------------- */

void cleanup_work(struct runtime *runtime, const struct meta *meta, const char *id)
{
    for (char **dir = runtime->local_dirs; *dir; dir++) {
        scoped_free char *path = paths_work(*dir, meta->user, meta->app_id, id);

        if (strcmp(path, meta->work) != 0)
            cleanup_tree(runtime, path);
    }
    /* The local dirs may have been others when it started. */
    cleanup_tree(runtime, meta->work);
}

/* The same for one that has run: somebody may want to look at what it left. */
static void keep_work(struct runtime *runtime, const struct meta *meta, const char *id)
{
    if (runtime->debug_delay_ms <= 0)
        (void)spare_keep(runtime, meta);
    else if (access(meta->work, F_OK) == 0)
        kept_take(runtime, meta->work, id);
    cleanup_work(runtime, meta, id);
}

bool container_is_over(struct runtime *runtime, const char *id, int state_fd)
{
    const struct container *container = container_find(runtime, id);

    if (container != NULL)
        return container->state == CONTAINER_ENDED;
    return !container_is_locked(state_fd);
}

static void remove_groups(struct runtime *runtime, const char *id, struct meta *meta)
{
    struct container *container = container_find(runtime, id);

    if (leaf_remove(&meta->leaf) == 0) {
        cgroups_leave(runtime->cgroups, &meta->leaf);
        if (container != NULL)
            container_forget(runtime, container);
        return;
    }
    if (container == NULL) {
        container = container_add(runtime, id, meta);       /* takes META over */
        container->state = CONTAINER_ENDED;
    }
    container->removing = true;
    container_set_due(runtime, container, monotonic_ms() + 5);
}

void runtime_cleanup(struct runtime *runtime, const char *container_id)
{
    scoped_fd int state_fd = -1;
    struct meta meta = { .app_id = NULL };

    if (!paths_is_name(container_id))
        return;
    state_fd = container_open(runtime, container_id, NULL);
    if (state_fd < 0 || !container_is_over(runtime, container_id, state_fd))
        return;
    if (meta_read(state_fd, &meta, NULL) == 0)
        keep_work(runtime, &meta, container_id);
    else
        meta.leaf = cgroups_leaf(runtime->cgroups, container_id);
    remove_groups(runtime, container_id, &meta);
    meta_clear(&meta);
    runtime_arm(runtime);
}

/* --- an application -------------------------------------------------------- */

/* Whether the container ID is one of APP_ID, as its name says: there may be many others. */
static bool belongs_to(const char *id, const struct app_id *app)
{
    struct container_id parsed;

    return container_id_parse(id, &parsed) && app_id_compare(&parsed.attempt.app, app) == 0;
}

/* Remove what one container of the application left; false if it is still running. */
static bool remove_container(struct runtime *runtime, const char *id, int state_fd)
{
    scoped_free char *path = mem_printf("%s/containers/%s", runtime->state_dir, id);
    struct meta meta = { .app_id = NULL };

    if (!container_is_over(runtime, id, state_fd))
        return false;
    if (meta_read(state_fd, &meta, NULL) == 0) {
        keep_work(runtime, &meta, id);
        remove_groups(runtime, id, &meta);
    }
    meta_clear(&meta);
    tree_remove(path);
    return true;
}

/* Remove the application's directory below each user's in LOCAL_DIR, and users' that are empty. */
static void remove_app_work(struct runtime *runtime, const char *local_dir, const char *app_id)
{
    scoped_free char *users = mem_printf("%s/usercache", local_dir);
    DIR *stream = opendir(users);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_free char *app = NULL;
        char *slash;

        if (!paths_is_name(entry->d_name))
            continue;
        app = paths_app_work(local_dir, entry->d_name, app_id);
        cleanup_tree(runtime, app);
        for (int i = 0; i < 2; i++) {   /* .../appcache, .../<user>: only if empty */
            slash = strrchr(app, '/');
            *slash = '\0';
            rmdir(app);
        }
    }
    if (stream != NULL)
        closedir(stream);
}

void runtime_cleanup_app(struct runtime *runtime, const char *app_id, int64_t log_retain_ms)
{
    scoped_fd int fd = openat(runtime->containers_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct dirent *entry;
    bool all_over = true;
    struct app_id app;
    DIR *stream;

    if (!paths_is_name(app_id) || !app_id_parse(app_id, &app) || fd < 0)
        return;
    stream = fdopendir(fd_take(&fd));
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_fd int state_fd = -1;

        if (!paths_is_name(entry->d_name) || !belongs_to(entry->d_name, &app))
            continue;
        state_fd = container_open(runtime, entry->d_name, NULL);
        if (state_fd >= 0 && !remove_container(runtime, entry->d_name, state_fd))
            all_over = false;
    }
    if (stream != NULL)
        closedir(stream);
    if (!all_over)
        return;                         /* the end of those that run brings us here again */
    for (char **dir = runtime->local_dirs; *dir; dir++)
        remove_app_work(runtime, *dir, app_id);
    retention_add(runtime, app_id, log_retain_ms);
    runtime_arm(runtime);
}
