/* SPDX-License-Identifier: Apache-2.0 */
/* soft_limits.c - sets the soft resource limits of a job (common/base/job/soft_limits.h) for its command */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/job/soft_limits.h"
#include "nm-agent/linux/shim/shim.h"

/* Writes "unlimited", or VALUE. Returns TEXT. */
static const char *format_value(rlim_t value, char text[24])
{
    if (value == RLIM_INFINITY)
        snprintf(text, 24, "unlimited");
    else
        snprintf(text, 24, "%llu", (unsigned long long)value);
    return text;
}

static void add_reduced(const char *name, rlim_t value, rlim_t hard, char text[PAYLOAD_TEXT_MAX])
{
    size_t used = strlen(text);
    char wanted[24], allowed[24];

    snprintf(text + used, PAYLOAD_TEXT_MAX - used, "%s%s %s (hard limit %s)", used > 0 ? ", " : "", name,
             format_value(value, wanted), format_value(hard, allowed));
}

void payload_find_reduced(const struct plan *plan, char text[PAYLOAD_TEXT_MAX])
{
    struct soft_limits limits;
    struct rlimit here;

    *text = '\0';
    if (plan->launch.limits == NULL || !soft_limits_read(plan->launch.limits, &limits))
        return;
    for (int i = 0; i < SOFT_LIMITS; i++) {
        const struct soft_limit *limit = &limits.of[i];

        if (limit->given && !limit->is_quiet && getrlimit(soft_limit_kinds[i].resource, &here) == 0 &&
            limit->value > here.rlim_max)
            add_reduced(soft_limit_kinds[i].name, limit->value, here.rlim_max, text);
    }
}

void payload_set_soft_limits(const struct plan *plan)
{
    struct soft_limits limits;
    struct rlimit here;

    if (plan->launch.limits == NULL || !soft_limits_read(plan->launch.limits, &limits))
        return;
    for (int i = 0; i < SOFT_LIMITS; i++) {
        const struct soft_limit *limit = &limits.of[i];

        if (!limit->given || getrlimit(soft_limit_kinds[i].resource, &here) != 0)
            continue;
        here.rlim_cur = limit->value < here.rlim_max ? limit->value : here.rlim_max;
        setrlimit(soft_limit_kinds[i].resource, &here);
    }
}
