/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_state.c - state of one container, on disk and in the runtime's table */
#include "nm-agent/linux/runtime_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/text_builder.h"
#include "nm-agent/linux/parts/record.h"

/* --- meta ------------------------------------------------------------------ */

void meta_clear(struct meta *meta)
{
    free(meta->app_id);
    free(meta->user);
    free(meta->work);
    free(meta->logs);
    leaf_clear(&meta->leaf);
    *meta = (struct meta){ .app_id = NULL };
}

static char *meta_text(const struct meta *meta)
{
    struct text_builder text = TEXT_BUILDER_MALLOC;

    text_builder_printf(&text,
                        "app %s\nuser %s\nuid %u\nwork %s\nlogs %s\n"
                        "memory %" PRId64 "\nproject %" PRIu32 "\n",
                        meta->app_id, meta->user, (unsigned)meta->uid, meta->work, meta->logs,
                        meta->memory_bytes, meta->project);
    for (int i = 0; i < LEAF_CONTROLLERS; i++)
        if (meta->leaf.directory[i] != NULL)
            text_builder_printf(&text, "cgroup %d %d %s\n", i, meta->leaf.version[i],
                                meta->leaf.directory[i]);
    return text_builder_finish(&text);
}

int meta_write(int state_fd, const struct meta *meta, struct err *err)
{
    scoped_free char *text = meta_text(meta);

    /* Not atomic: recovery ignores a damaged file. */
    return record_put_new(state_fd, "meta", text, strlen(text), err);
}

int meta_replace(int state_fd, const struct meta *meta, struct err *err)
{
    scoped_free char *text = meta_text(meta);

    return record_put(state_fd, "meta", text, strlen(text), err);
}

static void parse_cgroup(struct leaf *leaf, const char *value)
{
    int controller, version, used = 0;

    if (sscanf(value, "%d %d %n", &controller, &version, &used) != 2 || used == 0 || controller < 0 ||
        controller >= LEAF_CONTROLLERS || leaf->directory[controller] || (version != 1 && version != 2))
        return;
    leaf->directory[controller] = mem_strdup(value + used);
    leaf->version[controller] = version;
}

static void parse_line(struct meta *meta, char *line)
{
    char *value = strchr(line, ' ');
    int64_t number;

    if (value == NULL)
        return;
    *value++ = '\0';
    if (strcmp(line, "app") == 0 && !meta->app_id)
        meta->app_id = mem_strdup(value);
    else if (strcmp(line, "user") == 0 && !meta->user)
        meta->user = mem_strdup(value);
    else if (strcmp(line, "work") == 0 && !meta->work)
        meta->work = mem_strdup(value);
    else if (strcmp(line, "logs") == 0 && !meta->logs)
        meta->logs = mem_strdup(value);
    else if (strcmp(line, "uid") == 0 && text_parse_int64(value, &number))
        meta->uid = (uid_t)number;
    else if (strcmp(line, "memory") == 0 && text_parse_int64(value, &number))
        meta->memory_bytes = number;
    else if (strcmp(line, "project") == 0 && text_parse_int64(value, &number))
        meta->project = (uint32_t)number;
    else if (strcmp(line, "cgroup") == 0)
        parse_cgroup(&meta->leaf, value);
}

int meta_read(int state_fd, struct meta *meta, struct err *err)
{
    scoped_free char *text = NULL;
    struct meta found = { .app_id = NULL };
    char *save = NULL;
    int result = record_read(state_fd, "meta", &text, NULL, err);

    if (result != 0)
        return result;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        parse_line(&found, line);
    if (!found.app_id || !found.user || !found.work || !found.logs || !found.leaf.directory[LEAF_MEMORY] ||
        !found.leaf.directory[LEAF_CPU] || !found.leaf.directory[LEAF_PIDS]) {
        meta_clear(&found);
        return err_set(err, EBADMSG, "container's meta file is damaged");
    }
    *meta = found;
    return 0;
}

/* --- state directory ------------------------------------------------------- */

int container_open(const struct runtime *runtime, const char *id, struct err *err)
{
    int fd = openat(runtime->containers_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return err_set_errno(err, errno, "container %s is not known here", id);
    return fd;
}

int container_make(const struct runtime *runtime, const char *id, bool *made, struct err *err)
{
    *made = mkdirat(runtime->containers_fd, id, 0700) == 0;
    if (!*made && errno != EEXIST)
        return err_set_errno(err, errno, "cannot make %s/containers/%s", runtime->state_dir, id);
    return container_open(runtime, id, err);
}

bool container_has(int state_fd, const char *name)
{
    return faccessat(state_fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

bool container_is_locked(int state_fd)
{
    if (flock(state_fd, LOCK_EX | LOCK_NB) != 0)
        return true;
    flock(state_fd, LOCK_UN);
    return false;
}

bool container_read_exit(int state_fd, struct container_end *record)
{
    static const char *const names[] = { "exit", "exit.tmp" };

    /* A full disk can prevent the shim from renaming the file; a complete exit.tmp is valid, too. */
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        scoped_free char *text = NULL;

        if (record_read(state_fd, names[i], &text, NULL, NULL) == 0 && exit_record_parse(text, record))
            return true;
    }
    return false;
}

/* --- "started" --------------------------------------------------------------- */

bool container_read_shim(int state_fd, struct process *shim)
{
    scoped_free char *text = NULL;

    return record_read(state_fd, "started", &text, NULL, NULL) == 0 && process_parse(text, shim);
}

bool container_read_command(const struct runtime *runtime, const char *id, struct process *command)
{
    scoped_fd int state_fd = container_open(runtime, id, NULL);
    scoped_free char *text = NULL;
    const char *second;

    return state_fd >= 0 && record_read(state_fd, "started", &text, NULL, NULL) == 0 &&
           (second = strchr(text, '\n')) != NULL && process_parse(second + 1, command);
}

void container_note_command(struct runtime *runtime, struct container *container)
{
    struct process command;

    if (container->command.pid == 0 && container_read_command(runtime, container->id, &command))
        container->command = command;
}

/* --- the table of containers ----------------------------------------------- */

struct container *container_find(const struct runtime *runtime, const char *id)
{
    struct container *container = NULL;

    HASH_FIND_STR(runtime->containers, id, container);
    return container;
}

struct container *container_add(struct runtime *runtime, const char *id, struct meta *meta)
{
    struct container *container = mem_new0(struct container);

    snprintf(container->id, sizeof(container->id), "%s", id);
    container->meta = *meta;
    *meta = (struct meta){ .app_id = NULL };
    container->shim_fd = container->report_fd = container->memory_fd = -1;
    HASH_ADD_STR(runtime->containers, id, container);
    return container;
}

/* Closing the descriptor is not enough: a child that posix_spawn has just created may still have a copy (the
 * parent continues before the child's exec has closed its copies). Then epoll continues to report the closed
 * descriptor, with a pointer to a container that may be freed. */
void container_unwatch(struct runtime *runtime, int *fd)
{
    if (*fd >= 0)
        epoll_ctl(runtime->epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
    container_close_fd(fd);
}

void container_forget(struct runtime *runtime, struct container *container)
{
    HASH_DEL(runtime->containers, container);
    container_set_due(runtime, container, 0);
    container_unwatch(runtime, &container->shim_fd);
    container_unwatch(runtime, &container->report_fd);
    container_close_fd(&container->memory_fd);
    sampler_free(container->sampler);
    meta_clear(&container->meta);
    free(container);
}

static void watch(struct runtime *runtime, struct container *container, int fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = container };

    if (fd >= 0 && epoll_ctl(runtime->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        mem_alloc(SIZE_MAX); /* aborts: the kernel is out of memory */
}

void container_watch(struct runtime *runtime, struct container *container, int shim_fd, int report_fd)
{
    scoped_free char *path = NULL;
    int version = container->meta.leaf.version[LEAF_MEMORY];

    container->shim_fd = shim_fd;
    container->report_fd = report_fd;
    watch(runtime, container, shim_fd);
    watch(runtime, container, report_fd);
    path = mem_printf("%s/%s", container->meta.leaf.directory[LEAF_MEMORY],
                      leaf_backend_of(version)->memory_current);
    container_close_fd(&container->memory_fd);
    container->memory_fd = open(path, O_RDONLY | O_CLOEXEC);
}

/* --- events ---------------------------------------------------------------- */

void container_end(struct runtime *runtime, struct container *container, const struct container_end *record)
{
    struct runtime_event event = {
        .kind = RUNTIME_EXITED,
        .end = *record,
    };

    memcpy(event.container_id, container->id, sizeof(event.container_id));
    if (record->command_ms == 0)
        event.end.command_ms = record->finished_ms;
    counters_add_end(runtime, container, record);
    container->state = CONTAINER_ENDED;
    container->stop = STOP_NONE;
    container_set_due(runtime, container, 0);
    container_unwatch(runtime, &container->shim_fd);
    container_unwatch(runtime, &container->report_fd);
    container_close_fd(&container->memory_fd);
    sampler_free(container->sampler);
    container->sampler = NULL;
    container_push_event(runtime, &event);
}

void container_command_ended(struct runtime *runtime, struct container *container,
                             const struct command_end *end)
{
    struct runtime_event event = {
        .kind = RUNTIME_COMMAND_ENDED,
        .end = { .exit_status = (int)end->status, .command_ms = end->command_ms },
    };

    container->command_ended = true;
    memcpy(event.container_id, container->id, sizeof(event.container_id));
    container_push_event(runtime, &event);
}

void container_find_command_end(struct runtime *runtime, struct container *container)
{
    scoped_free char *name = NULL, *text = NULL;
    struct command_end end;

    if (container->command_ended || container->report_fd >= 0 || container->state != CONTAINER_RUNNING)
        return;
    name = mem_printf("%s/%s", container->id, COMMAND_END_FILE);
    if (record_read(runtime->containers_fd, name, &text, NULL, NULL) == 0 && command_end_parse(text, &end))
        container_command_ended(runtime, container, &end);
}
