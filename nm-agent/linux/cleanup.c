/* SPDX-License-Identifier: Apache-2.0 */
/* cleanup.c - what goes when a container and when an application is over */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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
#define REMEMBER_MS (7 * 86400000LL)    /* that logs have expired, for whoever asks */

/* --- trees of any size ----------------------------------------------------- */

void cleanup_tree(struct runtime *runtime, const char *path)
{
    struct leftover *leftover;

    if (tree_remove_until(path, monotonic_ms() + REMOVE_MS) != -EAGAIN)
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

        cleanup_tree(runtime, path);
    }
    /* The local dirs may have been others when it started. */
    cleanup_tree(runtime, meta->work);
}

/* Nobody starts or runs it. */
static bool is_over(struct runtime *runtime, const char *id, int state_fd)
{
    const struct container *container = container_find(runtime, id);

    if (container != NULL)
        return container->state == CONTAINER_ENDED;
    if (flock(state_fd, LOCK_EX | LOCK_NB) != 0)
        return false;
    flock(state_fd, LOCK_UN);
    return true;
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
    container->due_ms = monotonic_ms() + 5;
}

void runtime_cleanup(struct runtime *runtime, const char *container_id)
{
    scoped_fd int state_fd = -1;
    struct meta meta = { .app_id = NULL };

    if (!paths_is_name(container_id))
        return;
    state_fd = container_open(runtime, container_id, false, NULL);
    if (state_fd < 0 || !is_over(runtime, container_id, state_fd))
        return;
    if (meta_read(state_fd, &meta, NULL) == 0)
        cleanup_work(runtime, &meta, container_id);
    else
        meta.leaf = cgroups_leaf(runtime->cgroups, container_id);
    remove_groups(runtime, container_id, &meta);
    meta_clear(&meta);
}

void runtime_acknowledge(struct runtime *runtime, const char *container_id)
{
    static const char *const gone[] = { "record", "pid", "exit", "exit.tmp" };
    scoped_fd int state_fd = -1, acked_fd = -1;

    if (!paths_is_name(container_id))
        return;
    state_fd = container_open(runtime, container_id, false, NULL);
    if (state_fd < 0 || !is_over(runtime, container_id, state_fd))
        return;
    acked_fd = openat(state_fd, "acked", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    /* Without the tombstone the rest has to stay: the acknowledgement comes again. */
    if (acked_fd < 0 || fsync(state_fd) != 0)
        return;
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
        unlinkat(state_fd, gone[i], 0);
}

/* --- an application -------------------------------------------------------- */

/* Whether the container ID is one of APP_ID, by its meta file or by its name. */
static bool belongs_to(int state_fd, const char *id, const char *app_id)
{
    struct meta meta = { .app_id = NULL };
    struct container_id parsed;
    char text[ID_TEXT_MAX];
    bool belongs = false;

    if (meta_read(state_fd, &meta, NULL) == 0)
        belongs = strcmp(meta.app_id, app_id) == 0;
    else if (container_id_parse(id, &parsed))
        belongs = strcmp(app_id_format(&parsed.attempt.app, text), app_id) == 0;
    meta_clear(&meta);
    return belongs;
}

/* Remove what one container of the application left; false if it is still running. */
static bool remove_container(struct runtime *runtime, const char *id, int state_fd)
{
    scoped_free char *path = mem_printf("%s/containers/%s", runtime->state_dir, id);
    struct meta meta = { .app_id = NULL };

    if (!is_over(runtime, id, state_fd))
        return false;
    if (meta_read(state_fd, &meta, NULL) == 0) {
        cleanup_work(runtime, &meta, id);
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

static void retain_logs(struct runtime *runtime, const char *app_id, int64_t log_retain_ms);

void runtime_cleanup_app(struct runtime *runtime, const char *app_id, int64_t log_retain_ms)
{
    scoped_fd int fd = openat(runtime->containers_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct dirent *entry;
    bool all_over = true;
    DIR *stream;

    if (!paths_is_name(app_id) || fd < 0)
        return;
    stream = fdopendir(fd_take(&fd));
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_fd int state_fd = -1;

        if (!paths_is_name(entry->d_name))
            continue;
        state_fd = container_open(runtime, entry->d_name, false, NULL);
        if (state_fd >= 0 && belongs_to(state_fd, entry->d_name, app_id) &&
            !remove_container(runtime, entry->d_name, state_fd))
            all_over = false;
    }
    if (stream != NULL)
        closedir(stream);
    if (!all_over)
        return;                         /* the end of those that run brings us here again */
    for (char **dir = runtime->local_dirs; *dir; dir++)
        remove_app_work(runtime, *dir, app_id);
    retain_logs(runtime, app_id, log_retain_ms);
}

/* --- logs of applications that are over ------------------------------------- */

static void write_retention(struct runtime *runtime, const struct retention *retention)
{
    scoped_free char *text = mem_printf("%" PRId64 " %" PRId64 " %d\n", retention->due_ms,
                                        retention->retain_ms, retention->expired);

    /* If it cannot be written, an agent that is restarted keeps the logs until it is told again. */
    record_write(runtime->retain_fd, retention->app_id, text, strlen(text), NULL);
}

const struct retention *retention_find(const struct runtime *runtime, const char *app_id)
{
    const struct retention *retention;

    TAILQ_FOREACH(retention, &runtime->retentions, link)
        if (strcmp(retention->app_id, app_id) == 0)
            return retention;
    return NULL;
}

static struct retention *add_retention(struct runtime *runtime, const char *app_id)
{
    struct retention *retention = mem_new0(struct retention);

    retention->app_id = mem_strdup(app_id);
    TAILQ_INSERT_TAIL(&runtime->retentions, retention, link);
    return retention;
}

static void retain_logs(struct runtime *runtime, const char *app_id, int64_t log_retain_ms)
{
    struct retention *retention;

    if (retention_find(runtime, app_id) != NULL)
        return;                         /* it counts from the first time */
    retention = add_retention(runtime, app_id);
    retention->retain_ms = log_retain_ms > 0 ? log_retain_ms : 0;
    if (__builtin_add_overflow(process_now_ms(), retention->retain_ms, &retention->due_ms))
        retention->due_ms = INT64_MAX - REMEMBER_MS;
    write_retention(runtime, retention);
    retention_expire(runtime, process_now_ms());
}

int retention_load(struct runtime *runtime, struct err *err)
{
    scoped_fd int fd = openat(runtime->retain_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd_take(&fd));
    struct dirent *entry;

    if (stream == NULL)
        return err_set_errno(err, errno, "cannot list %s/retain", runtime->state_dir);
    while ((entry = readdir(stream)) != NULL) {
        scoped_free char *text = NULL;
        struct retention *retention;
        int64_t due_ms, retain_ms;
        int expired;

        if (!paths_is_name(entry->d_name) || text_has_suffix(entry->d_name, ".new") ||
            record_read(runtime->retain_fd, entry->d_name, &text, NULL, NULL) != 0 ||
            sscanf(text, "%" SCNd64 " %" SCNd64 " %d", &due_ms, &retain_ms, &expired) != 3)
            continue;
        retention = add_retention(runtime, entry->d_name);
        retention->due_ms = due_ms;
        retention->retain_ms = retain_ms;
        retention->expired = expired != 0;
    }
    closedir(stream);
    return 0;
}

int64_t retention_next_ms(const struct runtime *runtime)
{
    const struct retention *retention;
    int64_t next_ms = 0;

    TAILQ_FOREACH(retention, &runtime->retentions, link) {
        int64_t due_ms = retention->due_ms + (retention->expired ? REMEMBER_MS : 0);

        if (next_ms == 0 || due_ms < next_ms)
            next_ms = due_ms;
    }
    return next_ms;
}

/* False: there was not enough time, so that they are still due. */
static bool expire_logs(struct runtime *runtime, struct retention *retention)
{
    int64_t until_ms = monotonic_ms() + REMOVE_MS;

    for (char **dir = runtime->log_dirs; *dir; dir++) {
        scoped_free char *path = paths_app_logs(*dir, retention->app_id);

        if (tree_remove_until(path, until_ms) == -EAGAIN)
            return false;
    }
    retention->expired = true;
    write_retention(runtime, retention);
    return true;
}

void retention_expire(struct runtime *runtime, int64_t now_ms)
{
    struct retention *retention, *next;

    for (retention = TAILQ_FIRST(&runtime->retentions); retention; retention = next) {
        next = TAILQ_NEXT(retention, link);
        if (!retention->expired && retention->due_ms <= now_ms &&
            !expire_logs(runtime, retention))
            return;
        if (retention->expired && retention->due_ms + REMEMBER_MS <= now_ms) {
            unlinkat(runtime->retain_fd, retention->app_id, 0);
            TAILQ_REMOVE(&runtime->retentions, retention, link);
            free(retention->app_id);
            free(retention);
        }
    }
}
