/* SPDX-License-Identifier: Apache-2.0 */
/* descriptors.c - counts the open file descriptors of this process */
#include "nm-agent/linux/descriptors.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>

uint64_t descriptors_open(void)
{
    struct stat status;
    uint64_t count = 0;
    DIR *stream;

    /* Since Linux 6.2, the size of the directory is the number of descriptors. */
    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0)
        return (uint64_t)status.st_size;
    stream = opendir("/proc/self/fd");
    if (stream == NULL)
        return 0;
    while (readdir(stream) != NULL)
        count++;
    closedir(stream);
    return count > 3 ? count - 3 : 0; /* without ".", "..", and the descriptor of the list */
}

uint64_t descriptors_max(void)
{
    struct rlimit limit = { .rlim_cur = 0 };

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}
