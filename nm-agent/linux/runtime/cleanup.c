/* SPDX-License-Identifier: Apache-2.0 */
/* cleanup.c - removes the directories of ended containers and applications */
#include "nm-agent/linux/runtime/cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/id.h"
#include "common/base/mem.h"
#include "nm-agent/linux/disks/delayed_delete.h"
#include "nm-agent/linux/disks/orphan_dirs.h"
#include "nm-agent/linux/disks/removal.h"
#include "nm-agent/linux/disks/workdir_pool.h"
#include "nm-agent/linux/logs/aggregation.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/state/disk_io.h"

/* --- one container --------------------------------------------------------- */

/* Removes the container's directory in every local dir but that of its command. */
static void remove_others(struct runtime *runtime, const struct meta *meta, const char *id)
{
    for (char **dir = runtime->local_dirs; *dir; dir++) {
        scoped_free char *path = paths_work(*dir, meta->user, meta->app_id, id);

        if (strcmp(path, meta->work) != 0)
            removal_start(runtime, path);
    }
}

static void release_project(struct runtime *runtime, const struct meta *meta)
{
    scoped_free char **directories = NULL;

    if (meta->project == QUOTA_NONE)
        return;
    directories = disk_answering_local_dirs(runtime);
    quota_release(directories, meta->project);
}

void cleanup_work(struct runtime *runtime, const struct meta *meta, const char *id)
{
    disks_stop_measuring(runtime, id);
    remove_others(runtime, meta, id);
    /* The local dirs may have been configured differently when it started. */
    removal_start(runtime, meta->work);
    release_project(runtime, meta);
}

/* With debug-delay-sec: delays the deletion of the working directory of an ended container. On a disk that
 * does not answer it stays until the removal of the application's directory, which delays its deletion
 * then. */
static void delay_work(struct runtime *runtime, const struct meta *meta, const char *id)
{
    disks_stop_measuring(runtime, id);
    remove_others(runtime, meta, id);
    if (disk_path_answers(runtime, meta->work) && access(meta->work, F_OK) == 0)
        delayed_delete_add(runtime, meta->work, id);
    release_project(runtime, meta);
}

/* Puts the working directory of an ended container into the pool or, with debug-delay-sec, delays its
 * deletion; then removes all other directories of the container. */
static void release_work(struct runtime *runtime, const struct meta *meta, const char *id)
{
    if (runtime->debug_delay_ms > 0) {
        delay_work(runtime, meta, id);
        return;
    }
    (void)workdir_pool_put(runtime, meta);
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
        container = container_add(runtime, id, meta); /* takes ownership of META */
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
        release_work(runtime, &meta, container_id);
    else
        meta.leaf = cgroups_leaf(runtime->cgroups, container_id);
    remove_groups(runtime, container_id, &meta);
    meta_clear(&meta);
    runtime_arm(runtime);
}

/* --- an application -------------------------------------------------------- */

/* Returns true if container ID belongs to APP, judged by the id alone, since there may be many other
 * containers. */
static bool belongs_to(const char *id, const struct app_id *app)
{
    struct container_id parsed;

    return container_id_parse(id, &parsed) && app_id_compare(&parsed.attempt.app, app) == 0;
}

/* Removes the files of one container of the application; returns false if it still runs. */
static bool remove_container(struct runtime *runtime, const char *id, int state_fd)
{
    scoped_free char *path = mem_printf("%s/containers/%s", runtime->state_dir, id);
    struct meta meta = { .app_id = NULL };

    if (!container_is_over(runtime, id, state_fd))
        return false;
    if (meta_read(state_fd, &meta, NULL) == 0) {
        release_work(runtime, &meta, id);
        remove_groups(runtime, id, &meta);
    }
    meta_clear(&meta);
    removal_start(runtime, path);
    return true;
}

/* Delays the deletion of what containers have left in APP, the directory of their application. */
static void delay_works(struct runtime *runtime, const char *app)
{
    DIR *stream = opendir(app);
    struct dirent *entry;
    struct container_id id;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_free char *path = mem_printf("%s/%s", app, entry->d_name);

        if (container_id_parse(entry->d_name, &id))
            delayed_delete_add(runtime, path, entry->d_name);
    }
    if (stream != NULL)
        closedir(stream);
}

/* Removes the application's directory of each user in LOCAL_DIR, and empty user directories. */
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
        if (runtime->debug_delay_ms > 0)
            delay_works(runtime, app);
        removal_start(runtime, app);
        for (int i = 0; i < 2; i++) { /* .../appcache, .../<user>: rmdir removes only empty ones */
            slash = strrchr(app, '/');
            *slash = '\0';
            rmdir(app);
        }
    }
    if (stream != NULL)
        closedir(stream);
}

/* Removes the application's directories on all disks that answer, later on the others. */
static void remove_app(struct runtime *runtime, const char *app_id)
{
    const struct disks *local = &runtime->health.local;

    for (size_t i = 0; i < local->count; i++)
        if (disk_answers(&local->items[i]))
            remove_app_work(runtime, local->items[i].path, app_id);
        else
            orphan_dirs_postpone(runtime, &local->items[i]);
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
        return; /* this function is called again when the running containers end */
    remove_app(runtime, app_id);
    aggregation_add(runtime, app_id, log_retain_ms);
    runtime_arm(runtime);
}
