/* SPDX-License-Identifier: Apache-2.0 */
/* placement.c - frees results of placement rules, for both schedulers */
#include "rm/sched/placement.h"

#include <stdlib.h>

void placement_result_clear(struct placement_result *result)
{
    free(result->queue);
    *result = (struct placement_result){ .queue = NULL };
}
