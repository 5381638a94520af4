/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.c - parses the seeds of a command line */
#include <string.h>

#include "common/base/text.h"
#include "sim/world/seeds.h"

bool seeds_parse(const char *text, struct seeds *ret)
{
    const char *dash = strchr(text, '-');
    int64_t first, last;
    char copy[32];

    if (dash == NULL || (size_t)(dash - text) >= sizeof(copy)) {
        if (!text_parse_int64(text, &first))
            return false;
        last = first;
    } else {
        memcpy(copy, text, (size_t)(dash - text));
        copy[dash - text] = '\0';
        if (!text_parse_int64(copy, &first) || !text_parse_int64(dash + 1, &last))
            return false;
    }
    if (first < 0 || last < first)
        return false;
    *ret = (struct seeds){ (uint64_t)first, (uint64_t)last };
    return true;
}
