/* SPDX-License-Identifier: Apache-2.0 */
/* free_space.c - measures the free space of the directories to which the resource manager writes */
#include "rm/net/free_space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/mem.h"

void free_space_init(struct free_space *space, const char *state_directory, int64_t limit_bytes)
{
    *space = (struct free_space){
        .limit_bytes = limit_bytes,
        .directories = { { .name = "state", .path = mem_strdup(state_directory), .required = true },
                         { .name = "history", .path = mem_printf("%s/history", state_directory) },
                         { .name = "uploads",
                           .path = mem_printf("%s/blobs", state_directory),
                           .required = true } },
    };
}

void free_space_done(struct free_space *space)
{
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        free(space->directories[i].path);
}

static bool is_measured_before(const struct free_space *space, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (space->directories[i].device == space->directories[index].device)
            return true;
    return false;
}

/* Tries to make a file in DIRECTORY; it has no name, so that nothing is left after a crash. Returns errno; 0:
 * files can be made, or DIRECTORY does not exist yet. */
static int try_write(const struct free_space_directory *directory)
{
    scoped_fd int fd = open(directory->path, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : 0;

    if (error == EOPNOTSUPP) /* a file system without such files, as NFS */
        error = access(directory->path, W_OK | X_OK) < 0 ? errno : 0;
    /* Without a descriptor, nothing is known of the directory. */
    return error == ENOENT || error == EMFILE || error == ENFILE || error == EINTR ? 0 : error;
}

/* Measures the directory INDEX; those before it are measured. */
static void measure(struct free_space *space, size_t index)
{
    struct free_space_directory *directory = &space->directories[index];
    struct stat status;
    struct statvfs file_system;

    directory->error = 0;
    directory->device = 0;
    directory->write_error = try_write(directory);
    if (stat(directory->path, &status) < 0 || statvfs(directory->path, &file_system) < 0) {
        directory->error = errno;
        directory->shared = index > 0 && directory->error == ENOENT;
        return;
    }
    directory->device = status.st_dev;
    directory->bytes = (int64_t)(file_system.f_bavail * file_system.f_frsize);
    directory->shared = is_measured_before(space, index);
}

void free_space_measure(struct free_space *space, int64_t now_ms)
{
    if (now_ms < space->due_ms)
        return;
    space->due_ms = now_ms + FREE_SPACE_MS;
    for (size_t i = 0; i < FREE_SPACE_DIRECTORIES; i++)
        measure(space, i);
}
