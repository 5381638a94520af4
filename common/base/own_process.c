/* SPDX-License-Identifier: Apache-2.0 */
/* own_process.c - what the calling process uses: memory, processor time, open files */
#include "common/base/own_process.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t read_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static uint32_t count_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    uint32_t count = 0;

    if (directory == NULL)
        return 0;
    while ((entry = readdir(directory)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count - 1; /* the directory itself */
}

struct own_process own_process_read(void)
{
    struct rusage usage = { .ru_maxrss = 0 };

    getrusage(RUSAGE_SELF, &usage);
    return (struct own_process){
        .resident_bytes = read_resident_bytes(),
        .cpu_seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime),
        .open_files = count_files(),
    };
}
