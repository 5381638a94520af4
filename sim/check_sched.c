/* SPDX-License-Identifier: Apache-2.0 */
/* check_sched.c - conformance cases of kind scheduler: a script against the live core */
#include "sim/check.h"

void check_script(const struct test_case *test, struct report *report)
{
    (void)test;
    report_say(report, "scripts are not run yet");
}
