/* SPDX-License-Identifier: Apache-2.0 */
/* orphan_dirs.c - removes directories below local-dirs that belong to no container */
#include "nm-agent/linux/disks/orphan_dirs.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/id.h"
#include "nm-agent/linux/disks/delayed_delete.h"
#include "nm-agent/linux/disks/removal.h"
#include "nm-agent/linux/disks/workdir_pool.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/state/disk_io.h"

#define PART_MS \
    20 /* time limit of one call of orphan_dirs_go_on, since other containers wait for the agent */

/* --- one application ---------------------------------------------------------- */

/* Returns true for the file of the job token, and for the draft of one (file_replace). */
static bool is_job_token(const char *name)
{
    return strncmp(name, PATHS_JOB_TOKEN, strlen(PATHS_JOB_TOKEN)) == 0;
}

/* Returns true if ID is a container whose directories are not cleaned up yet. */
static bool has_directories(const struct runtime *runtime, const char *id)
{
    const struct container *container = container_find(runtime, id);

    return container != NULL && !container->removing;
}

static bool is_any_used(const struct runtime *runtime, const struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (has_directories(runtime, names->name[i]))
            return true;
    return false;
}

static void remove_entry(struct runtime *runtime, const char *path, const char *name)
{
    struct container_id id;

    if (is_job_token(name))
        (void)unlink(path);
    else if (runtime->debug_delay_ms > 0 && container_id_parse(name, &id))
        delayed_delete_add(runtime, path, name);
    else
        removal_start(runtime, path);
}

static void remove_empty_user(const char *user_path)
{
    scoped_free char *apps_path = mem_printf("%s/appcache", user_path);

    rmdir(apps_path); /* both fail unless they are empty */
    rmdir(user_path);
}

/* Removes what belongs to no container in APP_PATH, .../usercache/<user>/appcache/<app>. While the
 * application has a container there, its token and its unused working directories stay. */
static void remove_in_app(struct runtime *runtime, const char *app_path)
{
    scoped_free char *user_path = mem_strdup(app_path);
    struct names names;
    bool used;

    (void)names_list(AT_FDCWD, app_path, &names);
    used = is_any_used(runtime, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.name[i];
        scoped_free char *path = mem_printf("%s/%s", app_path, name);

        if (!has_directories(runtime, name) &&
            !(used && (is_job_token(name) || workdir_pool_has(runtime, path))))
            remove_entry(runtime, path, name);
    }
    names_clear(&names);
    rmdir(app_path); /* fails unless it is empty */
    *strrchr(user_path, '/') = '\0';
    *strrchr(user_path, '/') = '\0';
    remove_empty_user(user_path);
}

/* --- one local dir ------------------------------------------------------------ */

/* Adds the paths of the application directories in USER_PATH to PATHS. */
static void add_apps(const char *user_path, struct names *paths)
{
    scoped_free char *apps_path = mem_printf("%s/appcache", user_path);
    struct names apps;

    (void)names_list(AT_FDCWD, apps_path, &apps);
    for (size_t i = 0; i < apps.count; i++) {
        mem_grow(paths->name, paths->count, paths->capacity);
        paths->name[paths->count++] = mem_printf("%s/%s", apps_path, apps.name[i]);
    }
    if (apps.count == 0)
        remove_empty_user(user_path);
    names_clear(&apps);
}

/* Sets PATHS to the paths of the application directories in LOCAL_DIR. */
static void list_apps(const char *local_dir, struct names *paths)
{
    scoped_free char *users_path = mem_printf("%s/usercache", local_dir);
    struct names users;

    *paths = (struct names){ .count = 0 };
    (void)names_list(AT_FDCWD, users_path, &users);
    for (size_t i = 0; i < users.count; i++) {
        scoped_free char *user_path = mem_printf("%s/%s", users_path, users.name[i]);

        add_apps(user_path, paths);
    }
    names_clear(&users);
}

/* Returns true if the agent may use DISK: one that could not be opened is not locked yet. */
static bool is_usable(struct disk *disk)
{
    return !disk->closed && disk_answers(disk);
}

static void end_disk(struct orphan_dirs *orphans)
{
    names_clear(&orphans->apps);
    orphans->disk = NULL;
}

/* Removes the orphans of the current disk until UNTIL_MS (monotonic), or until it does not answer. */
static void go_on_disk(struct runtime *runtime, int64_t until_ms)
{
    struct orphan_dirs *orphans = &runtime->orphan_dirs;

    while (orphans->next < orphans->apps.count && !orphans->disk->has_orphans) {
        if (disk_answers(orphans->disk))
            remove_in_app(runtime, orphans->apps.name[orphans->next++]);
        orphans->disk->has_orphans = disk_is_late(orphans->disk);
        if (monotonic_ms() >= until_ms)
            break;
    }
    if (orphans->disk->has_orphans || orphans->next == orphans->apps.count)
        end_disk(orphans);
}

/* --- all ---------------------------------------------------------------------- */

/* Begins with the next disk that has orphans and may be used. Returns false if there is none. */
static bool begin_disk(struct runtime *runtime)
{
    const struct disks *local = &runtime->health.local;

    for (size_t i = 0; i < local->count; i++) {
        struct disk *disk = &local->items[i];

        if (!disk->has_orphans || !is_usable(disk))
            continue;
        disk->has_orphans = false;
        runtime->orphan_dirs.disk = disk;
        runtime->orphan_dirs.next = 0;
        list_apps(disk->path, &runtime->orphan_dirs.apps);
        return true;
    }
    return false;
}

/* Plans the next attempt for the disks that are left. */
static void wait_for_disks(struct runtime *runtime)
{
    const struct disks *local = &runtime->health.local;

    runtime->orphan_dirs.due_ms = 0;
    for (size_t i = 0; i < local->count; i++)
        if (local->items[i].has_orphans)
            runtime->orphan_dirs.due_ms = monotonic_ms() + DISK_RETRY_MS;
}

void orphan_dirs_remove(struct runtime *runtime)
{
    const struct disks *local = &runtime->health.local;

    for (size_t i = 0; i < local->count; i++)
        local->items[i].has_orphans = true;
    while (begin_disk(runtime))
        go_on_disk(runtime, INT64_MAX);
    wait_for_disks(runtime);
}

void orphan_dirs_postpone(struct runtime *runtime, struct disk *disk)
{
    disk->has_orphans = true;
    if (runtime->orphan_dirs.due_ms == 0)
        runtime->orphan_dirs.due_ms = monotonic_ms() + DISK_RETRY_MS;
}

void orphan_dirs_go_on(struct runtime *runtime, int64_t now_ms)
{
    struct orphan_dirs *orphans = &runtime->orphan_dirs;

    if (orphans->due_ms == 0 || now_ms < orphans->due_ms)
        return;
    if (orphans->disk == NULL && !begin_disk(runtime)) {
        wait_for_disks(runtime);
        return;
    }
    go_on_disk(runtime, monotonic_ms() + PART_MS);
    orphans->due_ms = monotonic_ms(); /* the rest, or the next disk */
}

void orphan_dirs_forget(struct runtime *runtime)
{
    end_disk(&runtime->orphan_dirs);
}
