/* SPDX-License-Identifier: Apache-2.0 */
/* soft_limits.c - soft resource limits that travel with a job */
#include "common/base/job/soft_limits.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct soft_limit_kind soft_limit_kinds[SOFT_LIMITS] = {
    { "AS", RLIMIT_AS },         { "CORE", RLIMIT_CORE },   { "CPU", RLIMIT_CPU },
    { "DATA", RLIMIT_DATA },     { "FSIZE", RLIMIT_FSIZE }, { "MEMLOCK", RLIMIT_MEMLOCK },
    { "NOFILE", RLIMIT_NOFILE }, { "NPROC", RLIMIT_NPROC }, { "RSS", RLIMIT_RSS },
    { "STACK", RLIMIT_STACK },
};

/* Returns the index of the limit that the LENGTH bytes of NAME name, in any case; -1: none. */
static int find(const char *name, size_t length)
{
    for (int i = 0; i < SOFT_LIMITS; i++)
        if (strlen(soft_limit_kinds[i].name) == length &&
            strncasecmp(soft_limit_kinds[i].name, name, length) == 0)
            return i;
    return -1;
}

/* Reads a number or "unlimited" at *AT, and moves *AT behind it. */
static bool read_value(const char **at, rlim_t *value)
{
    static const char unlimited[] = "unlimited";
    unsigned long long number;
    char *end;

    if (strncmp(*at, unlimited, sizeof(unlimited) - 1) == 0) {
        *at += sizeof(unlimited) - 1;
        *value = RLIM_INFINITY;
        return true;
    }
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    number = strtoull(*at, &end, 10);
    *at = end;
    *value = (rlim_t)number;
    return errno == 0 && number < RLIM_INFINITY;
}

bool soft_limits_read(const char *text, struct soft_limits *limits)
{
    *limits = (struct soft_limits){ 0 };
    while (*text != '\0') {
        size_t length = strcspn(text, "=");
        int index = find(text, length);
        struct soft_limit *limit = index < 0 ? NULL : &limits->of[index];

        if (limit == NULL || limit->given || text[length] != '=')
            return false;
        text += length + 1;
        if (!read_value(&text, &limit->value))
            return false;
        limit->given = true;
        limit->is_quiet = *text == '?';
        text += limit->is_quiet;
        if (*text == '\0')
            return true;
        if (*text++ != ',' || *text == '\0')
            return false;
    }
    return true;
}

bool soft_limits_choose(const char *names, bool chosen[SOFT_LIMITS])
{
    static const char prefix[] = "RLIMIT_";
    bool all = strcasecmp(names, "ALL") == 0;

    for (int i = 0; i < SOFT_LIMITS; i++)
        chosen[i] = all;
    if (all || strcasecmp(names, "NONE") == 0)
        return true;
    for (;;) {
        size_t length = strcspn(names, ",");
        bool has_prefix = strncasecmp(names, prefix, sizeof(prefix) - 1) == 0;
        size_t skipped = has_prefix ? sizeof(prefix) - 1 : 0;
        int index = find(names + skipped, length - skipped);

        if (index < 0)
            return false;
        chosen[index] = true;
        if (names[length] == '\0')
            return true;
        names += length + 1;
    }
}
