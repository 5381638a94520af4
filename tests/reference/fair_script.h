/* SPDX-License-Identifier: Apache-2.0 */
/* fair_script.h - declarations shared by the files that run conformance cases on the reference fair
 * scheduler */
#ifndef CREEL_TESTS_REFERENCE_FAIR_SCRIPT_H
#define CREEL_TESTS_REFERENCE_FAIR_SCRIPT_H

#include "tests/reference/fair.h"
#include "tests/reference/script.h"

struct fair_script {
    struct script_common common; /* key 0 is the AM's */
    struct slow slow;
    char paths[SLOW_QUEUES][SCRIPT_NAME];
};

int fair_script_queue(const struct fair_script *script, const char *name); /* -1: there is none */
int64_t fair_script_count(const struct script_common *common, int app, int node);
void fair_script_check(struct script_common *common, const struct case_step *step,
                       const struct case_claim *claim, const char *what);

#endif
