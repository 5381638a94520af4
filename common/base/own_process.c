/* SPDX-License-Identifier: Apache-2.0 */
/* own_process.c - what the calling process uses: memory, processor time, open files */
#include "common/base/own_process.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_memory(struct own_process *ret)
{
    FILE *file = fopen("/proc/self/statm", "re");
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), all = 0, resident = 0;

    if (file == NULL)
        return;
    if (fscanf(file, "%" SCNu64 " %" SCNu64, &all, &resident) == 2) {
        ret->virtual_bytes = all * page;
        ret->resident_bytes = resident * page;
    }
    fclose(file);
}

static uint64_t microseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

static uint64_t count_files(void)
{
    struct stat status;
    DIR *directory;
    uint64_t count = 0;

    /* Since Linux 6.2, the size of the directory is the number of its entries. */
    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0)
        return (uint64_t)status.st_size;
    directory = opendir("/proc/self/fd");
    if (directory == NULL)
        return 0;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count - 3; /* ".", "..", and the directory itself */
}

struct own_process own_process_read(void)
{
    struct rusage usage = { .ru_maxrss = 0 };
    struct rlimit limit = { .rlim_cur = 0 };
    struct own_process ret = { .open_files = count_files() };

    getrusage(RUSAGE_SELF, &usage);
    getrlimit(RLIMIT_NOFILE, &limit);
    ret.cpu_us = microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime);
    ret.open_files_max = limit.rlim_cur;
    read_memory(&ret);
    return ret;
}
