/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - conformance cases (tests/conformance/FORMAT.md) on the references
 *
 * What a case expects was computed by YARN's own classes. So the cases show that the model is YARN. The
 * model runs without any of enum ref_difference.
 *
 * The model has no labels, placement rules, limits of parallel apps or preemption policy, and does not judge
 * configurations. A case that needs any of these, or more than the model's arrays take, is not for it.
 */
#ifndef CREEL_TESTS_REFERENCE_SCRIPT_H
#define CREEL_TESTS_REFERENCE_SCRIPT_H

#include "tests/reference/reference.h"
#include "tests/reference/script_common.h"

struct script {
    struct script_common common;        /* key 0 is priority 0 */
    struct reference ref;
};

enum script_result { SCRIPT_PASSED, SCRIPT_FAILED, SCRIPT_NOT_FOR_IT };

/* Why the case is not for the model goes to WHY; differences go to REPORT. */
enum script_result script_run(const struct test_case *test, FILE *report, char why[128]);
/* The same with the slow fair scheduler. Queues that submissions make are there from the start. */
enum script_result script_run_fair(const struct test_case *test, FILE *report);

/* --- between the files of it ------------------------------------------------ */

/* -1: not for the model, with the reason in WHY. */
int script_configure(struct script *script, const struct case_properties *capacity,
                     struct ref_config *config, char why[128]);
int script_queue(const struct script *script, const char *name);        /* by path or last name; -1 */
int64_t script_count(const struct script_common *common, int app, int node);
void script_check(struct script_common *common, const struct case_step *step, const struct case_claim *claim,
                  const char *what);

#endif
