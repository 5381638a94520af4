/* SPDX-License-Identifier: Apache-2.0 */
/* base_host_range.c - fuzz target: expands a range of hosts, folds the names to a range, and expands that */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/host_range.h"
#include "common/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void expand_again(struct host_names *names, const char *folded)
{
    struct host_names again = { 0 };

    require(host_range_expand(folded, &again, NULL) == 0 && again.count == names->count);
    qsort(names->items, names->count, sizeof(*names->items), compare);
    qsort(again.items, again.count, sizeof(*again.items), compare);
    for (size_t i = 0; i < names->count; i++)
        require(!strcmp(names->items[i], again.items[i]));
    host_names_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_free char *text = mem_strndup((const char *)data, size);
    scoped_free char *folded = NULL;
    struct host_names names = { 0 };
    struct err err = { 0 };
    bool brackets = false;

    if (host_range_expand(text, &names, &err) < 0) {
        require(names.count == 0 && err.code != 0);
        return 0;
    }
    require(names.count > 0 && names.count <= HOST_RANGE_NAMES_MAX);
    for (size_t i = 0; i < names.count; i++) {
        require(strlen(names.items[i]) < HOST_RANGE_NAME_SIZE);
        brackets = brackets || strpbrk(names.items[i], "[]");
    }
    folded = host_range_fold((const char *const *)names.items, names.count);
    if (!brackets && strlen(folded) < HOST_RANGE_NAME_SIZE)
        expand_again(&names, folded);
    host_names_done(&names);
    return 0;
}
