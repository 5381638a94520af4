/* SPDX-License-Identifier: Apache-2.0 */
/* rss.c - reduces the resident memory of the agent */
#include "nm-agent/linux/parts/rss.h"

#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A mapping listed in /proc/self/smaps. */
struct mapping {
    uintptr_t start, end;
    bool of_file; /* private, read-only mapping of a file */
};

/* Parses a line that begins a mapping: "START-END r-xp OFFSET DEVICE INODE   PATH". */
static bool read_head(const char *line, struct mapping *mapping)
{
    struct mapping found;
    char rights[5], path;
    int count =
        sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %*s %c", &found.start, &found.end, rights, &path);

    if (count < 3)
        return false;
    found.of_file = count == 4 && path == '/' && rights[1] == '-' && rights[3] == 'p';
    *mapping = found;
    return true;
}

void rss_trim(void)
{
    FILE *stream = fopen("/proc/self/smaps", "re");
    struct mapping mapping = { 0, 0, false };
    unsigned long changed_kb;
    char line[512];

    malloc_trim(0);
    while (stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
        if (read_head(line, &mapping))
            continue;
        /* Pages that the loader modified (and then made read-only) are not in the file. */
        if (mapping.of_file && sscanf(line, "Anonymous: %lu", &changed_kb) == 1 && changed_kb == 0)
            madvise((void *)mapping.start, mapping.end - mapping.start, MADV_DONTNEED);
    }
    if (stream != NULL)
        fclose(stream);
}

static bool is_zero(const unsigned char *page, size_t size)
{
    return page[0] == 0 && memcmp(page, page + 1, size - 1) == 0;
}

static void trim_range(uintptr_t start, uintptr_t end, size_t page)
{
    for (start = (start + page - 1) / page * page; start + page <= end; start += page)
        if (is_zero((const unsigned char *)start, page))
            madvise((void *)start, page, MADV_DONTNEED);
}

static int trim_library(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *library = context, *name = slash ? slash + 1 : info->dlpi_name;

    (void)size;
    if (strncmp(name, library, strlen(library)) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;

        /* The part after the file's content, which is initially zero. */
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) != 0)
            trim_range(start + part->p_filesz, start + part->p_memsz, (size_t)sysconf(_SC_PAGESIZE));
    }
    return 1;
}

void rss_trim_zeros(const char *library)
{
    dl_iterate_phdr(trim_library, (void *)(uintptr_t)library);
}
