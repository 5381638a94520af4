/* SPDX-License-Identifier: Apache-2.0 */
/* log_entries.c - fuzz target: files of aggregated logs, which other users have written */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/archive/log_entries.h"

#define C1 "container_1700000000000_0001_01_000001"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int in = memfd_create("archive", MFD_CLOEXEC), out = memfd_create("logs", MFD_CLOEXEC);
    unsigned long long offset, length;
    char *text = NULL;
    size_t text_size = 0;
    FILE *list = open_memstream(&text, &text_size);
    struct err err = { 0 };
    struct stat status;

    if (in < 0 || out < 0 || list == NULL || write(in, data, size) != (ssize_t)size ||
        lseek(in, 0, SEEK_SET) != 0)
        abort();
    if (log_entries_copy(in, size % 2 ? C1 : NULL, out, list, &err) < 0 && err.text[0] == '\0')
        abort();
    fclose(list);
    if (fstat(out, &status) != 0)
        abort();
    for (size_t at = 0; at < text_size; at += strlen(text + at) + 1)
        if (text[at] != '\0' && (sscanf(text + at, "%llu %llu", &offset, &length) != 2 ||
                                 offset + length > (unsigned long long)status.st_size))
            abort();
    free(text);
    close(in);
    close(out);
    return 0;
}
