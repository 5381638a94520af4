/* SPDX-License-Identifier: Apache-2.0 */
/* kill_reason.c - the cause of the end of a killed application */
#include "common/base/job/kill_reason.h"

#include <string.h>

enum kill_cause kill_reason_cause(const char *diagnostics)
{
    if (strstr(diagnostics, KILL_REASON_TIME_LIMIT) || strstr(diagnostics, KILL_REASON_LIFETIME))
        return KILL_CAUSE_TIMEOUT;
    return strstr(diagnostics, KILL_REASON_DEADLINE) ? KILL_CAUSE_DEADLINE : KILL_CAUSE_OTHER;
}
