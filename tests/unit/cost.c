/* SPDX-License-Identifier: Apache-2.0 */
/* cost.c - what a step of a test costs this process */
#include "tests/unit/cost.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#define SLOWER COST_SLOWER

/* Freed memory is given back at once, so that the peak is that of the step. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}
#else
#define SLOWER 1
#endif

static int64_t status_kb(const char *key)
{
    char line[128];
    int64_t found = 0;
    FILE *file = fopen("/proc/self/status", "r");

    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            found = strtoll(line + strlen(key), NULL, 10);
    fclose(file);
    return found;
}

/* The peak of the resident set starts anew (proc(5), clear_refs). */
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");

    assert_non_null(file);
    fputs("5", file);
    fclose(file);
}

int64_t cost_processor_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct cost cost_begin(void)
{
    reset_peak();
    return (struct cost){ status_kb("VmRSS:"), cost_processor_us() };
}

int64_t cost_memory_mb(const struct cost *before)
{
    return (status_kb("VmHWM:") - before->memory_kb) / 1024;
}

void cost_check_memory(const struct cost *before, const char *what)
{
    int64_t memory_mb = cost_memory_mb(before);

    if (memory_mb > COST_MEMORY_MAX_MB)
        fail_msg("%s take %" PRId64 " MiB", what, memory_mb);
}

void cost_check_processor(int64_t before_us, int64_t max_ms, const char *what)
{
    int64_t took_us = cost_processor_us() - before_us;

    if (took_us > 1000 * max_ms * SLOWER)
        fail_msg("%s: one step takes %" PRId64 " ms of processor time", what, took_us / 1000);
}

void cost_end(const struct cost *before, const char *what, const char *step)
{
    int64_t took_us = cost_processor_us() - before->processor_us;
    int64_t memory_mb = cost_memory_mb(before);

    if (memory_mb > COST_MEMORY_MAX_MB || took_us > INT64_C(1000) * COST_STEP_MAX_MS * SLOWER)
        fail_msg("%s at its limit: %s takes %" PRId64 " MiB and %" PRId64 " ms", what, step, memory_mb,
                 took_us / 1000);
}
