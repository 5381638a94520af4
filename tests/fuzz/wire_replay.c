/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_replay.c - runs a fuzz target over its corpus, without a fuzzer
 *
 *   wire_replay_TARGET [FILE...]
 *
 * Without arguments: the corpus of TARGET below $srcdir. Also runs every prefix of every seed, so that make
 * check covers some of the inputs that a fuzzer would find. Prints TAP.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    scoped_free uint8_t *data = mem_alloc(1 << 20);
    FILE *file = fopen(path, "re");
    size_t size;

    if (file == NULL) {
        perror(path);
        return 1;
    }
    size = fread(data, 1, 1 << 20, file);
    fclose(file);
    for (size_t cut = 0; cut <= size; cut++) {
        uint8_t *copy = mem_alloc(cut + 1);

        memcpy(copy, data, cut);
        LLVMFuzzerTestOneInput(copy, cut);
        free(copy);
    }
    return 0;
}

static int run_corpus(void)
{
    const char *source = getenv("srcdir");
    scoped_free char *folder = mem_printf("%s/tests/fuzz/corpus/" TARGET, source != NULL ? source : ".");
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int failed = 0, count = 0;

    if (dir == NULL) {
        perror(folder);
        return 1;
    }
    while ((entry = readdir(dir)) != NULL) {
        scoped_free char *path = mem_printf("%s/%s", folder, entry->d_name);

        if (entry->d_name[0] == '.')
            continue;
        failed |= run_file(path);
        count++;
    }
    closedir(dir);
    failed |= count == 0;
    printf("%sok 1 - %d seeds of " TARGET "\n1..1\n", failed ? "not " : "", count);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;

    if (argc < 2)
        return run_corpus();
    for (int i = 1; i < argc; i++)
        failed |= run_file(argv[i]);
    return failed;
}
