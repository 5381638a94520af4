/* SPDX-License-Identifier: Apache-2.0 */
/* bench_common.c - heap usage and names of resource types, for several files of the benchmark */
#include <malloc.h>
#include <stdio.h>

#include "sim/bench/bench.h"

size_t bench_allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

const char *bench_types_text(const struct bench_options *options, char text[64])
{
    size_t length = 0;

    text[0] = 0;
    for (int64_t t = 2; t < options->types; t++)
        length +=
            (size_t)snprintf(text + length, 64 - length, "%stype%lld", length > 0 ? "," : "", (long long)t);
    return text;
}
