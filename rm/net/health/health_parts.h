/* SPDX-License-Identifier: Apache-2.0 */
/* health_parts.h - what the files of the health checks share; private to health*.c */
#ifndef CREEL_RM_HEALTH_PARTS_H
#define CREEL_RM_HEALTH_PARTS_H

#include "rm/net/health/health.h"

#define RM_HOST "on the host of the resource manager: "

#define OK CREEL__HEALTH_RESULT__HEALTH_OK
#define WARNING CREEL__HEALTH_RESULT__HEALTH_WARNING
#define FAILED CREEL__HEALTH_RESULT__HEALTH_FAILED

/* Sets the result of a check that is not ok. SINCE_MS 0: not known. */
static inline void health_set_bad(Creel__HealthCheck *check, Creel__HealthResult result, int64_t since_ms,
                                  char *text)
{
    check->result = result;
    check->since_ms = since_ms;
    check->text = text;
}

/* The check free-space. */
void health_judge_space(const struct health_facts *facts, struct arena *arena, Creel__HealthCheck *check);

#endif
