/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - names in a directory, sorted */
#include "nm-agent/linux/parts/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "nm-agent/linux/parts/paths.h"

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int names_list(int parent_fd, const char *path, struct names *names)
{
    int fd = openat(parent_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), result;
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    *names = (struct names){ .count = 0 };
    if (stream == NULL) {
        result = -errno;
        mem_close_fd(&fd);
        return result;
    }
    for (errno = 0; (entry = readdir(stream)) != NULL; errno = 0) {
        if (!paths_is_name(entry->d_name))
            continue;
        mem_grow(names->name, names->count, names->capacity);
        names->name[names->count++] = mem_strdup(entry->d_name);
    }
    result = -errno;
    closedir(stream);
    if (names->count > 0)
        qsort(names->name, names->count, sizeof(*names->name), compare);
    return result;
}

void names_clear(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct names){ .count = 0 };
}
