/* SPDX-License-Identifier: Apache-2.0 */
/* check_shares.c - runs conformance cases of kind fair-shares */
#include "common/base/mem.h"
#include "common/base/text.h"
#include "rm/sched/fair/shares.h"
#include "sim/cases/check.h"

void check_shares(const struct test_case *test, struct report *report)
{
    const struct case_shares *shares = &test->shares;
    struct fair_member *members = mem_array0(shares->member_count, sizeof(*members));
    enum fair_policy policy = text_equal(shares->policy, "drf") ? FAIR_POLICY_DRF : FAIR_POLICY_FAIR;

    for (size_t i = 0; i < shares->member_count; i++) {
        const struct case_member *member = &shares->members[i];

        members[i] =
            (struct fair_member){ .weight = (float)member->weight,
                                  .minimum = member->minimum.amount,
                                  .maximum = resource_max(member->maximum.amount, member->minimum.amount),
                                  .active = member->active };
    }
    fair_shares(policy, shares->steady, test->type_count, &shares->total.amount, members,
                shares->member_count);
    for (size_t i = 0; i < shares->expect_count; i++)
        report_resource(report, test, shares->expect[i].name, &shares->expect[i].share,
                        &members[shares->expect[i].member].share, shares->tolerance);
    free(members);
}
