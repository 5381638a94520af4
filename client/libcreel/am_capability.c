/* SPDX-License-Identifier: Apache-2.0 */
/* am_capability.c - sizes of containers that an application master requests */
#include "client/libcreel/am_capability.h"

#include "common/base/mem.h"
#include "common/base/text.h"

Creel__Resource *am_capability_new(const struct creel_resource *each)
{
    Creel__Resource *capability = mem_new0(Creel__Resource);

    creel__resource__init(capability);
    capability->memory_mb = each->memory_mb;
    capability->vcores = each->vcores;
    capability->others = mem_array0(each->other_count + 1, sizeof(*capability->others));
    for (size_t i = 0; i < each->other_count && i < CREEL_OTHERS_MAX; i++) {
        Creel__NamedAmount *named = mem_new0(Creel__NamedAmount);

        creel__named_amount__init(named);
        named->name = mem_strdup(each->others[i].name);
        named->amount = each->others[i].amount;
        named->unit = mem_strdup(each->others[i].unit ? each->others[i].unit : "");
        capability->others[capability->n_others++] = named;
    }
    return capability;
}

bool am_capability_is(const Creel__Resource *capability, const struct creel_resource *each)
{
    if (capability->memory_mb != each->memory_mb || capability->vcores != each->vcores ||
        capability->n_others != each->other_count)
        return false;
    for (size_t i = 0; i < each->other_count; i++)
        if (!text_equal(capability->others[i]->name, each->others[i].name) ||
            !text_equal(capability->others[i]->unit, each->others[i].unit ? each->others[i].unit : "") ||
            capability->others[i]->amount != each->others[i].amount)
            return false;
    return true;
}
