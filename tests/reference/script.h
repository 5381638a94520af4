/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - runs conformance cases (tests/conformance/FORMAT.md) on the reference implementations
 *
 * The expectations of a case were computed by YARN's own classes. So the cases show that the reference
 * behaves like YARN. The reference runs without any flag of enum ref_difference.
 *
 * The reference has no placement rules and no preemption policy, and does not validate configurations. A
 * case that needs any of these, or that exceeds the reference's arrays,
 * is skipped.
 */
#ifndef CREEL_TESTS_REFERENCE_SCRIPT_H
#define CREEL_TESTS_REFERENCE_SCRIPT_H

#include "tests/reference/reference.h"
#include "tests/reference/script_common.h"

struct script {
    struct script_common common; /* key 0 has priority 0 */
    struct script_names labels;  /* the first is "" */
    struct reference ref;
};

enum script_result { SCRIPT_PASSED, SCRIPT_FAILED, SCRIPT_NOT_FOR_IT };

/* Runs the case on the reference capacity scheduler. Writes differences to REPORT; SCRIPT_NOT_FOR_IT: WHY has
 * the reason. */
enum script_result script_run(const struct test_case *test, FILE *report, char why[128]);
/* Like script_run(), on the reference fair scheduler. Queues created by submissions exist from the start. */
enum script_result script_run_fair(const struct test_case *test, FILE *report);

/* --- functions shared by the files of this runner ------------------------------- */

/* Returns -1 if the case cannot run on the reference, with the reason in WHY. */
int script_configure(struct script *script, const struct case_properties *capacity, struct ref_config *config,
                     char why[128]);
int script_queue(const struct script *script, const char *name); /* by path or last component; -1:
                                                                    none */
int64_t script_count(const struct script_common *common, int app, int node);
void script_check(struct script_common *common, const struct case_step *step, const struct case_claim *claim,
                  const char *what);

#endif
