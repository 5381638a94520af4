/* SPDX-License-Identifier: Apache-2.0 */
/* allocations_unknown.c - warns of elements of an allocation file that are not known, or not at their
 * place */
#include "common/base/text.h"
#include "rm/sched/fair/allocations_private.h"
#include "rm/sched/fair/element_table.h"

static const char *const top_names[] = {
#define NAME(name, values, doc) name,
    FAIR_TOP_ELEMENTS(NAME)
#undef NAME
};

/* Element names of older schedulers that are still in use. */
static const struct {
    const char *old, *now;
} old_names[] = {
    { "maxRunningJobs", "maxRunningApps" },
    { "userMaxJobsDefault", "userMaxAppsDefault" },
    { "poolMaxJobsDefault", "queueMaxAppsDefault" },
    { "queueMaxJobsDefault", "queueMaxAppsDefault" },
    { "defaultPoolSchedulingMode", "defaultQueueSchedulingPolicy" },
    { "defaultSchedulingMode", "defaultQueueSchedulingPolicy" },
    { "defaultSchedulingPolicy", "defaultQueueSchedulingPolicy" },
};

static bool is_top_name(const char *name)
{
    for (size_t i = 0; i < sizeof(top_names) / sizeof(top_names[0]); i++)
        if (text_equal(top_names[i], name))
            return true;
    return false;
}

void fair_warn_unknown(struct fair_reading *reading, const struct xml_node *node)
{
    for (size_t i = 0; i < sizeof(old_names) / sizeof(old_names[0]); i++) {
        if (text_equal(old_names[i].old, node->name)) {
            fair_warning(reading, node, "is not known, and ignored: its present name is %s",
                         old_names[i].now);
            return;
        }
    }
    if (reading->queue && is_top_name(node->name))
        fair_warning(reading, node,
                     "is ignored: it belongs at the top of the file, not into a "
                     "queue");
    else
        fair_warning(reading, node, "is not known, and ignored");
}
