/* SPDX-License-Identifier: Apache-2.0 */
/*
 * delayed_delete.c - deletes working directories some time after the end of their container
 *
 * yarn.nodemanager.delete.debug-delay-sec sets the delay. The directories are moved to kept/<due>_<container
 * id> of their local dir, so that after a restart their names show when each is due.
 *
 * Differs: YARN leaves them at their place, where they are deleted when the application ends.
 */
#include "nm-agent/linux/disks/delayed_delete.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "nm-agent/linux/disks/removal.h"
#include "nm-agent/linux/parts/process.h"
#include "nm-agent/linux/state/disk_io.h"

#define FOLDER "kept"

/* Returns the local dir that contains PATH; NULL: none of the configured ones. */
static const char *local_dir_of(const struct runtime *runtime, const char *path)
{
    for (char **dir = runtime->local_dirs; *dir; dir++) {
        size_t length = strlen(*dir);

        if (strncmp(path, *dir, length) == 0 && path[length] == '/')
            return *dir;
    }
    return NULL;
}

static bool move_there(const struct runtime *runtime, const char *path, const char *id, int64_t due_ms)
{
    const char *dir = local_dir_of(runtime, path);
    scoped_free char *folder = dir ? mem_printf("%s/" FOLDER, dir) : NULL;
    scoped_free char *target = dir ? mem_printf("%s/%" PRId64 "_%s", folder, due_ms, id) : NULL;

    return dir != NULL && (mkdir(folder, 0755) == 0 || errno == EEXIST) &&
           renameat(AT_FDCWD, path, AT_FDCWD, target) == 0;
}

void delayed_delete_add(struct runtime *runtime, const char *path, const char *id)
{
    int64_t due_ms = process_now_ms() + runtime->debug_delay_ms;

    if (!move_there(runtime, path, id, due_ms)) {
        removal_start(runtime, path);
        return;
    }
    if (runtime->delayed_next_ms == 0 || due_ms < runtime->delayed_next_ms)
        runtime->delayed_next_ms = due_ms;
}

/* Removes the entries of FOLDER that are due; *NEXT_MS becomes the time of the next one. */
static void expire_folder(struct runtime *runtime, const char *folder, int64_t now_ms, int64_t *next_ms)
{
    DIR *stream = opendir(folder);
    struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        scoped_free char *path = mem_printf("%s/%s", folder, entry->d_name);
        char *end;
        int64_t due_ms = strtoll(entry->d_name, &end, 10);

        if (*end != '_') /* "." and "..", or another program's file */
            continue;
        if (due_ms <= now_ms)
            removal_start(runtime, path);
        else if (*next_ms == 0 || due_ms < *next_ms)
            *next_ms = due_ms;
    }
    if (stream != NULL)
        closedir(stream);
    rmdir(folder); /* fails unless it is empty */
}

static size_t count_of(char *const *directories)
{
    size_t count = 0;

    while (directories[count] != NULL)
        count++;
    return count;
}

void delayed_delete_expire(struct runtime *runtime, int64_t now_ms)
{
    scoped_free char **directories = NULL;
    int64_t next_ms = 0;

    if (runtime->delayed_next_ms == 0 || now_ms < runtime->delayed_next_ms)
        return;
    directories = disk_answering_local_dirs(runtime);
    if (count_of(directories) < runtime->health.local.count)
        next_ms = now_ms + DISK_RETRY_MS;
    for (char **dir = directories; *dir; dir++) {
        scoped_free char *folder = mem_printf("%s/" FOLDER, *dir);

        expire_folder(runtime, folder, now_ms, &next_ms);
    }
    runtime->delayed_next_ms = next_ms;
}
