/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recover.c - adopts the containers of an earlier agent after a restart
 *
 * The container directories list the containers. A locked directory means that the container's shim lives;
 * the file "started" identifies the shim (find_shim.c). After a reboot all containers are lost, including
 * those that may not have started. Working directories and cgroups of the agent that belong to no container
 * are removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/disks/orphan_dirs.h"
#include "nm-agent/linux/parts/names.h"
#include "nm-agent/linux/parts/paths.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/parts/record.h"
#include "nm-agent/linux/parts/tree.h"
#include "nm-agent/linux/runtime/cleanup.h"
#include "nm-agent/linux/runtime_state.h"

/* --- containers ------------------------------------------------------------ */

static int64_t file_time_ms(int state_fd, const char *name)
{
    struct stat status;

    if (fstatat(state_fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    return (int64_t)status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1000000;
}

/* Returns true for errors that may be gone when the agent is started again: the recovery fails, and no
 * container counts as lost. */
static bool is_shortage(int result)
{
    return result == -EMFILE || result == -ENFILE || result == -ENOMEM;
}

/* Removes the rest of a start that never reached a shim, or of an acknowledged container. */
static void remove_leftovers(struct runtime *runtime, const char *id, struct meta *meta)
{
    if (meta->app_id == NULL)
        return;
    cleanup_work(runtime, meta, id);
    leaf_kill(&meta->leaf);
    if (leaf_remove(&meta->leaf) == 0)
        cgroups_leave(runtime->cgroups, &meta->leaf);
}

/* Adopts a container that was started: it runs, has ended, or is lost. A lost one is FOUND_ENDED here, and
 * ends with 154 later. A live shim is watched even if its exit record is written: it has the lock, which
 * prevents the removal of the container's remains. The shim may act between two of the checks below, so a
 * condition that was false at one check may be true at a later one. */
static void adopt_started(struct runtime *runtime, const char *id, int state_fd, struct meta *meta,
                          struct runtime_found *found)
{
    struct container_end record;
    bool ended = container_read_exit(state_fd, &record), locked = container_is_locked(state_fd);
    struct container *container = container_add(runtime, id, meta);

    container->of_other_boot = runtime->rebooted;
    counters_adopt(runtime, container);
    found->started_ms = container->started_ms = file_time_ms(state_fd, "started");
    found->state = ended ? FOUND_ENDED : FOUND_RUNNING;
    stop_recover(container, state_fd);
    if (container_adopt_shim(runtime, container, state_fd)) {
        found->started_ms = container->started_ms;
        if (container->stop != STOP_NONE)
            container_set_due(runtime, container, monotonic_ms());
    } else if (!ended && locked) {
        container->state = CONTAINER_FINDING;
        container_set_due(runtime, container, monotonic_ms());
    } else {
        found->state = FOUND_ENDED;
        container->state = CONTAINER_RUNNING;
    }
}

static int adopt_container(struct runtime *runtime, const char *id, runtime_found_fn *fn, void *context,
                           struct err *err)
{
    scoped_fd int state_fd = container_open(runtime, id, err);
    struct meta meta = { .app_id = NULL };
    struct runtime_found found = { .container_id = id };
    scoped_free char *record = NULL;
    struct container *container;
    bool locked;
    int result;

    if (state_fd < 0)
        return is_shortage(state_fd) ? state_fd : 0;
    locked = container_is_locked(state_fd); /* before the files: without the lock, no shim makes any */
    result = meta_read(state_fd, &meta, err);
    if (!is_shortage(result))
        result = record_read(state_fd, "record", &record, &found.record_size, err);
    if (is_shortage(result)) {
        meta_clear(&meta);
        return result;
    }
    found.record = record;
    if (container_has(state_fd, "acked")) {
        found.state = FOUND_ACKED;
        remove_leftovers(runtime, id, &meta);
    } else if (container_has(state_fd, "started") || container_has(state_fd, "exit") || locked ||
               (runtime->rebooted && found.record != NULL)) {
        /* Without a readable meta file (power failure) the groups are assumed at their current path. */
        if (meta.app_id == NULL)
            meta.leaf = cgroups_leaf(runtime->cgroups, id);
        adopt_started(runtime, id, state_fd, &meta, &found);
    } else if (found.record != NULL) {
        found.state = FOUND_SAVED;
        remove_leftovers(runtime, id, &meta);
    } else {
        scoped_free char *path = mem_printf("%s/containers/%s", runtime->state_dir, id);

        /* The agent ended before the record was complete: the container was never reported. */
        remove_leftovers(runtime, id, &meta);
        tree_remove(path);
        meta_clear(&meta);
        return 0;
    }
    meta_clear(&meta);
    fn(context, &found);
    container = container_find(runtime, id);
    if (found.state == FOUND_RUNNING && container != NULL)
        container_find_command_end(runtime, container);
    if (found.state == FOUND_ENDED && container != NULL && container->shim_fd < 0)
        container_shim_gone(runtime, container);
    return 0;
}

/* --- all --------------------------------------------------------------------------- */

/* Returns true if the machine was rebooted since the last agent: the file BOOT has the boot id of that agent.
 * *NOTED: the file has the current boot id. */
static bool is_other_boot(const struct runtime *runtime, bool *noted)
{
    char boot_id[PROCESS_BOOT_ID_MAX];
    scoped_free char *text = NULL;
    bool known =
        process_boot_id(boot_id) == 0 && record_read(runtime->locks[0], "boot", &text, NULL, NULL) == 0;

    *noted = known && strcmp(text, boot_id) == 0;
    return known && !*noted;
}

/* Writes the current boot id, to which containers started from now on belong. If the disk is full, the
 * error is ignored unless the machine was rebooted: after a reboot, new containers would otherwise count
 * as lost. */
static int note_boot(const struct runtime *runtime, struct err *err)
{
    char boot_id[PROCESS_BOOT_ID_MAX];
    struct err why = { 0 };
    int result = process_boot_id(boot_id) != 0
                     ? 0
                     : record_write(runtime->locks[0], "boot", boot_id, strlen(boot_id), &why);

    if (result == 0 || !runtime->rebooted)
        return 0;
    return err_set_errno(err, -result, "cannot note in %s that the host was restarted", runtime->state_dir);
}

int runtime_recover(struct runtime *runtime, runtime_found_fn *found, void *context, struct err *err)
{
    struct names names;
    bool noted;
    int result;

    runtime->rebooted = is_other_boot(runtime, &noted);
    if (lseek(runtime->containers_fd, 0, SEEK_SET) < 0)
        return err_set_errno(err, errno, "cannot list %s/containers", runtime->state_dir);
    result = names_list(runtime->containers_fd, ".", &names);
    if (result != 0)
        err_set_errno(err, -result, "cannot list them");
    for (size_t i = 0; i < names.count && result == 0; i++)
        if (container_find(runtime, names.name[i]) == NULL)
            result = adopt_container(runtime, names.name[i], found, context, err);
    names_clear(&names);
    /* Return before anything is removed. Running containers continue, and the next agent tries again. */
    if (result != 0) {
        err_prefix(err, "the containers in %s/containers cannot be taken up", runtime->state_dir);
        return result;
    }
    /* All containers lost by the reboot have an exit record now. */
    if (!noted && (result = note_boot(runtime, err)) != 0)
        return result;
    if ((result = orphans_end(runtime, err)) != 0)
        return result;
    orphan_dirs_remove(runtime);
    runtime_arm(runtime);
    return 0;
}
