/* SPDX-License-Identifier: Apache-2.0 */
/* base_results.c - fuzz target: lists of results that a node sends, paths of --fetch, and targets of links */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/job/results.h"
#include "common/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* An accepted list is the same after it was written again. */
static void try_list(const char *bytes, size_t size)
{
    static struct results first, second;
    char text[RESULTS_LIST_MAX];

    if (results_parse(bytes, size, &first) < 0)
        return;
    require(results_parse(text, results_format(&first, text), &second) == 0);
    require(first.bytes == second.bytes && first.entries == second.entries &&
            first.problem_count == second.problem_count && first.left_out == second.left_out);
    require(memcmp(first.sha256, second.sha256, sizeof(first.sha256)) == 0);
}

static void try_paths(const char *text)
{
    char path[RESULTS_TEXT_MAX];
    bool valid = results_paths_valid(text);

    while (results_next_path(&text, path) > 0)
        require(*path != '\0' && *path != '/' && strcmp(path, "..") != 0 && strstr(path, "/../") == NULL);
    require(!valid || *text == '\0');
}

/* Follows the components of a link that is accepted: they never leave the root. */
static void try_link(const char *path, const char *target)
{
    int64_t depth = -1;

    if (!results_link_stays_inside(path, target))
        return;
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");

        depth += length > 0 && !(length == 1 && *at == '.');
        at += length + (at[length] == '/');
    }
    depth = depth < 0 ? 0 : depth;
    require(*target != '/');
    for (const char *at = target; *at;) {
        size_t length = strcspn(at, "/");

        if (length == 2 && !strncmp(at, "..", 2))
            depth--;
        else if (length > 0 && !(length == 1 && *at == '.'))
            depth++;
        require(depth >= 0);
        at += length + (at[length] == '/');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *text = mem_alloc(size + 1);
    size_t half;

    memcpy(text, data, size);
    text[size] = '\0';
    try_list(text, size);
    try_paths(text);
    half = strlen(text);
    try_link(text, half < size ? text + half + 1 : "");
    return 0;
}
